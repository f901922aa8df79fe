"""The leaderboard of a scoring run: a row for each system, a column for each headline measure."""

from collections.abc import Sequence

from segscore.pipeline.measures import ALL, shown_measures
from segscore.pipeline.reports.page import Figure, NumberCell, PageTable, four_decimals
from segscore.pipeline.reports.ranking import Ranking
from segscore.pipeline.runs.finished import RunRow
from segscore.pipeline.scoring.part import is_point


def leaderboard(ranking: Ranking) -> Figure:
    """Make the table of systems, best first, shaded by how good each value is."""
    available = {name: None for name, average in ranking.whole if average == ranking.average}
    chosen = ranking.measure.name
    names = [chosen, *(name for name in shown_measures(available) if name != chosen)]
    rows = {name: _cells(ranking.rows(name), ALL[name].better) for name in names}
    systems, points = (
        [
            [name, *(cells.get(name) for cells in rows.values())]
            for name in ranking.systems
            if is_point(name) == apart
        ]
        for apart in (False, True)
    )
    headings = ["system", *(name + ALL[name].arrow for name in names)]
    return Figure(
        "Leaderboard",
        "Shaded by column: blue is better and red is worse than the middle between the best and "
        "the worst system. A heading sorts the table.",
        PageTable(headings, systems, apart=points, apart_heading="Reference points"),
        folded=False,
        wide=True,
    )


def _cells(rows: Sequence[RunRow], better: str) -> dict[str, NumberCell]:
    """Make the cell of each system for one measure."""
    values = [
        row["value"] for row in rows if row["value"] is not None and not is_point(row["hypothesis"])
    ]
    ends = (min(values), max(values)) if values and better != "neither" else (0.0, 0.0)
    worst, best = ends if better == "higher" else ends[::-1]
    return {row["hypothesis"]: _cell(row, worst, best) for row in rows}


def _cell(row: RunRow, worst: float, best: float) -> NumberCell:
    value, low, high = row["value"], row["ci_low"], row["ci_high"]
    if value is None:
        return NumberCell("–", None)
    grade = 0.0
    if worst != best and not is_point(row["hypothesis"]):
        grade = 2 * (value - worst) / (best - worst) - 1
    interval = "" if low is None else f"{four_decimals(low)} to {four_decimals(high)}"
    return NumberCell(four_decimals(value), value, interval, grade)
