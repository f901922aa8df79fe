"""The memory of a worker, and how much of it rows and row groups may take."""

import ctypes
import os
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

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
"""Numbers of the options of ``mallopt`` (malloc.h)."""

_KEPT = 256 * 2**20
"""Bytes of free memory at the end of a heap that are not returned to the system."""

_LARGEST_REUSED = 32 * 2**20
"""Size in bytes from which an array has memory of its own, which is returned when it is freed."""


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


@cache
def reuse_memory() -> None:
    """Make this process reuse the memory of freed arrays, if its C library is GNU's.

    The library would return the memory of most arrays to the system when they are freed, and ask
    for it again for the next ones.  That takes a tenth of a run, and more on a worker of Dask: its
    environment (MALLOC_TRIM_THRESHOLD_) makes the library do so even more often.
    """
    set_option = _c_function("mallopt")
    set_option(_TRIM_THRESHOLD, _KEPT)
    set_option(_MMAP_THRESHOLD, _LARGEST_REUSED)


def release_memory() -> None:
    """Return the memory of freed arrays to the system, if the C library can do that."""
    _c_function("malloc_trim")(0)


@cache
def _c_function(name: str) -> Callable[..., object]:
    """Return a function of the GNU C library; one that does nothing if the library is another."""
    try:
        function: Callable[..., object] = getattr(ctypes.CDLL(None), name)
    except (AttributeError, OSError, TypeError):
        return lambda *_: None
    return function


def readable_size(size: int) -> str:
    """Format a number of bytes with a unit."""
    amount = float(size)
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if amount < 1024 or unit == "TB":
            break
        amount /= 1024
    return f"{amount:.3g} {unit}"
