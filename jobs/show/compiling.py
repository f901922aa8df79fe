"""Watch numba compile loops, which takes half a minute when segscore runs for the first time."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import Any

from numba.core import event

_COMPILING = "numba:compile"


class Compilation(event.Listener):  # type: ignore[misc]
    """How many loops were compiled so far, and how long it took.

    Attributes:
        loops: number of loops.
        seconds: from the start of the first to the end of the last one.
    """

    def __init__(self, begin: Callable[[], None]) -> None:
        """Start with no loop.

        Args:
            begin: called when the first loop is compiled.
        """
        self.loops, self.seconds = 0, 0.0
        self._begin = begin
        self._start: float | None = None

    def on_start(self, event: Any) -> None:  # noqa: ARG002
        """Note when the first compilation starts."""
        if self._start is None:
            self._start = perf_counter()
            self._begin()

    def on_end(self, event: Any) -> None:  # noqa: ARG002
        """Count a loop."""
        self.loops += 1
        self.seconds = perf_counter() - (self._start or 0.0)


@contextmanager
def watch_compilation(begin: Callable[[], None]) -> Iterator[Compilation]:
    """Watch what this process compiles; loops that are read from the cache do not count.

    Args:
        begin: called when the first loop is compiled.
    """
    with event.install_listener(_COMPILING, Compilation(begin)) as compilation:
        yield compilation
