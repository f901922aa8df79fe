"""Choi's text files: the segments of one document, between lines of ten '=' (Choi 2000)."""

from collections.abc import Iterable, Iterator
from itertools import accumulate

from segscore.pipeline.tables.formats.rows import (
    Defaults,
    ParsedRow,
    RowPlace,
    is_given,
    numbered,
    stem,
)

SEPARATOR = "=" * 10


def read(lines: Iterable[str], source: str, defaults: Defaults) -> Iterator[ParsedRow]:
    """Parse a Choi file into one row; a line of text is a unit, with its tokens as unit length.

    The document has the default name, or else the file's stem; the coder must have a default.
    Separators before the first and after the last segment are optional. Two separators without text
    between them, as in published files, make no segment; the attribute doubled_separator marks such
    a document.
    Raises Refused for a line of '=' of another length, a file without text, or a missing coder.
    """
    start = RowPlace(source, 1)
    segments = _segments(lines, source)
    filled = [lengths for lengths in segments if lengths]
    if not filled:
        raise start.refusal("no line of text; expected segments between lines of ten '='")
    ends = list(accumulate(len(lengths) for lengths in filled))
    yield ParsedRow(
        document_id=defaults.document_id or stem(source),
        coder=is_given(defaults.coder, "coder", start),
        role=defaults.role,
        n_units=ends[-1],
        boundaries=tuple(ends[:-1]),
        unit_lengths=tuple(length for lengths in filled for length in lengths),
        attributes={"doubled_separator": True} if [] in segments[1:-1] else {},
        source=source,
        line=start.line,
    )


def _segments(lines: Iterable[str], source: str) -> list[list[int]]:
    """Return the unit lengths before, between and after the separators; empty without text."""
    segments: list[list[int]] = [[]]
    for number, text in numbered(lines):
        line = text.strip()
        if line == SEPARATOR:
            segments.append([])
        elif line and not line.strip("="):
            raise RowPlace(source, number).wrong("a separator", line, "exactly ten '='")
        elif line:
            segments[-1].append(len(line.split()))
    return segments
