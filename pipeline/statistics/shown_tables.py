"""Tables of results as data, which a terminal, a page and files render alike."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from segscore.pipeline.statistics.shown_numbers import shown_value

Ends = tuple[float | None, float | None]
"""The ends of an interval; None where undefined."""


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
    """

    heading: str
    values: Sequence[Any]
    is_name: bool = False
    write: Callable[[Any], str] = shown_value
    ends: Sequence[Ends] = ()
    interval: str = "95 % {}"
    once: bool = False
    is_detail: bool = False

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
        return self.write(value) if value is None or isinstance(value, int | float) else value

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
        yield replace(self, values=cells, ends=())
        if self.ends:
            intervals = [
                "–" if None in (low, high) else f"{self.write(low)} to {self.write(high)}"
                for low, high in self.ends
            ]
            yield Column(self.interval.format("interval"), intervals)

    def for_page(self) -> "Iterator[Column]":
        """Yield the columns that a page shows: the values, and those of both ends."""
        yield replace(self, ends=())
        if self.ends:
            yield Column(
                self.interval.format("from"), [low for low, _ in self.ends], write=self.write
            )
            yield Column("to", [high for _, high in self.ends], write=self.write)


def more_in(table: str, number: int) -> str:
    """Say that a table of the output has more rows, so many."""
    return f"{number:,} more {'are' if number > 1 else 'is'} in the table {table}"


@dataclass(frozen=True)
class ShownTable:
    """A table of results.

    Attributes:
        columns: its columns, the most important ones first, of equally many rows.
        title: what it shows.
        caption: a remark below it; empty for none.
        guide: sentences on how to read it, for a page, which has room; empty for none.
        first: number of rows that a terminal shows; None for all.
        most: number of rows that a page shows; None for all.
        rest: says of a number of other rows where they are; None if the caption says so.
        sections: indices of the rows below which a terminal shows an empty line.
        apart: number of last rows that are not sorted among the others, such as a statistic of each
            column: a terminal shows an empty line above them.
        apart_heading: heading of these rows on a page; empty for none.
        failed: indices of the rows that are marked as failed.
        whole: whether lines are as long as the table needs where output is piped.
    """

    columns: Sequence[Column]
    title: str = ""
    caption: str = ""
    guide: str = ""
    first: int | None = None
    most: int | None = None
    rest: Callable[[int], str] | None = None
    sections: Collection[int] = ()
    apart: int = 0
    apart_heading: str = ""
    failed: Collection[int] = ()
    whole: bool = True

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self.columns[0].values)

    @property
    def names(self) -> list[Column]:
        """The columns that name what a row is about."""
        return [column for column in self.columns if column.is_name]

    def shortened(self) -> "ShownTable":
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

        >>> ShownTable([Column("document", ["d"], is_name=True), Column("coders", [7])]).in_words(0)
        'coders 7'
        """
        values = [column for column in self.columns if not column.is_name]
        return "; ".join(f"{column.name} {column.cells[place]}" for column in values)
