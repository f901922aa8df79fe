"""End a command in one line if it is interrupted (Ctrl-C) before its work begins.

Importing everything takes a moment, in which Python would print a traceback. This module is
imported before all others, and imports as little as possible.
"""

import os
import signal

INTERRUPTED = 128 + signal.SIGINT
"""Exit code of a command that was interrupted, as shells define it."""

_MESSAGE = b"segscore: error: interrupted before the work began; nothing was written\n"


def end_at_once() -> None:
    """End the process when it is interrupted, until ``raise_again``.

    A signal that is ignored, as in the background of a shell script, stays ignored.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end)


def raise_again() -> None:
    """Make an interruption raise KeyboardInterrupt again, so that work can end in order."""
    if signal.getsignal(signal.SIGINT) is _end:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _end(*_: object) -> None:
    try:
        os.write(2, _MESSAGE)
    finally:  # also if nobody reads standard error any more
        os._exit(INTERRUPTED)
