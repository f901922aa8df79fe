"""Convert sizes of segments: their running totals are the boundaries."""

from itertools import accumulate

from segscore.pipeline.importing.conversion.counts import Task
from segscore.pipeline.importing.shapes import Sizes


def convert_sizes(shape: Sizes, task: Task) -> list[tuple[int, int]]:
    """Return the (position, level) of each boundary; the level is that of the segment after it."""
    levels = shape.levels or (1,) * len(shape.sizes)
    starts = (0, *accumulate(shape.sizes))
    return [
        (start, level)
        for start, level in zip(starts, levels, strict=False)
        if not task.too_deep(level) and start
    ]
