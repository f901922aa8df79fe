"""Choi's text files: the segments of one document, between lines of ten '=' (Choi 2000)."""

from collections.abc import Iterator

from segscore.pipeline.importing.formats.asked import Asked, OpenedFile
from segscore.pipeline.importing.formats.shapes import Shape, Sizes
from segscore.pipeline.importing.formats.texts.text_lines import (
    CHOI_SEPARATOR,
    SENTENCE,
    WIKI_SEPARATOR,
    TextSegment,
    is_rule,
    text_lines,
    with_text,
    words_of,
)


def read(file: OpenedFile, _asked: Asked) -> Iterator[Shape]:
    """Yield the segments of a Choi file.

    Separators before the first and after the last segment are optional. Two separators without text
    between them, as in published files, make no segment; the attribute doubled_separator marks such
    a document.
    Raises Refused for a line of '=' of another length, a separator of another format, or a file
    without text or separators.
    """
    segments = [TextSegment()]
    for place, line in text_lines(file):
        if line == CHOI_SEPARATOR:
            segments.append(TextSegment())
        elif is_rule(line):
            raise place.wrong("a separator", line, "exactly ten '='")
        elif line.startswith(WIKI_SEPARATOR):
            raise place.wrong(
                "a line", line, f"no separator but lines {CHOI_SEPARATOR}, or --format wiki727k"
            )
        elif line:
            segments[-1].words.append(len(line.split()))
    expected = f"lines of ten '=' ({CHOI_SEPARATOR})"
    filled = with_text(segments, len(segments) - 1, expected, file)
    doubled = any(not segment.words for segment in segments[1:-1])
    yield Sizes(
        place=file.place(1),
        unit=SENTENCE,
        attributes={"doubled_separator": True} if doubled else {},
        sizes=[len(segment.words) for segment in filled],
        unit_lengths=words_of(filled),
    )
