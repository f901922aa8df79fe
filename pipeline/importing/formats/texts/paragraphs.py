"""Texts with blank lines between segments."""

from collections.abc import Iterator

from segscore.pipeline.importing.formats.asked import Asked, OpenedFile
from segscore.pipeline.importing.formats.shapes import Shape, Sizes
from segscore.pipeline.importing.formats.texts.text_lines import (
    SENTENCE,
    WIKI_SEPARATOR,
    TextSegment,
    is_rule,
    text_lines,
    with_text,
    words_of,
)


def read(file: OpenedFile, _asked: Asked) -> Iterator[Shape]:
    """Yield the paragraphs; blank lines before the first and after the last one say nothing.

    Raises Refused for a separator of another format, or a text without blank lines between lines.
    """
    paragraphs: list[TextSegment] = []
    after_blank = True
    for place, line in text_lines(file):
        if is_rule(line) or line.startswith(WIKI_SEPARATOR):
            raise place.wrong(
                "a line", line, "text; separators of '=' are read with --format choi or wiki727k"
            )
        if line:
            if after_blank:
                paragraphs.append(TextSegment())
            paragraphs[-1].words.append(len(line.split()))
        after_blank = not line
    filled = with_text(paragraphs, len(paragraphs) - 1, "blank lines between segments", file)
    yield Sizes(
        place=file.place(1),
        unit=SENTENCE,
        sizes=[len(paragraph.words) for paragraph in filled],
        unit_lengths=words_of(filled),
    )
