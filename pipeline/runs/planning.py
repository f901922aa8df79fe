"""Divide the documents of a run into partitions, from the metadata of files alone.

A run whose rows fit into one part has one partition.  Others have ranges of ids, which are read
where they are, if the files are roughly in that order; else partitions by hash, for which the rows
of all tables are shuffled.
"""

import sys
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from segscore.pipeline.errors import Refused
from segscore.pipeline.statistics.formatted_numbers import percent
from segscore.pipeline.storage.memory import AT_REST, MEMORY, UNFOLDED, USABLE, readable_size, room
from segscore.pipeline.tables.find import InputTable, Slice
from segscore.pipeline.tables.read import BYTES_AT_ONCE

BYTES_PER_ROW = 2048
"""Bytes a task needs for each row it scores: counts, values, and the Parquet file being written."""

MIN_ROWS = 1024

ROWS_AT_ONCE = 131_072
"""The most rows that a task scores at a time; with more at a time, a row takes no less time."""

MOST_ROWS, PARTS = 2**21, 4096
"""The most rows of a part if memory allows, and the number of parts above which parts grow.  Parts
have at least ``ROWS_AT_ONCE`` rows.  Fewer parts would leave workers idle; more would cost time, as
sums are saved and added up for each part, and shuffled rows travel in packets for each part."""


