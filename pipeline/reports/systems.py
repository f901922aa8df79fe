"""Sections on the systems of a scoring run: their ranking, kinds of error, and groups."""

from collections.abc import Iterator, Mapping, Sequence

from segscore.pipeline.comparison.certainty import PairRows
from segscore.pipeline.conventions.calibrate import Calibration
from segscore.pipeline.measures import ALL
from segscore.pipeline.reports import charts
from segscore.pipeline.reports.calibration import scale_figure
from segscore.pipeline.reports.chart_parts import LETTERS, Chart, MarkValues
from segscore.pipeline.reports.labels import short_labels
from segscore.pipeline.reports.leaderboard import leaderboard
from segscore.pipeline.reports.line_charts import line_chart
from segscore.pipeline.reports.matrices import matrix
from segscore.pipeline.reports.page import Figure, Section, shown_figure
from segscore.pipeline.reports.ranking import Ranking
from segscore.pipeline.reports.run_tables import as_dates
from segscore.pipeline.results.averages_table import (
    averages_against,
    averages_by_group,
    every_measure_table,
)
from segscore.pipeline.results.names import is_point
from segscore.pipeline.statistics.formatted_numbers import counted, short_number
from segscore.schemas.rows import AverageRow

_GROUPS = 30
"""Maximum number of groups that are drawn."""

LINES = 20
"""Maximum number of systems whose values are drawn over time, the best ones."""

LABELLED = 8
"""Maximum number of systems whose names fit beside their points; more are numbered by rank."""


def interval_chart(
    rows: Sequence[AverageRow], measure: str, *, joined: bool = False
) -> Chart | None:
    """Draw the value of each system with its interval; None if no value is defined.

    Args:
        rows: the rows of a summary, from top to bottom.
        measure: their measure.
        joined: whether a line joins the systems.
    """
    spans: list[MarkValues] = [
        {
            "name": row["hypothesis"],
            "value": row["value"],
            "low": row["ci_low"],
            "high": row["ci_high"],
            "kind": _KINDS[is_point(row["hypothesis"])],
        }
        for row in rows
    ]
    average = f", {rows[0]['average']} average" if rows else ""
    return charts.intervals(spans, f"{measure}{average}", _KINDS, joined=joined)


_KINDS = ("system", "reference point")


def ranked_systems(ranking: Ranking, pairs: PairRows, calibration: Calibration | None) -> Section:
    """Rank systems by the chosen measure, in a table with the headline measures beside it."""
    scale = [] if calibration is None else [scale_figure(ranking, calibration)]
    figures = [leaderboard(ranking, pairs), *scale, _all_measures(ranking)]
    return Section("systems", "All columns and measures", "", figures)


def _all_measures(ranking: Ranking) -> Figure:
    shown = [
        (name, row["hypothesis"])
        for name in dict.fromkeys(name for name, _ in ranking.whole)
        for row in ranking.rows(name)
    ]
    micro, macro = (
        [ranking.whole[name, average][system] for name, system in shown]
        for average in ("micro", "macro")
    )
    return shown_figure(every_measure_table(micro, macro), wide=True)


ERRORS = (
    (
        "b_recall",
        "b_precision",
        "Shares of boundaries; near misses count in part. Higher: fewer false alarms. Further "
        "right: fewer misses.",
    ),
    (
        "pr_false_alarm",
        "pr_miss",
        "Rates over windows. Higher: more windows with too few boundaries. Further right: more "
        "with too many.",
    ),
    (
        "r_false_alarm",
        "r_miss",
        "Mean content per unit, in the unit of the run. Higher: more of each reference segment is "
        "cut off, as with too many boundaries. Further right: more is included that belongs to "
        "another segment, as with too few.",
    ),
)
"""Pairs of measures drawn against each other, and how to read each chart."""


def errors(ranking: Ranking) -> Iterator[Section]:
    """Draw which kinds of errors systems make, if the run has measures that tell them apart."""
    available = {name for name, _ in ranking.whole}
    figures = [_against(ranking, *chart) for chart in ERRORS if {*chart[:2]} <= available]
    if figures:
        yield Section("errors", "Kinds of errors", "", figures)


