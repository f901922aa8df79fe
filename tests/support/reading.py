"""Texts read by the reader of a format: results, refusals, and damaged texts."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import strategies as st

from segscore.pipeline.errors import Refused
from segscore.pipeline.importing.conversion.convert import Survey, convert_shapes
from segscore.pipeline.importing.conversion.counts import Converted
from segscore.pipeline.importing.conversion.names import ReadFile, name_shapes
from segscore.pipeline.importing.conversion.surveyed import survey_shapes
from segscore.pipeline.importing.folders import Folders
from segscore.pipeline.importing.opened_file import OpenedFile
from segscore.pipeline.importing.settings import ImportSettings
from segscore.pipeline.importing.shapes import Extent, Intervals, Mark, Marks, Segment, Shape
from segscore.pipeline.importing.times import Clock
from segscore.pipeline.tables.rows import ParsedRow, RowPlace

Reader = Callable[[OpenedFile, ImportSettings], Iterator[Shape]]
Row = tuple[Any, ...]

_PIECES = [
    b"",
    b"\n",
    b"\r\n",
    b"\x00",
    b"\xff",
    b'"',
    b"[",
    b"]",
    b"{",
    b"}",
    b":",
    b",",
    b"=",
    b"-",
]
_PIECES += [b"-1", b"0", b"9" * 5, b"9" * 400, b"1e99", b"1e999", b".5", b"null", b"true", b'"a"']
_PIECES += [b"NaN", b"\\", b" ", b"\t", "\u0662".encode(), b"--> ", b"========,0,a", b"[CHAPTER]\n"]


def import_settings(*, clock: Clock | None = None, **options: Any) -> ImportSettings:
    """Return settings of an import; a clock stands for the three options about times."""
    if clock is not None:
        options |= {"time_unit": clock.unit, "start_timecode": clock.start}
        options["frame_rate"] = None if clock.rate is None else str(clock.rate)
    return ImportSettings(("f.x",), "out", **options)


def input_file(text: str | bytes, name: str = "f.x", encoding: str | None = None) -> OpenedFile:
    """Return a file with a text."""
    return OpenedFile(name, text if isinstance(text, bytes) else text.encode(), encoding)


def shapes_of(read: Reader, text: str | bytes, name: str = "f.x", **options: Any) -> list[Shape]:
    """Return what a reader yields."""
    return list(read(input_file(text, name), import_settings(**options)))


def refusal_of(read: Reader, text: str | bytes, name: str = "f.x", **options: Any) -> str:
    """Return the message of a reader that refuses a text."""
    with pytest.raises(Refused) as caught:
        shapes_of(read, text, name, **options)
    return str(caught.value)


def chapters_of(shape: Shape) -> list[Row]:
    """The starts, ends, lines and levels of a list of chapters, in milliseconds."""
    if isinstance(shape, Marks):
        return [_row(mark) for mark in shape.marks]
    assert isinstance(shape, Intervals)
    return [_row(segment) for segment in shape.segments]


def _row(one: Mark | Segment) -> Row:
    end = one.end.exact if isinstance(one, Segment) and one.end is not None else None
    return one.start.exact, end, one.line, one.level


def convert_files(
    files: Sequence[ReadFile],
    asked: ImportSettings,
    extents: Mapping[str, Extent],
    others: Iterable[ParsedRow] = (),
) -> list[Converted]:
    """Convert the shapes of all files of an import; see ``Survey.of`` and ``convert_shapes``."""
    named = name_shapes(files, asked, Folders())
    return convert_shapes(named, asked, Survey.of(survey_shapes(named), extents, others))


def converted(
    read: Reader, text: str | bytes, name: str = "f.x", length: int | None = None, **options: Any
) -> list[Converted]:
    """Convert a file to rows; `length` is that of the document f, in milliseconds."""
    file = input_file(text, name)
    shapes: Sequence[Shape] = list(read(file, import_settings(**options)))
    place = RowPlace("documents.csv", 2)
    known = length is not None
    extent = Extent(Fraction(0), Fraction(length or 0), "millisecond", False, place)
    extents = {"f": extent} if known else {}
    return convert_files([ReadFile(file, shapes, ())], import_settings(**options), extents)


def damaged(content: bytes) -> st.SearchStrategy[bytes]:
    """Cut out or replace some pieces of a content, and perhaps its end."""
    place = st.integers(0, len(content))
    change = st.tuples(place, st.integers(0, 6), st.sampled_from(_PIECES) | st.binary(max_size=3))
    return st.builds(_damage, st.just(content), st.lists(change, max_size=3), st.none() | place)


def _damage(content: bytes, changes: list[tuple[int, int, bytes]], end: int | None) -> bytes:
    for place, size, piece in changes:
        content = content[:place] + piece + content[place + size :]
    return content[:end]