@dataclass(frozen=True)
class Limits:
    """Limits on the work of a task.

    Attributes:
        rows_per_part: rows of a part if memory allows; None to choose it by the number of rows.
        read_again: how often each byte may be read, on average, to read documents in ranges of ids.
        bytes_per_part: bytes of files that a task of an import reads.
        copies: how often a task has each row in memory: once, and once for each level.
    """

    rows_per_part: int | None = None
    read_again: float = 4.0
    bytes_per_part: int = 2**23
    copies: int = 1

    @property
    def unfolded(self) -> int:
        """How many times larger than in a file the rows are in the memory of a task."""
        return UNFOLDED * self.copies

    @property
    def rows_at_once(self) -> int:
        """Rows that a task scores at a time if memory allows."""
        return min(ROWS_AT_ONCE, self.rows_per_part or ROWS_AT_ONCE)

    def part_of(self, rows: int) -> int:
        """Return how many rows of a table of ``rows`` rows a part has if memory allows.

        The number depends on the table alone, so that the same input gives the same files with any
        number of workers.
        """
        if self.rows_per_part is not None:
            return self.rows_per_part
        power_of_two = 1 << max(0, -(-rows // PARTS) - 1).bit_length()
        return min(MOST_ROWS, max(ROWS_AT_ONCE, power_of_two))


_PACKETS, _MOST_SHUFFLED = 32, 3 * 2**17
"""Number of packets of a partition above which a task reads the rows of several parts before it
divides them, and how many rows at most; they have to be in memory."""


def shuffled_at_once(rows_per_part: int, groups: int) -> int:
    """Return the most rows that a task reads before it divides them into packets.

    Each batch of rows sends a packet to each partition. If batches did not grow with the table, the
    number of packets would grow with the square of its rows.

    >>> [shuffled_at_once(131_072, groups) for groups in (10, 64, 229, 1000)]
    [131072, 262144, 393216, 393216]
    """
    rows = rows_per_part * (groups // _PACKETS)
    return max(rows_per_part, min(rows, _MOST_SHUFFLED))


_MOST_FULL = 2.5
"""The most rows that may be in a range, in parts or in the largest slice: where files are sorted, a
range has at most its own rows and those of the slice before."""

LIMITS = Limits()
"""The limits that every run uses; tests and benchmarks replace this value."""


@dataclass(frozen=True)
class Plan:
    """How to bring the rows of each document together.

    Attributes:
        groups: number of document partitions.
        cuts: first ids of the second and later ranges; empty if partitions are not ranges.
        rows_per_part: about how many rows of the scored table a part has.
        rows_at_once: number of rows that a task scores at a time.
        bytes_at_once: the most bytes of rows that a task reads to shuffle them.
        explanation: lines that explain the choice and give the sizes of the tables.
    """

    groups: int
    cuts: tuple[str, ...]
    rows_per_part: int
    rows_at_once: int
    bytes_at_once: int
    explanation: tuple[str, ...]


ALL_AT_ONCE = Plan(1, (), 0, ROWS_AT_ONCE, 0, ("the tables are read all at once, in one process",))
"""The plan of a run in memory."""


def at_once(memory: int | None) -> int:
    """Return how many tasks fit in so many bytes of memory, at least one; None is no limit."""
    if memory is None:
        return sys.maxsize
    return max(1, room(memory) // (BYTES_PER_ROW * LIMITS.rows_at_once))


def plan(
    tables: Mapping[str, InputTable],
    scored: str,
    memory: int | None,
    limits: Limits,
    made: int = 0,
) -> Plan:
    """Choose how to bring the rows of each document together.

    Args:
        tables: the input tables, by name.
        scored: the table whose rows are divided into parts.
        memory: bytes that a worker has; None stands for ``MEMORY``.
        limits: limits on the work of a task.
        made: number of rows that tasks make from the others and score, too.

    Raises:
        Refused: a worker has too little memory to process any rows.
    """
    limit = MEMORY if memory is None else memory
    usable = room(limit)
    if not usable:
        raise Refused(
            f"--memory-limit {readable_size(limit)}: a worker uses {readable_size(AT_REST)} "
            f"before any work, and may fill only {percent(USABLE)} of the limit; set a higher one"
        )
    sizes = {name: sum(piece.size for piece in table.slices) for name, table in tables.items()}
    rows_at_once = min(limits.rows_at_once, max(MIN_ROWS, usable // BYTES_PER_ROW))
    lines = [_describe_table(name, table, sizes[name]) for name, table in tables.items()]
    rows = sum(piece.rows for piece in tables[scored].slices) + made
    rows_per_part = limits.part_of(rows)
    if rows_at_once < limits.rows_at_once:  # a worker has little memory
        rows_per_part = min(rows_per_part, rows_at_once)
    groups = max(-(-rows // rows_per_part), -(-limits.unfolded * sum(sizes.values()) // usable))
    cuts = tuple[str, ...]()
    if groups > 1:
        slices_budget = usable // limits.unfolded
        cuts = _cut_points(tables, scored, rows_per_part, slices_budget, limits.read_again)
        groups = len(cuts) + 1 if cuts else groups
    lines.append(_describe_way(groups, cuts))
    lines.append(
        f"a part has about {rows_per_part:,} rows; a task scores {rows_at_once:,} at a time"
    )
    bytes_at_once = min(BYTES_AT_ONCE, usable // UNFOLDED)
    return Plan(groups, cuts, rows_per_part, rows_at_once, bytes_at_once, tuple(lines))


def _describe_way(groups: int, cuts: Sequence[str]) -> str:
    if groups == 1:
        return "all rows are read where they are, in one part"
    if cuts:
        return f"files are in order of document_id: read in place, in {groups} ranges of documents"
    return f"rows are shuffled into {groups} partitions of documents"


def _describe_table(name: str, table: InputTable, size: int) -> str:
    if table.plain is not None:
        return f"{name}: {len(table.plain):,} rows of attributes, which every task has"
    rows = sum(piece.rows for piece in table.slices)
    groups = len(table.slices)
    files = len(table.files)
    return (
        f"{name}: {rows:,} rows, {readable_size(size)} decompressed, in {files:,} "
        f"file{'s' * (files > 1)} ({groups:,} piece{'s' * (groups > 1)})"
    )


def _cut_points(
    tables: Mapping[str, InputTable], scored: str, rows: int, budget: int, read_again: float
) -> tuple[str, ...]:
    """Find ids that divide the documents into ranges of about ``rows`` rows of ``scored``.

    The slices that overlap a range have at most ``budget`` bytes; ``read_again`` is as in
    ``Limits``.

    Returns:
        The first ids of the second and later ranges.  Empty if ranges would exceed ``budget`` or
        ``read_again``, or if nearly all rows could be in one of them, as where files are not in the
        order of ids or the ids are unknown.
    """
    pieces = [piece for table in tables.values() for piece in table.slices]
    starts = sorted(
        (piece.ids[0], piece.rows) for piece in tables[scored].slices if piece.ids is not None
    )
    cuts: list[str] = []
    rows_in_range = 0
    for first, slice_rows in starts:
        is_full = rows_in_range > 0 and rows_in_range + slice_rows > rows
        if is_full and first > (cuts[-1] if cuts else starts[0][0]):
            cuts.append(first)
            rows_in_range = 0
        rows_in_range += slice_rows
    sizes, most_rows = [0] * (len(cuts) + 1), [0] * (len(cuts) + 1)
    for piece in pieces:
        for number in ranges_of(piece, cuts):
            sizes[number] += piece.size
    for piece in tables[scored].slices:
        for number in ranges_of(piece, cuts):
            most_rows[number] += piece.rows
    total = sum(piece.size for piece in pieces)
    full = _MOST_FULL * max([rows, *(piece.rows for piece in tables[scored].slices)])
    fits = sum(sizes) <= read_again * total and max(sizes) <= budget and max(most_rows) <= full
    return tuple(cuts) if fits else ()


def ranges_of(piece: Slice, cuts: Sequence[str]) -> range:
    """Return the numbers of the ranges that a slice may have rows in."""
    if piece.ids is None:
        return range(len(cuts) + 1)
    first, last = (bisect_right(cuts, name) for name in piece.ids)
    return range(first, last + 1)
