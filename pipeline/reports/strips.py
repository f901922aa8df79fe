"""Draw segmentations one above the other, with the outcome of each boundary."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil

from segscore.pipeline.measures.edit_list import Edit
from segscore.pipeline.reports.positions import round_step, shown_position
from segscore.pipeline.reports.short_labels import short_labels

WIDTH, LEFT, RIGHT = 1000, 190, 10
"""Width of a drawing in its own unit, and of its margins; names are in the left one."""

HIGH, _STEP, RULER, _GAP = 16, 24, 18, 14
"""Height of a strip, from one strip to the next, of a ruler, and between two lines."""

_UNITS, LINES = 300, 8
"""Units in a line, and maximum number of lines; a longer document has more units in a line."""

_NAME = 20
"""Letters of a name that fit beside a strip."""

_KINDS = {
    "match": "match",
    "near_miss": "near",
    "substitution": "other",
    "miss": "miss",
    "false_alarm": "extra",
}


@dataclass(frozen=True)
class Strip:
    """One segmentation.

    Attributes:
        name: its coder.
        marks: kind of mark -> positions, ascending, each with the position it is linked to.
    """

    name: str
    marks: Mapping[str, Sequence[tuple[int, int]]]


@dataclass(frozen=True)
class StripPart:
    """The part of a strip in one line of a drawing: its place, width, and SVG paths by kind.

    Attributes:
        name: coder of the strip.
        label: its name, shortened to fit beside the strip.
        top: distance from the top of the drawing.
        width: width of the strip.
        paths: kind of mark -> SVG path.
    """

    name: str
    label: str
    top: int
    width: float
    paths: Mapping[str, str]


@dataclass(frozen=True)
class Drawing:
    """A drawing: rows of strips, and the numbers above them.

    Attributes:
        title: title of the drawing.
        description: text for readers who cannot see the drawing.
        height: height in the drawing's own unit; the width is ``WIDTH``.
        rows: strips, line by line.
        rulers: numbers above the strips, each as text, x and y.
        kinds: kinds of marks in the drawing.
    """

    title: str
    description: str
    height: int
    rows: Sequence[StripPart]
    rulers: Sequence[tuple[str, float, int]]
    kinds: Sequence[str] = field(default_factory=tuple)
    width: int = WIDTH
    left: int = LEFT


def boundary_strip(name: str, positions: Sequence[int]) -> Strip:
    """Make the strip of a segmentation on its own."""
    return Strip(name, {"boundary": [(position, position) for position in positions]})


def outcome_strip(name: str, edits: Sequence[Edit]) -> Strip:
    """Make the strip of a hypothesis, with the outcome of its boundaries and the reference's."""
    marks: dict[str, list[tuple[int, int]]] = {}
    for edit in edits:
        position = edit.position if edit.other_position is None else edit.other_position
        linked = position if edit.position is None else edit.position
        assert position is not None
        assert linked is not None
        marks.setdefault(_KINDS[edit.kind], []).append((position, linked))
    return Strip(name, marks)


def draw_strip(
    title: str,
    description: str,
    n_units: int,
    strips: Sequence[Strip],
    unit: str | None = None,
) -> Drawing:
    """Draw segmentations of one document.

    Args:
        title: title of the drawing.
        description: text for readers who cannot see the drawing.
        n_units: number of units of the document.
        strips: strips from top to bottom.
        unit: name of the unit; None if it is not known.
    """
    labels = short_labels((strip.name for strip in strips), _NAME)
    units = max(_UNITS, ceil(n_units / LINES))
    scale = (WIDTH - LEFT - RIGHT) / min(units, n_units)
    rows: list[StripPart] = []
    rulers: list[tuple[str, float, int]] = []
    top = 0
    for first in range(0, n_units, units):
        last = min(first + units, n_units)
        rulers += [
            (shown_position(place, unit), LEFT + (place - first) * scale, top + RULER - 5)
            for place in _ruler_units(first, last, round_step(min(units, n_units) / 10, unit))
        ]
        top += RULER
        for strip in strips:
            paths = {
                kind: "".join(_paths(kind, marks, first, last, scale))
                for kind, marks in strip.marks.items()
            }
            width = round((last - first) * scale, 1)
            rows.append(StripPart(strip.name, labels[strip.name], top, width, paths))
            top += _STEP
        top += _GAP
    kinds = [kind for strip in strips for kind in strip.marks]
    return Drawing(title, description, top - _GAP, rows, rulers, tuple(dict.fromkeys(kinds)))


def _ruler_units(first: int, last: int, step: int) -> range:
    """Return the units that are numbered above a line, at most ten in a full line."""
    return range(ceil(first / step) * step, last, step)


def _paths(
    kind: str, marks: Sequence[tuple[int, int]], first: int, last: int, scale: float
) -> Iterator[str]:
    """Yield the paths of a line's marks, only one of those too close to distinguish."""
    seen = set()
    for position, linked in marks:
        if first < position <= last:
            x, linked_x = (
                round(2 * (LEFT + (place - first) * scale)) / 2 for place in (position, linked)
            )
            if (x, linked_x) not in seen:
                seen.add((x, linked_x))
                yield _mark(kind, x, min(max(linked_x, LEFT), WIDTH - RIGHT))


def _mark(kind: str, x: float, linked_x: float) -> str:
    """Return the path of a mark; kinds differ in shape, not only in colour."""
    match kind:
        case "near":
            return f"M{x:g} {HIGH}V4H{linked_x:g}"
        case "extra":
            return f"M{x:g} {HIGH}V0M{x - 3:g} 1h6"
        case "other":
            return f"M{x:g} 0V{HIGH}M{x - 3:g} {HIGH - 1}h6"
        case _:
            return f"M{x:g} 0V{HIGH}"
