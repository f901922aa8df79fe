"""YouTube's chapter lines, as in the description of a video: a time and a title in each line."""

import re
from collections.abc import Iterator

from segscore.pipeline.importing.formats.asked import Asked, OpenedFile
from segscore.pipeline.importing.formats.chapters.chapters import chapter_list
from segscore.pipeline.importing.formats.shapes import Segment, Shape

_TIME = r"[0-9]{1,5}(?::[0-9]{2}){1,2}(?:[.,][0-9]{1,3}(?![0-9]))?"
_FIRST = re.compile(rf"(?:[0-9]{{1,3}}[.)]\s)?[\W_]*({_TIME})(?![0-9:])")
"""A time, perhaps after the number of a list, bullets and brackets."""
_LAST = re.compile(
    rf".*?(?<![0-9:.,])({_TIME})(?:\s*[-\u2010-\u2015\u2212]\s*{_TIME})?[\W_]*", re.DOTALL
)
"""A time, or a start and an end, perhaps in brackets."""


def read(file: OpenedFile, asked: Asked) -> Iterator[Shape]:
    """Yield the lines that begin with a time as marks, or else those that end with one.

    Other lines with text are counted as lines_not_taken.
    Raises Refused for minutes or seconds above 59, or a text without any such line.
    """
    lines = [line for line in enumerate(file.lines(), start=1) if line[1].strip()]
    times = [(number, time[1]) for number, line in lines if (time := _FIRST.match(line.strip()))]
    if not times:
        times = [(n, time[1]) for n, line in lines if (time := _LAST.fullmatch(line.strip()))]
    marks = [
        Segment(asked.clock.time(text, file.place(number)), None, number) for number, text in times
    ]
    if others := len(lines) - len(marks):
        file.notes.add("lines_not_taken", others)
    yield chapter_list(marks, file.place(1))
