"""Determine how much memory the columns of a row group of a Parquet file take, before reading them.

A file of a few kilobytes may contain columns of many gigabytes: a dictionary stores a value once
however often it occurs, and a million equal numbers are stored as one number and a count.  A footer
may be wrong.  Arrow allocates what the header of each page states, page by page, until it has as
many values as the footer states.  Therefore the headers are read first, in the same order.  They do
not give the lengths of strings that are stored in a dictionary; these are computed without
expanding the strings.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from segscore.pipeline.errors import Refused, Unreadable
from segscore.pipeline.storage.memory import readable_size

DATA, _DICTIONARY, DATA_V2 = 0, 2, 3
"""Kinds of pages, as numbered in parquet.thrift."""

BY_PREFIX = 7
REPEATING = (2, 8, BY_PREFIX)
"""Encodings in which a page can represent more text than it has bytes: dictionary and prefix."""

WIDTHS = {"BOOLEAN": 1, "INT32": 4, "INT64": 8, "INT96": 12, "FLOAT": 4, "DOUBLE": 8}
"""Bytes per value in memory, by physical type; for other types see ``_size``."""

OFFSET, LEVELS = 4, 4
"""Bytes per string for its offset; bytes per value of a list for its levels, while it is read."""

ROWS = 65_536
"""Largest number of rows that are inspected at a time."""

HEADER, LARGEST_HEADER = 512, 2**24
"""Bytes that are read to parse the header of a page, at first and at most."""

SLACK = 100
"""Bytes by which old writers understated the length of a column."""

_GAP = 8192
"""Largest gap in bytes between two columns that Arrow fetches from a store in one request."""

SPARE = 16
"""A bound of at most 1 / SPARE of the limit is used as a column's size without refinement."""

MAX_DEPTH = 16
"""Largest depth of nested structures in a header."""

Read = Callable[[int, int], bytes]
"""Takes an offset and a size, and returns so many bytes of the file, fewer at its end."""


@dataclass(frozen=True)
class RowGroup:
    """A row group whose columns are to be read.

    Attributes:
        url: URL of the file, for messages.
        file: the open file.
        reopen: opens the file so that the column with this path is read as dictionary and indices.
        number: index of the row group.
        columns: names of the columns to be read.
        limit: bytes that the columns may take in memory.
    """

    url: str
    file: pq.ParquetFile
    reopen: Callable[[str], pq.ParquetFile]
    number: int
    columns: Sequence[str]
    limit: int


@dataclass(frozen=True)
class _Page:
    """The header of a page.

    Attributes:
        kind: DATA, DICTIONARY, DATA_V2 or another kind.
        unpacked: bytes of the page when decompressed.
        packed: bytes of the page in the file, without the header.
        values: number of values, including nulls and empty lists.
        encoding: encoding, as numbered in parquet.thrift.
    """

    kind: int
    unpacked: int
    packed: int
    values: int
    encoding: int


def require_fit(group: RowGroup, read: Read) -> int:
    """Check that the columns of a row group fit into memory, and agree with the footer.

    Return the bytes that they take in memory, or an upper bound; ``read`` reads bytes of the file.

    Raises:
        Refused: the columns are too large, or disagree with the footer; the message names file, row
            group and column.
    """
    total = sum(_sizes(group, read, exact=False))
    if total > group.limit:
        total = sum(_sizes(group, read, exact=True))
    if total > group.limit:
        raise _too_large(group, f"columns {', '.join(group.columns)} take", total)
    return total


def _sizes(group: RowGroup, read: Read, *, exact: bool) -> Iterator[int]:
    """Yield the bytes of each column in memory, or upper bounds that are quicker to compute."""
    metadata, wanted = group.file.metadata, {*group.columns}
    for index in range(metadata.num_columns):
        path = metadata.schema.column(index).path
        if path.split(".")[0] in wanted:
            size = _size(group, index, read, exact=exact)
            if size > group.limit:
                raise _too_large(group, f"column {path} takes", size)
            yield size


def _size(group: RowGroup, index: int, read: Read, *, exact: bool) -> int:
    """Return the bytes of a column in memory, or an upper bound."""
    leaf = group.file.metadata.schema.column(index)
    chunk = group.file.metadata.row_group(group.number).column(index)
    rows = group.file.metadata.row_group(group.number).num_rows
    flat = leaf.max_repetition_level == 0
    pages = [*_pages(group, index, read)]
    values = sum(page.values for page in pages if page.kind in (DATA, DATA_V2))
    if values != chunk.num_values or (flat and values != rows) or values < rows:
        stated = f"the footer states {rows:,} rows and {chunk.num_values:,} values"
        raise _mismatch(group, leaf.path, f"{stated}, the pages have {values:,} values")
    nested = 0 if flat else LEVELS
    if chunk.physical_type != "BYTE_ARRAY":
        return values * (nested + WIDTHS.get(chunk.physical_type, max(1, leaf.length)))
    overhead = values * (nested + OFFSET)
    if overhead > group.limit:
        return overhead
    return overhead + _text_size(group, leaf, pages, exact=exact)


