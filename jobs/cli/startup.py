"""Keep imports and the garbage collector from slowing down the start and end of a command.

Let a user who has no home import libraries.

Importing the libraries creates half a million objects, and none of them is garbage.  Scanning them
again and again, and once more at exit, takes a quarter of a small job's time.  A process that goes
on after the command collects garbage as before: what is exempted would never be freed.
"""

import gc
import os
import threading

_ALLOCATIONS = 50_000
"""Number of new objects after which garbage is collected; Python's 700 slow down compiling."""


_NO_HOME = "/nonexistent"
"""Home of accounts that have none, on Debian."""

_OWN_PROCESS = threading.Event()
"""Set in a process that ends with its command."""


def begin() -> None:
    """Disable the collector while libraries are imported, in a process of the command's own."""
    _OWN_PROCESS.set()
    gc.disable()


def do_without_home() -> None:
    """Name a folder that does not exist as the home of a user who has none.

    That is an account without an entry in /etc/passwd, as containers have, if ``HOME`` is not set.
    numba would write to a folder `~` of the working folder, and altair could not be imported.
    """
    if os.path.expanduser("~") == "~":
        os.environ["HOME"] = _NO_HOME


def work() -> None:
    """Prepare for the work of a command, after its modules have been imported.

    In a process of the command's own, enable the collector, but exempt all existing objects from
    it.
    """
    if _OWN_PROCESS.is_set():
        gc.freeze()
        gc.set_threshold(_ALLOCATIONS)
        gc.enable()


def leave() -> None:
    """Exempt all objects of a process of the command's own, to free its memory at once on exit."""
    if _OWN_PROCESS.is_set():
        gc.freeze()
