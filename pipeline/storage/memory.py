"""The memory of a worker, and how much of it rows and row groups may take."""

import ctypes
import os
from contextlib import suppress

MEMORY = 4 * 2**30
"""Bytes of memory that a worker is assumed to have by default."""

USABLE = 0.7
"""Share of its memory that a worker may fill; at 0.8, Dask gives it no more tasks."""

AT_REST = 500 * 2**20
"""Bytes that a worker uses without any rows, for Python and the libraries."""

UNFOLDED = 3
"""Bytes of memory per byte of a table's columns, while rows are read or prepared for pairing."""


def machine_memory() -> int:
    """Return the bytes of memory of this machine."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def room(memory: int) -> int:
    """Return the bytes that a worker with so many has for rows that stay in memory.

    It has as much again for the rows that it scores.
    """
    return max(0, int(USABLE * memory) - AT_REST) // 2


def row_group_limit(memory: int | None) -> int:
    """Return how large the columns of one row group may be in memory for a worker to read it.

    A worker has ``memory`` bytes; None stands for ``MEMORY``.
    """
    return max(0, (MEMORY if memory is None else memory) - AT_REST) // UNFOLDED


def release_memory() -> None:
    """Return the memory of freed arrays to the system, if the C library is GNU's."""
    with suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)


def readable_size(size: int) -> str:
    """Format a number of bytes with a unit.

    >>> readable_size(512), readable_size(1010 * 1024**2)
    ('512 B', '0.986 GB')
    """
    amount = float(size)
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if amount < 999.5 or unit == "TB":
            break
        amount /= 1024
    return f"{amount:.3g} {unit}"
