"""Compiled loops are never read from a folder that another user can write to."""

import os
import pickle
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numba
import pytest

from tests.support.paths import DATA, ROOT
from tests.support.promises import told

OTHER = 10002
"""A user who is neither root nor the one who runs the tests."""

LOOPS = """
import sys
import segscore.jobs.cli.log
from segscore.pipeline.arrays.kernel import kernel
sys.path.insert(0, sys.argv[1])
import loops
print(loops.twice(21), loops.twice.stats.cache_path, sum(loops.twice.stats.cache_hits.values()))
"""
LOOP = """
from segscore.pipeline.arrays.kernel import kernel


@kernel
def twice(number):
    return 2 * number
"""


class Poison:
    """Writes to a file when it is unpickled."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        """Open the file for writing."""
        return os.open, (str(self.file), os.O_CREAT | os.O_WRONLY)


@dataclass(frozen=True)
class Cache:
    """A module with a compiled loop, and the cache folder of numba."""

    sources: Path
    folder: Path

    def run(self, *before: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """Call the loop in a process of its own; return its value, its cache folder, its hits."""
        command = [*before, sys.executable, "-c", LOOPS, str(self.sources)]
        environment = os.environ | {"NUMBA_CACHE_DIR": str(self.folder), "PYTHONPATH": str(ROOT)}
        environment["PYTHONDONTWRITEBYTECODE"] = "1"
        return subprocess.run(
            command, capture_output=True, text=True, env=environment | dict(variables), check=True
        )

    def files(self, ending: str) -> list[Path]:
        """Files that numba wrote."""
        return sorted(self.folder.rglob(f"*{ending}"))

    def require_unused(self, exposed: Path, said: subprocess.CompletedProcess[str]) -> None:
        """Check that the loop ran without the cache, and that one line names what is unsafe."""
        assert said.stdout == "42 None 0\n"
        (line,) = said.stderr.splitlines()
        assert line.startswith("warning: compiled loops are not cached, because other users")
        assert f" {exposed};" in line
        assert "Set NUMBA_CACHE_DIR to a folder that only you" in line


@pytest.fixture
def kept(tmp_path: Path) -> Cache:
    """A folder of mode 0700 that holds the compiled loop."""
    (tmp_path / "sources").mkdir()
    (tmp_path / "sources" / "loops.py").write_text(LOOP)
    (tmp_path / "cache").mkdir(mode=0o700)
    made = Cache(tmp_path / "sources", tmp_path / "cache")
    made.run()
    assert made.files(".nbi")
    return made


def test_folder_of_this_user(kept: Cache) -> None:
    """One process reads what another one compiled."""
    said = kept.run()
    assert said.stdout.endswith(" 1\n")
    assert said.stderr == ""


@pytest.mark.parametrize("sticky", [0, 0o1000])
def test_others_can_write_to_the_folder_that_numba_uses(kept: Cache, sticky: int) -> None:
    (folder,) = {file.parent for file in kept.files(".nbi") if file.name.startswith("loops.")}
    folder.chmod(0o777 | sticky)
    kept.require_unused(folder, kept.run())


def test_others_can_replace_the_folder(kept: Cache) -> None:
    kept.folder.chmod(0o777)
    kept.require_unused(kept.folder, kept.run())
    kept.folder.chmod(0o1777)
    assert kept.run().stdout.endswith(" 1\n")


def test_group_can_write(kept: Cache) -> None:
    """The group has other members; the group that every user has alone does no harm."""
    kept.folder.chmod(0o770)
    assert kept.run().stdout.endswith(" 1\n")
    other = next(group for group in (1, 2, 3, 100) if group != os.getgid())
    try:
        os.chown(kept.folder, -1, other)
    except PermissionError:
        pytest.skip("only root may give a folder to a group of others")
    kept.require_unused(kept.folder, kept.run())


def test_others_can_write_to_a_file(kept: Cache) -> None:
    index = next(file for file in kept.files(".nbi") if file.name.startswith("loops."))
    index.chmod(0o666)
    kept.require_unused(index, kept.run())


def test_poison(kept: Cache, tmp_path: Path) -> None:
    """An index that runs a program when it is read does so in a folder of this user's."""
    index = next(file for file in kept.files(".nbi") if file.name.startswith("loops."))
    touched = tmp_path / "touched"
    poisoned = pickle.dumps(numba.__version__) + pickle.dumps(Poison(touched))
    index.write_bytes(poisoned)
    kept.folder.chmod(0o777)
    kept.require_unused(kept.folder, kept.run())
    assert not touched.exists()
    kept.folder.chmod(0o700)
    with pytest.raises(subprocess.CalledProcessError):
        kept.run()
    assert touched.exists()


