"""Divide the slices of a table into batches that a task reads at once."""

from collections.abc import Iterable

from segscore.pipeline.tables.find import Slice

BYTES_AT_ONCE = 2**28
"""The most bytes of a batch in memory, unless a single slice has more."""


def batches_of(
    slices: Iterable[Slice], rows: int, size: int = BYTES_AT_ONCE
) -> list[tuple[Slice, ...]]:
    """Divide slices into batches of consecutive ones.

    A batch has at most so many rows and bytes in memory, unless a single slice has more.
    """
    batches: list[list[Slice]] = []
    rows_in_batch, size_of_batch = 0, 0
    for piece in slices:
        if not batches or rows_in_batch + piece.rows > rows or size_of_batch + piece.size > size:
            batches.append([])
            rows_in_batch, size_of_batch = 0, 0
        batches[-1].append(piece)
        rows_in_batch, size_of_batch = rows_in_batch + piece.rows, size_of_batch + piece.size
    return [tuple(batch) for batch in batches]
