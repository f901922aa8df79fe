"""`segscore` in a process of its own, its corpus cut into small parts, stopped where a test says.

`python -m tests.support.driven score ...` runs the command line; the environment variable
SEGSCORE_DRIVEN contains a ``FaultPlan``.  Dask's workers apply the same one by preloading this
module.
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
PATIENCE = 600.0
"""Seconds after which a process stops waiting for another, so that nothing hangs; a slow machine
may need minutes to start a cluster and import everything in each of its processes."""

LOOK = 0.01
"""Seconds between two checks of something that may have happened."""


@dataclass(frozen=True)
class Gate:
    """A place in the code where a process stops or ends.

    Attributes:
        function: `module.function` of ``pipeline``, called through its module.
        action: `kill` this process, `wait` until the gate is opened, fail as on a `full` disk, or
            `fill` the memory that a worker may use, until its nanny ends it.
        match: only where this text, or one of several separated by `|`, is in one of the call's
            arguments, or in its URL.
        once: only for the first process that comes to the gate.
        after: when the function has done its work, instead of before.
    """

    function: str
    action: str
    match: str = ""
    once: bool = True
    after: bool = False


@dataclass(frozen=True)
class FaultPlan:
    """Faults and settings of the processes of a run.

    Attributes:
        folder: where processes record which gates they reached, and find which were opened.
        rows: rows of a part, also of an agreement run.
        gates: by name.
        host: name of the machine; None for its own name.
    """

    folder: str
    rows: int
    gates: Mapping[str, Gate]
    host: str | None = None

    def environment(self) -> dict[str, str]:
        """Environment variables of a process to which this applies."""
        preload = {"DASK_DISTRIBUTED__WORKER__PRELOAD": '["tests.support.driven"]'}
        variables = {"DASK_TEMPORARY_DIRECTORY": str(Path(self.folder) / "dask")}
        path = {"PYTHONPATH": str(ROOT), "COLUMNS": "200"}
        return {**os.environ, **preload, **variables, **path, VARIABLE: json.dumps(asdict(self))}

    def reached(self, name: str) -> list[int]:
        """Processes that have come to a gate."""
        return [int(path.suffix[1:]) for path in Path(self.folder).glob(f"{name}.reached.*")]

    def open(self, name: str) -> None:
        """Open a gate for all processes that wait there, and for later ones."""
        (Path(self.folder) / f"{name}.open").touch()

    def finished_parts(self) -> list[tuple[str, str, int]]:
        """Stage, part and process of every finished part, in order of time.

        The sums of a part are no part: one that is killed after it has saved them saves them again.
        """
        log = Path(self.folder) / "done"
        lines = log.read_text().splitlines() if log.exists() else []
        fields = [line.split("\t") for line in lines]
        return [(stage, part, int(process)) for stage, part, process in fields if stage != "sums"]


def own_plan() -> FaultPlan:
    """Return what applies to this process."""
    fields = json.loads(os.environ[VARIABLE])
    gates = {name: Gate(**gate) for name, gate in fields.pop("gates").items()}
    return FaultPlan(gates=gates, **fields)


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


def _stop(fault_plan: FaultPlan, name: str, gate: Gate) -> None:
    folder = Path(fault_plan.folder)
    if gate.once:
        try:
            (folder / f"{name}.taken").touch(exist_ok=False)
        except FileExistsError:
            return
    (folder / f"{name}.reached.{os.getpid()}").touch()
    if gate.action == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if gate.action == "full":
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    if gate.action == "fill":
        _fill_memory()
    wait((folder / f"{name}.open").exists, f"gate {name} opened")


def _fill_memory() -> None:
    """Use all memory that this worker may use, and nothing beyond."""
    from distributed import get_worker  # noqa: TID251

    limit = get_worker().memory_manager.memory_limit
    assert limit, "a worker without a limit would fill the machine"
    filled = b"x" * limit  # noqa: F841
    signal.pause()


def _patch(function: str, make: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
    module_name, _, name = function.rpartition(".")
    module = import_module(f"segscore.pipeline.{module_name}")
    setattr(module, name, make(getattr(module, name)))


def _gated(fault_plan: FaultPlan, name: str, gate: Gate) -> None:
    def make(function: Callable[..., Any]) -> Callable[..., Any]:
        def stopped(*arguments: Any, **options: Any) -> Any:
            texts = [getattr(argument, "url", argument) for argument in arguments]
            joined = "/".join(text for text in texts if isinstance(text, str))
            matches = any(text in joined for text in gate.match.split("|"))
            if matches and not gate.after:
                _stop(fault_plan, name, gate)
            result = function(*arguments, **options)
            if matches and gate.after:
                _stop(fault_plan, name, gate)
            return result

        return stopped

    _patch(gate.function, make)


def _logged(fault_plan: FaultPlan) -> None:
    """Record each finished part by one short write, which appends a whole line."""

    def make(keep: Callable[..., Any]) -> Callable[..., Any]:
        def logged(folder: str, stage: str, part: str, *receipt: object) -> None:
            keep(folder, stage, part, *receipt)
            log = os.open(Path(fault_plan.folder) / "done", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
            os.write(log, f"{stage}\t{part}\t{os.getpid()}\n".encode())
            os.close(log)

        return logged

    _patch("runs.receipts.keep", make)


@cache
def behave() -> None:
    """Apply gates and settings to this process, once."""
    fault_plan = own_plan()
    planning: Any = import_module("segscore.pipeline.runs.planning")
    # An agreement run shuffles, and an import has parts of about as many lines.
    limits = planning.Limits(fault_plan.rows, read_again=0.0, bytes_per_part=100 * fault_plan.rows)
    planning.LIMITS = limits
    run_folder: Any = import_module("segscore.pipeline.runs.run_folder")
    run_folder.PUBLISHER_SECONDS = 0.2  # wait less long for a stopped publisher on another machine
    if fault_plan.host is not None:
        platform.node = lambda: str(fault_plan.host)
    _logged(fault_plan)
    for name, gate in fault_plan.gates.items():
        _gated(fault_plan, name, gate)


def dask_setup(worker: object) -> None:
    """Apply them to a worker; Dask calls this in each worker that preloads the module."""
    behave()


def main() -> None:
    """Run the command line with them."""
    behave()
    from segscore.jobs.cli import app

    app.main()


if __name__ == "__main__":
    from tests.support import driven  # not __main__, which Dask's workers would not find

    driven.main()
