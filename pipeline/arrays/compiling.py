"""Say once that loops are being compiled, as the first run on a machine then takes longer."""

import sys
from collections.abc import Callable
from functools import cache
from typing import Any

from numba.core import event

_MESSAGE = (
    "compiling its loops, which takes some seconds the first time on a machine; later calls read "
    "them from numba's cache"
)


class _Announcement(event.Listener):  # type: ignore[misc]
    """Listener that reports the first compilation of one of segscore's loops in the process."""

    def __init__(self, say: Callable[[str], object]) -> None:
        self.say: Callable[[str], object] | None = say

    def on_start(self, event: Any) -> None:
        """Report a compilation, unless one was reported before or the loop is not segscore's."""
        module = event.data["dispatcher"].py_func.__module__
        if self.say is not None and module.startswith("segscore."):
            say, self.say = self.say, None
            say(f"segscore: {_MESSAGE}")

    def on_end(self, event: Any) -> None:
        """Do nothing at the end of a compilation."""


def _print(message: str) -> None:
    print(message, file=sys.stderr, flush=True)


@cache
def announce_compilation(say: Callable[[str], object] = _print) -> None:
    """Announce the compilation of loops from now on, by default on standard error."""
    event.register("numba:compile", _Announcement(say))
