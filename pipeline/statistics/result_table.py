"""Tables of results as data, which a terminal, a page and files render alike."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

from segscore.pipeline.statistics.formatted_numbers import (
    format_value,
    short_change,
    short_value,
    shown_change,
)

Ends = tuple[float | None, float | None]
"""The ends of an interval; None where undefined."""

_SHORT: dict[Callable[[Any], str], Callable[[Any], str]] = {
    format_value: short_value,
    shown_change: short_change,
}
"""How a column writes its values -> how it writes them with three decimals."""

PEOPLE, PROGRAMS = "people", "programs"
"""For whom a column is that others do not get."""

_LONGEST_HEADING = 13
"""Number of characters after which the name of a measure continues on the next line."""


@dataclass(frozen=True)
class WrittenNumber:
    """A number that is written in its own way.

    Attributes:
        text: how the number is written.
        value: what a page sorts it by; None if undefined.
        detail: smaller text below the number on a page, such as its interval or its rank, which
            follows in parentheses elsewhere; empty for none.
    """

    text: str
    value: float | None
    detail: str = ""

    @property
    def in_line(self) -> str:
        """The number and its detail in one line."""
        return f"{self.text} ({self.detail})" if self.detail else self.text


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes:
        heading: its heading; may have several lines.
        values: its values, None where undefined; a text is shown as it is, in several lines if it
            has them, and so is a ``WrittenNumber``.
        is_name: whether it names what a row is about. Such a column is never left out, and long
            names continue on a further line. Other cells are numbers, which are never broken.
        write: writes a value that is not a text.
        ends: the interval of each value, which has a column of its own on a terminal and two on a
            page, and follows the value in a paper; empty for none.
        interval: what `interval` and `from` are put into to name the columns of the intervals.
        once: whether a terminal shows a name only in the first of several rows that have it.
        is_detail: whether a terminal, which has little room, leaves the column out.
        arrow: arrow in the better direction of a measure, after the heading; empty for none. Such a
            heading continues on a further line of a terminal after an underscore.
        best: rows with the best value, which is marked; None for a column without a best value.
        beaten: row -> the rows whose values it beats significantly, for papers.
        grades: row -> how good its value is, from 0 (worst, no shade) to 1 (best), for pages.
        key: name of the column for programs; its heading if empty.
        has_keyed_ends: whether programs get the intervals, as columns ``key_low`` and ``key_high``.
        shown_to: ``PEOPLE``, ``PROGRAMS``, or empty for both.
    """

    heading: str
    values: Sequence[Any]
    is_name: bool = False
    write: Callable[[Any], str] = format_value
    ends: Sequence[Ends] = ()
    interval: str = "95 % {}"
    once: bool = False
    is_detail: bool = False
    arrow: str = ""
    best: Collection[int] | None = None
    beaten: Mapping[int, frozenset[int]] = field(default_factory=dict)
    grades: Mapping[int, float] = field(default_factory=dict)
    key: str = ""
    has_keyed_ends: bool = False
    shown_to: str = ""

    @property
    def name(self) -> str:
        """Its heading in one line."""
        return self.heading.replace("_\n", "_").replace("\n", " ")

    @property
    def cells(self) -> list[Any]:
        """Its cells as text; a text that has a style keeps it."""
        return [self._cell(value) for value in self.values]

    def _cell(self, value: Any) -> Any:
        if isinstance(value, WrittenNumber):
            return value.in_line
        return value if isinstance(value, str) else self.write(value)

    @property
    def terminal_heading(self) -> str:
        """Its heading with the arrow; the name of a measure in lines of a terminal."""
        if not self.arrow:
            return self.heading
        lines = [""]
        for part in (self.heading + self.arrow).replace("_", "_\0").split("\0"):
            if lines[-1] and len(lines[-1] + part) > _LONGEST_HEADING:
                lines.append("")
            lines[-1] += part
        return "\n".join(lines)

    @property
    def bracketed(self) -> list[Any]:
        """Its cells as text, each with its interval in square brackets, if it has one."""
        if not self.ends:
            return self.cells
        return [
            cell if None in (low, high) else f"{cell} [{self.write(low)}, {self.write(high)}]"
            for cell, (low, high) in zip(self.cells, self.ends, strict=True)
        ]

    def for_terminal(self) -> "Iterator[Column]":
        """Yield the columns that a terminal shows: the texts, and those of the intervals."""
        if self.is_detail:
            return
        cells = self.cells
        if self.once:
            cells = ["" if one == before else one for before, one in pairwise([None, *cells])]
        yield replace(self, heading=self.terminal_heading, arrow="", values=cells, ends=())
        if self.ends:
            intervals = [
                "–" if None in (low, high) else f"{self.write(low)} to {self.write(high)}"
                for low, high in self.ends
            ]
            yield Column(self.interval.format("interval"), intervals)

    def for_page(self) -> "Iterator[Column]":
        """Yield the columns that a page shows: the values, and those of both ends."""
        yield replace(self, heading=self.heading + self.arrow, arrow="", ends=())
        if self.ends:
            yield Column(
                self.interval.format("from"), [low for low, _ in self.ends], write=self.write
            )
            yield Column("to", [high for _, high in self.ends], write=self.write)


