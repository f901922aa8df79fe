"""Sections of a comparison's report: the differences of all pairs, and power by corpus size."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from segscore.pipeline.comparison.certainty import why_untested
from segscore.pipeline.comparison.pair_rows import (
    better_first,
    by_difference,
    has_point,
    is_significant,
    name_of_pair,
)
from segscore.pipeline.comparison.shown_pairs import differences_shown
from segscore.pipeline.errors import Refused
from segscore.pipeline.plain_text import named_list
from segscore.pipeline.reports import charts
from segscore.pipeline.reports.chart_parts import Chart, MarkValues
from segscore.pipeline.reports.page import Figure, Section, isolated, shown_figure
from segscore.pipeline.reports.run_tables import group_name
from segscore.pipeline.runs.finished import FinishedRun
from segscore.pipeline.statistics.shown_numbers import shown_change, shown_interval, shown_p
from segscore.schemas.rows import PairRow, group_of

_PAIRS = 30
"""Maximum number of pairs that a chart shows: those with the largest differences."""

_CURVES = 10
"""Maximum number of power curves that are drawn."""

_COLUMNS = (
    "difference", "ci_low", "ci_high", "p", "p_holm", "smallest_difference_low",
    "smallest_difference_high", "documents", "units", "equal",
)  # fmt: skip


def require_columns(run: FinishedRun) -> None:
    """Refuse a comparison of an earlier version, whose table lacks columns.

    Raises:
        Refused: the run must be compared again.
    """
    (first, *_) = run.parts("comparisons")
    lacking = [name for name in _COLUMNS if name not in first.column_names]
    if lacking:
        raise Refused(
            f"{run.url}: was compared by an earlier version, and lacks {named_list(lacking)}; "
            "compare the runs again"
        )


def in_words(run: FinishedRun, average: str) -> Iterator[str]:
    """Yield a sentence for each measure: how many of its pairs differ, and which the most."""
    by = run.settings["group_by"]
    every: list[PairRow] = run.rows("comparisons")
    rows = [row for row in every if row["average"] == average and _is_whole(row, by)]
    if not rows:
        yield "One system was compared with no other."
    for measure in dict.fromkeys(row["measure"] for row in rows):
        every_pair = [better_first(row) for row in rows if row["measure"] == measure]
        of_systems = [row for row in every_pair if not has_point(row)]
        pairs = of_systems or every_pair
        sure = [row for row in pairs if is_significant(row)]
        first = min(pairs, key=by_difference)
        if first["difference"] is None:
            yield f"{measure} ({average} average) is undefined for every pair."
            continue
        if (why := why_untested(pairs)) is not None:
            yield f"{measure} ({average} average): {why}"
            continue
        p = first["p_holm"]
        test = "" if p is None else f", p {shown_p(p)} adjusted by Holm"
        interval = shown_interval(first["ci_low"], first["ci_high"])
        span = "" if first["ci_low"] is None else f" (interval by Holm {interval})"
        margin = run.settings.get("margin")
        equal = sum(row["equal"] is True for row in pairs)
        within = "" if margin is None else f" Within {margin:g}, {equal} of the pairs are equal."
        yield (
            f"{len(sure)} of {len(pairs)} differences in {measure} ({average} average) are "
            f"significant. The largest is that of {isolated(first['system'])} and "
            f"{isolated(first['other'])}: {shown_change(first['difference'])}{span}{test}.{within}"
        )


def comparison_sections(run: FinishedRun, average: str) -> Iterator[Section]:
    """Yield the sections on the differences of pairs and, where it was simulated, on power."""
    every: list[PairRow] = run.rows("comparisons")
    rows = [row for row in every if row["average"] == average]
    measures = list(dict.fromkeys(row["measure"] for row in rows))
    yield Section(
        "differences",
        "Differences",
        f"Differences of the {average} averages over the documents that systems share. Their "
        "intervals are at the levels of their tests, which Holm's method adjusts: an interval "
        "excludes 0 where p (Holm) is below 0.05.",
        [_differences(run, rows, measure) for measure in measures],
    )


def _differences(run: FinishedRun, rows: Sequence[PairRow], measure: str) -> Figure:
    by = run.settings["group_by"]
    chosen = [better_first(row) for row in rows if row["measure"] == measure]
    left = sum(row["difference"] is not None for row in chosen) - _PAIRS
    groups = [_group(row, by) for row in chosen]
    more = f" The {_PAIRS} largest differences are drawn; {left} more are in the table."
    table = differences_shown(chosen, groups, measure, run.settings.get("margin"))
    table = replace(table, guide=table.guide + (more if left > 0 else ""))
    return shown_figure(table, difference_chart(rows, measure, by), wide=True)


def difference_chart(rows: Sequence[PairRow], measure: str, by: Sequence[str]) -> Chart | None:
    """Draw the largest differences of a measure, of one average; None if none is defined.

    Pairs of systems are drawn; pairs with a reference point only where there are no others.
    """
    every = [better_first(row) for row in rows if row["measure"] == measure]
    chosen = [row for row in every if not has_point(row)] or every
    drawn = sorted((row for row in chosen if row["difference"] is not None), key=by_difference)
    spans: list[MarkValues] = [
        {
            "name": name_of_pair(row) + ("" if not by else f" ({_group(row, by)})"),
            "value": row["difference"],
            "low": row["ci_low"],
            "high": row["ci_high"],
            "kind": _kind(row),
        }
        for row in drawn[:_PAIRS]
    ]
    average = f", {drawn[0]['average']} averages" if drawn else ""
    kinds = (_TWO_SYSTEMS, _WITH_POINT)
    return charts.intervals(spans, f"difference in {measure}{average}", kinds, zero=True)


def _kind(row: PairRow) -> str:
    points = has_point(row)
    return _WITH_POINT if points else _TWO_SYSTEMS


_TWO_SYSTEMS, _WITH_POINT = "of two systems", "with a reference point"


def _group(row: PairRow, by: Sequence[str]) -> str:
    return "all" if _is_whole(row, by) else group_name(row, by)


def _is_whole(row: PairRow, by: Sequence[str]) -> bool:
    return all(part is None for part in group_of(row, by))
