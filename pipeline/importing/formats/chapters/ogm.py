"""OGM chapters, as mkvextract chapters --simple writes: CHAPTER01=00:00:00.000, CHAPTER01NAME=a."""

import re
from collections.abc import Iterator

from segscore.pipeline.importing.formats.asked import Asked, OpenedFile
from segscore.pipeline.importing.formats.chapters.chapters import chapter_list
from segscore.pipeline.importing.formats.shapes import Segment, Shape

_LINE = re.compile(r"(CHAPTER[0-9]{1,9})(NAME)?\s*=\s*(.*)", re.IGNORECASE)
_TIME = re.compile(r"[0-9]{1,5}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]{1,9})?")


def read(file: OpenedFile, asked: Asked) -> Iterator[Shape]:
    """Yield the starts of chapters as marks.

    Raises Refused for a line that is neither the time nor the name of a chapter, a name without a
    time above it, a chapter with two times, a malformed time, or a file without chapters.
    """
    marks: dict[str, Segment] = {}
    for number, line in enumerate(file.lines(), start=1):
        if not line.strip():
            continue
        place = file.place(number)
        parts = _LINE.fullmatch(line.strip())
        if parts is None:
            raise place.wrong("the line", line, "CHAPTER01=00:00:00.000 or CHAPTER01NAME=title")
        name = parts[1].upper()
        if parts[2]:
            if name not in marks:
                raise place.refusal(f"{name} has a name and no time; expected {name}= above it")
        elif name in marks:
            raise place.refusal(f"{name} has a time in line {marks[name].line} already; keep one")
        elif not _TIME.fullmatch(parts[3]):
            raise place.wrong(f"the time of {name}", parts[3], "HH:MM:SS.fff")
        else:
            marks[name] = Segment(asked.clock.time(parts[3], place), None, number)
    yield chapter_list(list(marks.values()), file.place(1))
