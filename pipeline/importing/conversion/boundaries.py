"""Find the boundaries of a segmentation that a file gives as segments, marks or sizes.

All positions are whole units since the start of the document, or of the region that is imported.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from segscore.pipeline.importing.conversion.counts import Task, shown_length
from segscore.pipeline.importing.shapes import Intervals, Mark, Segment


@dataclass(frozen=True, slots=True)
class _Span:
    """A segment between two positions, cut at the end of the document."""

    start: int
    end: int
    segment: Segment


def convert_intervals(shape: Intervals, task: Task) -> list[tuple[int, int]]:
    """Return the (position, level) of each boundary, in ascending order.

    Raises:
        Refused: a segment of a reference starts after the end.
    """
    segments = [s for s in shape.segments if not task.too_deep(s.level)]
    merge = (task.settings.same_label or ("merge" if shape.turns else "keep")) == "merge"
    if are_points(segments):
        return convert_marks(_points(segments, merge, task), task)
    spans = _spans(segments, task)
    if not spans:
        _count_nothing(segments, task)
        return []
    outermost = min(span.segment.level for span in spans)
    gaps: list[tuple[int, int]] = []
    boundaries: set[tuple[int, int]] = set()
    first = spans[0].start
    for level, inside in _by_level(spans).items():
        _count_overlaps(inside, task)
        if level == outermost:
            gaps = _gaps(inside, task)
        boundaries |= _starts(inside, first, gaps if level == outermost else [], merge, task)
    if task.settings.gaps == "own":
        boundaries |= {(edge, outermost) for gap in gaps for edge in gap}
    return _inside(boundaries, task)


def are_points(segments: Sequence[Segment]) -> bool:
    """Return whether there are segments, and none of them has a length."""
    return bool(segments) and all(
        segment.end is None or segment.end.exact == segment.start.exact for segment in segments
    )


def _points(segments: Sequence[Segment], merge: bool, task: Task) -> list[Mark]:
    """Return points as marks; if neighbours with the same label are merged, only the first."""
    points = []
    label: dict[int, str | None] = {}
    for segment in sorted(segments, key=lambda segment: segment.start.exact):
        if merge and segment.label is not None and label.get(segment.level) == segment.label:
            _count_merged(segment, task)
        else:
            points.append(Mark(segment.start, segment.line, segment.level))
        label[segment.level] = segment.label
    return points


def _spans(segments: Sequence[Segment], task: Task) -> list[_Span]:
    """Return the segments that have a length, sorted by start, then end; count the others."""
    next_start = _next_starts(segments)
    spans = []
    for segment in segments:
        start = task.position(segment.start)
        if segment.end is not None:
            end = task.position(segment.end)
        else:
            following = next_start.get((segment.level, segment.start.exact))
            end = task.n_units if following is None else task.position(following.start)
        if end == start and (segment.end is not None or start < task.n_units):
            task.counts.add("empty", segment.line, f"the segment at {segment.start.text} is empty")
        elif start >= task.n_units:
            if start == task.n_units:
                task.counts.collapsed += 1
            task.leave_out(segment.start, segment.line)
        else:
            if end > task.n_units:
                over = end - task.n_units
                length = shown_length(over, task.stated.unit)
                task.counts.add("clipped", segment.line, f"the segment ends {length} too late")
                task.counts.add_length("clipped_length", over)
            spans.append(_Span(start, min(end, task.n_units), segment))
    return sorted(spans, key=lambda span: (span.start, span.end))


def _next_starts(segments: Sequence[Segment]) -> dict[tuple[int, object], Segment]:
    """Return the segment with the next later start in the level, for each level and start."""
    ordered = sorted(segments, key=lambda segment: (segment.level, segment.start.exact))
    following: dict[tuple[int, object], Segment] = {}
    for this, after in pairwise(ordered):
        if this.level == after.level and this.start.exact != after.start.exact:
            following[this.level, this.start.exact] = after
    return following


def _by_level(spans: Sequence[_Span]) -> dict[int, list[_Span]]:
    levels = defaultdict(list)
    for span in spans:
        levels[span.segment.level].append(span)
    return levels


def _count_overlaps(spans: Sequence[_Span], task: Task) -> None:
    """Count the segments of one level that start before an earlier one ended."""
    ended = spans[0].end
    for span in spans[1:]:
        common = min(span.end, ended) - max(span.start, 0)
        if common > 0:
            started = f"the segment at {span.segment.start.text} starts before another ended"
            task.counts.add("overlaps", span.segment.line, started)
            task.counts.add_length("overlap_length", common)
        ended = max(ended, span.end)


def _gaps(spans: Sequence[_Span], task: Task) -> list[tuple[int, int]]:
    """Return and count the stretches that no segment of the outermost level covers."""
    gaps = []
    covered = 0
    for span in (*spans, None):
        start = task.n_units if span is None else span.start
        if start > covered and start - covered >= task.settings.smallest_gap:
            gaps.append((covered, start))
            beside = (span or spans[-1]).segment
            before = "after the segment" if span is None else "before the segment"
            length = shown_length(start - covered, task.stated.unit)
            message = f"a gap of {length} {before} that starts at {beside.start.text}"
            task.counts.add("gaps", beside.line, message)
            task.counts.add_length("gap_length", start - covered)
        covered = max(covered, start if span is None else span.end)
    return gaps


def _count_nothing(segments: Sequence[Segment], task: Task) -> None:
    """Count the whole document as a gap if there were segments, and all were left out."""
    if segments:
        task.counts.add("gaps", segments[0].line, "no segment is left")
        task.counts.add_length("gap_length", task.n_units)


def _starts(
    spans: Sequence[_Span], first: int, gaps: Sequence[tuple[int, int]], merge: bool, task: Task
) -> set[tuple[int, int]]:
    """Return the starts of the segments of one level, without the first start of all."""
    after_gap = {end for _, end in gaps} if task.settings.gaps == "own" else set()
    starts: set[int] = set()
    label = None
    for span in spans:
        again = span.segment.label is not None and span.segment.label == label
        if span.start in starts:
            same = f"{span.segment.start.text} is the start of another segment"
            task.counts.add("same_start", span.segment.line, same)
            task.counts.collapsed += 1
        elif merge and again and span.start not in after_gap:
            _count_merged(span.segment, task)
        else:
            starts.add(span.start)
        label = span.segment.label
    return {(start, spans[0].segment.level) for start in starts if start != first}


def _count_merged(segment: Segment, task: Task) -> None:
    if task.settings.same_label == "merge":
        task.counts.numbers["merged"] += 1
    else:
        message = f"the segment at {segment.start.text} has the label of the one before it"
        task.counts.add("merged", segment.line, message)


def _inside(boundaries: set[tuple[int, int]], task: Task) -> list[tuple[int, int]]:
    """Return the boundaries inside the document, and count those outside the region."""
    kept = []
    for position, level in sorted(boundaries):
        if position < 0:
            outside = f"a boundary lies {-position} units before the region"
            task.counts.add("outside_region", task.stated.place.line, outside)
        elif 0 < position < task.n_units:
            kept.append((position, level))
        # A gap may begin or end on an edge, which is not a boundary; a start there collapses.
    return kept


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
