"""WebVTT: a cue is a chapter; a cue within another is one level deeper (W3C WebVTT, 6.3)."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

from segscore.pipeline.importing.formats.asked import Asked, OpenedFile
from segscore.pipeline.importing.formats.chapters.chapters import chapter_list
from segscore.pipeline.importing.formats.chapters.cues import ARROW, CueBlock, blocks_of, read_cues
from segscore.pipeline.importing.formats.shapes import Segment, Shape

_TIME = r"(?:[0-9]{1,5}:)?[0-9]{2}:[0-9]{2}\.[0-9]{3}"
_TIMING = re.compile(rf"({_TIME})[ \t]*-->[ \t]*({_TIME})(?:[ \t].*)?")
_HEADER = re.compile(r"WEBVTT(?:[ \t].*)?")
_NO_CUE = re.compile(r"NOTE(?:[ \t].*)?|(?:STYLE|REGION)[ \t]*")


def read(file: OpenedFile, asked: Asked) -> Iterator[Shape]:
    """Yield the cues; the header and blocks of NOTE, STYLE and REGION are skipped.

    Raises Refused if the line WEBVTT is missing, for a malformed time line, a block without one, a
    time line inside a comment, or a file without a cue.
    """
    first = next(file.lines(), "")
    if not _HEADER.fullmatch(first):
        raise file.place(1).wrong("the first line", first, "WEBVTT, as WebVTT files begin")
    blocks = (part for block in blocks_of(file) if (part := _without_comments(block, file)))
    cues = list(read_cues(blocks, _TIMING, file, asked.clock))
    yield chapter_list(_with_levels(cues), file.place(1))


def _without_comments(block: CueBlock, file: OpenedFile) -> CueBlock:
    """Return the part of a block that has cues; it is empty in comments, styles and regions."""
    number, first = block[0]
    if number == 1:
        # Cues may follow the header without a blank line.
        arrows = [index for index, (_, line) in enumerate(block) if ARROW in line]
        return block[arrows[0] :] if arrows else []
    if not _NO_CUE.fullmatch(first):
        return block
    for number, line in block[1:]:
        if _TIMING.fullmatch(line.strip()):
            raise file.place(number).wrong(
                f"a line of a block {first[:6].strip()}",
                line,
                "no time line, which players take for a cue; remove it, or the line above it",
            )
    return []


def _with_levels(cues: Sequence[Segment]) -> list[Segment]:
    """Return the cues with their levels: 1, and one more for each cue that a cue is within."""
    levels = {}
    around: list[Fraction] = []
    spans = [(cue.start.exact, cue.end.exact) for cue in cues if cue.end is not None]
    for index in sorted(range(len(spans)), key=lambda index: (spans[index][0], -spans[index][1])):
        start, end = spans[index]
        while around and (end > around[-1] or start >= around[-1]):
            around.pop()
        around.append(end)
        levels[index] = len(around)
    return [replace(cue, level=levels[index]) for index, cue in enumerate(cues)]
