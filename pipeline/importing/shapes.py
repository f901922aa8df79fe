"""Shapes that every format is read into: intervals, marks, sizes of segments, or positions.

A reader knows the syntax of one format and yields these; the rules about gaps, overlaps, ends and
levels are in the three converters. Times are exact numbers of units and are not rounded here.
Positions of boundaries need no conversion: they are rows as they are stated.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from segscore.pipeline.tables.parsed_table import parsed_table
from segscore.pipeline.tables.read import Rows
from segscore.pipeline.tables.rows import Attribute, ParsedRow, RowPlace


@dataclass(frozen=True, slots=True)
class Moment:
    """A start or an end.

    Attributes:
        exact: units since the start of the document, milliseconds in a recording; not rounded.
        text: how the file states it, for messages.
    """

    exact: Fraction
    text: str


@dataclass(frozen=True, slots=True)
class Segment:
    """A segment with a start and, perhaps, an end.

    Attributes:
        start: where it starts.
        end: where it ends; None if the file does not say.
        line: line of the file, counted from 1, or row of a Parquet file, counted from 0.
        level: 1 for the outermost level.
        label: what it is called or who speaks, where neighbours with one label may be merged.
        name: what it is called, in formats whose neighbours are never merged; None if the file
            does not say.
    """

    start: Moment
    end: Moment | None
    line: int
    level: int = 1
    label: str | None = None
    name: str | None = None

    @property
    def title(self) -> str | None:
        """The label that the segment keeps: its name or label without space around it."""
        return (self.name or self.label or "").strip() or None


@dataclass(frozen=True, slots=True)
class Mark:
    """A point at which a segment starts, which may have a name."""

    start: Moment
    line: int
    level: int = 1
    name: str | None = None

    @property
    def title(self) -> str | None:
        """The label that the segment keeps: its name without space around it."""
        return (self.name or "").strip() or None


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedSegmentation:
    """A segmentation as its file states it, whatever its shape.

    Attributes:
        place: where the segmentation begins in the file.
        unit: what is counted: millisecond, sentence, turn, line, token or character.
        document_id: None if the file does not say; likewise coder and role.
        length: length of the document in units; None if the file does not say.
        counted: what the reader left out or read otherwise, by name.
    """

    place: RowPlace
    unit: str
    document_id: str | None = None
    coder: str | None = None
    role: str | None = None
    length: Fraction | None = None
    attributes: Mapping[str, Attribute] = field(default_factory=dict)
    counted: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True, kw_only=True)
class Intervals(ParsedSegmentation):
    """Segments with starts and ends, in the order of the file.

    Attributes:
        segments: the segments.
        ordered: whether a start before the one above it is an error (chapter lists).
        turns: whether labels are speakers, so that neighbours with one label are merged by default.
    """

    segments: Sequence[Segment]
    ordered: bool = False
    turns: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Marks(ParsedSegmentation):
    """Points without ends, each of which is a boundary, in the order of the file.

    Attributes:
        marks: the points.
        ordered: whether a point before the one above it is an error (chapter lists).
    """

    marks: Sequence[Mark]
    ordered: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes(ParsedSegmentation):
    """Segments as numbers of units, from labels per unit or from lines of text.

    Attributes:
        sizes: units of each segment, at least 1 each.
        levels: level of each segment; None if the format has none.
        unit_lengths: words of each unit; None if the format does not give the text.
    """

    sizes: Sequence[int]
    levels: Sequence[int] | None = None
    unit_lengths: Sequence[int] | None = None


Shape = Intervals | Marks | Sizes

Positions: TypeAlias = Rows
"""Segmentations as positions of boundaries, with their types and scores and the number of units.

They are rows as stated (``tables.parsed_table``), many at once, as millions of them are not read as
an object each; ``row`` is the line of each, from 0.
"""

STATED_ROWS = "segmentations"
"""Name of positions before references and hypotheses are separated."""


def positions_of(parsed: Sequence[ParsedRow]) -> Positions:
    """Return rows of any files as positions."""
    urls = tuple(dict.fromkeys(row.source for row in parsed))
    number = {url: i for i, url in enumerate(urls)}
    file = np.array([number[row.source] for row in parsed], np.int64)
    line = np.array([row.line for row in parsed], np.int64)
    return Rows(STATED_ROWS, parsed_table(parsed), urls, file, line - 1)


@dataclass(frozen=True, slots=True)
class Extent:
    """The length of a document, or the region of it that counts, as `--documents` states it.

    Attributes:
        start: where the region starts; 0 if the document counts as a whole.
        end: where it ends, in units since the start of the document.
        unit: what is counted; None if the table does not say.
        region: whether it is a region (UEM), outside which boundaries are left out.
        place: where it is stated.
    """

    start: Fraction
    end: Fraction
    unit: str | None
    region: bool
    place: RowPlace

    def from_start(self) -> "Extent":
        """Return the extent from the start of the document."""
        return replace(self, start=Fraction(0))
