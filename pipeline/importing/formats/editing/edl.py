"""Edit decision lists (CMX 3600) with markers: comments `* LOC:`, or those of DaVinci Resolve."""

import re
from collections.abc import Iterator

from segscore.pipeline.importing.formats.asked import Asked, OpenedFile
from segscore.pipeline.importing.formats.editing.timecode_marks import timecode_mark
from segscore.pipeline.importing.formats.shapes import Marks
from segscore.pipeline.tables.rows import RowPlace
from segscore.pipeline.tables.units import MILLISECOND

_LOCATOR = re.compile(r"\*\s*LOC:\s*(\S*)")
_RESOLVE = re.compile(r"\|C:\S* \|M:")
_EVENT = re.compile(r"[0-9]+")
_FEWEST = 8
"""Fields of an event: number, reel, track, transition and four timecodes."""


def read(file: OpenedFile, asked: Asked) -> Iterator[Marks]:
    """Yield one segmentation: each marker is a point.

    A locator states its record timecode; a marker of Resolve is at the record in of the event
    above it. Events without markers are cuts between shots and are not read.

    Raises Refused for a malformed timecode of a marker, or if there is no marker.
    """
    marks = []
    event: tuple[str, RowPlace] | None = None
    for number, line in enumerate(file.lines(), start=1):
        place, text = file.place(number), line.strip()
        if locator := _LOCATOR.match(text):
            marks.append(timecode_mark(locator[1], place, asked))
        elif _RESOLVE.match(text):
            if event is None:
                raise place.refusal("a marker without an event above it; expected its timecode")
            marks.append(timecode_mark(*event, asked))
        elif len(fields := text.split()) >= _FEWEST and _EVENT.fullmatch(fields[0]):
            event = (fields[-2], place)
    if not marks:
        raise file.refusal(
            "there is no marker in it; cuts are shots, not segments; export markers (* LOC: "
            "comments, or in Resolve Timeline Markers to EDL)"
        )
    yield Marks(place=file.place(marks[0].line), unit=MILLISECOND, marks=marks)
