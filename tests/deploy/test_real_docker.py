"""The image and the Compose file in Docker: built, run, with a killed worker, and stopped."""

import shlex
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import docker, private_machine
from tests.support.command_line import Segscore
from tests.support.deployed import DEPLOY, filled_in, store_variables
from tests.support.docker import Docker
from tests.support.driven import wait
from tests.support.nights import FOLDERS, GOOD, rows
from tests.support.paths import DATA, ROOT
from tests.support.rows import write_rows
from tests.support.run_files import tables

REFUSAL = private_machine.refusal(*docker.PROGRAMS)
pytestmark = pytest.mark.skipif(REFUSAL is not None, reason=f"no Docker here ({REFUSAL})")

PAGE = (ROOT / "docs" / "deploy.md").read_text()
NIGHT = "2026-01-31"
DOCUMENTS = 140_000
"""Documents of a run of two parts, long enough to be disturbed."""

SCORE = ["segscore", "score", "s3://segscore/long/references", "s3://segscore/long/hypotheses"]


def page_lines(command: str) -> list[list[str]]:
    """Return the lines of the page that begin with a command, without its words."""
    (fence,) = (block for block in PAGE.split("```") if block.startswith(f"\n{command}"))
    lines = fence.replace("\\\n", "").strip().splitlines()
    return [shlex.split(line.removeprefix(command)) for line in lines if line.startswith(command)]


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Docker]:
    """A daemon that has the image."""
    (tag,) = (words[words.index("-t") + 1] for words in page_lines("docker build"))
    docker.build(tmp_path_factory.mktemp("build"), tag)
    with docker.docker(tmp_path_factory.mktemp("docker")) as running:
        yield running


@pytest.fixture(scope="module")
def checkout(engine: Docker) -> Iterator[Path]:
    """The folder in which the page's lines of Compose are run; their services are up."""
    folder = engine.machine.folder
    shutil.copytree(DEPLOY, folder / "deploy")
    (folder / "deploy" / "settings" / "store.env").write_text(filled_in())
    shutil.copy(DATA / "tinyrec.jsonl", folder / "shows.jsonl")
    first, *_ = page_lines("docker compose")
    engine.compose(*first)
    yield folder
    engine.compose("-f", "deploy/compose.yaml", "--profile", "client", "down", "--volumes")


def client(engine: Docker, folder: Path, *command: str) -> str:
    """Run a command in the service of the client, with a folder mounted."""
    mounts = ("-v", f"{folder}:/mounted")
    return engine.compose("-f", "deploy/compose.yaml", "run", "--rm", *mounts, "client", *command)


def fetch(engine: Docker, folder: Path, run: str) -> Path:
    """Copy a run out of the store."""
    folder.mkdir(exist_ok=True)
    folder.chmod(0o777)
    code = f"import fsspec; fsspec.filesystem('s3').get({run!r}, '/mounted/', recursive=True)"
    client(engine, folder, "python", "-c", code)
    (record,) = folder.rglob("run.json")
    return record.parent


def test_the_image_runs_as_the_page_says(
    engine: Docker, segscore: Segscore, tmp_path: Path
) -> None:
    """The two folders of the page are those of a user who has imported a file."""
    folder = tmp_path / "user"
    assert segscore("import", DATA / "tinyrec.jsonl", "--output", folder / "tables").code == 0
    (folder / "runs").mkdir()
    (folder / "runs").chmod(0o777)
    (line,) = (block for block in PAGE.split("```") if block.startswith("\ndocker build"))
    words = shlex.split(
        line.partition("docker run")[2].replace("\\\n", "").replace("$PWD", str(folder))
    )
    engine.run("run", *words)
    sides = (folder / "tables" / "references", folder / "tables" / "hypotheses")
    assert segscore("score", *sides, "--output", tmp_path / "here").code == 0
    assert tables(folder / "runs" / "1") == tables(tmp_path / "here")


def test_the_lines_of_the_page(
    engine: Docker, checkout: Path, segscore: Segscore, tmp_path: Path
) -> None:
    """The run in the store equals one made here, and the night is published."""
    _, import_line, score_line, nightly_line = (
        [word.replace("$PWD", str(checkout)) for word in words]
        for words in page_lines("docker compose")
    )
    engine.compose(*import_line)
    engine.compose(*score_line)
    for role, name in FOLDERS.items():
        path = tmp_path / "in" / name / f"date={NIGHT}" / "part.jsonl"
        path.parent.mkdir(parents=True)
        write_rows(path, rows(NIGHT, role, GOOD))
    put = "import fsspec; fsspec.filesystem('s3').put('/mounted/', 'segscore', recursive=True)"
    client(engine, tmp_path / "in", "python", "-c", put)
    assert f"{NIGHT}: passed" in engine.compose(*nightly_line)
    here = tmp_path / "here"
    assert segscore("import", DATA / "tinyrec.jsonl", "--output", here).code == 0
    sides = (here / "references", here / "hypotheses")
    assert segscore("score", *sides, "--output", here / "run").code == 0
    assert tables(fetch(engine, tmp_path / "out", "segscore/first/run")) == tables(here / "run")


