"""Refuse times that go back, before anything is made of them."""

from itertools import pairwise

from segscore.pipeline.tables.formats.rows import RowPlace
from segscore.pipeline.tables.formats.shapes import Intervals, Mark, Segment, Shape, Sizes


def require_order(shape: Shape) -> None:
    """Refuse an end before its start, and in an ordered list a start before the one above it."""
    if isinstance(shape, Sizes):
        return
    source = shape.place.source
    if isinstance(shape, Intervals):
        for segment in shape.segments:
            if segment.end is not None and segment.end.exact < segment.start.exact:
                raise RowPlace(source, segment.line).refusal(
                    f"the segment ends at {segment.end.text}, before it starts at "
                    f"{segment.start.text}"
                )
    if not shape.ordered:
        return
    starts: list[Segment | Mark] = []
    starts += shape.segments if isinstance(shape, Intervals) else shape.marks
    for above, below in pairwise(starts):
        if below.start.exact < above.start.exact:
            raise RowPlace(source, below.line).refusal(
                f"{below.start.text} comes after {above.start.text}, so times go back; expected "
                "ascending times: correct a typing error, or write a second track or list to a "
                "file of its own"
            )
