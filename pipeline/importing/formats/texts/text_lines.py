"""What readers of texts share: a line with text is a unit, its words are its length."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from segscore.pipeline.importing.formats.asked import OpenedFile
from segscore.pipeline.tables.rows import RowPlace

SENTENCE = "sentence"
CHOI_SEPARATOR = "=" * 10
WIKI_SEPARATOR = "=" * 8 + ","
"""How separators of wiki-727k begin; a level and a title follow."""


@dataclass
class TextSegment:
    """The lines between two separators.

    Attributes:
        level: level of the segment, 1 for the outermost.
        words: number of words in each line.
    """

    level: int = 1
    words: list[int] = field(default_factory=list)


def text_lines(file: OpenedFile) -> Iterator[tuple[RowPlace, str]]:
    """Yield the lines of a text without white space around them; blank lines are empty."""
    for number, line in enumerate(file.lines(), start=1):
        yield file.place(number), line.strip()


def is_rule(line: str) -> bool:
    """Return whether a line consists of '=' only."""
    return bool(line) and not line.strip("=")


def with_text(
    segments: Sequence[TextSegment], separators: int, expected: str, file: OpenedFile
) -> list[TextSegment]:
    """Return the segments that have text.

    Args:
        segments: the segments of a text.
        separators: number of separators that were read.
        expected: what a separator looks like, for messages.
        file: the file, for messages.

    Raises:
        Refused: there is no text, or no separator in it.
    """
    filled = [segment for segment in segments if segment.words]
    if not filled:
        raise file.place(1).refusal(f"no line of text; expected segments between {expected}")
    if not separators:
        raise file.refusal(
            f"no separator in the text; expected {expected}; other separators are read with "
            "--format choi (lines of ten '='), wiki727k (lines ========,LEVEL,TITLE.) or "
            "paragraphs (blank lines)"
        )
    return filled


def words_of(segments: Sequence[TextSegment]) -> list[int]:
    """Return the number of words of each unit."""
    return [words for segment in segments for words in segment.words]
