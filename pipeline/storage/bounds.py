"""Determine how much memory the columns of a row group of a Parquet file take, before reading them.

A file of a few kilobytes may contain columns of many gigabytes: a dictionary stores a value once
however often it occurs, and a million equal numbers are stored as one number and a count.  The
footer states how many values a column has and how many bytes its pages take when decompressed, but
not how long strings are that are stored in a dictionary; these are added up without expanding them.
A footer that somebody forged is believed (SECURITY.md).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from segscore.pipeline.errors import Refused, Unreadable
from segscore.pipeline.storage.memory import readable_size

PREFIXES = "DELTA_BYTE_ARRAY"
DICTIONARIES = frozenset({"PLAIN_DICTIONARY", "RLE_DICTIONARY"})
"""Encodings in which a page can represent more text than it has bytes."""

WIDTHS = {"BOOLEAN": 1, "INT32": 4, "INT64": 8, "INT96": 12, "FLOAT": 4, "DOUBLE": 8}
"""Bytes per value in memory, by physical type; for other types see ``_size``."""

OFFSET, LEVELS = 4, 4
"""Bytes per string for its offset; bytes per value of a list for its levels, while it is read."""

ROWS = 65_536
"""Largest number of rows that are inspected at a time."""

_GAP = 8192
"""Largest gap in bytes between two columns that Arrow fetches from a store in one request."""

SPARE = 16
"""A bound of at most 1 / SPARE of the limit is used as a column's size without refinement."""


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


def require_fit(group: RowGroup) -> int:
    """Check that the columns of a row group fit into memory, as their footer states it.

    Return the bytes that they take in memory, or an upper bound.

    Raises:
        Refused: the columns are too large, or the footer contradicts itself; the message names
            file, row group and column.
    """
    total = sum(_sizes(group, exact=False))
    if total > group.limit:
        total = sum(_sizes(group, exact=True))
    if total > group.limit:
        raise _too_large(group, f"columns {', '.join(group.columns)} take", total)
    return total


def _sizes(group: RowGroup, *, exact: bool) -> Iterator[int]:
    """Yield the bytes of each column in memory, or upper bounds that are quicker to compute."""
    metadata, wanted = group.file.metadata, {*group.columns}
    for index in range(metadata.num_columns):
        path = metadata.schema.column(index).path
        if path.split(".")[0] in wanted:
            size = _size(group, index, exact=exact)
            if size > group.limit:
                raise _too_large(group, f"column {path} takes", size)
            yield size


def _size(group: RowGroup, index: int, *, exact: bool) -> int:
    """Return the bytes of a column in memory, or an upper bound."""
    leaf = group.file.metadata.schema.column(index)
    chunk = group.file.metadata.row_group(group.number).column(index)
    rows = group.file.metadata.row_group(group.number).num_rows
    flat, values = leaf.max_repetition_level == 0, chunk.num_values
    if (flat and values != rows) or values < rows or chunk.total_uncompressed_size < 0:
        raise _contradiction(group, leaf.path, f"{rows:,} rows and {values:,} values")
    nested = 0 if flat else LEVELS
    if chunk.physical_type != "BYTE_ARRAY":
        return values * (nested + WIDTHS.get(chunk.physical_type, max(1, leaf.length)))
    overhead = values * (nested + OFFSET)
    if overhead > group.limit:
        return overhead
    return overhead + _text_size(group, leaf, chunk, exact=exact)


def _text_size(group: RowGroup, leaf: Any, chunk: Any, *, exact: bool) -> int:
    """Return the bytes of the strings of a column, or an upper bound.

    No string is longer than all pages of the column together.
    """
    pages, encodings = chunk.total_uncompressed_size, {*chunk.encodings}
    by_prefix = PREFIXES in encodings
    if pages > group.limit or not (by_prefix or encodings & DICTIONARIES):
        return pages
    bound = pages + chunk.num_values * pages
    if bound <= (0 if exact else group.limit // SPARE):
        return bound
    if by_prefix:
        if leaf.max_repetition_level:  # the text in one row has no bound
            return bound
        # Arrow takes several times as much while it expands the prefixes of a batch.
        rows = group.limit // (2 * max(1, pages))
        return _expanded_size(group, _string_batches(group.file, group, leaf.path, rows))
    file = group.reopen(leaf.path)
    if not exact:
        first = next(_string_batches(file, group, leaf.path, 1), None)
        longest = 0 if first is None else pc.max(pc.binary_length(first.dictionary)).as_py() or 0
        if pages + chunk.num_values * longest <= group.limit:
            return pages + chunk.num_values * longest
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


def _too_large(group: RowGroup, subject: str, size: int) -> Refused:
    return Refused(
        f"{group.url}: row group {group.number}: {subject} {readable_size(size)} or more in "
        f"memory, the limit is {readable_size(group.limit)}; raise --memory-limit or write "
        "smaller row groups, unless the file is corrupt or forged"
    )


def _contradiction(group: RowGroup, path: str, stated: str) -> Unreadable:
    return Unreadable(
        f"{group.url}: row group {group.number}: column {path} cannot be read: the footer states "
        f"{stated}; the file is corrupt: write it again"
    )
