"""Say that loops are being compiled, as the first run on a machine then takes longer."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from time import monotonic
from typing import Any

from numba.core import event

_MESSAGE = (
    "compiling its loops that this machine has not used yet, which takes some seconds; later calls "
    "read them from numba's cache"
)

_EVENT = "numba:compile"
"""Numba's name for the event."""

Say = Callable[[str], object]


class Compilation(event.Listener):  # type: ignore[misc]
    """The compilation of segscore's loops in this process.

    Numba compiles in one thread at a time, so that its events need no lock.  A loop that calls
    another is compiled around it.

    Attributes:
        say: prints a message.
        loops: number of loops that have been compiled.
        seconds: time that this took.
        underway: number of loops that are being compiled, each around the next.
        reported: whether the time has been reported.
        calls: number of calls that it listens to.
    """

    def __init__(self, say: Say) -> None:
        """Create the listener; ``event.register`` starts it."""
        self.say = say
        self.loops, self.seconds = 0, 0.0
        self.underway, self.start = 0, 0.0
        self.reported = False
        self.calls = 0

    def on_start(self, event: Any) -> None:
        """Announce the first compilation of a loop, and start the clock."""
        if not _is_ours(event):
            return
        if not self.loops and not self.underway:
            self.say(f"segscore: {_MESSAGE}")
        if not self.underway:
            self.start = monotonic()
        self.underway += 1

    def on_end(self, event: Any) -> None:
        """Stop the clock, unless a loop around this one is still being compiled."""
        if not _is_ours(event):
            return
        self.loops += 1
        self.underway -= 1
        if not self.underway:
            self.seconds += monotonic() - self.start

    def report(self) -> None:
        """Say once how long compiling took, if any loop was compiled."""
        if self.loops and not self.reported:
            self.reported = True
            self.say(f"segscore: compiled its loops in {self.seconds:.1f} s")


def _is_ours(event: Any) -> bool:
    module: str = event.data["dispatcher"].py_func.__module__
    return module.startswith("segscore.")


def _print(message: str) -> None:
    print(message + "\n", end="", file=sys.stderr, flush=True)  # one piece, as threads print, too


_COMMAND: list[Compilation] = []
"""The listener of the command that this process runs."""


def announce_compilation(say: Say) -> None:
    """Announce the compilation of loops from now on, in a process that runs a command."""
    _COMMAND.append(Compilation(say))
    event.register(_EVENT, _COMMAND[-1])


@contextmanager
def count_compilation() -> Iterator[Compilation]:
    """Count the loops that are compiled meanwhile, and say nothing."""
    compilation = Compilation(lambda _: None)
    event.register(_EVENT, compilation)
    try:
        yield compilation
    finally:
        event.unregister(_EVENT, compilation)


def end_announcement(*, report: bool) -> None:
    """Announce no more compilation in a command.

    Args:
        report: whether to say how long it took, if there was any.
    """
    while _COMMAND:
        compilation = _COMMAND.pop()
        event.unregister(_EVENT, compilation)
        if report:
            compilation.report()


@cache
def _of_calls() -> Compilation:
    """Return the listener of all calls of the Python interface."""
    return Compilation(_print)


@contextmanager
def announced_compilation() -> Iterator[None]:
    """Announce the compilation of loops in a call, and say afterwards how long it took.

    Both are said once in a process, on standard error. A call may call others.
    """
    compilation = _of_calls()
    compilation.calls += 1
    if compilation.calls == 1:
        event.register(_EVENT, compilation)
    try:
        yield
    finally:
        compilation.calls -= 1
        if compilation.calls == 0:
            event.unregister(_EVENT, compilation)
            compilation.report()
