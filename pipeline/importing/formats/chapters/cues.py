"""Cues of WebVTT and SubRip: blocks between blank lines, each with a line START --> END."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from segscore.pipeline.importing.formats.asked import OpenedFile
from segscore.pipeline.importing.formats.shapes import Segment
from segscore.pipeline.importing.formats.times import Clock

ARROW = "-->"
CueBlock = Sequence[tuple[int, str]]
"""Lines that are not blank, with their numbers."""


def blocks_of(file: OpenedFile) -> Iterator[CueBlock]:
    """Yield the blocks of a file."""
    numbered = enumerate(file.lines(), start=1)
    for blank, lines in groupby(numbered, lambda line: not line[1].strip()):
        if not blank:
            yield list(lines)


def read_cues(
    blocks: Iterable[CueBlock], timing: re.Pattern[str], file: OpenedFile, clock: Clock
) -> Iterator[Segment]:
    """Yield the cues of some blocks; a line with an arrow starts one, wherever it is in a block.

    Args:
        blocks: blocks of cues.
        timing: what a line with an arrow must look like; its groups are start and end.
        file: the file, for messages.
        clock: how times are read.

    Raises:
        Refused: a line with an arrow is malformed, or a block has none in its first two lines.
    """
    expected = "START --> END, with three digits after the seconds"
    for block in blocks:
        number, first = block[0]
        if not any(ARROW in line for _, line in block[:2]):
            raise file.place(number).wrong("a cue without a time line", first, expected)
        for number, line in block:
            if ARROW in line:
                place = file.place(number)
                times = timing.fullmatch(line.strip())
                if times is None:
                    raise place.wrong("a time line", line, expected)
                start, end = (clock.time(times[group], place) for group in (1, 2))
                yield Segment(start, end, number)
