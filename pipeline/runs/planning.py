"""How the rows of a document meet, chosen from what the files tell of themselves before any work.

Three ways, the first that fits: the references are sent to every task, and hypotheses stay where
they are; documents are taken in ranges of their ids, where files are in about that order; the rows
of all tables travel to buckets of documents.
"""

import sys
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from segscore.pipeline.errors import Refused
from segscore.pipeline.storage.memory import AT_REST, MEMORY, UNFOLDED, USABLE, readable_size, room
from segscore.pipeline.tables.find import InputTable, Slice

PER_ROW = 2048
"""What a task holds for each row it scores: counts, values, and the Parquet file in the making."""

LEAST_ROWS = 1024

SENT, RANGES, _BUCKETS = "sent", "ranges", "buckets"

EXPLAINED = {
    SENT: "the other tables are sent to every task, {scored} are read where they are",
    RANGES: "files are in the order of document_id: {groups} ranges of documents, read in place",
    _BUCKETS: "rows travel to {groups} buckets of documents",
}


@dataclass(frozen=True)
class Limits:
    """What a plan may ask of a task.

    Attributes:
        rows_per_part: rows that a task takes, if memory allows: larger tasks take no less time per
            row.
        send: whether the other tables may be sent to every task.
        read_again: how often rows may be read, on average, to take documents in ranges of ids.
    """

    rows_per_part: int = 131_072
    send: bool = True
    read_again: float = 4.0


LIMITS = Limits()
"""The limits of every run; tests and benchmarks replace them here."""


@dataclass(frozen=True)
class Plan:
    """How the rows of a document meet.

    Attributes:
        way: `sent`, `ranges` or `buckets`.
        groups: how many groups of documents; 1 where the references are sent.
        cuts: ids at which the second and later groups begin, where they are ranges.
        rows_at_once: rows a task scores at a time.
        told: why, and how large things are, line by line.
    """

    way: str
    groups: int
    cuts: tuple[str, ...]
    rows_at_once: int
    told: tuple[str, ...]


def at_once(memory: int | None) -> int:
    """How many tasks find room in a worker at the same time, at least one.

    Args:
        memory: bytes the worker has; None for as much as it takes.
    """
    if memory is None:
        return sys.maxsize
    return max(1, room(memory) // (PER_ROW * LIMITS.rows_per_part))


def plan(tables: Mapping[str, InputTable], scored: str, memory: int | None, limits: Limits) -> Plan:
    """Choose how rows meet.

    Args:
        tables: the input tables by name.
        scored: the one whose rows are the work.
        memory: bytes a worker has; None for ``MEMORY``.
        limits: what a task may take.

    Raises:
        Refused: a worker that small could do nothing.
    """
    limit = MEMORY if memory is None else memory
    held = room(limit)
    if not held:
        raise Refused(
            f"--memory-limit {readable_size(limit)}: a worker holds "
            f"{readable_size(AT_REST)} before any work, and may fill {USABLE:.0%}; give it more"
        )
    sizes = {name: sum(piece.size for piece in table.slices) for name, table in tables.items()}
    others = UNFOLDED * sum(size for name, size in sizes.items() if name != scored)
    rows_at_once = min(limits.rows_per_part, max(LEAST_ROWS, held // PER_ROW))
    told = [_told(name, table, sizes[name]) for name, table in tables.items()]
    rows = sum(piece.rows for piece in tables[scored].slices)
    groups = max(-(-rows // rows_at_once), -(-UNFOLDED * sum(sizes.values()) // held))
    if limits.send:
        fits = others <= held
        told.append(
            f"references and documents take about {readable_size(others)} of a worker's "
            f"{readable_size(limit)}; up to {readable_size(held)} "
            f"{'are' if fits else 'would be'} sent"
        )
    way = SENT
    cuts: tuple[str, ...] = ()
    if groups > 1 and not (limits.send and fits):
        room_at_once = held // UNFOLDED
        cuts = _cut_points(tables, scored, rows_at_once, room_at_once, limits.read_again)
        way = RANGES if cuts else _BUCKETS
        groups = len(cuts) + 1 if cuts else groups
    if groups > 1 or limits.send:
        told.append(EXPLAINED[way].format(scored=scored, groups=groups))
    told.append(f"a task scores {rows_at_once:,} rows at a time")
    return Plan(way, 1 if way == SENT else groups, cuts, rows_at_once, tuple(told))


def _told(name: str, table: InputTable, size: int) -> str:
    rows = sum(piece.rows for piece in table.slices)
    about = "" if all(piece.row_groups for piece in table.slices) else "about "
    groups = len(table.slices)
    files = len(table.files)
    return (
        f"{name}: {about}{rows:,} rows, {readable_size(size)} unpacked, in {files:,} "
        f"file{'s' * (files > 1)} of {groups:,} piece{'s' * (groups > 1)}"
    )


def _cut_points(
    tables: Mapping[str, InputTable], scored: str, rows: int, room: int, read_again: float
) -> tuple[str, ...]:
    """Find ids that cut documents into ranges of about so many rows of ``scored``.

    Args:
        tables: the input tables by name.
        scored: the one whose rows are the work.
        rows: of it in a range.
        room: bytes the pieces that a range touches may take.
        read_again: as in ``Limits``.

    Returns:
        Where the second and later ranges begin; none where files are not in the order of ids, or
        do not tell.
    """
    pieces = [piece for table in tables.values() for piece in table.slices]
    starts = sorted(
        (piece.ids[0], piece.rows) for piece in tables[scored].slices if piece.ids is not None
    )
    cuts: list[str] = []
    held = 0
    for first, there in starts:
        if held and held + there > rows and first > (cuts[-1] if cuts else starts[0][0]):
            cuts.append(first)
            held = 0
        held += there
    sizes = [0] * (len(cuts) + 1)
    for piece in pieces:
        for group in ranges_of(piece, cuts):
            sizes[group] += piece.size
    whole = sum(piece.size for piece in pieces)
    fits = sum(sizes) <= read_again * whole and max(sizes) <= room
    return tuple(cuts) if fits else ()


def ranges_of(piece: Slice, cuts: Sequence[str]) -> range:
    """Numbers of the ranges that a slice may have rows of."""
    if piece.ids is None:
        return range(len(cuts) + 1)
    first, last = (bisect_right(cuts, name) for name in piece.ids)
    return range(first, last + 1)
