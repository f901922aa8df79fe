"""A step of judging: one finding about coders, with its limits, columns and sentence, in a file."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pyarrow as pa

from segscore.pipeline.agreement.group import Group
from segscore.pipeline.agreement.habits import Habits
from segscore.pipeline.agreement.judging.view import Columns, View
from segscore.schemas.rows import number_in

MOST = 5
"""The most sentences of one kind; the others are counted."""

Row = dict[str, Any]


class Kind(Enum):
    """What the values of a column are; null where undefined, unless it is a whole number."""

    NUMBER, SIZE, SHARE, MARK, NAME, WHOLE = range(6)

    @property
    def type(self) -> pa.DataType:
        """The type of the column."""
        types = {Kind.MARK: pa.bool_(), Kind.NAME: pa.string(), Kind.WHOLE: pa.int64()}
        return types.get(self, pa.float64())

    @property
    def undefined(self) -> object:
        """The value of a coder or pair of whom nothing is known."""
        if self is Kind.WHOLE:
            return 0
        return float("nan") if self in (Kind.NUMBER, Kind.SIZE, Kind.SHARE) else None


class StepColumn(NamedTuple):
    """A column of `coders` or `peers` that a step writes.

    Attributes:
        name: its name.
        kind: what its values are.
        meaning: what it says.
        names: of a column of names, those that occur; empty if they can be any.
    """

    name: str
    kind: Kind
    meaning: str
    names: tuple[str, ...] = ()


class Limit(NamedTuple):
    """A limit beyond which a step names somebody.

    Attributes:
        name: its name, for ``--limits``.
        default: its default.
        seconds: its default in seconds, if it is a time where the unit is one.
    """

    name: str
    default: float
    seconds: float | None = None


@dataclass(frozen=True)
class AuditRows:
    """Rows of an audit, about which steps say sentences.

    Attributes:
        coders: rows of `coders` over all documents.
        peers: rows of `peers` over all documents.
        by_group: rows of `coders` in each group.
        by: the group-by columns.
        groups: values of these of each group.
        unit: unit of the codings; None if it is not known.
        candidate: the coder who may replace a person; None without one.
        margin: of the test of the candidate.
        habits: where coders who stand out differ, by name.
        example: who has the boundary by which two ways of reading differ, in words.
    """

    coders: Sequence[Mapping[str, Any]]
    peers: Sequence[Mapping[str, Any]] = ()
    by_group: Sequence[Mapping[str, Any]] = ()
    by: Sequence[str] = ()
    groups: Collection[tuple[Any, ...]] = ()
    unit: str | None = None
    candidate: str | None = None
    margin: float = 0.0
    habits: Mapping[str, Habits] = field(default_factory=dict)
    example: str = ""


class Part(Enum):
    """Where in the sentences of an audit a step is said."""

    READINGS, AGREEMENT, PAIRS, CODERS, GROUPS, LAST = range(6)


class Step:
    """One finding; each method does nothing unless the finding needs it.

    Attributes:
        columns: what it writes into `coders`.
        pair_columns: what it writes into `peers`.
        limits: beyond which it names somebody.
        mark: the column that marks who is named; empty if it marks nobody.
        order: the column by which those who are named are ordered, the furthest from 0 first.
        of_pairs: whether these columns are of `peers`.
        leaves_standard: whether others are not judged by those who are named.
        part: where in the sentences of an audit it is said.
    """

    columns: ClassVar[tuple[StepColumn, ...]] = ()
    pair_columns: ClassVar[tuple[StepColumn, ...]] = ()
    limits: ClassVar[tuple[Limit, ...]] = ()
    mark: ClassVar[str] = ""
    order: ClassVar[str] = ""
    of_pairs: ClassVar[bool] = False
    leaves_standard: ClassVar[bool] = False
    part: ClassVar[Part] = Part.CODERS

    def judge(self, view: View) -> Columns:
        """Return columns of a group of documents, from its codings and what is known so far."""
        return {}

    def compare(
        self, by: Sequence[str], groups: Mapping[tuple[object, ...], Group], whole: View
    ) -> Mapping[tuple[tuple[object, ...], str], Row]:
        """Return columns that compare groups of documents, by group and coder."""
        return {}

    def count(self, group: Group) -> Iterator[Row]:
        """Yield columns of each coder that are about other codings than those compared."""
        yield from ()

    def say(self, audit: AuditRows) -> Iterator[str]:
        """Yield a sentence about each of those who are named, the most extreme first."""
        rows = audit.peers if self.of_pairs else audit.coders
        named = [row for row in rows if self.mark and row.get(self.mark)]
        named.sort(key=lambda row: -abs(number_in(row, self.order) or 0))
        yield from (self.sentence(row, audit) for row in named[:MOST])
        if left := len(named) - MOST if len(named) > MOST else 0:
            verb, table = "are" if left > 1 else "is", "peers" if self.of_pairs else "coders"
            yield f"{left} more {verb} marked in the column {self.mark} of the table {table}."

    def sentence(self, row: Mapping[str, Any], audit: AuditRows) -> str:
        """Describe somebody who is named."""
        raise NotImplementedError


def plain(value: Any) -> object:
    """Return the value of a column for a row."""
    return value.item() if isinstance(value, np.generic) else value
