"""Keep imports and the garbage collector from slowing down the start and end of a command.

Say why the first run on a machine takes longer.  Let a user who has no home import libraries.

Importing the libraries creates half a million objects, and none of them is garbage.  Scanning them
again and again, and once more at exit, takes a quarter of a small job's time.  A process that goes
on after the command collects garbage as before: what is exempted would never be freed.
"""

import atexit
import gc
import os
import sys
import threading
from collections.abc import Callable
from functools import partial
from types import ModuleType

from segscore.jobs.cli.log import LOG

_ALLOCATIONS = 50_000
"""Number of new objects after which garbage is collected; Python's 700 slow down compiling."""


_NO_HOME = "/nonexistent"
"""Home of accounts that have none, on Debian."""

_OWN_PROCESS = threading.Event()
"""Set in a process that ends with its command."""


class _WithoutPandas:
    """Finder that reports that neither pandas nor what it needs for dates is installed."""

    @staticmethod
    def find_spec(name: str, _path: object = None, _target: ModuleType | None = None) -> None:
        """Raise the error that importing one of them would raise."""
        if name in ("pandas", "dateutil"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def rest() -> None:
    """Disable the collector while libraries are imported, in a process of the command's own."""
    if _OWN_PROCESS.is_set():
        gc.disable()


def do_without_home() -> None:
    """Name a folder that does not exist as the home of a user who has none.

    That is an account without an entry in /etc/passwd, as containers have, if ``HOME`` is not set.
    numba would write to a folder `~` of the working folder, and altair could not be imported.
    """
    if os.path.expanduser("~") == "~":
        os.environ["HOME"] = _NO_HOME


def work(cluster: str = "local") -> None:
    """Prepare for the work of a command, after its modules have been imported.

    Reuse memory and leave out pandas. In a process of the command's own, enable the collector, but
    exempt all existing objects from it.

    Args:
        cluster: where the command runs; only threads of this process never need pandas.
    """
    from segscore.pipeline.storage.memory import reuse_memory

    reuse_memory()
    if _OWN_PROCESS.is_set():
        gc.freeze()
        gc.set_threshold(_ALLOCATIONS)
        gc.enable()
    if "numba" in sys.modules and not LOG.structured:
        from segscore.pipeline.arrays.compiling import announce_compilation

        announce_compilation(partial(LOG.say, "info"))
    if cluster == "local" and "pandas" not in sys.modules:
        _leave_out_pandas()


def _leave_out_pandas() -> None:
    """Make pyarrow stop looking for pandas.

    To recognise the objects of pandas, pyarrow imports it before it first converts a list or an
    array of NumPy, which takes longer than importing pyarrow itself.
    """
    import pyarrow as pa

    sys.meta_path.insert(0, _WithoutPandas)
    try:
        pa.array([])
    finally:
        sys.meta_path.remove(_WithoutPandas)


def leave() -> None:
    """On a terminal, say how long compiling took; free the memory of the process at once on exit.

    For this, all objects of a process of the command's own are exempted from collection.
    """
    if "segscore.pipeline.arrays.compiling" in sys.modules:
        from segscore.pipeline.arrays.compiling import end_announcement

        end_announcement(report=sys.stderr.isatty())
    if _OWN_PROCESS.is_set():
        gc.freeze()


def end_after(run: Callable[[], object]) -> None:
    """Run a command and end the process, without taking everything apart that it imported.

    Other threads end first, and so does what was registered to be done at the end.  A profiler
    still writes its results.
    """
    code: object = 0
    _OWN_PROCESS.set()
    try:
        run()
    except SystemExit as ended:
        code = 0 if ended.code is None else ended.code
    if not isinstance(code, int) or sys.getprofile() is not None:
        sys.exit(code)  # type: ignore[arg-type]
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
    except OSError:  # nobody reads it any more, or the disk is full
        sys.exit(code)
    os._exit(code & 0xFF)
