"""A part that needs more memory than a worker has: Dask's nanny really ends the worker."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.support.driven import FaultPlan, Gate
from tests.support.killing import CommandResult, cluster
from tests.support.promises import require_one_line, require_same
from tests.support.resuming import Workspace

LIMIT = 1_000_000_000
OPTIONS = ("--memory-limit", LIMIT)
PART = "part-00002"
ONCE, ALWAYS = (
    {"gate": Gate("runs.receipts.keep", "fill", f"scored/{PART}", once)} for once in (True, False)
)
"""Fill the memory at the end of the third part, the first time or each time."""


@contextmanager
def workers(fault_plan: FaultPlan, where: str) -> Iterator[str]:
    """Yield the value of --cluster for two workers, or one, with a limit."""
    if where == "processes":
        yield where
    else:
        with cluster(fault_plan, workers=1 + ("two" in where), memory=LIMIT) as dask:
            yield dask.address


def score(workspace: Workspace, where: str, gates: dict[str, Gate]) -> CommandResult:
    """Score on workers that apply these gates, and check that they were reached."""
    fault_plan = workspace.fault_plan(gates)
    with workers(fault_plan, where) as place:
        options = ("--cluster", place, "--workers", 2, *OPTIONS)
        result = workspace.command(fault_plan, *options).result()
    assert all(fault_plan.reached(name) for name in gates)
    return result


WHERE = pytest.mark.parametrize("where", ["processes", "two workers", "one worker"])


@WHERE
def test_a_part_that_fits_the_second_time_is_repeated(workspace: Workspace, where: str) -> None:
    result = score(workspace, where, ONCE)
    assert result.code == 0, result.err
    require_same(workspace.run, workspace.undisturbed(*OPTIONS))


@WHERE
def test_a_part_that_never_fits_is_named(workspace: Workspace, where: str) -> None:
    result = score(workspace, where, ALWAYS)
    line = require_one_line(result.err, result.code)
    assert result.code == 1
    assert f"the first, {PART}" in line
    assert "Dask ended" in line
    assert "used too much memory" in line
    assert "higher --memory-limit" in line
    assert [path.name for path in workspace.run.iterdir()] == ["_unfinished"]
    assert score(workspace, where, {}).code == 0
    require_same(workspace.run, workspace.undisturbed(*OPTIONS))
