"""The archives of a release: what is in them, and that the wheel scores in an empty environment."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from email.message import Message
from email.parser import Parser
from pathlib import Path
from types import ModuleType

import pytest

from segscore.pipeline.runs.commit import find_commit
from tests.support.paths import ROOT

pytestmark = pytest.mark.long

ADDRESS, TAG = "https://code.example.org/segscore/segscore", "v9"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    """The script of `make archives`, as a module."""
    found = importlib.util.spec_from_file_location("archives", ROOT / ".ci/archives.py")
    assert found
    assert found.loader
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of both archives, built as the release workflow does, without a network."""
    environment = {**os.environ, "ADDRESS": ADDRESS, "TAG": TAG}
    folder = tmp_path_factory.mktemp("built")
    command = [sys.executable, str(ROOT / ".ci/archives.py"), str(folder)]
    built = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert built.returncode == 0, built.stdout[-2000:] + built.stderr[-2000:]
    assert built.stdout.count("PASSED") == 2
    return folder / "archives"


COMMIT = "segscore/commit.txt"
"""File that says the commit that an archive was made from."""


@pytest.fixture(scope="module")
def described(archives: Path) -> Message:
    """The metadata of the wheel."""
    (wheel,) = archives.glob("*.whl")
    with zipfile.ZipFile(wheel) as opened:
        (name,) = (name for name in opened.namelist() if name.endswith("dist-info/METADATA"))
        return Parser().parsestr(opened.read(name).decode())


def package_files() -> set[str]:
    """Return the files of the package in the checkout, by their paths in the wheel."""
    folders = {"segscore": "segscore"} | {
        name: f"segscore/{name}" for name in ("pipeline", "schemas", "jobs")
    }
    found = set()
    for folder, inside in folders.items():
        for path in (ROOT / folder).rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                found.add(f"{inside}/{path.relative_to(ROOT / folder)}")
    return found


def test_the_wheel_has_the_package_and_nothing_else(archives: Path) -> None:
    (wheel,) = archives.glob("*.whl")
    with zipfile.ZipFile(wheel) as opened:
        names = set(opened.namelist())
        commit = opened.read(COMMIT).decode().strip() if COMMIT in names else None
    assert commit == find_commit()
    assert {name for name in names if ".dist-info/" not in name} - {COMMIT} == package_files()
    licences = {name.rpartition("/")[2] for name in names if "/licenses/" in name}
    assert licences == {"LICENSE", "NOTICE"}


def test_a_wheel_can_be_built_from_the_sdist(archives: Path) -> None:
    """`python -m build` made the wheel from the sdist, which therefore has all of the package."""
    (sdist,) = archives.glob("*.tar.gz")
    with tarfile.open(sdist) as opened:
        names = {name.partition("/")[2] for name in opened.getnames()}
    assert {"pyproject.toml", "README.md", "LICENSE", "NOTICE"} <= names
    assert not [name for name in names if name.startswith((".venv", "build/", ".git/"))]


def test_the_description_leads_nowhere_by_a_relative_address(described: Message) -> None:
    page = described.get_payload()
    assert isinstance(page, str)
    targets = re.findall(r"\]\(([^)]+)\)", page)
    assert f"{ADDRESS}/raw/{TAG}/docs/report.png" in targets
    assert f"{ADDRESS}/blob/{TAG}/docs/quickstart.md" in targets
    assert [target for target in targets if not target.startswith("https://")] == []


def test_the_metadata_say_where_the_project_is(described: Message) -> None:
    links = dict(line.split(", ") for line in described.get_all("Project-URL", []))
    assert links["Source"] == ADDRESS
    assert links["Issues"] == f"{ADDRESS}/issues"
    assert "text segmentation" in described["Keywords"]
    assert "Typing :: Typed" in described.get_all("Classifier", [])


def test_links_to_other_sites_and_places_stay(script: ModuleType) -> None:
    page = "[a](https://example.org/) [b](#place) [c](docs/x.md#y) ![d](docs/e.png)"
    assert script.complete_addresses(page, "https://h/o/r", "v1") == (
        "[a](https://example.org/) [b](#place) [c](https://h/o/r/blob/v1/docs/x.md#y) "
        "![d](https://h/o/r/raw/v1/docs/e.png)"
    )


def test_a_wheel_of_a_clone_says_its_commit(tmp_path: Path) -> None:
    """`pip install` in a clone builds a wheel; its record of a run names the commit."""
    git = shutil.which("git")
    if git is None or not (ROOT / ".git").exists():
        pytest.skip("needs git and a checkout")
    clone, wheels = tmp_path / "clone", tmp_path / "wheels"
    subprocess.run([git, "clone", "-q", ROOT, clone], check=True)
    options = ("--no-deps", "--no-build-isolation", "--quiet", "--wheel-dir", wheels)
    subprocess.run([sys.executable, "-m", "pip", "wheel", *options, clone], check=True)
    (wheel,) = wheels.glob("*.whl")
    with zipfile.ZipFile(wheel) as opened:
        opened.extractall(tmp_path / "installed")  # noqa: S202  (our own)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "installed")}
    command = [sys.executable, "-P", "-m", "segscore", "--version"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, check=True)
    commit = subprocess.run(
        [git, "-C", clone, "rev-parse", "HEAD"], capture_output=True, text=True, check=True
    ).stdout[:12]
    assert f"(commit {commit})" in done.stdout.decode()


def test_the_wheel_scores_without_the_checkout(archives: Path, tmp_path: Path) -> None:
    """Its dependencies are those of the tests; the package itself comes from the wheel alone."""
    (wheel,) = archives.glob("*.whl")
    with zipfile.ZipFile(wheel) as opened:
        opened.extractall(tmp_path / "installed")  # noqa: S202  (our own)
    scored = "segscore.pk(reference=[2, 5], hypothesis=[2, 4], n_units=11)"
    code = f"import segscore; print(segscore.__file__); print({scored})"
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "installed")}
    command = [sys.executable, "-c", code]
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    place, value = done.stdout.split()
    assert Path(place).is_relative_to(tmp_path)
    assert value == "0.2222222222222222"