def _against(ranking: Ranking, x: str, y: str, caption: str) -> Figure:
    across = {row["hypothesis"]: row for row in ranking.rows(x)}
    up = {row["hypothesis"]: row for row in ranking.rows(y)}
    few = len(ranking.systems) <= LABELLED
    labels = short_labels(ranking.systems, LETTERS)
    points: list[MarkValues] = []
    place = "rank" if ranking.board.coverage.ranks else "number"
    for rank, name in enumerate(ranking.systems, 1):
        ends = across[name], up[name]
        if None not in (ends[0]["value"], ends[1]["value"]):
            points.append(
                {
                    "name": name,
                    "label": labels[name] if few else str(rank),
                    **{axis: end["value"] for axis, end in zip("xy", ends, strict=True)},
                    **{f"{a}_low": e["ci_low"] for a, e in zip("xy", ends, strict=True)},
                    **{f"{a}_high": e["ci_high"] for a, e in zip("xy", ends, strict=True)},
                }
            )
    marked = (
        " A point without a name has it in its tooltip and in the table."
        if few
        else f" Systems are numbered{' by rank' if place == 'rank' else ''}."
    )
    table = averages_against(
        [across[name] for name in ranking.systems],
        [up[name] for name in ranking.systems],
        place,
        caption + marked,
    )
    return shown_figure(table, charts.scatter(points, x + ALL[x].arrow, y + ALL[y].arrow))


def groups(ranking: Ranking) -> Iterator[Section]:
    """Draw systems by group of documents, if there are groups."""
    if not ranking.groups:
        return
    size: dict[str, int] = {}
    for row in ranking.groups:
        size[row["group"]] = max(size.get(row["group"], 0), row["documents"])
    dates = as_dates(ranking.by, size)
    order = sorted(size, key=lambda group: (0 if dates else -size[group], group))
    place = {group: index for index, group in enumerate(order)}
    rows = sorted(
        ranking.groups, key=lambda row: (place[row["group"]], ranking.place[row["hypothesis"]])
    )
    caption, chart = _group_chart(ranking, rows, place, dates)
    title = f"{ranking.measure.name}{ranking.measure.arrow} by {', '.join(ranking.by)}"
    table = averages_by_group(rows, title, caption + _over_shared(ranking))
    yield Section("groups", "Groups", "", [shown_figure(table, chart, wide=True)])


def _over_shared(ranking: Ranking) -> str:
    """Say in how many groups averages are over shared documents, and in how many none compare."""
    coverages = [board.coverage for board in ranking.group_boards]
    shared = sum(coverage.ranks_on_shared for coverage in coverages)
    apart = sum(not coverage.ranks for coverage in coverages)
    text = ""
    if shared:
        text += f" In {counted(shared, 'group')}, averages are over the documents that all share."
    if apart:
        text += f" In {counted(apart, 'group')}, systems share too few documents to be ranked."
    return text


def _group_chart(
    ranking: Ranking, rows: Sequence[AverageRow], place: Mapping[str, int], dates: Mapping[str, str]
) -> tuple[str, Chart | None]:
    """Draw lines over time if the groups are dates, else a matrix; return how to read it, too."""
    if dates:
        drawn = set(ranking.systems[:LINES])
        points = [
            {"name": row["hypothesis"], "x": dates[row["group"]], "y": row["value"]}
            for row in rows
            if row["hypothesis"] in drawn
        ]
        left = len(ranking.systems) - len(drawn)
        first = "best" if ranking.board.coverage.ranks else "first"
        more = f" The {first} {LINES} systems; {left} more are in the table." if left else ""
        (by,) = ranking.by
        caption = f"{ranking.average.capitalize()} averages; each line is a system.{more}"
        return caption, line_chart(points, by, ranking.measure.name, dates=True)
    shown = f" The {_GROUPS} largest of {len(place)} groups." if len(place) > _GROUPS else ""
    cells = [_cell(row) for row in rows if place[row["group"]] < _GROUPS]
    return (
        f"{ranking.average.capitalize()} averages of groups of documents, by systems; the bluer, "
        f"the better.{shown}",
        matrix(cells, "average", ranking.measure.better),
    )


def _cell(row: AverageRow) -> MarkValues:
    cell = {"value": row["value"], "text": short_number(row["value"]), "mark": ""}
    return {"row": row["group"], "column": row["hypothesis"], **cell}
