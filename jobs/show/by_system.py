"""Arrange averages as a table with one row per system and one column per measure."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from segscore.jobs.show.formats import Layout, plain_layout
from segscore.pipeline.statistics.shown_numbers import shown_attribute, shown_cell, with_interval
from segscore.schemas.rows import AverageRow, column_of

if TYPE_CHECKING:
    import pyarrow as pa

    from segscore.pipeline.results.leaderboard import Leaderboard

_PARTS = ("value", "ci_low", "ci_high")
_SUFFIXES = ("", "_low", "_high")


def by_system(
    boards: Sequence["Leaderboard"],
    by: Sequence[str],
    system: str,
    signature: str,
    shown: Sequence[str],
) -> Layout:
    """Make one row per group and system, best first: the value and interval of each measure.

    Args:
        boards: the systems of each group, ranked.
        by: the group-by columns.
        system: name of the column that names the system.
        signature: signature of the run.
        shown: the measures to show to people; the values for programs are those of all measures.
    """
    from segscore.pipeline.results.leaderboard import COLUMNS, heading_beside

    measures = list(dict.fromkeys(name for board in boards for name in board.averages))
    rows, numbers = [], []
    columns = [
        column
        for column, _ in COLUMNS
        if column == "documents" or any(column in board.beside() for board in boards)
    ]
    for board, name in ((each, name) for each in boards for name in each.names):
        beside = [column_of(board.rows[name], column) for column in columns]
        averages = {measure: board.average(measure, name) for measure in measures}
        cells = [_cell(averages[measure]) for measure in shown]
        rows.append([*_group(board), name, *map(shown_cell, beside), *cells])
        values = [column_of(averages[measure], part) for measure in measures for part in _PARTS]
        numbers.append([*board.group, name, *beside, *values])
    return Layout(
        headings=[*by, "system", *map(heading_beside, columns), *shown],
        rows=rows,
        names=[*by, system, *columns, *(m + suffix for m in measures for suffix in _SUFFIXES)],
        numbers=numbers,
        texts=len(by) + 1,
        signature=signature,
        apart=len(by),
        notes={_group(board): line for board in boards if (line := _note(board))},
    )


def _note(board: "Leaderboard") -> str:
    return "; ".join(filter(None, (board.coverage.in_words, board.answers_in_words)))


def _group(board: "Leaderboard") -> tuple[str, ...]:
    return tuple("all" if part is None else shown_attribute(part) for part in board.group)


def mark_best(layout: Layout, boards: Sequence["Leaderboard"], measures: Sequence[str]) -> Layout:
    """Mark the best values of a table of ``by_system``, whose last columns are the measures."""
    keys = ((board, name) for board in boards for name in board.names)
    first = len(layout.headings) - len(measures)
    best = {
        (row, first + place)
        for row, (board, name) in enumerate(keys)
        for place, measure in enumerate(measures)
        if name in board.best(measure)
    }
    return replace(layout, best=frozenset(best))


def _cell(row: AverageRow) -> str:
    return with_interval(row["value"], row["ci_low"], row["ci_high"])


def summary_layout(
    summary: "pa.Table", layout: str, signature: str, named: Sequence[str] = ()
) -> Layout:
    """Arrange the averages of a scoring run.

    Args:
        summary: the table ``summary`` of the run.
        layout: ``systems``: micro averages over all documents; ``groups``: also those of each
            group; ``measures``: the rows of the table as they are.
        signature: signature of the run.
        named: measures and families in the order in which the user named them.
    """
    from segscore.pipeline.results.leaderboard import measures_to_show, rank
    from segscore.pipeline.runs.finished import are_over_all
    from segscore.pipeline.statistics.averages import summary_groups

    if layout == "measures":
        return plain_layout(summary.column_names, summary.to_pylist(), signature)
    by = summary_groups(summary.column_names)
    if layout == "systems":
        summary, by = summary.filter(are_over_all(summary, by)), []
    every: list[AverageRow] = summary.to_pylist()
    rows = [row for row in every if row["average"] == "micro"]
    measures = list(dict.fromkeys(row["measure"] for row in rows))
    boards = rank(rows, by, named=named)
    shown = measures_to_show(measures, named)
    arranged = by_system(boards, by, "hypothesis", signature, shown)
    return replace(mark_best(arranged, boards, shown), average="micro")
