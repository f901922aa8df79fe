"""JSON Lines in blocks: Arrow parses a block, and the exact reader those that Arrow cannot.

Arrow takes what is wrong or unusual JSON in other ways than the exact reader does (`jsonl`): two
objects on a line, NaN, times as text, whole numbers among others.  A block in which any of this may
be is read by the exact reader, so the rows and messages are the same whoever read it.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from io import BytesIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from segscore.pipeline.arrays.ragged import Ints
from segscore.pipeline.errors import Refused
from segscore.pipeline.tables import jsonl
from segscore.pipeline.tables.attributes import OWN_COLUMNS
from segscore.pipeline.tables.columns import SEGMENTATIONS
from segscore.pipeline.tables.parsed_table import STATED, join_types, parsed_table, with_columns
from segscore.pipeline.tables.rows import Defaults, ParsedRow
from segscore.pipeline.tables.strict_json import has_deep_line
from segscore.schemas.input_columns import BOUNDARY_KINDS, INPUT_TYPES, ROLE, ROLES

BLOCK = 8 * 2**20
"""Bytes that are parsed at once."""

_SAMPLE = 2**16
"""Bytes in which attributes are looked for, before the first block is parsed."""

_MARK = b"\xef\xbb\xbf"
_COLUMNS: Mapping[str, pa.DataType] = {
    name: pa.string() if name == ROLE else INPUT_TYPES[name] for name in STATED
}
_ATTRIBUTES = (pa.string(), pa.int64(), pa.float64(), pa.bool_())
_LISTS = tuple(pa.list_(kind) for kind in (pa.string(), pa.int64(), pa.bool_(), pa.null()))
"""Lists that are attributes, unless the exact reader is lenient, and then leaves them out."""
_TEXTS = ("document_id", "coder", ROLE)

Decode = Callable[[bytes, int], Iterable[str]]
"""Decodes a block whose first line has this number; refuses bytes that are not text."""


class _Unclear(Exception):  # noqa: N818
    """Whether Arrow read a block as the exact reader would is not known."""


@dataclass
class JsonLines:
    """A reader of one JSON Lines file.

    Attributes:
        source: name of the file, for messages.
        defaults: values for rows that lack them.
        decode: decodes blocks for the exact reader.
        lenient: whether the exact reader is lenient; see ``jsonl.read``.
        adapted: what the exact reader may convert or leave out; see ``jsonl.read``.
        rejecting: whether lines that cannot be read are collected, not refused.
        bad_lines: number (from 0) and message of the collected lines.
        attributes: types of the attributes in the blocks so far; None before the first.
    """

    source: str
    defaults: Defaults
    decode: Decode
    lenient: bool = False
    adapted: set[str] | None = None
    rejecting: bool = False
    bad_lines: list[tuple[int, str]] = field(default_factory=list)
    attributes: dict[str, pa.DataType] | None = field(default=None, init=False)

    def read(self, chunks: Iterable[bytes], line: int = 1) -> Iterator[tuple[pa.Table, Ints]]:
        """Yield the rows of each block as stated (see ``tables``), with their line numbers.

        The chunks are the bytes of the file from the given line on. Refused is raised as by the
        exact reader.
        """
        for block in whole_lines(chunks):
            lines = _count_lines(block)
            rows = self._fast(block, line, lines)
            yield self.exact(block, line) if rows is None else rows
            line += lines

    def exact(self, block: bytes, line: int) -> tuple[pa.Table, Ints]:
        """Read a block, which begins with a line of this number, with the exact reader."""
        rows: list[ParsedRow] = []
        for first, piece in without_gaps(block, line):
            rows += self._accepted(piece, first) if self.rejecting else self._parsed(piece, first)
        return parsed_table(rows), np.array([row.line for row in rows], np.int64)

    def _accepted(self, block: bytes, line: int) -> list[ParsedRow]:
        """Return the rows of the lines that can be read, and collect the other lines."""
        rows: list[ParsedRow] = []
        for number, text in enumerate(BytesIO(block), start=line):
            try:
                parsed = self._parsed(text, number)
                parsed_table(parsed)  # refuses values that do not fit their column
                rows += parsed
            except Refused as refusal:
                self.bad_lines.append((number - 1, str(refusal)))
        return rows

    def _parsed(self, block: bytes, line: int) -> list[ParsedRow]:
        lines = self.decode(block, line)
        rows = jsonl.read(
            lines,
            self.source,
            self.defaults,
            lenient=self.lenient,
            adapted=self.adapted,
            first=line,
        )
        return list(rows)

    def _fast(self, block: bytes, line: int, lines: int) -> tuple[pa.Table, Ints] | None:
        """Read a block of so many lines with Arrow; None if the exact reader has to."""
        text = block.removeprefix(_MARK) if line == 1 else block
        text = text.replace(b"\r\n", b"\n") if b"\r" in text else text
        if not _is_object_per_line(text, lines) or has_deep_line(text):
            return None
        try:
            table = self._parse(text)
            if len(table) != lines:
                raise _Unclear
            stated = self._stated(table, text)
        except (_Unclear, pa.ArrowException, UnicodeDecodeError):
            return None
        return stated, np.arange(line, line + len(table))

    def _parse(self, text: bytes) -> pa.Table:
        if self.attributes is None:
            end = text.find(b"\n", min(_SAMPLE, len(text) - 1))
            self.attributes = _attribute_types(_arrow(text[: end + 1], {}, "infer"))
        try:
            return _arrow(text, self.attributes, "error")
        except pa.ArrowException:
            pass
        found = _arrow(text, {}, "infer")
        self.attributes = self.attributes | _attribute_types(found)
        present = {*found.column_names}
        as_found = all(
            found.schema.field(name).type in (kind, pa.null())
            for name, kind in self.attributes.items()
            if name in present
        )
        return found if as_found else _arrow(text, self.attributes, "infer")

    def _stated(self, table: pa.Table, text: bytes) -> pa.Table:
        """Return the rows as the exact reader states them; raise _Unclear if they may differ."""
        columns = {name: table.column(name).chunk(0) for name in table.column_names}
        for name in _TEXTS:
            columns[name] = self._text(name, columns[name])
        if not pc.all(pc.is_in(columns[ROLE], pa.array(ROLES))).as_py():
            raise _Unclear
        for name in STATED:
            self._require_plain(name, columns[name])
        kept, with_whole = {}, []
        for name, column in columns.items():
            if name in _REQUIRED or column.null_count < len(column):
                kept[name] = column
            if name not in _COLUMNS and column.null_count < len(column):
                lists = () if self.lenient and name != BOUNDARY_KINDS else _LISTS
                _require_attribute(name, column, lists)
                if pa.types.is_floating(column.type) and _has_whole_number(column):
                    with_whole.append(name)
        if with_whole and _may_be_integers(with_whole, text):
            raise _Unclear
        found = pa.table(kept)
        return with_columns(found, join_types([found.schema]))

    def _text(self, name: str, column: pa.Array) -> pa.Array:
        """Take missing names from the defaults."""
        empty = pc.equal(pc.binary_length(column), 0)
        if pc.any(empty).as_py():
            if not self.lenient:
                raise _Unclear
            column = pc.if_else(empty, pa.scalar(None, pa.string()), column)
        default: str | None = getattr(self.defaults, name)
        return column if default is None else column.fill_null(default)

    def _require_plain(self, name: str, column: pa.Array) -> None:
        if not self.lenient and name in _REQUIRED and column.null_count:
            raise _Unclear
        if pa.types.is_list(column.type):
            values = column.values
            if values.null_count and not self.lenient:
                raise _Unclear
            if pa.types.is_floating(values.type):
                numbers = values.fill_null(1).to_numpy(zero_copy_only=False)
                # "-0" is 0 to the exact reader, and -0.0 to Arrow.
                if not np.isfinite(numbers).all() or np.signbit(numbers[numbers == 0]).any():
                    raise _Unclear


_REQUIRED = {*SEGMENTATIONS.required, ROLE}


def whole_lines(chunks: Iterable[bytes]) -> Iterator[bytes]:
    r"""Yield the bytes of a file in blocks of whole lines; each ends with \n, the last one, too."""
    begun: list[bytes] = []
    for chunk in chunks:
        end = chunk.rfind(b"\n") + 1
        if end:
            yield b"".join((*begun, chunk[:end]))
            begun = []
        begun.append(chunk[end:])
    if rest := b"".join(begun):
        yield rest + b"\n"


def _count_lines(text: bytes) -> int:
    """Return the number of ends of lines, also of many blank lines in no time."""
    return int(np.count_nonzero(np.frombuffer(text, np.uint8) == ord("\n")))


_GAP = re.compile(rb"\n[\n\r\t ]{16,}\n")
"""Blank lines between two others, or at an end of the text; a few are no gap."""


def without_gaps(block: bytes, line: int) -> Iterator[tuple[int, bytes]]:
    """Yield the pieces of a block between many blank lines, each with the number of its first line.

    A small compressed file can have a thousand million blank lines, which are not looked at one by
    one.
    """
    if block.isspace():
        return
    start = 0
    for gap in _GAP.finditer(block):
        piece = block[start : gap.start() + 1]
        yield line, piece
        line += _count_lines(block[start : gap.end()])
        start = gap.end()
    if start < len(block):
        yield line, block[start:] if start else block


def _is_object_per_line(text: bytes, lines: int) -> bool:
    """Return whether all of so many lines begin with { and end with }, and the text is UTF-8.

    No object can then go on in another line, because between } and { there is a comma.
    """
    if not (text.startswith(b"{") and text.endswith(b"}\n")):
        return False
    if text.count(b"}\n{") + 1 != lines:
        return False
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def _arrow(text: bytes, attributes: Mapping[str, pa.DataType], unexpected: str) -> pa.Table:
    from pyarrow import json

    return json.read_json(
        pa.BufferReader(text),
        json.ReadOptions(use_threads=False, block_size=len(text) + 1),
        json.ParseOptions(
            explicit_schema=pa.schema({**_COLUMNS, **attributes}.items()),
            unexpected_field_behavior=unexpected,
        ),
    )


def _attribute_types(table: pa.Table) -> dict[str, pa.DataType]:
    """Return the types of the attributes; what Arrow takes for a time is text."""
    return {
        field.name: pa.string() if pa.types.is_timestamp(field.type) else field.type
        for field in table.schema
        if field.name not in _COLUMNS and not pa.types.is_null(field.type)
    }


def _require_attribute(name: str, column: pa.Array, lists: Sequence[pa.DataType]) -> None:
    """Raise _Unclear if the exact reader may refuse an attribute; it keeps lists of some types."""
    if column.type not in (*_ATTRIBUTES, *lists) or name in OWN_COLUMNS or not name:
        raise _Unclear


def _has_whole_number(column: pa.Array) -> bool:
    """Return whether a column of floats has a whole number; raise _Unclear if one is not finite."""
    numbers = column.drop_null().to_numpy(zero_copy_only=False)
    if not np.isfinite(numbers).all():
        raise _Unclear
    return bool((numbers == np.floor(numbers)).any())


_INTEGER = re.compile(rb'"([^"]*)"\s*:\s*-?[0-9]+\s*[,}]')
"""A key with an integer, in a text without escapes."""


def _may_be_integers(names: Sequence[str], text: bytes) -> bool:
    """Return whether a column may have 2 in the text, not 2.0, which is of another type.

    The text is searched once for all columns, of which there may be thousands.
    """
    if b"\\" in text or any(name.lstrip().startswith(":") for name in names):
        return True  # the pattern might begin at the end of a text
    integers = {*_INTEGER.findall(text)}
    return any(name.encode() in integers for name in names)
