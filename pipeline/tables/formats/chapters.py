"""What readers of chapter lists share: fields of JSON, time bases, and chapters without ends."""

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from pathlib import PurePosixPath

from segscore.pipeline.tables.formats.rows import RowPlace, shown
from segscore.pipeline.tables.formats.shapes import (
    MILLISECOND,
    Intervals,
    Mark,
    Marks,
    Moment,
    Segment,
)
from segscore.pipeline.tables.formats.times import Clock

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


def object_of(value: object, name: str, place: RowPlace) -> Mapping[str, object]:
    """Return the value if it is a JSON object; raise Refused otherwise."""
    if not isinstance(value, dict):
        raise place.wrong(name, value, "an object")
    return value


def array_of(value: object, name: str, place: RowPlace) -> Sequence[object]:
    """Return the value if it is a JSON array; raise Refused otherwise."""
    if not isinstance(value, list):
        raise place.wrong(name, value, "a list")
    return value


def required(record: Mapping[str, object], key: str, name: str, place: RowPlace) -> object:
    """Return a field of the object called `name`; raise Refused if it is absent or null."""
    if record.get(key) is None:
        fields = ", ".join(map(shown, record)) or "nothing"
        raise place.refusal(f"{name} has no {key}; there is {fields}")
    return record[key]


def json_time(value: object, name: str, clock: Clock, place: RowPlace) -> Moment:
    """Return a time in JSON, a number of seconds or clock text."""
    return clock.time(_time(value, name, place), place, unit="s")


def json_duration(value: object, name: str, clock: Clock, place: RowPlace) -> Fraction | None:
    """Return a length in JSON in milliseconds; None if there is none."""
    return None if value is None else clock.duration(_time(value, name, place), place, unit="s")


def named_id(value: object, name: str, place: RowPlace) -> str | None:
    """Return a name that is a text or a whole number as text; None if there is none."""
    if value is None or value == "":
        return None
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise place.wrong(name, value, "a text")
    return str(value)


def document_of_path(value: object, name: str, place: RowPlace) -> str | None:
    """Return the name of a media file without folders and ending; None if there is none."""
    path = named_id(value, name, place)
    return None if path is None else PurePosixPath(path.replace("\\", "/")).stem or None


def _time(value: object, name: str, place: RowPlace) -> object:
    if isinstance(value, bool) or not isinstance(value, str | int | Decimal):
        raise place.wrong(name, value, "a number of seconds")
    return value