def _text_size(group: RowGroup, leaf: Any, pages: Sequence[_Page], *, exact: bool) -> int:
    """Return the bytes of the strings of a column, or an upper bound.

    No string is longer than the dictionary, or than its page if strings share prefixes.
    """
    data = [page for page in pages if page.kind in (DATA, DATA_V2)]
    plain = sum(page.unpacked for page in data if page.encoding not in REPEATING)
    repeated = sum(page.values for page in data if page.encoding in REPEATING)
    by_prefix = [page.unpacked for page in data if page.encoding == BY_PREFIX]
    longest = max([page.unpacked for page in pages if page.kind == _DICTIONARY] + by_prefix + [1])
    bound = plain + repeated * longest
    acceptable = 0 if exact else group.limit // SPARE
    if not repeated or bound <= acceptable or plain > group.limit:
        return bound
    if by_prefix:
        if leaf.max_repetition_level:  # the text in one row has no bound
            return bound
        # Arrow takes several times as much while it expands the prefixes of a batch.
        rows = group.limit // (2 * longest)
        return _expanded_size(group, _string_batches(group.file, group, leaf.path, rows))
    file = group.reopen(leaf.path)
    if not exact:
        first = next(_string_batches(file, group, leaf.path, 1))
        longest = pc.max(pc.binary_length(first.dictionary)).as_py() or 0
        if plain + repeated * longest <= group.limit:
            return plain + repeated * longest
    return _expanded_size(group, _string_batches(file, group, leaf.path, ROWS))


def _expanded_size(group: RowGroup, parts: Iterator[pa.Array]) -> int:
    """Sum the bytes of strings, counting each use of a dictionary entry; stop above the limit."""
    total = 0
    for values in parts:
        if pa.types.is_dictionary(values.type):
            lengths = pc.binary_length(values.dictionary).take(values.indices)
        else:
            lengths = pc.binary_length(values)
        total += pc.sum(pc.cast(lengths, pa.int64())).as_py() or 0
        if total > group.limit:
            break
    return total


def _string_batches(
    file: pq.ParquetFile, group: RowGroup, path: str, rows: int
) -> Iterator[pa.Array]:
    """Yield the strings of a column, at most ``rows`` rows at a time."""
    for batch in file.iter_batches(
        max(1, min(ROWS, rows)), [group.number], [path], use_threads=False
    ):
        values = batch.column(0)
        while pa.types.is_nested(values.type):
            values = values.field(0) if pa.types.is_struct(values.type) else values.flatten()
        yield values


def _pages(group: RowGroup, index: int, read: Read) -> Iterator[_Page]:
    """Read the headers of a column's pages, as far as Arrow will read the pages.

    Raises:
        Refused: a header cannot be read, or its values are impossible.
    """
    path = group.file.metadata.schema.column(index).path
    chunk = group.file.metadata.row_group(group.number).column(index)
    offset, end = span(chunk)
    if offset < 0 or end < offset or chunk.num_values < 0:
        raise _mismatch(group, path, "the footer gives an impossible offset")
    values = 0
    while values < chunk.num_values and offset < end:
        page, length = _header(group, path, read, offset)
        offset += length + page.packed
        if min(page.unpacked, page.packed, page.values) < 0 or offset > end + SLACK:
            raise _mismatch(group, path, "a page is longer than the column")
        if page.unpacked > group.limit:
            raise _too_large(group, f"a page of column {path} takes", page.unpacked)
        values += page.values if page.kind in (DATA, DATA_V2) else 0
        yield page


def span(chunk: Any) -> tuple[int, int]:
    """Return the offsets at which the pages of a column begin and end, according to the footer."""
    start = chunk.data_page_offset
    if chunk.has_dictionary_page and 0 < chunk.dictionary_page_offset < start:
        start = chunk.dictionary_page_offset
    return start, start + chunk.total_compressed_size


