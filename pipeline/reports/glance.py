"""The table of a first screen: a row a system, with small drawings in its cells."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple


class BarMarks(NamedTuple):
    """Where a value is along a bar, the ends of its interval, and chance if it is known."""

    value: float
    low: float
    high: float
    chance: float | None


class LineMarks(NamedTuple):
    """Points of a small line, as SVG has them, and where it ends."""

    points: str
    x: float
    y: float


class GlanceCell(NamedTuple):
    """A cell.

    Attributes:
        text: its text.
        detail: smaller text after it; empty for none.
        best: whether it is the best of its column, which is bold.
        chip: a remark that is to be seen; empty for none.
        bar: a value along a scale; None for none.
        bins: heights of the columns of a histogram; empty for none.
        line: values night by night; None for none.
    """

    text: str = ""
    detail: str = ""
    best: bool = False
    chip: str = ""
    bar: BarMarks | None = None
    bins: Sequence[int] = ()
    line: LineMarks | None = None


class GlanceColumn(NamedTuple):
    """A column.

    Attributes:
        heading: its heading.
        kind: ``name``, which names the rows, ``number``, ``value``, the number that matters, or
            ``text``, also for drawings.
        wide: whether a narrow screen leaves it out.
        unseen: whether its heading is for screen readers alone.
    """

    heading: str
    kind: str
    wide: bool = False
    unseen: bool = False


class GlanceRow(NamedTuple):
    """A row; ``tone`` is first or failed, which have a color, or empty for grey."""

    cells: Sequence[GlanceCell]
    tone: str = ""


@dataclass(frozen=True)
class Glance:
    """A table of a first screen.

    Attributes:
        label: what it shows, for screen readers.
        columns: its columns.
        rows: its rows.
        note: how to read it.
    """

    label: str
    columns: Sequence[GlanceColumn]
    rows: Sequence[GlanceRow]
    note: str
