"""One table of averages for a paper: what its rows, its columns and its cells are."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from segscore.pipeline.errors import Refused
from segscore.pipeline.measures import PANELS
from segscore.pipeline.measures.several_references import COMPARED
from segscore.pipeline.results.leaderboard import Leaderboard, measures_to_show, rank
from segscore.pipeline.results.leaderboard_table import (
    Beaten,
    leaderboard_table,
    shown_group_part,
)
from segscore.pipeline.runs.finished import are_over_all
from segscore.pipeline.statistics.averages import summary_groups
from segscore.pipeline.statistics.formatted_numbers import shown_number, shown_rank
from segscore.pipeline.statistics.rank_tests import kendall_tau
from segscore.pipeline.statistics.result_table import PEOPLE, PROGRAMS, Column, ResultTable
from segscore.schemas.rows import AverageRow

if TYPE_CHECKING:
    import pyarrow as pa

AXES = ("systems", "groups", "measures")
CELLS = ("interval", "value", "sd", "rank")


@dataclass(frozen=True)
class Crossing:
    """What a table shows.

    Attributes:
        rows: what a row is: one of ``AXES``.
        columns: what a column is: another one.
        cells: what a cell shows: a value with its ``interval``, the ``value`` alone, with the
            ``sd`` over trials, or the ``rank`` of the system.
    """

    rows: str
    columns: str
    cells: str

    @property
    def apart(self) -> str:
        """The axis that is left: each of its values has a part of the table."""
        return next(axis for axis in AXES if axis not in (self.rows, self.columns))


CROSSED = {
    "crossed": Crossing("systems", "groups", "value"),
    "references": Crossing("groups", "systems", "value"),
}
"""What layouts that have a name show."""


def parse_crossing(layout: str, *, grouped: bool) -> Crossing | None:
    """Read a layout such as ``systems,groups,sd``; None for the name of another layout.

    Raises:
        Refused: it is neither, or there are no groups to show.
    """
    crossing = CROSSED.get(layout)
    if crossing is None:
        if "," not in layout:
            return None
        rows, columns, *cells = (part.strip() for part in layout.split(","))
        crossing = Crossing(rows, columns, ",".join(cells) or CELLS[0])
        if {rows, columns} - {*AXES} or rows == columns or crossing.cells not in CELLS:
            raise Refused(
                f"--layout {layout}: expected ROWS,COLUMNS or ROWS,COLUMNS,CELLS: two of "
                f"{', '.join(AXES)}, and one of {', '.join(CELLS)}"
            )
    if not grouped and crossing.apart != "groups":
        raise Refused(f"--layout {layout}: there are no groups; add --group-by ATTRIBUTE")
    return crossing


class _Place(NamedTuple):
    """A cell: a system by a measure in a group."""

    board: Leaderboard
    measure: str
    system: str

    @property
    def row(self) -> AverageRow:
        return self.board.average(self.measure, self.system)

    @property
    def is_best(self) -> bool:
        return self.system in self.board.best(self.measure)

    @property
    def rank(self) -> int | None:
        return self.board.by(self.measure).places.get(self.system)


def crossed_table(
    boards: Sequence[Leaderboard],
    measures: Sequence[str],
    crossing: Crossing,
    by: Sequence[str] = (),
    *,
    beaten: Beaten | None = None,
    key: str = "hypothesis",
) -> ResultTable:
    """Make one table of systems, groups and measures; a part for each value of the third axis.

    Args:
        boards: the systems of each group, ranked; first those over all documents, shown last.
        measures: the measures to show.
        crossing: what rows, columns and cells are.
        by: the group-by columns.
        beaten: the systems that each beats significantly, marked where rows are systems.
        key: name for programs of the column of systems. Two columns of one name are refused.
    """
    values: dict[str, list[tuple[str, Any]]] = {
        "systems": [(name, name) for name in boards[0].names],
        "groups": [(_label(board), board) for board in (*boards[1:], boards[0])],
        "measures": [(name, name) for name in measures],
    }
    keys = _keys(boards[0], values, crossing)
    headings = {"systems": "system", "groups": ", ".join(by), "measures": "measure"}
    has_parts = crossing.apart != "groups" or len(boards) > 1
    parts, rows = [part for (part, _), _ in keys], [row for _, (row, _) in keys]
    names = [Column(headings[crossing.apart], parts, is_name=True)] * has_parts
    own = key if crossing.rows == "systems" else ""
    names.append(Column(headings[crossing.rows], rows, is_name=True, key=own))

    def places(of: object) -> list[_Place]:
        """Return the cells of a column."""
        axes = (crossing.apart, crossing.rows, crossing.columns)
        return [_place(dict(zip(axes, (x, y, of), strict=True))) for (_, x), (_, y) in keys]

    columns = [
        column
        for label, of in values[crossing.columns]
        for column in _columns(label, crossing, places(of), beaten or {})
    ]
    _require_different([*names, *columns])
    notes = {
        (label,) * has_parts: said
        for label, board in (values["groups"] if crossing.cells == "rank" else ())
        if crossing.apart == "groups" and (said := _taus_in_words(board, measures))
    }
    return ResultTable([*names, *columns], groups=int(has_parts), notes=notes)


def _keys(
    whole: Leaderboard, values: Mapping[str, list[tuple[str, Any]]], crossing: Crossing
) -> list[tuple[tuple[str, Any], tuple[str, Any]]]:
    """Return the part and the row of each row, each with its label; systems are best first."""
    by_measure = (crossing.rows, crossing.apart) == ("systems", "measures")
    return [
        (part, row)
        for part in values[crossing.apart]
        for row in (
            [(name, name) for name in whole.by(part[1]).names]
            if by_measure
            else values[crossing.rows]
        )
        if (crossing.apart, crossing.rows) != ("measures", "groups") or _is_in(row[1], part[1])
    ]


def _is_in(board: Any, measure: Any) -> bool:
    """Return whether a group may have a measure: one of all references at once has no reference."""
    rows = (board.average(measure, name) for name in board.names)
    return measure not in PANELS.measures or any(row["value"] is not None for row in rows)


def _label(board: Leaderboard) -> str:
    """Name a group; all documents are a group, too."""
    parts = [*map(shown_group_part, board.group)]
    return ", ".join(parts) if any(part is not None for part in board.group) else "all"


def _place(of: Mapping[str, Any]) -> _Place:
    return _Place(of["groups"], of["measures"], of["systems"])


def _columns(
    label: str, crossing: Crossing, places: Sequence[_Place], beaten: Beaten
) -> Iterator[Column]:
    """Yield the column of people and programs, or one for each."""
    values: list[Any] = [place.row["value"] for place in places]
    best = {row for row, place in enumerate(places) if place.is_best}
    arrow = COMPARED[label].arrow if crossing.columns == "measures" else ""
    column = Column(label, values, write=shown_number, best=best, arrow=arrow, key=label)
    marked = _rows_beaten(places, beaten) if crossing.rows == "systems" else {}
    if crossing.cells == "rank":
        ranks = [place.rank for place in places]
        yield replace(column, values=ranks, write=shown_rank)
    elif crossing.cells == "interval":
        ends = [(place.row["ci_low"], place.row["ci_high"]) for place in places]
        yield replace(column, ends=ends, has_keyed_ends=True, beaten=marked)
    elif crossing.cells == "sd":
        spreads = [place.row.get("sd_trials") for place in places]
        texts = [
            shown_number(value) + ("" if sd is None else f" ± {shown_number(sd)}")
            for value, sd in zip(values, spreads, strict=True)
        ]
        yield replace(column, values=texts, beaten=marked, shown_to=PEOPLE)
        yield replace(column, shown_to=PROGRAMS)
        yield Column(f"{label}_sd", spreads, shown_to=PROGRAMS)
    else:
        yield replace(column, beaten=marked)


def _rows_beaten(places: Sequence[_Place], beaten: Beaten) -> dict[int, frozenset[int]]:
    """Return the row of a system -> the rows of those that it beats in its part of the table."""
    row_of = {(place.board.group, place.measure, place.system): n for n, place in enumerate(places)}
    return {
        row: frozenset(row_of[group, measure, other] for other in others)
        for (group, measure, system), row in row_of.items()
        if (others := beaten.get((group, measure), {}).get(system))
    }


def _require_different(columns: Sequence[Column]) -> None:
    """Require that no two columns have one name, so that CSV has all of them."""
    names = [column.key or column.name for column in columns if column.shown_to != PEOPLE]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise Refused(f"--layout: two columns would be named {twice[0]}; choose other columns")


def _taus_in_words(board: Leaderboard, measures: Sequence[str]) -> str:
    """Say how much the measures agree on the order of the systems, by Kendall's tau."""
    ranks = [
        np.array([places.get(name, np.nan) for name in board.systems], np.float64)
        for places in (board.by(measure).places for measure in measures)
    ]
    taus = [
        f"{name} {tau:.2f}"
        for name, other in zip(measures[1:], ranks[1:], strict=True)
        if not np.isnan(tau := kendall_tau(ranks[0], other))
    ]
    return f"Kendall's tau with {measures[0]}: {', '.join(taus)}" if taus else ""


def summary_table(summary: "pa.Table", layout: str, named: Sequence[str]) -> ResultTable:
    """Make the table of the micro averages of a scoring run.

    Args:
        summary: the table ``summary`` of the run.
        layout: ``systems``: over all documents; ``groups``: also those of each group; else as for
            ``parse_crossing``.
        named: measures and families in the order in which the user named them.

    Raises:
        Refused: the layout needs groups or trials that the run has not.
    """
    by = summary_groups(summary.column_names)
    crossing = parse_crossing(layout, grouped=bool(by))
    if layout == "systems" or (crossing and not by):
        summary, by = summary.filter(are_over_all(summary, by)), []
    rows: list[AverageRow] = [row for row in summary.to_pylist() if row["average"] == "micro"]
    boards = rank(rows, by, named=named)
    shown = measures_to_show([*dict.fromkeys(row["measure"] for row in rows)], named)
    if crossing is None:
        return replace(leaderboard_table(boards, by, shown), average="micro")
    if crossing.cells == "sd" and all(row.get("sd_trials") is None for row in rows):
        raise Refused(f"--layout {layout}: no system has several trials; score with --trials")
    return replace(crossed_table(boards, shown, crossing, by), average="micro")
