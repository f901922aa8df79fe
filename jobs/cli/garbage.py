"""The garbage collector, kept out of the way of starting and ending.

Half a million objects are made by importing the libraries, and none of them is garbage: looking
through them again and again, and once more at the end, is a quarter of a small job's time.
"""

import gc


def rest() -> None:
    """Do not collect while libraries are imported."""
    gc.disable()


def work() -> None:
    """Collect from here on, but never look at what is already there."""
    gc.freeze()
    gc.enable()


def leave() -> None:
    """Give everything back to the system at once instead of piece by piece."""
    gc.freeze()