def spans(group: RowGroup) -> list[tuple[int, int]]:
    """Return offsets and lengths of the wanted columns in the file, with neighbours merged.

    Raises:
        Refused: the columns are larger than the limit, according to the footer.
    """
    metadata, wanted = group.file.metadata, {*group.columns}
    chunks = [metadata.row_group(group.number).column(i) for i in range(metadata.num_columns)]
    ends = sorted(span(c) for c in chunks if c.path_in_schema.split(".")[0] in wanted)
    if sum(max(0, end - start) for start, end in ends) > group.limit:
        size = sum(end - start for start, end in ends)
        raise _too_large(group, f"columns {', '.join(group.columns)} take", size)
    merged: list[tuple[int, int]] = []
    for start, end in ends:
        if merged and 0 <= start - sum(merged[-1]) <= _GAP:
            merged[-1] = (merged[-1][0], end - merged[-1][0])
        else:
            merged.append((start, end - start))
    return [(start, length) for start, length in merged if start >= 0 and length > 0]


def _header(group: RowGroup, path: str, read: Read, offset: int) -> tuple[_Page, int]:
    """Read the header of a page; return it and its length."""
    size = HEADER
    while True:
        content = read(offset, size)
        try:
            fields, length = structure(content, 0, 0)
            kind = fields[1]
            inner = fields.get({DATA: 5, _DICTIONARY: 7, DATA_V2: 8}.get(kind, 0), {})
            encoding = inner.get(4 if kind == DATA_V2 else 2, 0)
            return _Page(kind, fields[2], fields[3], inner.get(1, 0), encoding), length
        except (LookupError, TypeError, AttributeError, ValueError) as problem:
            size *= 8
            if size > LARGEST_HEADER or len(content) < size // 8:
                raise _mismatch(group, path, "the header of a page cannot be read") from problem


def structure(content: bytes, offset: int, depth: int) -> tuple[dict[int, Any], int]:
    """Parse a structure of Thrift's compact protocol, which begins at an offset of the content.

    Return its fields that are integers or structures, by number, and the offset at which it ends;
    ``depth`` is the number of structures around it.

    Raises:
        LookupError: the bytes end before the structure does.
        ValueError: the bytes are not such a structure.
    """
    if depth > MAX_DEPTH:
        raise ValueError(depth)
    fields: dict[int, Any] = {}
    number = 0
    while head := content[offset]:
        offset += 1
        if head >> 4:
            number += head >> 4
        else:
            number, offset = _integer(content, offset)
        kind = head & 15
        if kind > FALSE:
            fields[number], offset = _value(content, offset, kind, depth)
    return fields, offset + 1


TRUE, FALSE, BYTE, I16, I32, I64, FLOAT, BINARY, LIST, SET, MAP, STRUCT = range(1, 13)
"""Types of Thrift's compact protocol; the type of a boolean field is its value."""


def _value(content: bytes, offset: int, kind: int, depth: int) -> tuple[Any, int]:
    """Parse a value and return it with its end; None for a value of a type that is skipped."""
    if kind in (I16, I32, I64):
        return _integer(content, offset)
    if kind == STRUCT:
        return structure(content, offset, depth + 1)
    if kind == BINARY:
        length, offset = _unsigned(content, offset)
        return None, offset + length
    if kind in (TRUE, FALSE, BYTE):
        return None, offset + 1
    if kind == FLOAT:
        return None, offset + 8
    if kind not in (LIST, SET):
        raise ValueError(kind)
    count, offset, element = content[offset] >> 4, offset + 1, content[offset] & 15
    if count == 15:
        count, offset = _unsigned(content, offset)
    for _ in range(count):
        _, offset = _value(content, offset, element, depth + 1)
        if offset > len(content):
            raise IndexError(offset)
    return None, offset


def _integer(content: bytes, offset: int) -> tuple[int, int]:
    value, offset = _unsigned(content, offset)
    return (value >> 1) ^ -(value & 1), offset


def _unsigned(content: bytes, offset: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = content[offset]
        offset += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, offset
        shift += 7
        if shift > 63:
            raise ValueError(shift)


def _too_large(group: RowGroup, subject: str, size: int) -> Refused:
    return Refused(
        f"{group.url}: row group {group.number}: {subject} {readable_size(size)} or more in "
        f"memory, the limit is {readable_size(group.limit)}; raise --memory-limit or write "
        "smaller row groups, unless the file is corrupt or forged"
    )


def _mismatch(group: RowGroup, path: str, reason: str) -> Unreadable:
    return Unreadable(
        f"{group.url}: row group {group.number}: column {path} does not match the footer "
        f"({reason}); the file is corrupt or forged: write it again"
    )
