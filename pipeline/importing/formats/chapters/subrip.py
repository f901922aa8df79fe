"""SubRip: a number, a line START --> END and text, between blank lines; a subtitle is a chapter."""

import re
from collections.abc import Iterator

from segscore.pipeline.importing.formats.asked import Asked, OpenedFile
from segscore.pipeline.importing.formats.chapters.chapters import chapter_list
from segscore.pipeline.importing.formats.chapters.cues import blocks_of, read_cues
from segscore.pipeline.importing.formats.shapes import Shape

# Programs differ on what ",5" is, so there must be three digits.
_TIME = r"[0-9]{1,5}:[0-9]{2}:[0-9]{2}[,.][0-9]{3}"
_TIMING = re.compile(rf"({_TIME})[ \t]*-->[ \t]*({_TIME})(?:[ \t].*)?")


def read(file: OpenedFile, asked: Asked) -> Iterator[Shape]:
    """Yield the subtitles.

    Raises Refused for a malformed time line, a block without one, or a file without a subtitle.
    """
    cues = list(read_cues(blocks_of(file), _TIMING, file, asked.clock))
    yield chapter_list(cues, file.place(1))
