"""Run loops over arrays: interpreted while there is little to do, compiled by numba after that.

Both ways give the same bits.  NumPy's scalars wrap around at 32 bits where numba widens them, so
that a call with a number of 2^15 or more beside 32-bit arrays is compiled, however short it is.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, update_wrapper
from hashlib import blake2b
from time import thread_time
from types import FunctionType
from typing import Any, Literal, TypeVar, cast

import numpy as np

from segscore.pipeline.arrays.compiling import cache_folder, was_compiled_before

Loop = TypeVar("Loop", bound=Callable[..., Any])

_OPTIONS = {"nogil": True, "fastmath": False, "error_model": "numpy", "no_cfunc_wrapper": True}
"""No kernel is called from C, and the wrapper for that takes a tenth of compiling it."""

_SAFE = 1 << 15
"""Neither a product of two 32-bit numbers below this, nor a sum of such numbers, wraps around."""


@dataclass
class Limits:
    """How much is interpreted in this process before kernels are compiled.

    Attributes:
        steps: the most steps of a call.
        seconds: processor time of all interpreted calls together.
        spent: how much they have taken so far.
        overflow: what NumPy does when a number wraps around, which only hashes may; tests warn.
    """

    steps: float
    seconds: float
    spent: float = 0.0
    overflow: Literal["ignore", "warn"] = "ignore"


LIMITS = Limits(1 << 13, 0.25) if was_compiled_before() else Limits(1 << 16, 2.0)
"""Importing numba and reading its cache takes a third of a second, compiling several seconds."""


def compile_always() -> None:
    """Compile all kernels from now on, however little there is to do."""
    LIMITS.seconds = -1.0


class Kernel:
    """A loop over arrays, which is interpreted or compiled.

    Attributes:
        function: the loop as it is written.
        steps: returns how many steps a call takes; None for the number of elements of its arrays.
        options: how numba compiles it.
    """

    _compiling = threading.RLock()

    def __init__(
        self, function: Callable[..., Any], steps: Callable[..., int] | None, **options: Any
    ) -> None:
        """Prepare the loop; neither imports numba nor compiles anything."""
        update_wrapper(self, function)
        self.function, self.steps, self.options = function, steps, _OPTIONS | options

    def __call__(self, *arguments: Any) -> Any:
        """Run the loop."""
        if not self._is_short(arguments):
            return self.compiled(*arguments)
        begin = thread_time()
        with np.errstate(all="ignore", over=LIMITS.overflow):
            result = self.interpreted(*arguments)
        LIMITS.spent += thread_time() - begin
        return _without_numpy(result)

    def _is_short(self, arguments: tuple[Any, ...]) -> bool:
        if LIMITS.spent > LIMITS.seconds or not _are_safe(arguments, LIMITS.steps):
            return False
        return self.steps is None or self.steps(*arguments) <= LIMITS.steps

    @cached_property
    def interpreted(self) -> Callable[..., Any]:
        """The loop in Python, with all kernels that it calls."""
        return _with_callees(self.function, "interpreted")

    @cached_property
    def compiled(self) -> Any:
        """The loop as numba compiles it for the types of a call, which are cached on disk."""
        with self._compiling:
            import numba

            function, folder = _with_callees(self.function, "compiled"), cache_folder()
            if folder is None or "inline" in self.options:
                return numba.njit(**self.options)(function)
            # numba compiles a loop again if its own file has changed, not if a callee's has.
            folder /= blake2b(_all_of(self), digest_size=8).hexdigest()
            users_folder, numba.config.CACHE_DIR = numba.config.CACHE_DIR, str(folder)
            try:
                return numba.njit(cache=True, **self.options)(function)
            finally:
                numba.config.CACHE_DIR = users_folder


def kernel(loop: Loop) -> Loop:
    """Run ``loop`` with the same bits on every machine; if it is compiled, without the GIL.

    A kernel never starts threads of its own, because the cluster assigns the cores.
    """
    return cast(Loop, Kernel(loop, None))


def kernel_of_steps(steps: Callable[..., int]) -> Callable[[Loop], Loop]:
    """Make a kernel of a loop that takes many more steps than its arrays have elements.

    Args:
        steps: returns about how many steps a call with the same arguments takes.
    """

    def made(loop: Loop) -> Loop:
        return cast(Loop, Kernel(loop, steps))

    return made


def inlined(loop: Loop) -> Loop:
    """Make ``loop`` a part of every kernel that calls it, which compiles faster than calling it."""
    return cast(Loop, Kernel(loop, None, inline="always"))


def _with_callees(
    function: Callable[..., Any], form: Literal["interpreted", "compiled"]
) -> Callable[..., Any]:
    """Return a function that calls other kernels in the form that it has itself."""
    callees = {name: getattr(callee, form) for name, callee in _callees(function).items()}
    names = function.__globals__ | callees
    return FunctionType(function.__code__, names, closure=function.__closure__)


def _callees(function: Callable[..., Any]) -> dict[str, Kernel]:
    """Return the kernels that a function names."""
    known = {name: function.__globals__.get(name) for name in function.__code__.co_names}
    return {name: found for name, found in known.items() if isinstance(found, Kernel)}


def _all_of(loop: Kernel) -> bytes:
    """Return what a loop is compiled from: its code, its constants, and all of its callees."""
    code, names = loop.function.__code__, loop.function.__globals__
    constants = {name: names[name] for name in code.co_names if _is_constant(names.get(name))}
    own = code.co_code + repr((code.co_consts, code.co_names, constants, loop.options)).encode()
    return b"".join([own, *map(_all_of, _callees(loop.function).values())])


def _is_constant(value: object) -> bool:
    return isinstance(value, bool | int | float | tuple | np.generic | np.ndarray)


def _are_safe(arguments: tuple[Any, ...], most: float) -> bool:
    """Check that there are at most so many elements, and no number that could wrap around."""
    for argument in arguments:
        if isinstance(argument, np.ndarray):
            most -= argument.size
            if most < 0 or not _is_safe(argument):
                return False
        elif isinstance(argument, tuple):
            if not _are_safe(argument, most):
                return False
        elif type(argument) is int and abs(argument) >= _SAFE:
            return False
    return True


def _is_safe(array: np.ndarray[Any, Any]) -> bool:
    if array.dtype != np.int32 or not array.size:
        return True
    return bool(array.max() < _SAFE and array.min() > -_SAFE)


def _without_numpy(result: Any) -> Any:
    """Return NumPy's numbers as Python's, as numba does."""
    if isinstance(result, tuple):
        return tuple(map(_without_numpy, result))
    return result.item() if isinstance(result, np.generic) else result
