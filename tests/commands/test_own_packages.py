"""A user's packages named jobs, pipeline and schemas do no harm."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.corpora import corpus
from tests.support.dask_cluster import dask_cluster

NAMES = ("jobs", "pipeline", "schemas")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project whose packages cannot be imported, and tables to score."""
    for name in NAMES:
        package = tmp_path / name
        package.mkdir()
        (package / "__init__.py").write_text(
            f"raise RuntimeError('the project has its own {name}')"
        )
    corpus(seed=4).write(tmp_path)
    return tmp_path


def segscore(project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Return a function that runs the installed command with the project first on PYTHONPATH."""
    command = Path(sys.executable).with_name("segscore")
    return subprocess.run(
        [command, *arguments],
        cwd=project,
        env={**os.environ, "PYTHONPATH": str(project)},
        capture_output=True,
        text=True,
    )


SCORE = ("score", "references", "hypotheses", "--output", "run")


@pytest.mark.parametrize(
    "arguments",
    [
        ("--version",),
        SCORE,
        pytest.param((*SCORE, "--cluster", "processes"), marks=pytest.mark.long),
    ],
)
def test_packages_of_a_user_on_pythonpath_do_no_harm(
    project: Path, arguments: tuple[str, ...]
) -> None:
    result = segscore(project, *arguments)
    assert result.returncode == 0, result.stderr


@pytest.mark.long
def test_packages_of_a_user_do_no_harm_where_workers_start(project: Path) -> None:
    with dask_cluster(project) as address:
        result = segscore(project, *SCORE, "--cluster", address)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("name", NAMES)
def test_a_second_copy_is_refused(name: str) -> None:
    """A module imported under another name would be a copy with classes of its own."""
    with pytest.raises(ImportError, match=f"this is segscore.{name}; import it by that name"):
        __import__(name)
