"""How much memory a worker has, and how much of it one thing may take."""

MEMORY = 4 * 2**30
"""Bytes a worker is thought to have, unless told."""

USABLE = 0.7
"""How much of its memory a worker may fill: Dask gives it no more tasks at eight tenths."""

AT_REST = 500 * 2**20
"""What a worker holds without any rows: Python and the libraries."""

UNFOLDED = 3
"""Rows in memory, while they are read or ready to be met, for each byte of their columns."""


def room(memory: int) -> int:
    """How much a worker has for rows that stay, as much again for those it scores.

    Args:
        memory: bytes the worker has.
    """
    return max(0, int(USABLE * memory) - AT_REST) // 2


def row_group_limit(memory: int | None) -> int:
    """Tell how large the columns of one row group may be that a worker reads.

    Args:
        memory: bytes the worker has; None for ``MEMORY``.

    Returns:
        Bytes of the columns in memory.
    """
    return max(0, (MEMORY if memory is None else memory) - AT_REST) // UNFOLDED


def readable_size(size: int) -> str:
    """Show a number of bytes."""
    amount = float(size)
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if amount < 1024 or unit == "TB":
            break
        amount /= 1024
    return f"{amount:.3g} {unit}"
