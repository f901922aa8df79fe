"""A scoring run that tells what its tasks took: `python -m benchmarks.observed --output RUN ...`.

It takes the options of `segscore score`, runs it in this process and prints one line of JSON.
"""

import json
import pickle
import resource
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import redirect_stdout
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

from segscore.pipeline.runs import cluster

TOLD: dict[str, Any] = {"tasks": [], "receipts": [], "shared": 0, "held": {}}
SPREAD = cluster.run_calls


def timed(shared: Any, task: Callable[..., Any], *arguments: Any) -> tuple[float, Any]:
    """Seconds a task works, and what it returns."""
    start = time.perf_counter()
    told = task(shared, *arguments)
    return time.perf_counter() - start, told


def watched(
    client: cluster.Client,
    task: Callable[..., Any],
    calls: Mapping[str, tuple[Any, ...]],
    shared: Any,
) -> Iterator[cluster.Outcome]:
    """Hand out as ever, and write down what each task took and what it returned."""
    if calls:
        TOLD["shared"] = max(TOLD["shared"], len(pickle.dumps(shared, protocol=5)))
    of = {key: (task, *arguments) for key, arguments in calls.items()}
    for outcome in SPREAD(client, timed, of, shared):
        if outcome.error is not None:
            yield outcome
            continue
        seconds, receipt = outcome.receipt
        TOLD["tasks"].append(seconds)
        TOLD["receipts"].append(len(pickle.dumps(receipt, protocol=5)))
        yield replace(outcome, receipt=receipt)
    if calls:
        TOLD["held"].update(held(Path(shared.folder)))


def held(folder: Path) -> dict[str, int]:
    """Bytes that each folder of an unfinished run holds."""
    found: dict[str, int] = {}
    for path in folder.rglob("*"):
        if path.is_file():
            name = path.relative_to(folder).parts[0]
            found[name] = found.get(name, 0) + path.stat().st_size
    return found


def main() -> None:
    """Score, and tell."""
    from segscore.jobs.cli.app import app

    cluster.run_calls = watched
    sys.argv[1:1] = ["score"]
    with redirect_stdout(StringIO()):
        app(standalone_mode=False)
    output = sys.argv[sys.argv.index("--output") + 1]
    record = json.loads((Path(output) / "run.json").read_text())
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    TOLD.update(seconds=record["seconds"], pairs=record["pairs"], megabytes=memory / 1024)
    print(json.dumps(TOLD))


if __name__ == "__main__":
    from benchmarks import observed  # not __main__, which workers would not find

    observed.main()
