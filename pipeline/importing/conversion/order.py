"""Check the order of the times of a shape, before anything else."""

from collections.abc import Sequence
from itertools import pairwise

from segscore.pipeline.importing.shapes import Intervals, Mark, Marks, Segment, Shape
from segscore.pipeline.tables.rows import RowPlace


def require_order(shape: Shape) -> None:
    """Refuse a segment that ends before it starts, and an ordered list whose times decrease."""
    if isinstance(shape, Intervals):
        for segment in shape.segments:
            if segment.end is not None and segment.end.exact < segment.start.exact:
                raise RowPlace(shape.place.source, segment.line).refusal(
                    f"the segment ends at {segment.end.text}, before it starts at "
                    f"{segment.start.text}"
                )
        if shape.ordered:
            _require_ascending(shape.segments, shape.place.source)
    elif isinstance(shape, Marks) and shape.ordered:
        _require_ascending(shape.marks, shape.place.source)


def _require_ascending(starts: Sequence[Mark | Segment], source: str) -> None:
    for above, below in pairwise(starts):
        if below.start.exact < above.start.exact:
            raise RowPlace(source, below.line).refusal(
                f"{below.start.text} comes after {above.start.text}, so times go back; expected "
                "ascending times: correct a typing error, or write a second track or list to a "
                "file of its own"
            )
