"""Draw two segmentations one above the other, showing each near and full miss."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from segscore.pipeline.measures.edit_list import Edit
from segscore.pipeline.reports.labels import round_step
from segscore.pipeline.statistics.formatted_numbers import shown_position
from segscore.pipeline.tables.units import MILLISECOND

if TYPE_CHECKING:
    from segscore.pipeline.scoring.explain import Explained

UNIT = "─"
BOUNDARY = "│"
SIGNS = {"match": "=", "near_miss": "~", "substitution": "≠", "miss": "-", "false_alarm": "+"}
LEGEND = "= match   ~ near miss   ≠ other type   - miss   + false alarm"
MARGIN = 12
_GRAVITY = {kind: number for number, kind in enumerate(SIGNS)}
MOST_ROWS = 1000
"""Most rows that are drawn, one above the other."""

_ROWS = 8
"""Most rows of a drawing in milliseconds."""


def draw_in_terminal(
    n_units: int, edits: Sequence[Edit], width: int, unit: str | None = None
) -> Iterator[str]:
    """Draw a reference above a hypothesis, with the edits between them.

    Each column is a potential boundary: position p is in column p.  In milliseconds, a column is a
    stretch of time, as short as ``_ROWS`` rows allow.  A stretch without boundaries is replaced by
    a line with its length.  At most ``MOST_ROWS`` rows are drawn.
    """
    step = max(20, (width - MARGIN) // 10 * 10 - 10)
    axis = _Axis(unit, step, n_units)
    edits = [axis.place_edit(edit) for edit in edits]
    reference = {edit.position for edit in edits if edit.position is not None}
    hypothesis = {edit.other_position for edit in edits if edit.other_position is not None}
    signs = _signs(edits)
    end = 1 + axis.column(n_units - 1)
    drawn = 1
    rows = sorted({(column - 1) // step for column in reference | hypothesis})
    for row in rows[:MOST_ROWS]:
        first = 1 + row * step
        columns = range(first, min(first + step, end))
        if first > drawn:
            yield f"{'':{MARGIN}}{axis.describe_gap(first - drawn)}"
        drawn = columns.stop
        yield f"{'':{MARGIN}}{''.join(_ruler(columns, axis))}".rstrip()
        yield f"{'reference':{MARGIN}}{_line(columns, reference)}"
        yield f"{'':{MARGIN}}{''.join(signs.get(column, ' ') for column in columns)}".rstrip()
        yield f"{'hypothesis':{MARGIN}}{_line(columns, hypothesis)}"
        yield ""
    if len(rows) > MOST_ROWS:
        left_out = f"(the first {MOST_ROWS:,} rows are drawn; the edits are listed in full)"
        yield f"{'':{MARGIN}}… {left_out}"
    elif end > drawn:
        yield f"{'':{MARGIN}}{axis.describe_gap(end - drawn)}"


def draw_explained(
    pairs: "Iterable[Explained]", width: int, around: Callable[[int], str] | None = None
) -> Iterator[str]:
    """Draw each pair of an explanation, and list its edits but for matches.

    Args:
        pairs: the pairs.
        width: number of columns.
        around: returns the words around a position; None if they are not known.
    """
    yield LEGEND
    for pair in pairs:
        yield ""
        trial = "" if pair.trial is None else f", trial {pair.trial},"
        yield f"{pair.document}: {pair.hypothesis}{trial} against {pair.reference}"
        yield from draw_in_terminal(pair.n_units, pair.edits, width, pair.unit)
        for edit in pair.edits:
            if edit.kind != "match":
                yield describe_edit(edit, pair.unit)
                ends = dict.fromkeys((edit.position, edit.other_position)) if around else {}
                yield from (f"    {around(end)}" for end in ends if around and end is not None)


class _Axis:
    """Where positions stand in a drawing, and how they are written.

    Attributes:
        unit: name of the unit; None if it is not known.
        is_time: whether columns are stretches of time: column c is for (c - 1) x scale and later.
        scale: units of a column.
    """

    def __init__(self, unit: str | None, step: int, n_units: int) -> None:
        self.unit, self.is_time = unit, unit == MILLISECOND
        self.scale = round_step(n_units / (_ROWS * step), unit) if self.is_time else 1

    def column(self, position: int) -> int:
        """Return the column of a position."""
        return position // self.scale + self.is_time

    def place_edit(self, edit: Edit) -> Edit:
        """Return an edit with columns in place of positions."""
        position, other = (
            None if end is None else self.column(end)
            for end in (edit.position, edit.other_position)
        )
        return edit._replace(position=position, other_position=other)

    def label(self, column: int) -> str | None:
        """Return what is written above a column; None if nothing is."""
        place = column - self.is_time
        return None if place % 10 else shown_position(place * self.scale, self.unit)

    def describe_gap(self, columns: int) -> str:
        """Describe columns without a boundary that are not drawn."""
        length = shown_position(columns * self.scale, self.unit)
        return f"… ({length}{'' if self.is_time else ' positions'} without a boundary, left out)"


def _ruler(columns: range, axis: _Axis) -> list[str]:
    """Return positions or times as characters, each beginning at its column."""
    first = shown_position((columns[0] - axis.is_time) * axis.scale, axis.unit)
    labels = {columns[0]: first}
    labels |= {column: label for column in columns if (label := axis.label(column))}
    ruler = [" "] * (len(columns) + len(labels[max(labels)]))
    for column, label in labels.items():
        start = column - columns[0]
        ruler[start : start + len(label)] = label
    return ruler


def _line(columns: range, boundaries: set[int]) -> str:
    return "".join(BOUNDARY if column in boundaries else UNIT for column in columns)


def _signs(edits: Sequence[Edit]) -> dict[int, str]:
    """Return the sign of each column with an edit; of several in a column, that of the gravest."""
    signs = {}
    for edit in sorted(edits, key=lambda edit: _GRAVITY[edit.kind]):
        for end in (edit.position, edit.other_position):
            if end is not None:
                signs[end] = SIGNS[edit.kind]
    return signs


def describe_edit(edit: Edit, unit: str | None = None) -> str:
    """Describe one edit in a line: kind, position and span."""
    position, other = (
        "" if end is None else shown_position(end, unit)
        for end in (edit.position, edit.other_position)
    )
    if edit.kind == "near_miss":
        span = shown_position(edit.span, unit)
        return f"near miss: {position} in the reference, {other} in the hypothesis, {span} apart"
    if edit.kind == "substitution":
        both = f"{edit.type} in the reference, {edit.other_type} in the hypothesis"
        return f"other type at {position}: {both}"
    if edit.kind == "miss":
        return f"miss: {position} in the reference only"
    return f"false alarm: {other} in the hypothesis only"
