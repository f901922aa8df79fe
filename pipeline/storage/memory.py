"""The memory of a worker, and how much of it rows and row groups may take."""

import ctypes
from collections.abc import Callable
from functools import cache

MEMORY = 4 * 2**30
"""Bytes of memory that a worker is assumed to have by default."""

USABLE = 0.7
"""Share of its memory that a worker may fill; at 0.8, Dask gives it no more tasks."""

AT_REST = 500 * 2**20
"""Bytes that a worker uses without any rows, for Python and the libraries."""

UNFOLDED = 3
"""Bytes of memory per byte of a table's columns, while rows are read or prepared for pairing."""


def room(memory: int) -> int:
    """Return the bytes that a worker has for rows that stay in memory.

    It has as much again for the rows that it scores.

    Args:
        memory: bytes of the worker's memory.
    """
    return max(0, int(USABLE * memory) - AT_REST) // 2


def row_group_limit(memory: int | None) -> int:
    """Return how large the columns of one row group may be for a worker to read it.

    Args:
        memory: bytes of the worker's memory; None for ``MEMORY``.

    Returns:
        Bytes of the columns in memory.
    """
    return max(0, (MEMORY if memory is None else memory) - AT_REST) // UNFOLDED


def release_memory() -> None:
    """Return the memory of freed arrays to the system, if the C library can do that."""
    _malloc_trim()(0)


@cache
def _malloc_trim() -> Callable[[int], object]:
    try:
        trim: Callable[[int], object] = ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):  # not the GNU C library
        return lambda _kept: None
    return trim


def readable_size(size: int) -> str:
    """Format a number of bytes with a unit."""
    amount = float(size)
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if amount < 1024 or unit == "TB":
            break
        amount /= 1024
    return f"{amount:.3g} {unit}"
