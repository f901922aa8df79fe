"""Arrange averages as a table for each measure: a row for each system, a column for each group."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from segscore.jobs.show.formats import Layout
from segscore.pipeline.statistics.shown_numbers import shown_attribute, shown_number
from segscore.schemas.rows import AverageRow

if TYPE_CHECKING:
    import pyarrow as pa

    from segscore.pipeline.results.leaderboard import Leaderboard


def crossed_layout(summary: "pa.Table", signature: str, named: Sequence[str]) -> Layout:
    """Arrange micro averages: systems by groups, for each measure; all documents come last.

    Args:
        summary: the table ``summary`` of a run with groups.
        signature: signature of the run.
        named: measures and families in the order in which the user named them.
    """
    from segscore.pipeline.results.leaderboard import measures_to_show, rank
    from segscore.pipeline.statistics.averages import summary_groups

    by = summary_groups(summary.column_names)
    every: list[AverageRow] = summary.to_pylist()
    micro = [row for row in every if row["average"] == "micro"]
    whole, *groups = rank(micro, by, named=named)
    boards = [*groups, whole]
    cells: list[list[str]] = []
    numbers: list[list[Any]] = []
    best: set[tuple[int, int]] = set()
    for measure in measures_to_show(list(dict.fromkeys(row["measure"] for row in micro)), named):
        for name in whole.by(measure).names:
            values = [_value(board, measure, name) for board in boards]
            best |= {
                (len(cells), 2 + place)
                for place, board in enumerate(boards)
                if name in board.best(measure)
            }
            cells.append([measure, name, *map(shown_number, values)])
            numbers.append([measure, name, *values])
    columns = [*map(_heading, groups), "all"]
    return Layout(
        headings=["measure", "system", *columns],
        rows=cells,
        names=["measure", "hypothesis", *columns],
        numbers=numbers,
        texts=2,
        signature=signature,
        apart=1,
        average="micro",
        best=frozenset(best),
    )


def _value(board: "Leaderboard", measure: str, name: str) -> float | None:
    of_measure = board.averages.get(measure, {})
    return of_measure[name]["value"] if name in of_measure else None


def _heading(board: "Leaderboard") -> str:
    return ", ".join("all" if part is None else shown_attribute(part) for part in board.group)
