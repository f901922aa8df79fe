"""Keep the garbage collector from slowing down the start and end of a command.

Importing the libraries creates half a million objects, and none of them is garbage.  Scanning them
again and again, and once more at exit, takes a quarter of a small job's time.
"""

import gc


def rest() -> None:
    """Disable the collector while libraries are imported."""
    gc.disable()


def work() -> None:
    """Enable the collector, but exempt all existing objects from it."""
    gc.freeze()
    gc.enable()


def leave() -> None:
    """Exempt all objects from collection, so that the process frees its memory at once on exit."""
    gc.freeze()