def test_limits_of_memory_leave_no_swap(engine: Docker, checkout: Path) -> None:
    names = engine.run("ps", "--format={{.Names}}").split()
    assert len(names) == 4
    for name in names:
        limits = engine.inspect(name)["HostConfig"]
        assert 0 < limits["Memory"] == limits["MemorySwap"]


@pytest.fixture(scope="module")
def long_tables(engine: Docker, checkout: Path) -> Path:
    """Tables of a longer run, in the store and as a file."""
    folder = engine.machine.folder / "long"
    folder.mkdir()
    with (folder / "long.jsonl").open("w") as file:
        for number in range(DOCUMENTS):
            for role, boundary in (("reference", 3), ("hypothesis", 3 + number % 4)):
                boundaries = f'"n_units": 30, "boundaries": [{boundary}, 12, 20]'
                file.write(
                    f'{{"document_id": "d{number}", "role": "{role}", "coder": "{role}", '
                    f"{boundaries}}}\n"
                )
    command = ("segscore", "import", "/mounted/long.jsonl", "--output", "s3://segscore/long")
    client(engine, folder, *command)
    return folder / "long.jsonl"


def detached(engine: Docker, name: str, *command: str) -> None:
    """Start a command as process 1 of a container, with access to the store."""
    given = [f"--env={key}={value}" for key, value in store_variables().items()]
    network = ("--network", "segscore_default")
    engine.run("run", "--detach", "--name", name, *network, *given, "segscore:0.3.0.dev0", *command)


def started(engine: Docker, name: str, output: str, *options: str) -> None:
    """Start a client of the long run."""
    url = f"s3://segscore/{output}"
    detached(engine, name, *SCORE, "--output", url, *options)


WATCH = """
import fsspec, time
files = fsspec.filesystem('s3', use_listings_cache=False)
while not files.exists('segscore/long/run'):
    time.sleep(0.05)
"""


@pytest.fixture
def watch(engine: Docker, checkout: Path, long_tables: Path) -> str:
    """A container that ends when the long run begins; no other way of asking is quick enough."""
    detached(engine, "watch", "python", "-c", WATCH)
    return "watch"


def test_a_killed_worker_is_restarted(
    engine: Docker, watch: str, long_tables: Path, segscore: Segscore, tmp_path: Path
) -> None:
    started(engine, "long", "long/run", "--cluster", "tcp://scheduler:8786")
    assert engine.run("wait", watch).strip() == "0"
    worker = "segscore-worker-1"
    process = engine.inspect(worker)["State"]["Pid"]
    engine.machine.say("kill", "-9", str(process))
    assert engine.run("wait", "long", seconds=600).strip() == "0", engine.run("logs", "long")
    assert engine.inspect(worker)["RestartCount"] == 1
    assert segscore("import", long_tables, "--output", tmp_path / "here").code == 0
    sides = (tmp_path / "here" / "references", tmp_path / "here" / "hypotheses")
    run = tmp_path / "here" / "run"
    assert segscore("score", *sides, "--output", run).code == 0
    assert tables(fetch(engine, tmp_path / "out", "segscore/long/run")) == tables(run)


def handles_termination(engine: Docker, name: str) -> bool:
    """Return whether process 1 of a container handles SIGTERM."""
    process = engine.inspect(name)["State"]["Pid"]
    status = engine.machine.say("cat", f"/proc/{process}/status")
    (caught,) = (line.split()[1] for line in status.splitlines() if line.startswith("SigCgt"))
    return bool(int(caught, 16) >> (signal.SIGTERM - 1) & 1)


@pytest.mark.usefixtures("long_tables")
def test_a_stopped_client_ends_by_itself(engine: Docker) -> None:
    """The client is process 1, to which the kernel delivers no signal that it does not handle."""
    started(engine, "stopped", "long/stopped")
    wait(lambda: handles_termination(engine, "stopped"), "segscore started")
    engine.run("stop", "--time=600", "stopped")
    assert engine.inspect("stopped")["State"]["ExitCode"] == 128 + signal.SIGTERM
