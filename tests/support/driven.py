"""`segscore` in a process of its own, its corpus cut into small parts, stopped where a test says.

`python -m tests.support.driven score ...` runs the command line; the environment variable
SEGSCORE_DRIVEN holds a ``Drive``.  Dask's workers take the same up as a preload of this module.
"""

import errno
import json
import os
import platform
import signal
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from tests.support.paths import ROOT

VARIABLE = "SEGSCORE_DRIVEN"
PATIENCE = 120.0
"""Seconds until whoever waits for another gives up, so that nothing hangs."""

LOOK = 0.01
"""Seconds between two looks at something that may have happened."""


@dataclass(frozen=True)
class Gate:
    """A place in the code where a process stops or ends.

    Attributes:
        at: `module.function` of ``pipeline``, called through its module.
        do: `kill` this process, `wait` until the gate is opened, or fail for a `full` disk.
        match: only where this text is in one of the call's arguments, or in its URL.
        once: only who comes first, of all processes.
        after: when the function has done its work, instead of before.
    """

    at: str
    do: str
    match: str = ""
    once: bool = True
    after: bool = False


@dataclass(frozen=True)
class Drive:
    """How processes of a run are to behave.

    Attributes:
        folder: where they tell what they reached, and find what was opened.
        rows: rows of a part, also of an agreement run.
        gates: by name.
        host: what the machine is called; None for its own name.
    """

    folder: str
    rows: int
    gates: Mapping[str, Gate]
    host: str | None = None

    def environment(self) -> dict[str, str]:
        """Environment variables of a process that is to behave so."""
        preload = {"DASK_DISTRIBUTED__WORKER__PRELOAD": '["tests.support.driven"]'}
        kept = {"DASK_TEMPORARY_DIRECTORY": str(Path(self.folder) / "dask")}
        path = {"PYTHONPATH": str(ROOT), "COLUMNS": "200"}
        return {**os.environ, **preload, **kept, **path, VARIABLE: json.dumps(asdict(self))}

    def reached(self, name: str) -> list[int]:
        """Processes that have come to a gate."""
        return [int(path.suffix[1:]) for path in Path(self.folder).glob(f"{name}.reached.*")]

    def open(self, name: str) -> None:
        """Let all who wait at a gate go on, and whoever comes later."""
        (Path(self.folder) / f"{name}.open").touch()

    def done(self) -> list[tuple[str, str, int]]:
        """Stage, part and process of every part that was done, in the order of time."""
        log = Path(self.folder) / "done"
        lines = log.read_text().splitlines() if log.exists() else []
        found = [line.split("\t") for line in lines]
        return [(stage, part, int(process)) for stage, part, process in found]


def told() -> Drive:
    """How this process is to behave."""
    said = json.loads(os.environ[VARIABLE])
    gates = {name: Gate(**gate) for name, gate in said.pop("gates").items()}
    return Drive(gates=gates, **said)


def wait(happened: Callable[[], object], what: str, seconds: float = PATIENCE) -> None:
    """Wait until something has happened.

    Raises:
        TimeoutError: it did not, saying what.
    """
    until = time.monotonic() + seconds
    while not happened():
        if time.monotonic() > until:
            raise TimeoutError(f"{what}: not in {seconds} s")
        time.sleep(LOOK)


def _stop(drive: Drive, name: str, gate: Gate) -> None:
    folder = Path(drive.folder)
    if gate.once:
        try:
            (folder / f"{name}.taken").touch(exist_ok=False)
        except FileExistsError:
            return
    (folder / f"{name}.reached.{os.getpid()}").touch()
    if gate.do == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if gate.do == "full":
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    wait((folder / f"{name}.open").exists, f"gate {name} opened")


def _patch(at: str, make: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
    module_name, _, name = at.rpartition(".")
    module = import_module(f"segscore.pipeline.{module_name}")
    setattr(module, name, make(getattr(module, name)))


def _gated(drive: Drive, name: str, gate: Gate) -> None:
    def make(function: Callable[..., Any]) -> Callable[..., Any]:
        def stopped(*arguments: Any, **options: Any) -> Any:
            texts = [getattr(each, "url", each) for each in arguments]
            meant = not gate.match or any(
                isinstance(text, str) and gate.match in text for text in texts
            )
            if meant and not gate.after:
                _stop(drive, name, gate)
            result = function(*arguments, **options)
            if meant and gate.after:
                _stop(drive, name, gate)
            return result

        return stopped

    _patch(gate.at, make)


def _logged(drive: Drive) -> None:
    """Write down each part that is done, one short write a line, which appends whole."""

    def make(keep: Callable[..., Any]) -> Callable[..., Any]:
        def logged(folder: str, stage: str, part: str, receipt: object) -> None:
            keep(folder, stage, part, receipt)
            log = os.open(Path(drive.folder) / "done", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
            os.write(log, f"{stage}\t{part}\t{os.getpid()}\n".encode())
            os.close(log)

        return logged

    _patch("runs.receipts.keep", make)


@cache
def behave() -> None:
    """Make this process behave as it was told, once."""
    drive = told()
    planning: Any = import_module("segscore.pipeline.runs.planning")
    planning.LIMITS = planning.Limits(drive.rows, read_again=0.0)  # rows of an agreement run travel
    run_folder: Any = import_module("segscore.pipeline.runs.run_folder")
    run_folder.PUBLISHER_SECONDS = 0.2  # who publishes on another machine and stops is given up
    if drive.host is not None:
        platform.node = lambda: str(drive.host)
    _logged(drive)
    for name, gate in drive.gates.items():
        _gated(drive, name, gate)


def dask_setup(worker: object) -> None:
    """Dask calls this in each worker that preloads the module."""
    behave()


def main() -> None:
    """Run the command line, as this process was told to behave."""
    behave()
    from segscore.jobs.cli import app

    app.main()


if __name__ == "__main__":
    from tests.support import driven  # not __main__, which Dask's workers would not find

    driven.main()
