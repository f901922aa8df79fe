"""Convert marks: every one is a boundary, but for those on the edges of the document."""

from collections.abc import Sequence
from itertools import pairwise

from segscore.pipeline.tables.conversion.counts import Task
from segscore.pipeline.tables.formats.shapes import Mark, Segment


def convert_marks(marks: Sequence[Mark], ordered: bool, task: Task) -> list[tuple[int, int]]:
    """Return the (position, level) of each boundary, in ascending order.

    Raises:
        Refused: a mark is before the one above it in an ordered list, or a reference has one after
            the end.
    """
    if ordered:
        require_order(marks, task)
    kept = [mark for mark in marks if not task.too_deep(mark.level)]
    boundaries: set[tuple[int, int]] = set()
    for mark in sorted(kept, key=lambda mark: mark.start.exact):
        position = task.position(mark.start)
        if position > task.n_units or (task.region and position < 0):
            task.leave_out(mark.start, mark.line)
        elif position in (0, task.n_units):
            task.counts.collapsed += mark.start.exact != task.start
        elif (position, mark.level) in boundaries:
            same = f"{mark.start.text} is the time of another mark"
            task.counts.add("same_start", mark.line, same)
            task.counts.collapsed += 1
        else:
            boundaries.add((position, mark.level))
    return sorted(boundaries)


def require_order(starts: Sequence[Mark | Segment], task: Task) -> None:
    """Refuse a start that is before the one above it, in a format in which order counts."""
    for above, below in pairwise(starts):
        if below.start.exact < above.start.exact:
            raise task.place(below.line).refusal(
                f"{below.start.text} comes after {above.start.text}, so times go back; expected "
                "ascending times: correct a typing error, or write a second track or list to a "
                "file of its own"
            )
