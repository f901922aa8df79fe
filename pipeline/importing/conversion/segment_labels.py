"""Find the label of each segment between the boundaries of a segmentation."""

from collections.abc import Sequence

from segscore.pipeline.importing.conversion.counts import Task
from segscore.pipeline.importing.shapes import Intervals, Mark, Marks, Segment, Shape


def labels_of_segments(
    shape: Shape, positions: Sequence[int], task: Task
) -> tuple[str | None, ...] | None:
    """Return a label for each segment; None if no segment has one, or there are several levels.

    A segment has the label of what starts with it in the file. One that starts with a gap has none;
    a gap at the start of the document, which is part of the first segment, has the label of that.

    Args:
        shape: the segmentation as its file states it.
        positions: its boundaries, ascending; a position may repeat.
        task: how it was converted.
    """
    if isinstance(shape, Intervals):
        stated: Sequence[Segment | Mark] = shape.segments
    elif isinstance(shape, Marks):
        stated = shape.marks
    else:
        return None
    if len({each.level for each in stated}) != 1 or not any(each.title for each in stated):
        return None
    titles: dict[int, str | None] = {}
    for each in sorted(stated, key=lambda each: each.start.exact):
        start = task.position(each.start)
        if not _is_empty(each, start, task):
            titles.setdefault(max(start, 0), each.title)
    first = min((start for start in titles if start < task.n_units), default=0)
    starts = [0, *sorted({*positions})]
    if 0 not in titles and isinstance(shape, Intervals) and first not in starts:
        titles[0] = titles.get(first)
    labels = tuple(titles.get(start) for start in starts)
    return labels if any(labels) else None


def _is_empty(each: Segment | Mark, start: int, task: Task) -> bool:
    """Return whether a segment has an end, which is also its start, so that it is left out."""
    end = each.end if isinstance(each, Segment) else None
    return end is not None and task.position(end) == start and end.exact != each.start.exact
