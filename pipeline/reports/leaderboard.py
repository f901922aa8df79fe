"""The leaderboard of a scoring run: a row for each system, a column for each headline measure."""

from segscore.pipeline.measures import ALL
from segscore.pipeline.reports.page import Cell, Figure, NumberCell, PageTable
from segscore.pipeline.reports.ranking import Ranking
from segscore.pipeline.runs.finished import RunRow
from segscore.pipeline.scoring.chance import SKILL
from segscore.pipeline.statistics.shown_numbers import shown_interval, shown_number


def leaderboard(ranking: Ranking) -> Figure:
    """Make the table of systems, best first, shaded by how good each value is."""
    board = ranking.board
    cells = [_cells(ranking, name) for name in board.measures]
    beside = board.beside()
    systems, points = (
        [
            [
                name,
                *(of.get(name) for of in cells),
                *(_beside(board.rows[name], key) for key in beside),
            ]
            for name in names
            if name in ranking.place
        ]
        for names in (board.systems, board.points)
    )
    headings = ["system", *(name + ALL[name].arrow for name in board.measures), *beside]
    last = f" Skill, by {board.measure}: {SKILL}." if "skill" in beside else ""
    fewer = " Systems with fewer documents than others come last, without shades."
    return Figure(
        "Leaderboard",
        "Shaded by column: blue is better and red is worse than the middle between the best and "
        f"the worst system. A heading sorts the table.{last}{fewer if board.fewer else ''}",
        PageTable(headings, systems, apart=points, apart_heading="Reference points"),
        folded=False,
        wide=True,
    )


def _beside(row: RunRow, column: str) -> Cell:
    """Make the cell of a column beside the averages."""
    value = row[column]
    if column == "skill" and value is not None:
        return NumberCell(
            shown_number(value), value, shown_interval(row["skill_low"], row["skill_high"])
        )
    return value


def _cells(ranking: Ranking, measure: str) -> dict[str, NumberCell]:
    """Make the cell of each system for one measure."""
    graded = {row["hypothesis"]: row["value"] for row in ranking.compared(measure)}
    values, better = graded.values(), ALL[measure].better
    ends = (min(values), max(values)) if values and better != "neither" else (0.0, 0.0)
    worst, best = ends if better == "higher" else ends[::-1]
    grades = {
        name: 2 * (value - worst) / (best - worst) - 1 if worst != best else 0.0
        for name, value in graded.items()
    }
    return {
        row["hypothesis"]: _cell(row, grades.get(row["hypothesis"], 0.0))
        for row in ranking.rows(measure)
    }


def _cell(row: RunRow, grade: float) -> NumberCell:
    value, low, high = row["value"], row["ci_low"], row["ci_high"]
    if value is None:
        return NumberCell("–", None)
    interval = "" if low is None else shown_interval(low, high)
    return NumberCell(shown_number(value), value, interval, grade)
