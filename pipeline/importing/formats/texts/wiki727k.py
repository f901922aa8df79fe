"""Texts of wiki-727k (Koshorek et al. 2018): sections after lines ========,LEVEL,TITLE."""

import re
from collections import Counter
from collections.abc import Iterator

from segscore.pipeline.importing.formats.asked import Asked, OpenedFile
from segscore.pipeline.importing.formats.shapes import Shape, Sizes
from segscore.pipeline.importing.formats.texts.text_lines import (
    SENTENCE,
    TextSegment,
    is_rule,
    text_lines,
    with_text,
    words_of,
)
from segscore.pipeline.tables.rows import RowPlace

_SEPARATOR = re.compile(r"={8},([0-9]{1,9}),.*")
_EXPECTED = "lines ========,LEVEL,TITLE."


def read(file: OpenedFile, asked: Asked) -> Iterator[Shape]:
    """Yield the sections; those without text make no segment and are counted as empty_sections.

    Separators below --max-level are left out here, and counted as deeper, so that the text after
    them remains with the section that they divide.
    Raises Refused for a malformed separator, one of another format, or a text without separators.
    """
    segments = [TextSegment()]
    separators = deeper = 0
    for place, line in text_lines(file):
        if is_rule(line) or line.startswith("=" * 8):
            level = _level(line, place)
            separators += 1
            if asked.max_level is not None and level > asked.max_level:
                deeper += 1
            else:
                segments.append(TextSegment(level))
        elif line:
            segments[-1].words.append(len(line.split()))
    filled = with_text(segments, separators, _EXPECTED, file)
    empty = sum(not segment.words for segment in segments[1:])
    yield Sizes(
        place=file.place(1),
        unit=SENTENCE,
        counted=+Counter(empty_sections=empty, deeper=deeper),
        sizes=[len(segment.words) for segment in filled],
        levels=[segment.level for segment in filled],
        unit_lengths=words_of(filled),
    )


def _level(line: str, place: RowPlace) -> int:
    separator = _SEPARATOR.fullmatch(line)
    if separator is None or not int(separator[1]):
        raise place.wrong(
            "a separator", line, f"{_EXPECTED} with a level from 1; --format choi has ten '=' alone"
        )
    return int(separator[1])
