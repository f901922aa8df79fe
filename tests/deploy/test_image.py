"""The image, built by its own steps and run as intended: nothing is written outside /tmp."""

import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.containers import ACCOUNT, DOCKERFILE, Box, Machine, environment, instruction
from tests.support.paths import DATA, ROOT

BIN = Path(sys.executable).parent
TALKING = {"NUMBA_DEBUG_CACHE": "1"}


def test_linters_report_nothing() -> None:
    """Neither hadolint nor shellcheck reports a problem."""
    scripts = sorted((ROOT / "deploy").rglob("*.sh")) + sorted((ROOT / "deploy").rglob("*.sbatch"))
    for command in ([BIN / "hadolint", DOCKERFILE], [BIN / "shellcheck", *scripts]):
        result = subprocess.run(command, capture_output=True, text=True)
        assert result.returncode == 0, result.stdout + result.stderr


def test_a_box_has_the_restrictions_of_a_container(image: Path, machine: Machine) -> None:
    """It has the account and a read-only root, and nothing of the checkout."""
    box = Box(image)
    assert instruction("USER") == f"{ACCOUNT}:{ACCOUNT}"
    assert machine.say(box, "enter", "id", "-u").strip() == str(ACCOUNT)
    for place in ("/", "/opt/segscore", "/opt/segscore/passes", "/etc"):
        assert machine.run(box, "touch", f"{place}/new").returncode == 1
    assert machine.run(box, "ls", str(ROOT / "pyproject.toml")).returncode == 2
    where = machine.say(box, "enter", "python", "-c", "import segscore; print(segscore.__file__)")
    assert where.startswith("/opt/segscore/lib/")


@pytest.mark.parametrize(
    "options",
    [
        pytest.param((), id="plain"),
        pytest.param(("--pairing", "optimal", "--consensus", "0.5,any"), id="consensus"),
    ],
)
def test_no_pass_is_compiled(image: Path, machine: Machine, options: tuple[str, ...]) -> None:
    """All passes are read from the image, and none is added to the container's own folder."""
    box = Box(image, environment=environment() | TALKING, read={"/data": DATA})
    score = ["segscore", "score", *["/data/choi.jsonl"] * 2, *options, "--output", "run"]
    compare = "diff --recursive /opt/segscore/passes $NUMBA_CACHE_DIR"
    output = machine.say(box, "enter", "sh", "-c", f"{shlex.join(score)} && {compare}")
    assert "[cache] index loaded from" in output


@pytest.mark.parametrize(
    ("mode", "place"),
    [pytest.param("1777", "/tmp", id="sticky"), pytest.param("2777", "/dev/shm", id="kubernetes")],  # noqa: S108
)
def test_passes_are_stored_where_nobody_else_can_write(
    image: Path, machine: Machine, mode: str, place: str
) -> None:
    """A volume of Kubernetes at /tmp is not sticky, so others could replace files there."""
    box = Box(image, environment=environment() | TALKING, read={"/data": DATA}, mode=mode)
    score = ["segscore", "score", *["/data/choi.jsonl"] * 2, "--output", "run"]
    show_mode = 'stat -c "%a %u %n" $NUMBA_CACHE_DIR'
    output = machine.say(box, "enter", "sh", "-c", f"{show_mode} && {shlex.join(score)} 2>&1")
    assert output.startswith(f"700 {ACCOUNT} {place}/passes\n")
    assert "[cache] index loaded from" in output
    assert "not cached" not in output
