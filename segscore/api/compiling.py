"""Say once on standard error that loops are being compiled, as the first call then takes longer."""

import sys
from functools import cache
from typing import Any

from numba.core import event

MESSAGE = (
    "segscore: compiling its loops, which takes some seconds the first time on a machine; later "
    "calls read them from numba's cache"
)


class _Announcement(event.Listener):  # type: ignore[misc]
    """Listener that prints a message when numba compiles for the first time in the process."""

    def __init__(self) -> None:
        self.announced = False

    def on_start(self, event: Any) -> None:
        """Print the message, if this is the first compilation of one of segscore's loops."""
        if not self.announced and event.data["dispatcher"].py_func.__module__.startswith(
            "segscore."
        ):
            self.announced = True
            print(MESSAGE, file=sys.stderr, flush=True)

    def on_end(self, event: Any) -> None:
        """Do nothing at the end of a compilation."""


@cache
def announce_compilation() -> None:
    """Announce the compilation of loops from now on."""
    event.register("numba:compile", _Announcement())