def test_run_past_poison(tmp_path: Path) -> None:
    """Every index of a world-writable cache is poisoned; a run equals one without a cache."""
    cache, touched = tmp_path / "cache", tmp_path / "touched"
    cache.mkdir(mode=0o700)
    command = [sys.executable, "-c", "from segscore.jobs.cli.app import main; main()"]
    score = [*command, "score", *[str(DATA / "tinyrec.jsonl")] * 2, "--replicates", "0", "--output"]
    assert told(run([*score, str(tmp_path / "good")], cache).stderr) == []
    for folder in (cache, *cache.iterdir()):
        folder.chmod(0o777)
    poisoned = pickle.dumps(numba.__version__) + pickle.dumps(Poison(touched))
    for index in cache.rglob("*.nbi"):
        index.write_bytes(poisoned)
    warned = run([*score, str(tmp_path / "bad")], cache).stderr
    assert warned.count("compiled loops are not cached") == 1
    assert not touched.exists()
    for file in (tmp_path / "good").rglob("*.parquet"):
        other = tmp_path / "bad" / file.relative_to(tmp_path / "good")
        assert file.read_bytes() == other.read_bytes()


def run(command: list[str], cache: Path) -> subprocess.CompletedProcess[str]:
    """Run a command with a folder for numba."""
    environment = os.environ | {"NUMBA_CACHE_DIR": str(cache)}
    return subprocess.run(
        command, capture_output=True, text=True, env=environment, check=True, cwd=ROOT
    )


needs_root = pytest.mark.skipif(os.getuid() != 0, reason="only root can be or make another user")


@needs_root
def test_link_of_another_user(kept: Cache, tmp_path: Path) -> None:
    """A link is trusted like its owner: one's own is, and that of another user is not."""
    link = tmp_path / "link"
    link.symlink_to(kept.folder)
    linked = Cache(kept.sources, link)
    assert linked.run().stdout.endswith(" 1\n")
    os.chown(link, OTHER, OTHER, follow_symlinks=False)
    linked.require_unused(link, linked.run())


@needs_root
def test_link_to_where_others_write(kept: Cache, tmp_path: Path) -> None:
    kept.folder.chmod(0o777)
    link = tmp_path / "link"
    link.symlink_to(kept.folder)
    Cache(kept.sources, link).require_unused(kept.folder, Cache(kept.sources, link).run())


@needs_root
@pytest.mark.parametrize("what", ["folder", "file"])
def test_owned_by_another_user(kept: Cache, what: str) -> None:
    index = next(file for file in kept.files(".nbi") if file.name.startswith("loops."))
    owned = index if what == "file" else kept.folder
    os.chown(owned, OTHER, OTHER)
    kept.require_unused(owned, kept.run())


@needs_root
def test_files_of_root(kept: Cache, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Loops compiled by root into an image, read by its user: numba needs a writable folder."""
    if shutil.which("setpriv") is None:
        pytest.skip("there is no `setpriv` to become another user with")
    base = Path(subprocess.check_output(["mktemp", "-d"], text=True).strip())  # noqa: S607
    try:
        base.chmod(0o755)
        shutil.copytree(kept.sources, base / "sources")
        made = Cache(base / "sources", base / "cache")
        made.run()
        assert made.files(".nbi")
        for folder in {file.parent for file in made.files(".nbi")}:
            os.chown(folder, OTHER, OTHER)
        as_other = ["setpriv", f"--reuid={OTHER}", f"--regid={OTHER}", "--clear-groups"]
        said = made.run(*as_other, HOME=str(base / "none"))
        assert said.stdout.endswith(" 1\n")
        assert said.stderr == ""
    finally:
        shutil.rmtree(base)
