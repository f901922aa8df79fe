"""Convert marks: each is a boundary, except those at the start or end of the document."""

from collections.abc import Sequence

from segscore.pipeline.importing.conversion.counts import Task
from segscore.pipeline.importing.shapes import Mark


def convert_marks(marks: Sequence[Mark], task: Task) -> list[tuple[int, int]]:
    """Return the (position, level) of each boundary, in ascending order.

    Raises:
        Refused: a reference has a mark after the end.
    """
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
