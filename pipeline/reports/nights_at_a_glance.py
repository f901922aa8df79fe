"""The table that a night's page begins with: a row a system, with the last nights."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from math import isnan

from segscore.pipeline.errors import Refused
from segscore.pipeline.nightly.gate.rules import kind_of_check, result_in_words
from segscore.pipeline.nightly.trend.series import read_series
from segscore.pipeline.nightly.trend.settings import TrendSettings
from segscore.pipeline.nightly.verdict import ALL_SYSTEMS, Check, Verdict
from segscore.pipeline.reports.glance import Glance, GlanceCell, GlanceColumn, GlanceRow, LineMarks
from segscore.pipeline.results.names import explain_command
from segscore.pipeline.statistics.formatted_numbers import short_change, short_number

NIGHTS = 14
"""Number of nights whose values are drawn."""

_WIDTH, _HEIGHT = 180, 26
"""Size of a line, in pixels."""

_ROWS = 20
"""Most systems at a glance."""


def night_at_a_glance(night: Verdict, runs: str) -> Glance | None:
    """Show each system: the rule that says most about it, and its last nights on one scale.

    Args:
        night: the verdict.
        runs: folder of the nights.
    """
    checks = [*_deciding(night)]
    if not checks:
        return None
    first = checks[0]
    values = _last_nights(night, first, runs)
    known = [value for each in values.values() for value in each if not isnan(value)]
    low, high = (min(known), max(known)) if known else (0.0, 1.0)
    rows = [
        GlanceRow(
            [
                GlanceCell(check.system),
                GlanceCell(result_in_words(check)),
                GlanceCell(short_number(check.value)),
                GlanceCell(short_number(check.before)),
                GlanceCell(short_change(check.change)),
                GlanceCell(line=_line(values.get(check.system, ()), low, high)),
            ],
            "failed" if check.fails else "",
        )
        for check in checks[:_ROWS]
    ]
    columns = [
        GlanceColumn("system", "name"),
        GlanceColumn("result", "text"),
        GlanceColumn("now", "value"),
        GlanceColumn("before", "number", wide=True),
        GlanceColumn("change", "number", wide=True),
        GlanceColumn(f"last {max(map(len, values.values()), default=0)} nights", "text"),
    ]
    before = kind_of_check(first).compared_with(first)
    note = (
        f"{first.measure}, {first.average} average; before: {before}. "
        f"The lines share one scale, {short_number(low)} to {short_number(high)}."
    )
    return Glance("Systems of the night", columns if known else columns[:-1], rows, note)


def _deciding(night: Verdict) -> Iterator[Check]:
    """Yield a check of each system, those that fail first: the first failing one, or the first."""
    of: dict[str, Check] = {}
    for check in (*night.failed, *night.checks):
        if check.system != ALL_SYSTEMS:
            of.setdefault(check.system, check)
    yield from of.values()


def _last_nights(night: Verdict, check: Check, runs: str) -> Mapping[str, Sequence[float]]:
    """Return the averages of each system on the last nights; empty if there are too few."""
    try:
        settings = TrendSettings(
            runs,
            check.measure,
            until=date.fromisoformat(night.date),
            nights=NIGHTS,
            average=check.average,
        )
        series = read_series(settings).series
    except Refused:
        return {}
    return {each.system: each.values.tolist() for each in series if each.system is not None}


def _line(values: Sequence[float], low: float, high: float) -> LineMarks | None:
    """Return the points of a line that ends tonight; None if tonight is undefined."""
    if not values or isnan(values[-1]):
        return None
    step, size = _WIDTH / max(1, len(values) - 1), (high - low) or 1.0
    points = [
        (round(place * step, 1), round(_HEIGHT * (1 - (value - low) / size), 1))
        for place, value in enumerate(values)
        if not isnan(value)
    ]
    return LineMarks(" ".join(f"{x:g},{y:g}" for x, y in points), *points[-1])


def to_look_closer(night: Verdict, run: str) -> str:
    """Return the command that shows the document that worsened most; empty if none did."""
    moved = ((check.system, each.document_id) for check in night.failed for each in check.moved)
    system, document = next(moved, ("", ""))
    return explain_command(run, document, system) if document else ""
