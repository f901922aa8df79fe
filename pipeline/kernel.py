"""The one way a loop is compiled."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

Loop = TypeVar("Loop", bound=Callable[..., Any])

OPTIONS = {"nogil": True, "fastmath": False, "error_model": "numpy"}


def kernel(loop: Loop) -> Loop:
    """Compile ``loop`` with numba: releases the GIL, same bits everywhere, kept on disk.

    The cluster owns the cores, so a kernel never starts threads of its own.  Where neither the
    package's folder nor the user's cache can be written (a read-only image without
    ``NUMBA_CACHE_DIR``) the kernel is compiled anew in each process.
    """
    try:
        compiled = numba.njit(cache=True, **OPTIONS)(loop)
    except RuntimeError:
        compiled = numba.njit(**OPTIONS)(loop)
    return cast(Loop, compiled)
