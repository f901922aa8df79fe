"""Chapter lists in text: lines of YouTube, OGM and FFmetadata."""

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise

from segscore.pipeline.importing.formats.format import FRAMES, TEXT_ENDINGS, Format, Head
from segscore.pipeline.importing.opened_file import OpenedFile
from segscore.pipeline.importing.settings import ImportSettings
from segscore.pipeline.importing.shapes import Intervals, Mark, Marks, Moment, Segment, Shape
from segscore.pipeline.importing.times import Clock
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
        raise place.refusal(f"no chapters{name}; expected at least one chapter with a start")
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
        marks=[Mark(each.start, each.line, name=each.title) for each in segments],
        ordered=True,
    )


def time_base(text: object, place: RowPlace) -> Fraction:
    """Return a time base of ffmpeg, such as 1/1000 of a second, in milliseconds."""
    ratio = _TIME_BASE.fullmatch(text) if isinstance(text, str) else None
    if ratio is None or not int(ratio[1]) or not int(ratio[2]):
        raise place.wrong("the time base", text, "a fraction of a second, such as 1/1000")
    return Fraction(int(ratio[1]), int(ratio[2])) * 1000


_YOUTUBE_TIME = r"[0-9]{1,5}(?::[0-9]{2}){1,2}(?:[.,][0-9]{1,3}(?![0-9]))?"
_ARROW = "-->"
"""What the times of subtitles have between them."""

_APART = 10
"""Seconds of the shortest chapter that YouTube shows."""

_FIRST = re.compile(rf"(?:[0-9]{{1,3}}[.)]\s)?[\W_]*({_YOUTUBE_TIME})(?![0-9:])")
"""A time, perhaps after the number of a list, bullets and brackets."""
_LAST = re.compile(
    rf".*?(?<![0-9:.,])({_YOUTUBE_TIME})(?:\s*[-\u2010-\u2015\u2212]\s*{_YOUTUBE_TIME})?[\W_]*",
    re.DOTALL,
)
"""A time, or a start and an end, perhaps in brackets."""


def read_youtube(file: OpenedFile, settings: ImportSettings) -> Iterator[Shape]:
    """Yield the lines that begin with a time as marks, or else those that end with one.

    Other lines with text are counted as lines_not_taken.
    Raises Refused for minutes or seconds above 59, or a text without any such line.
    """
    lines = list(file.lines_with_text())
    times = _youtube_times([line for _, line in lines])
    marks = [
        Segment(settings.clock.time(text, place), None, place.line)
        for (place, _), text in zip(lines, times, strict=True)
        if text is not None
    ]
    if others := len(lines) - len(marks):
        file.notes.add("lines_not_taken", others)
    yield chapter_list(marks, file.place(1))


def _youtube_times(lines: Sequence[str]) -> list[str | None]:
    """Return the time that each line begins with, or ends with if none begins with one."""
    begun, ended = (
        [time[1] if (time := found(line.strip())) else None for line in lines]
        for found in (_FIRST.match, _LAST.fullmatch)
    )
    return begun if any(begun) else ended


def _is_youtube(head: Head) -> bool:
    """Return whether lines are what YouTube itself takes for chapters.

    They begin at 0:00, and are at least 10 seconds apart, which the lines of transcripts are not.
    """
    if _ARROW in head.text:
        return False
    times = [time for time in _youtube_times([each for each in head.lines if each.strip()]) if time]
    starts = [
        sum(float(part) * 60**power for power, part in enumerate(reversed(time.split(":"))))
        for time in (each.replace(",", ".") for each in times)
    ]
    apart = all(after - before >= _APART for before, after in pairwise(starts))
    return len(starts) > 1 and starts[0] == 0 and apart


_OGM_LINE = re.compile(r"(CHAPTER[0-9]{1,9})(NAME)?\s*=\s*(.*)", re.IGNORECASE)
_OGM_CHAPTER = re.compile(r"CHAPTER[0-9]+\s*=", re.IGNORECASE)
_OGM_TIME = re.compile(r"[0-9]{1,5}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]{1,9})?")


def read_ogm(file: OpenedFile, settings: ImportSettings) -> Iterator[Shape]:
    """Yield the starts of chapters as marks.

    Raises Refused for a line that is neither the time nor the name of a chapter, a name without a
    time above it, a chapter with two times, a malformed time, or a file without chapters.
    """
    marks: dict[str, Segment] = {}
    for place, line in file.lines_with_text():
        parts = _OGM_LINE.fullmatch(line.strip())
        if parts is None:
            raise place.wrong("the line", line, "CHAPTER01=00:00:00.000 or CHAPTER01NAME=title")
        name = parts[1].upper()
        if parts[2]:
            if name not in marks:
                raise place.refusal(f"{name} has a name and no time; expected {name}= above it")
        elif name in marks:
            raise place.refusal(f"{name} has a time in line {marks[name].line} already; remove one")
        elif not _OGM_TIME.fullmatch(parts[3]):
            raise place.wrong(f"the time of {name}", parts[3], "HH:MM:SS.fff")
        else:
            marks[name] = Segment(settings.clock.time(parts[3], place), None, place.line)
    yield chapter_list(list(marks.values()), file.place(1))


HEADER = ";FFMETADATA"
_CHAPTER, _STREAM = "[CHAPTER]", "[STREAM]"
_KEYS = ("TIMEBASE", "START", "END")
_NANOSECOND = "1/1000000000"
_WHOLE = re.compile(r"[0-9]{1,19}")
_Fields = dict[str, tuple[str, RowPlace]]


def read_ffmetadata(file: OpenedFile, settings: ImportSettings) -> Iterator[Shape]:
    """Yield the chapters; without TIMEBASE, times are nanoseconds.

    Raises Refused if the header is missing, for a line that is not a section, comment or KEY=VALUE,
    a chapter without START, a time that is not an integer, END before START, or no chapter.
    """
    segments = [_segment(place, fields, settings.clock) for place, fields in _sections(file)]
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
                raise place_of_line.refusal(f"the chapter has two lines {key}; remove one")
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


FORMATS = (
    Format(
        "ffmetadata",
        read_ffmetadata,
        endings=(".ffmetadata",),
        shared=TEXT_ENDINGS,
        content=lambda head: head.lines[0].startswith(HEADER),
        options=FRAMES,
    ),
    Format(
        "ogm",
        read_ogm,
        shared=TEXT_ENDINGS,
        content=lambda head: any(_OGM_CHAPTER.match(line.strip()) for line in head.lines),
        options=FRAMES,
    ),
    Format("youtube", read_youtube, shared=TEXT_ENDINGS, content=_is_youtube, options=FRAMES),
)
