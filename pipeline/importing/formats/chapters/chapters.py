"""What readers of chapter lists share: time bases, and lists of chapters without ends."""

import re
from collections.abc import Sequence
from fractions import Fraction

from segscore.pipeline.importing.formats.shapes import Intervals, Mark, Marks, Segment
from segscore.pipeline.tables.rows import RowPlace, shown
from segscore.pipeline.tables.units import MILLISECOND

_TIME_BASE = re.compile(r"([0-9]{1,10})/([0-9]{1,10})")


def chapter_list(
    segments: Sequence[Segment],
    place: RowPlace,
    document_id: str | None = None,
    length: Fraction | None = None,
) -> Intervals | Marks:
    """Return the chapters of one recording: marks if no chapter has an end, else intervals.

    Raises Refused if there is no chapter.
    """
    if not segments:
        name = "" if document_id is None else f" of {shown(document_id)}"
        raise place.refusal(f"no chapter{name} in it; expected the start of one chapter at least")
    if any(segment.end is not None for segment in segments):
        return Intervals(
            place=place,
            unit=MILLISECOND,
            document_id=document_id,
            length=length,
            segments=segments,
            ordered=True,
        )
    return Marks(
        place=place,
        unit=MILLISECOND,
        document_id=document_id,
        length=length,
        marks=[Mark(segment.start, segment.line) for segment in segments],
        ordered=True,
    )


def time_base(text: object, place: RowPlace) -> Fraction:
    """Return a time base of ffmpeg, such as 1/1000 of a second, in milliseconds."""
    ratio = _TIME_BASE.fullmatch(text) if isinstance(text, str) else None
    if ratio is None or not int(ratio[1]) or not int(ratio[2]):
        raise place.wrong("the time base", text, "a fraction of a second, such as 1/1000")
    return Fraction(int(ratio[1]), int(ratio[2])) * 1000
