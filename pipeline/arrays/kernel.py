"""Compile loops with numba, and cache them on disk where only their owner can write."""

import logging
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba

from segscore.pipeline.arrays.ownership import first_exposed

Loop = TypeVar("Loop", bound=Callable[..., Any])

_OPTIONS = {"nogil": True, "fastmath": False, "error_model": "numpy", "no_cfunc_wrapper": True}
"""No kernel is called from C, and the wrapper for that takes a tenth of compiling it."""

CACHE_FILES = (".nbi", ".nbc")
"""Suffixes of the files in numba's cache: a loop's index, and its machine code."""


def kernel(loop: Loop) -> Loop:
    """Compile ``loop`` with numba, to run without the GIL and give the same bits on every machine.

    A kernel never starts threads of its own, because the cluster assigns the cores.  The machine
    code is cached on disk, except in two cases, in which each process compiles the kernel again:
    neither the package's folder nor the user's cache can be written (a read-only image without
    ``NUMBA_CACHE_DIR``), or other users can write to the folder that numba chose.  Numba would run
    whatever they put there.
    """
    try:
        compiled = numba.njit(cache=True, **_OPTIONS)(loop)  # reads nothing before the first call
    except RuntimeError:  # no folder can be written to
        compiled = numba.njit(**_OPTIONS)(loop)
    folder = compiled.stats.cache_path
    if folder is not None and not _is_trusted(folder):
        folder, compiled = None, numba.njit(**_OPTIONS)(loop)
    _FOLDERS.add(folder)
    return cast(Loop, compiled)


def cache_folder() -> str | None:
    """Return the folder below which compiled loops are cached; None if some are not cached.

    It has a folder for each package, which may be `__pycache__` beside the sources.
    """
    return None if None in _FOLDERS else os.path.commonpath([*filter(None, _FOLDERS)])


def inlined(loop: Loop) -> Loop:
    """Make ``loop`` a part of every kernel that calls it, which compiles faster than calling it."""
    return cast(Loop, numba.njit(inline="always", **_OPTIONS)(loop))


@cache
def _is_trusted(folder: str) -> bool:
    """Check that no other user can change numba's files in a folder; warn if one can."""
    exposed = first_exposed(Path(folder).absolute(), CACHE_FILES)
    if exposed is not None:
        _warn(exposed)
    return exposed is None


_FOLDERS: set[str | None] = set()
"""Folders in which the loops of this process are cached; None if a loop is not."""

_WARNED: set[str] = set()


def _warn(exposed: Path) -> None:
    """Warn about the first folder only, because numba uses a separate folder for each package."""
    if not _WARNED:
        logging.getLogger("segscore").warning(
            "compiled loops are not cached, because other users can change %s; every process "
            "compiles them again (about half a minute). Set NUMBA_CACHE_DIR to a folder that only "
            "you can write to",
            exposed,
        )
    _WARNED.add(str(exposed))
