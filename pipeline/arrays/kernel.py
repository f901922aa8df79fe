"""Compile loops with numba, and cache them on disk where only their owner can write."""

import logging
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core.caching import FunctionCache
from numba.core.runtime import rtsys

from segscore.pipeline.arrays.ownership import first_exposed

Loop = TypeVar("Loop", bound=Callable[..., Any])

_OPTIONS = {"nogil": True, "fastmath": False, "error_model": "numpy", "no_cfunc_wrapper": True}
"""No kernel is called from C, and the wrapper for that takes a tenth of compiling it."""

CACHE_FILES = (".nbi", ".nbc")
"""Suffixes of the files in numba's cache: a loop's index, and its machine code."""


class _Cache(FunctionCache):  # type: ignore[misc]
    """Numba's cache on disk, from which machine code is loaded without the compiler.

    Before numba loads anything it imports its compiler's whole library, and scipy if that is
    installed.  This takes as long as all other imports of a run, and machine code needs none of it
    but the runtime that manages the memory of arrays.
    """

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the compiled loop for a signature; None if the cache does not have it."""
        target_context.refresh = lambda: rtsys.initialize(target_context)
        try:
            return super().load_overload(sig, target_context)
        finally:
            del target_context.refresh  # the method of the class, which compilation needs


def kernel(loop: Loop) -> Loop:
    """Compile ``loop`` with numba, to run without the GIL and give the same bits on every machine.

    A kernel never starts threads of its own, because the cluster assigns the cores.  The machine
    code is cached on disk, except in two cases, in which each process compiles the kernel again:
    neither the package's folder nor the user's cache can be written (a read-only image without
    ``NUMBA_CACHE_DIR``), or other users can write to the folder that numba chose.  Numba would run
    whatever they put there.
    """
    compiled = numba.njit(**_OPTIONS)(loop)
    try:
        cache = _Cache(loop)  # reads nothing before the first call
    except RuntimeError:
        return cast(Loop, compiled)
    if _is_trusted(cache.cache_path):
        compiled._cache = cache
    return cast(Loop, compiled)


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
