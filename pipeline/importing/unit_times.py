"""Give segmentations in units the times of their units, for `--unit-times`."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise

from segscore.pipeline.errors import Refused
from segscore.pipeline.importing.shapes import Intervals, Mark, Marks, Moment, Segment, Shape, Sizes
from segscore.pipeline.importing.times import Clock
from segscore.pipeline.tables.rows import RowPlace
from segscore.pipeline.tables.units import MILLISECOND

OPTION = "--unit-times"


@dataclass(frozen=True)
class UnitTimes:
    """The times of the units of a document: starts, strictly ascending, and the last end if known.

    Raises:
        Refused: the starts do not ascend.
    """

    starts: Sequence[Moment]
    end: Moment | None
    place: RowPlace

    def __post_init__(self) -> None:
        """Check that times ascend."""
        for number, (before, after) in enumerate(pairwise(self.starts), start=2):
            if after.exact <= before.exact:
                raise self.place.refusal(
                    f"the times of units must ascend, but unit {number} starts at {after.text} and "
                    f"the one before it at {before.text}"
                )

    def apply(self, shape: Shape) -> Intervals | Marks:
        """Return a segmentation with times in place of units: its boundaries start units.

        Raises:
            Refused: there is another number of units, or a position within a unit.
        """
        units = shape.length if not isinstance(shape, Sizes) else Fraction(sum(shape.sizes))
        if units is not None and units != len(self.starts):
            raise shape.place.refusal(
                f"there are {units} {shape.unit}s, but {len(self.starts)} times of units at "
                f"{self.place.source}:{self.place.line}; expected a time for each"
            )
        if isinstance(shape, Sizes):
            return self._of_sizes(shape)
        length = None if self.end is None else self.end.exact
        timed = replace(shape, unit=MILLISECOND, length=length)
        if isinstance(timed, Marks):
            marks = [replace(mark, start=self._start(mark.start, shape)) for mark in timed.marks]
            return replace(timed, marks=marks)
        return replace(timed, segments=[self._of_segment(one, shape) for one in timed.segments])

    def _of_sizes(self, shape: Sizes) -> Marks:
        levels = shape.levels or (1,) * len(shape.sizes)
        marks = []
        begun = 0
        for size, level in zip(shape.sizes, levels, strict=True):
            if begun:
                marks.append(Mark(self.starts[begun], shape.place.line, level))
            begun += size
        return Marks(
            place=shape.place,
            unit=MILLISECOND,
            document_id=shape.document_id,
            coder=shape.coder,
            role=shape.role,
            length=None if self.end is None else self.end.exact,
            attributes=shape.attributes,
            counted=shape.counted,
            marks=marks,
        )

    def _of_segment(self, segment: Segment, shape: Shape) -> Segment:
        end = None
        if segment.end is not None:
            number = self._number(segment.end, shape)
            end = self.starts[number] if number < len(self.starts) else self.end
        return replace(segment, start=self._start(segment.start, shape), end=end)

    def _start(self, moment: Moment, shape: Shape) -> Moment:
        number = self._number(moment, shape)
        if number == len(self.starts):
            raise shape.place.refusal(f"{moment.text} is the end, where no {shape.unit} starts")
        return self.starts[number]

    def _number(self, moment: Moment, shape: Shape) -> int:
        if moment.exact.denominator != 1 or not 0 <= moment.exact <= len(self.starts):
            raise shape.place.refusal(
                f"{moment.text} is not between two of the {len(self.starts)} {shape.unit}s that "
                f"have times at {self.place.source}:{self.place.line}"
            )
        return int(moment.exact)


def times_of_list(values: Sequence[object], name: str, clock: Clock, place: RowPlace) -> UnitTimes:
    """Read a list of starts, or of pairs of start and end.

    Args:
        values: numbers, of seconds unless `--time-unit` says otherwise, or clock texts.
        name: name of the list, for messages.
        clock: how times are read.
        place: where they were read.

    Raises:
        Refused: the list is empty, a value is not a time, or the times do not ascend.
    """
    if not values:
        raise place.refusal(f"{name} is an empty list; expected a time for each unit")
    starts: list[Moment] = []
    ends: list[Moment] = []
    for number, value in enumerate(values):
        pair = value if isinstance(value, list) and len(value) == 2 else [value]
        times = [_time(one, f"{name}[{number}]", clock, place) for one in pair]
        starts.append(times[0])
        ends += times[1:]
    last = max(ends, key=lambda end: end.exact) if len(ends) == len(starts) else None
    return UnitTimes(starts, last, place)


def _time(value: object, name: str, clock: Clock, place: RowPlace) -> Moment:
    # The shortest text of a float has the digits that the file has.
    text = repr(value) if isinstance(value, float) else value
    try:
        return clock.time(text, place)
    except Refused as problem:
        reason = str(problem).removeprefix(f"{place.source}:{place.line}: ")
        raise place.refusal(f"{name}: {reason}") from problem


def times_of_segments(segments: Iterable[Segment], name: str, place: RowPlace) -> UnitTimes:
    """Return the times of cues, turns or words, each of which is a unit.

    Raises:
        Refused: there is none, or they do not ascend.
    """
    found = [*segments]
    if not found:
        raise place.refusal(f"{name} has no times")
    ends = [one.end for one in found if one.end is not None]
    last = max(ends, key=lambda end: end.exact) if len(ends) == len(found) else None
    return UnitTimes([one.start for one in found], last, place)


def timed(shape: Shape, document: str, times: Mapping[str, UnitTimes] | None) -> Shape:
    """Return a segmentation in units with times, if it has none yet.

    Raises:
        Refused: there are no times of the document.
    """
    if shape.unit == MILLISECOND:
        return shape
    if times is None:
        raise shape.place.refusal(
            f"{OPTION} names no file, and this format has no records with a list of times; name a "
            "file with the times of the units: subtitles, STM, CTM or SegLST"
        )
    if document not in times:
        raise shape.place.refusal(f"{OPTION} has no times of the document {document}")
    return times[document].apply(shape)
