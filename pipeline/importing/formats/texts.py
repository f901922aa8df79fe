"""Texts with separators between segments: Choi, wiki-727k and paragraphs."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from segscore.pipeline.importing.formats.format import TEXT_ENDINGS, Format
from segscore.pipeline.importing.opened_file import OpenedFile
from segscore.pipeline.importing.settings import ImportSettings
from segscore.pipeline.importing.shapes import Shape, Sizes
from segscore.pipeline.tables.rows import RowPlace

SENTENCE = "sentence"
CHOI_SEPARATOR = "=" * 10
WIKI_SEPARATOR = "=" * 8 + ","
"""How separators of wiki-727k begin; a level and a title follow."""


@dataclass
class TextSegment:
    """The number of words in each line between two separators; level 1 is the outermost."""

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
    """Return the segments that have text; `expected` describes a separator in messages.

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


def read_choi(file: OpenedFile, _settings: ImportSettings) -> Iterator[Shape]:
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


_SEPARATOR = re.compile(r"={8},([0-9]{1,9}),.*")
_EXPECTED = "lines ========,LEVEL,TITLE."


def read_wiki727k(file: OpenedFile, settings: ImportSettings) -> Iterator[Shape]:
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
            if settings.max_level is not None and level > settings.max_level:
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


def read_paragraphs(file: OpenedFile, _settings: ImportSettings) -> Iterator[Shape]:
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


FORMATS = (
    Format(
        "wiki727k",
        read_wiki727k,
        shared=TEXT_ENDINGS,
        content=lambda head: any(line.strip().startswith(WIKI_SEPARATOR) for line in head.lines),
        in_units=True,
    ),
    Format(
        "choi",
        read_choi,
        shared=TEXT_ENDINGS,
        content=lambda head: any(line.strip() == CHOI_SEPARATOR for line in head.lines),
        in_units=True,
    ),
    Format("paragraphs", read_paragraphs, in_units=True),
)
"""Paragraphs are only a guess, and must be asked for."""
