"""Measure the tasks of a scoring run: `python -m benchmarks.observed --output RUN ...`.

Runs `segscore score` with these options, and prints one line of JSON. With ``SHUFFLED`` among the
options rows are shuffled even if files are in the order of documents; ``SHUFFLED=ROWS`` also sets
the rows of a part.
"""

import json
import pickle
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]

from benchmarks.timing import peak_memory
from segscore.pipeline.runs import executors, planning
from segscore.pipeline.runs.executor import Executor, Outcome
from segscore.pipeline.runs.planning import Limits

SHUFFLED = "--shuffled"
MEASURED: dict[str, Any] = {"tasks": {}, "receipts": [], "folders": {}, "client": 0.0}
CONNECT = executors.connect


def timed(shared: Any, task: Callable[..., Any], *arguments: Any) -> tuple[float, Any]:
    """Run a task, and return its processor seconds and its result."""
    start = time.process_time()
    receipt = task(shared, *arguments)
    return time.process_time() - start, receipt


def used(processes: Iterable[psutil.Process]) -> float:
    """Return the processor seconds that processes have used."""
    times = [process.cpu_times() for process in processes]
    return sum(cpu.user + cpu.system for cpu in times)


class Observed:
    """An ``Executor`` that records the processor seconds and the receipt size of each task."""

    def __init__(self, executor: Executor) -> None:
        """Observe another executor."""
        self._run_calls = executor.run_calls
        self._client = psutil.Process()
        self.at_once = executor.at_once

    def run_calls(
        self, task: Callable[..., Any], calls: Mapping[str, tuple[Any, ...]], shared: Any
    ) -> Iterator[Outcome]:
        """Run tasks as usual, and record their measurements."""
        before = used([self._client])
        timed_calls = {key: (task, *arguments) for key, arguments in calls.items()}
        for outcome in self._run_calls(timed, timed_calls, shared):
            if outcome.error is not None:
                yield outcome
                continue
            seconds, receipt = outcome.receipt
            stage = calls[outcome.key][1]
            MEASURED["tasks"].setdefault(stage, []).append(seconds)
            MEASURED["receipts"].append(len(pickle.dumps(receipt, protocol=5)))
            yield replace(outcome, receipt=receipt)
        if calls:
            MEASURED["client"] += used([self._client]) - before
            MEASURED["folders"].update(folder_sizes(Path(shared.folder)))


@contextmanager
def connect_observed(
    cluster: str, workers: int | None, memory: int | None = None
) -> Iterator[Executor]:
    """Connect as usual, and observe the executor."""
    with CONNECT(cluster, workers, memory) as executor:
        yield Observed(executor)


def folder_sizes(folder: Path) -> dict[str, int]:
    """Return the bytes in each folder of an unfinished run."""
    sizes: dict[str, int] = {}
    for path in folder.rglob("*"):
        if path.is_file():
            name = path.relative_to(folder).parts[0]
            sizes[name] = sizes.get(name, 0) + path.stat().st_size
    return sizes


def main() -> None:
    """Score, and print the measurements."""
    from segscore.jobs.cli.app import app

    executors.connect = connect_observed
    for option in [option for option in sys.argv if option.startswith(SHUFFLED)]:
        sys.argv.remove(option)
        rows = option.removeprefix(SHUFFLED).removeprefix("=")
        planning.LIMITS = Limits(int(rows) if rows else None, read_again=0.0)
    sys.argv[1:1] = ["score"]
    with redirect_stdout(StringIO()):
        app(standalone_mode=False)
    output = sys.argv[sys.argv.index("--output") + 1]
    record = json.loads((Path(output) / "run.json").read_text())
    MEASURED.update(seconds=record["seconds"], pairs=record["pairs"], megabytes=peak_memory())
    print(json.dumps(MEASURED))


if __name__ == "__main__":
    from benchmarks import observed  # not __main__, which workers cannot import

    observed.main()
