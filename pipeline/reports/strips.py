"""Draw segmentations one above the other, with the outcome of each boundary."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil

from segscore.pipeline.measures.edit_list import Edit
from segscore.pipeline.reports.labels import round_step, short_labels
from segscore.pipeline.statistics.formatted_numbers import shown_position

WIDTH = 1000
"""Width of a strip in its own unit; a page stretches it to the space that it has."""

HIGH = 16
"""Height of a strip."""

_UNITS, LINES = 300, 8
"""Units in a line, and maximum number of lines; a longer document has more units in a line."""

_NAME = 20
"""Letters of a name that fit beside a strip."""

MARKS = {
    "boundary": (f"M0 0V{HIGH}", "reference boundary"),
    "match": ("M0 3V13", "match"),
    "near": (f"M-4 {HIGH}V5H4", "near miss, linked to the reference boundary"),
    "other": (f"M0 5V{HIGH}M-4 {HIGH - 1}h8", "other type"),
    "miss": (f"M0 0V{HIGH}", "miss"),
    "extra": ("M0 11V0M-4 1h8", "false alarm"),
}
"""Kind of mark -> its SVG path in the key, and its meaning, in the order of the key."""

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
    """The part of a strip in one line of a drawing: its width, and SVG paths by kind of mark."""

    name: str
    label: str
    width: float
    paths: Mapping[str, str]


@dataclass(frozen=True)
class Line:
    """A line of a drawing: a stretch of the document, in all segmentations.

    Attributes:
        ruler: numbers above the strips, each as text and x.
        rows: strips from top to bottom.
    """

    ruler: Sequence[tuple[str, float]]
    rows: Sequence[StripPart]


@dataclass(frozen=True)
class Drawing:
    """A drawing of one or several lines.

    Attributes:
        title: title of the drawing.
        description: text for readers who cannot see the drawing.
        lines: its lines.
        kinds: kinds of marks in the drawing, in the order of ``MARKS``.
    """

    title: str
    description: str
    lines: Sequence[Line]
    kinds: Sequence[str] = field(default_factory=tuple)

    @property
    def rows(self) -> list[StripPart]:
        """The strips of all lines."""
        return [row for line in self.lines for row in line.rows]


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
    """Draw segmentations of one document, from top to bottom."""
    labels = short_labels((strip.name for strip in strips), _NAME)
    units = max(_UNITS, ceil(n_units / LINES))
    scale = WIDTH / min(units, n_units)
    lines = []
    for first in range(0, n_units, units):
        last = min(first + units, n_units)
        step = round_step(min(units, n_units) / 10, unit)
        ruler = [
            (shown_position(place, unit), round((place - first) * scale, 1))
            for place in _ruler_units(first, last, step)
        ]
        rows = []
        for strip in strips:
            paths = {
                kind: "".join(_paths(kind, marks, first, last, scale))
                for kind, marks in strip.marks.items()
            }
            width = round((last - first) * scale, 1)
            rows.append(StripPart(strip.name, labels[strip.name], width, paths))
        lines.append(Line(ruler, rows))
    kinds = {kind for strip in strips for kind in strip.marks}
    return Drawing(title, description, lines, tuple(kind for kind in MARKS if kind in kinds))


def _ruler_units(first: int, last: int, step: int) -> range:
    """Return the units that are numbered above a line, at most ten in a full line.

    None is so near the end of the line that its number would be cut off.
    """
    return range(ceil(first / step) * step, last - step // 2, step)


def _paths(
    kind: str, marks: Sequence[tuple[int, int]], first: int, last: int, scale: float
) -> Iterator[str]:
    """Yield the paths of a line's marks, only one of those too close to distinguish."""
    seen = set()
    for position, linked in marks:
        if first < position <= last:
            x, linked_x = (round(2 * (place - first) * scale) / 2 for place in (position, linked))
            if (x, linked_x) not in seen:
                seen.add((x, linked_x))
                yield _mark(kind, x, min(max(linked_x, 0), WIDTH))


def _mark(kind: str, x: float, linked_x: float) -> str:
    """Return the path of a mark; kinds differ in shape, not only in colour."""
    match kind:
        case "near":
            return f"M{x:g} {HIGH}V5H{linked_x:g}"
        case "match":
            return f"M{x:g} 3V13"
        case "extra":
            return f"M{x:g} 11V0M{x - 4:g} 1h8"
        case "other":
            return f"M{x:g} 5V{HIGH}M{x - 4:g} {HIGH - 1}h8"
        case _:
            return f"M{x:g} 0V{HIGH}"
