"""ffmetadata of ffmpeg: sections [CHAPTER] with TIMEBASE, START and END."""

import re
from collections.abc import Iterator

from segscore.pipeline.importing.formats.asked import Asked, OpenedFile
from segscore.pipeline.importing.formats.chapters.chapters import chapter_list, time_base
from segscore.pipeline.importing.formats.shapes import Moment, Segment, Shape
from segscore.pipeline.importing.formats.times import Clock
from segscore.pipeline.tables.rows import RowPlace

HEADER = ";FFMETADATA"
_CHAPTER, _STREAM = "[CHAPTER]", "[STREAM]"
_KEYS = ("TIMEBASE", "START", "END")
_NANOSECOND = "1/1000000000"
_WHOLE = re.compile(r"[0-9]{1,19}")
_Fields = dict[str, tuple[str, RowPlace]]


def read(file: OpenedFile, asked: Asked) -> Iterator[Shape]:
    """Yield the chapters; without TIMEBASE, times are nanoseconds.

    Raises Refused if the header is missing, for a line that is no section, comment or KEY=VALUE, a
    chapter without START, a time that is no whole number, END before START, or no chapter.
    """
    segments = [_segment(place, fields, asked.clock) for place, fields in _sections(file)]
    yield chapter_list(segments, file.place(1))


def _sections(file: OpenedFile) -> Iterator[tuple[RowPlace, _Fields]]:
    """Yield the sections of chapters: where each begins, and its times with their places."""
    place = file.place(1)
    fields: _Fields | None = None
    for place_of_line, line in _lines(file):
        if line.startswith((";", "#")) or not line.strip():
            continue
        key, equals, value = line.partition("=")
        if not equals:
            if line.strip() not in (_CHAPTER, _STREAM):
                raise place_of_line.wrong("the line", line, f"KEY=VALUE, {_CHAPTER} or {_STREAM}")
            if fields is not None:
                yield place, fields
            place, fields = place_of_line, {} if line.strip() == _CHAPTER else None
        elif fields is not None and key in _KEYS:
            if key in fields:
                raise place_of_line.refusal(f"the chapter has two lines {key}; keep one")
            fields[key] = value.strip(), place_of_line
    if fields is not None:
        yield place, fields


def _lines(file: OpenedFile) -> Iterator[tuple[RowPlace, str]]:
    """Yield the lines, joined where a backslash is the last character of a line."""
    begun = ""
    start = 1
    for number, line in enumerate(file.lines(), start=1):
        if number == 1 and not line.startswith(HEADER):
            raise file.place(1).wrong("the first line", line, f"{HEADER}1")
        if not begun:
            start = number
        begun += line
        if (len(line) - len(line.rstrip("\\"))) % 2:
            begun += "\n"
        else:
            yield file.place(start), begun
            begun = ""
    if begun:
        yield file.place(start), begun


def _segment(place: RowPlace, fields: _Fields, clock: Clock) -> Segment:
    if "START" not in fields:
        raise place.refusal("the chapter has no START; expected START=, a whole number")
    unit = time_base(*fields.get("TIMEBASE", (_NANOSECOND, place)))

    def moment(key: str) -> Moment:
        text, at = fields[key]
        if not _WHOLE.fullmatch(text):
            raise at.wrong(key, text, "a whole number, 0 or more")
        return clock.since_start(int(text) * unit, text, at)

    start = moment("START")
    end = moment("END") if "END" in fields else None
    if end is not None and end.exact < start.exact:
        raise fields["END"][1].refusal(
            f"the chapter ends at {end.text}, before its start at {start.text}; "
            "expected END after START"
        )
    return Segment(start, end, fields["START"][1].line)
