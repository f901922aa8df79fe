"""An import that is killed, on a real cluster, and the same command again."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.driven import FaultPlan, Gate
from tests.support.killing import Cluster, Command, cluster
from tests.support.rows import write_rows
from tests.support.run_files import everything

ROWS = 10


@pytest.fixture(scope="module")
def workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A scheduler and two workers."""
    folder = tmp_path_factory.mktemp("workers")
    with cluster(FaultPlan(str(folder), ROWS, {})) as running:
        yield running


class Import:
    """An import in processes of its own, into one folder."""

    def __init__(self, folder: Path, address: str) -> None:
        self.folder = folder
        self.address = address
        self.output = folder / "out"
        rows = [
            {
                "document_id": f"show-{number % 40:02}",
                "coder": f"coder-{number // 40}",
                "role": "reference" if number < 40 else "hypothesis",
                "n_units": 50,
                "boundaries": [1 + number % 49],
                "genre": "news",
            }
            for number in range(80)
        ]
        self.file = folder / "shows.jsonl"
        write_rows(self.file, rows)

    def start(self, gates: dict[str, Gate], *options: str) -> tuple[FaultPlan, Command]:
        """Run the command with gates."""
        plan = self.folder / f"plan{len(list(self.folder.glob('plan*')))}"
        plan.mkdir()
        fault_plan = FaultPlan(str(plan), ROWS, gates)
        where = ("--cluster", self.address, "--output", self.output)
        return fault_plan, Command(fault_plan, "import", self.file, *where, *options)

    def tables(self) -> dict[str, bytes]:
        """Return all files of the output folder."""
        return everything(self.output)


@pytest.fixture
def started(tmp_path: Path, workers: Cluster) -> Import:
    """An import on the cluster."""
    return Import(tmp_path, workers.address)


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory, workers: Cluster) -> dict[str, bytes]:
    """The files of an undisturbed import."""
    undisturbed = Import(tmp_path_factory.mktemp("undisturbed"), workers.address)
    _, command = undisturbed.start({})
    assert command.result().code == 0
    tables = undisturbed.tables()
    assert len(tables) >= 3
    return tables


GATES = {
    "before the tables": Gate("importing.write_tables.cut_tables", "kill"),
    "between two moves": Gate("storage.copy", "kill", "hypotheses"),
}


def test_an_import_killed_twice_is_resumed(started: Import, expected: dict[str, bytes]) -> None:
    """The second attempt has not begun to publish, but the first has moved a table."""
    for gate in (GATES["between two moves"], GATES["before the tables"]):
        _, command = started.start({"killed": gate})
        assert command.result().code == -9
    _, command = started.start({})
    ended = command.result()
    assert ended.code == 0, ended.err
    assert started.tables() == expected


def test_a_worker_that_is_killed_is_replaced(
    started: Import, expected: dict[str, bytes], tmp_path: Path
) -> None:
    (tmp_path / "workers").mkdir()
    gates = {"lost": Gate("runs.receipts.keep", "kill", "000003")}
    fault_plan = FaultPlan(str(tmp_path / "workers"), ROWS, gates)
    with cluster(fault_plan) as two:
        started.address = two.address
        _, command = started.start({})
        ended = command.result()
        assert ended.code == 0, ended.err
    assert len(fault_plan.reached("lost")) == 1
    assert started.tables() == expected


def test_what_a_killed_worker_was_writing_is_not_published(started: Import, tmp_path: Path) -> None:
    (tmp_path / "workers").mkdir()
    gates = {"writing": Gate("storage.parquet.take_place", "kill", "references")}
    fault_plan = FaultPlan(str(tmp_path / "workers"), ROWS, gates)
    with cluster(fault_plan) as two:
        started.address = two.address
        _, command = started.start({})
        ended = command.result()
        assert ended.code == 0, ended.err
    assert len(fault_plan.reached("writing")) == 1
    assert not [path for path in started.output.rglob("*") if path.name.endswith(".tmp")]