def more_in(table: str, number: int) -> str:
    """Say that a table of the output has more rows, so many."""
    return f"{number:,} more {'are' if number > 1 else 'is'} in the table {table}"


@dataclass(frozen=True)
class ResultTable:
    """A table of results.

    Attributes:
        columns: its columns, the most important ones first, of equally many rows.
        title: what it shows.
        caption: a remark below it; empty for none.
        elsewhere: says after the caption of a terminal how to see more, also the columns that have
            no room there; empty for nothing.
        guide: sentences on how to read it, for a page, which has room; empty for none.
        first: number of rows that a terminal shows; None for all.
        most: number of rows that a page shows; None for all.
        rest: says of a number of other rows where they are; None if the caption says so.
        sections: indices of the rows below which a terminal shows an empty line.
        apart: number of last rows that are not sorted among the others, such as a statistic of each
            column: a terminal shows an empty line above them.
        apart_heading: heading of these rows on a page; empty for none.
        failed: indices of the rows that are marked as failed.
        dim: indices of the rows that a terminal shows less brightly.
        sorted_by: index of the column of a page that the rows are sorted by; None for none.
        descending: whether they are sorted from the largest value to the smallest.
        signature: signature of the run; empty for none.
        groups: number of leading columns that a paper states in the caption of a table.
        average: micro or macro, which is named beside the table; empty if its columns name it.
        notes: the cells of the leading columns -> a line about their rows; () is all rows.
        intervals: what the captions of LaTeX say of values with an interval.
        whole: whether lines are as long as the table needs where output is piped.
    """

    columns: Sequence[Column]
    title: str = ""
    caption: str = ""
    elsewhere: str = ""
    guide: str = ""
    first: int | None = None
    most: int | None = None
    rest: Callable[[int], str] | None = None
    sections: Collection[int] = ()
    apart: int = 0
    apart_heading: str = ""
    failed: Collection[int] = ()
    dim: Collection[int] = ()
    sorted_by: int | None = None
    descending: bool = True
    signature: str = ""
    groups: int = 0
    average: str = ""
    notes: Mapping[tuple[str, ...], str] = field(default_factory=dict)
    intervals: str = "95 % intervals in brackets"
    whole: bool = True

    @property
    def short(self) -> "ResultTable":
        """The table with numbers of three decimals, as sentences have them."""
        columns = [replace(one, write=_SHORT.get(one.write, one.write)) for one in self.columns]
        return replace(self, columns=columns)

    @property
    def for_people(self) -> list[Column]:
        """The columns that people see."""
        return [column for column in self.columns if column.shown_to != PROGRAMS]

    @property
    def for_programs(self) -> dict[str, Sequence[Any]]:
        """The values of each column that programs read, by its name."""
        values: dict[str, Sequence[Any]] = {}
        for column in self.columns:
            if column.shown_to == PEOPLE:
                continue
            key = column.key or column.name
            values[key] = column.values
            if column.has_keyed_ends:
                values[f"{key}_low"] = [low for low, _ in column.ends]
                values[f"{key}_high"] = [high for _, high in column.ends]
        return values

    @property
    def remarks(self) -> list[str]:
        """What is to be said below the table in a paper: the average, and notes on its rows."""
        averages = [f"{self.average} averages"] if self.average else []
        notes = (f"{', '.join(of)}: {text}" if of else text for of, text in self.notes.items())
        return [*averages, *notes, *([self.caption] if self.caption else [])]

    def with_numbers(self, numbers: Mapping[str, Sequence[Any]]) -> "ResultTable":
        """Return the table with other columns for programs."""
        columns = [
            *(replace(column, shown_to=PEOPLE) for column in self.columns),
            *(Column(name, values, shown_to=PROGRAMS) for name, values in numbers.items()),
        ]
        return replace(self, columns=columns)

    def in_lines(self) -> "ResultTable":
        """Return the table with each interval in the cell of its value, and all remarks below."""
        columns = [
            Column(column.name, column.bracketed, is_name=column.is_name)
            for column in self.for_people
        ]
        return ResultTable(columns, caption="; ".join(self.remarks), signature=self.signature)

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self.columns[0].values)

    @property
    def names(self) -> list[Column]:
        """The columns that name what a row is about."""
        return [column for column in self.for_people if column.is_name]

    def shortened(self) -> "ResultTable":
        """Return the first rows, with a remark about how many more there are."""
        more = 0 if self.first is None else self.rows - self.first
        if more <= 0:
            return self
        remarks = [self.caption] * bool(self.caption)
        if self.rest is not None:
            remarks.append(self.rest(more))
        return replace(
            self,
            columns=[
                replace(each, values=each.values[: self.first], ends=each.ends[: self.first])
                for each in self.columns
            ],
            caption="; ".join(remarks),
            sections=[place for place in self.sections if place < (self.first or 0)],
            apart=0,
            failed=[place for place in self.failed if place < (self.first or 0)],
            first=None,
        )

    def in_words(self, place: int) -> str:
        """Write the values of a row, each after its heading.

        >>> columns = [Column("document", ["d"], is_name=True), Column("coders", [7])]
        >>> ResultTable(columns).in_words(0)
        'coders 7'
        """
        values = [column for column in self.columns if not column.is_name]
        return "; ".join(f"{column.name} {column.cells[place]}" for column in values)
