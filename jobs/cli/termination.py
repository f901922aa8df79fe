"""End a command soon after SIGTERM, which container engines, Slurm and systemd send to stop it."""

import os
import signal
import sys
import threading

from segscore.jobs.cli.log import LOG

TERMINATED = 128 + signal.SIGTERM
"""Exit code of a command that was stopped by SIGTERM, as shells define it."""

_MESSAGE = "stopped by SIGTERM; finished parts are kept: run the same command to resume"


def end_on_sigterm() -> None:
    """End the process on SIGTERM, even if it is process 1 of a container.

    It ends without waiting for the parts that it works on, as if it were killed: what is complete
    is already on disk or in the store, and everything else is repeated.
    """
    signal.signal(signal.SIGTERM, lambda *_: threading.Thread(target=_end, daemon=True).start())


def _end() -> None:
    """Print the message and end the process; in a thread, because the main one may be printing."""
    try:
        LOG.say("error", _MESSAGE, exit_code=TERMINATED)
        sys.stderr.flush()
    finally:  # also if nobody reads standard error any more
        os._exit(TERMINATED)
