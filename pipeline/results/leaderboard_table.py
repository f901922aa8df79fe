"""The leaderboard as a table: its columns are made here, whatever shows them."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from segscore.pipeline.measures.several_references import COMPARED
from segscore.pipeline.results.chance import SKILL
from segscore.pipeline.results.leaderboard import (
    PRINTED,
    Leaderboard,
    extra_columns_of,
    extra_heading,
)
from segscore.pipeline.results.summarised_baselines import summarised_baselines, summarised_in_words
from segscore.pipeline.statistics.formatted_numbers import (
    counted,
    short_interval,
    shown_attribute,
    shown_cell,
    shown_number,
)
from segscore.pipeline.statistics.result_table import PEOPLE, PROGRAMS, Column, ResultTable
from segscore.schemas.rows import column_of

if TYPE_CHECKING:
    pass

Beaten = Mapping[tuple[tuple[Any, ...], str], Mapping[str, Collection[str]]]
"""Group and measure -> system -> the systems that it beats significantly."""


@dataclass(frozen=True)
class LeaderboardRows:
    """The rows of one leaderboard or several: the systems of each, best first, then its points.

    Attributes:
        boards: the leaderboards.
    """

    boards: Sequence[Leaderboard]

    @property
    def keys(self) -> list[tuple[Leaderboard, str]]:
        """The leaderboard and the name of each row."""
        return [(board, name) for board in self.boards for name in board.names]

    def groups(self, by: Sequence[str]) -> list[Column]:
        """Return a column for each attribute of the groups."""
        return [
            Column(
                name,
                [board.group[place] for board, _ in self.keys],
                is_name=True,
                write=shown_group_part,
                key=name,
            )
            for place, name in enumerate(by)
        ]

    def systems(self, heading: str, key: str = "") -> Column:
        """Return the column of names."""
        return Column(heading, [name for _, name in self.keys], is_name=True, key=key)

    def numbers(self, heading: str, number: Callable[[Leaderboard, str], Any]) -> Column:
        """Return a column of a number of each row."""
        return Column(heading, [number(board, name) for board, name in self.keys])

    def measure(self, measure: str) -> Column:
        """Return the averages by a measure with their intervals; the best of each board marked."""
        rows = [board.average(measure, name) for board, name in self.keys]
        bests = {id(board): board.best(measure) for board in self.boards}
        return Column(
            measure,
            [row["value"] for row in rows],
            write=shown_number,
            ends=[(row["ci_low"], row["ci_high"]) for row in rows],
            arrow=COMPARED[measure].arrow,
            best={
                place for place, (board, name) in enumerate(self.keys) if name in bests[id(board)]
            },
        )

    def beside(self, names: Sequence[str]) -> list[Column]:
        """Return columns of the summary beside the averages."""
        return [
            Column(
                extra_heading(name),
                [column_of(board.rows[system], name) for board, system in self.keys],
                write=shown_cell,
                key=name,
            )
            for name in names
        ]


def shown_group_part(value: object) -> str:
    """Write the value of a group-by attribute; None stands for all documents."""
    return "all" if value is None else shown_attribute(value)


def leaderboard_table(
    boards: Sequence[Leaderboard],
    by: Sequence[str],
    shown: Sequence[str],
    beaten: Beaten | None = None,
    *,
    key: str = "hypothesis",
) -> ResultTable:
    """Make one row per group and system: the value and interval of each measure.

    Args:
        boards: the systems of each group, ranked.
        by: the group-by columns.
        shown: the measures to show to people; programs get all measures.
        beaten: the systems that each beats significantly.
        key: name for programs of the column of systems.
    """
    rows = LeaderboardRows(boards)
    measures = dict.fromkeys(name for board in boards for name in board.averages)
    of_measure = {name: rows.measure(name) for name in {**measures, **dict.fromkeys(shown)}}
    notes = {
        tuple(map(shown_group_part, board.group)): line
        for board in boards
        if (line := "; ".join(filter(None, (board.coverage.in_words, board.answers_in_words))))
    }
    return ResultTable(
        [
            *rows.groups(by),
            rows.systems("system", key),
            *rows.beside(extra_columns_of(boards)),
            *(
                replace(
                    of_measure[name], shown_to=PEOPLE, beaten=_rows_beaten(rows, name, beaten or {})
                )
                for name in shown
            ),
            *(
                replace(of_measure[name], shown_to=PROGRAMS, key=name, has_keyed_ends=True)
                for name in measures
            ),
        ],
        groups=len(by),
        notes=notes,
    )


def _rows_beaten(rows: LeaderboardRows, measure: str, beaten: Beaten) -> dict[int, frozenset[int]]:
    """Return the row of a system -> the rows of those that it beats by a measure."""
    row_of = {(board.group, name): row for row, (board, name) in enumerate(rows.keys)}
    return {
        row_of[group, name]: frozenset(row_of[group, other] for other in others)
        for (group, of), names in beaten.items()
        if of == measure
        for name, others in names.items()
    }


def printed_leaderboard(title: str, board: Leaderboard, hint: Sequence[str]) -> ResultTable:
    """Make the leaderboard of a terminal: the main measures, the first one with its interval."""
    listed = board.without(summarised_baselines(board.names))
    rows = LeaderboardRows([listed])
    first, *others = (replace(rows.measure(name), ends=()) for name in board.measures[:PRINTED])
    averages = [board.average(board.measure, name) for name in listed.names]
    intervals = [short_interval(row["ci_low"], row["ci_high"]) for row in averages]
    hints = hint if len(others) < len(board.averages) - 1 else []
    systems = len(listed.systems)
    return ResultTable(
        [
            rows.systems(board.heading),
            first,
            *([Column("95 % interval", intervals)] if any(intervals) else []),
            *rows.beside(board.beside()),
            *others,
        ],
        title=title,
        caption="; ".join(_remarks(board, listed)),
        elsewhere="; ".join(hints),
        sections={systems - 1} if systems and listed.points else (),
        dim=range(systems, len(listed.names)),
    )


def _remarks(board: Leaderboard, listed: Leaderboard) -> Iterator[str]:
    """Say what is averaged and marked, and what the reference points without a row have."""
    numbers = {board.rows[name]["documents"] for name in listed.names}
    over = f" over {counted(numbers.pop(), 'document')}" if len(numbers) == 1 else ""
    over = f" over {shared}" if (shared := board.coverage.shared_in_words) else over
    yield f"micro averages{over}"
    if "skill" in board.beside():
        yield f"skill: {SKILL}"
    if board.answers_in_words:
        yield board.answers_in_words
    if not board.coverage.ranks:
        yield board.coverage.advice
    folded = [name for name in board.points if name not in listed.rows]
    values = {name: board.average(board.measure, name)["value"] for name in folded}
    yield from summarised_in_words(values)


def measure_tables(title: str, board: Leaderboard, macro: Leaderboard) -> Iterator[ResultTable]:
    """Make a table of the systems for each measure: both averages, and the documents."""
    for measure in board.averages:
        of_measure = board.by(measure)
        systems = len(of_measure.systems)
        rows = LeaderboardRows([of_measure])
        yield ResultTable(
            [rows.systems(of_measure.heading), *_averages_and_documents(rows, macro)],
            title=f"{measure}{COMPARED[measure].arrow}, {title}",
            caption=of_measure.coverage.in_words,
            sections={systems - 1} if systems and of_measure.points else (),
            dim=range(systems, len(of_measure.names)),
        )


def averages_by_measure(board: Leaderboard, macro: Leaderboard) -> ResultTable:
    """Make one table of all main measures, with the systems of each best first."""
    rows = LeaderboardRows([board.by(measure) for measure in board.measures])
    measures = [of.measure + COMPARED[of.measure].arrow for of, _ in rows.keys]
    micro, means, documents = _averages_and_documents(rows, macro)
    bests = {measure: board.best(measure) for measure in board.measures}
    best = {row for row, (of, name) in enumerate(rows.keys) if name in bests[of.measure]}
    return ResultTable(
        [
            Column("measure", measures, is_name=True, once=True),
            rows.systems("hypothesis"),
            replace(micro, best=best),
            replace(means, ends=()),
            documents,
            *(
                Column(
                    extra_heading(name),
                    [
                        column_of(board.average(of.measure, system), name)
                        for of, system in rows.keys
                    ],
                    write=shown_cell,
                )
                for name in board.beside()
                if name != "documents"
            ),
        ]
    )


def _averages_and_documents(rows: LeaderboardRows, macro: Leaderboard) -> list[Column]:
    """Return the averages by the measure of each row's board, and the number of documents."""
    micro = [board.average(board.measure, name) for board, name in rows.keys]
    means = [macro.average(board.measure, name) for board, name in rows.keys]
    return [
        *(
            Column(
                heading,
                [row["value"] for row in averages],
                ends=[(row["ci_low"], row["ci_high"]) for row in averages],
            )
            for heading, averages in (("micro", micro), ("macro", means))
        ),
        Column("documents", [row["defined"] for row in micro], write=str),
    ]
