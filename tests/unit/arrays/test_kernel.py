"""Compiled loops are never read from a folder that another user can write to."""

import grp
import os
import pickle
import pwd
import shutil
import struct
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numba
import pytest

from segscore.pipeline.arrays.kernel import CACHE_FILES
from segscore.pipeline.arrays.ownership import first_exposed
from tests.support import other_user
from tests.support.other_user import AS_OTHER, OTHER
from tests.support.paths import DATA, ROOT
from tests.support.promises import message_lines

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
        environment = other_user.environment() | {"NUMBA_CACHE_DIR": str(self.folder)}
        return subprocess.run(
            command, capture_output=True, text=True, env=environment | dict(variables), check=True
        )

    def files(self, ending: str) -> list[Path]:
        """Files that numba wrote."""
        return sorted(self.folder.rglob(f"*{ending}"))

    @property
    def of_loop(self) -> Path:
        """The folder in it that numba chose for the loop."""
        (folder,) = {file.parent for file in self.files(".nbi") if file.name.startswith("loops.")}
        return folder

    def exposed(self) -> Path | None:
        """Return what others can write to, because of which a process would not use the cache."""
        return first_exposed(self.of_loop, CACHE_FILES)

    def require_unused(self, exposed: Path, process: subprocess.CompletedProcess[str]) -> None:
        """Check that the loop ran without the cache, and that one line names what is unsafe."""
        assert process.stdout == "42 None 0\n"
        (line,) = process.stderr.splitlines()
        assert line.startswith("warning: compiled loops are not cached, because other users")
        assert f" {exposed};" in line
        assert "Set NUMBA_CACHE_DIR to a folder that only you" in line


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Cache:
    """A folder of mode 0700 that holds the compiled loop, compiled once for all tests."""
    base = tmp_path_factory.mktemp("compiled")
    (base / "sources").mkdir()
    (base / "sources" / "loops.py").write_text(LOOP)
    (base / "cache").mkdir(mode=0o700)
    cache = Cache(base / "sources", base / "cache")
    cache.run()
    assert cache.files(".nbi")
    return cache


@pytest.fixture
def filled_cache(compiled: Cache, tmp_path: Path) -> Cache:
    """A copy of the folder, for a test that changes who can write to it."""
    shutil.copytree(compiled.folder, tmp_path / "cache")
    return Cache(compiled.sources, tmp_path / "cache")


def test_a_folder_of_this_user_is_used(filled_cache: Cache) -> None:
    """One process reads what another one compiled."""
    process = filled_cache.run()
    assert process.stdout.endswith(" 1\n")
    assert process.stderr == ""


OTHER_LOOPS = """
import sys
import numpy as np
sys.path.insert(0, sys.argv[1])
from segscore.pipeline.arrays.kernel import kernel
import loops

@kernel
def doubled(numbers):
    result = np.empty(len(numbers), np.int64)
    for i in range(len(numbers)):
        if numbers[i] < 0:
            raise ValueError("a negative number")
        result[i] = loops.twice(numbers[i])
    return result

print(doubled(np.arange(4)), sum(doubled.stats.cache_hits.values()))
print(loops.twice(np.int64(4)), sum(loops.twice.stats.cache_hits.values()))
try:
    doubled(np.array([-1]))
except ValueError as problem:
    print(problem)
"""


def test_a_loop_is_compiled_around_one_that_was_read(filled_cache: Cache) -> None:
    """The intermediate code beside machine code is read when another loop needs it."""
    module = filled_cache.sources / "others.py"
    module.write_text(OTHER_LOOPS)
    command = [sys.executable, str(module), str(filled_cache.sources)]
    hits = []
    for _ in range(2):
        lines = run(command, filled_cache.folder).stdout.splitlines()
        assert [line.split("]")[0] for line in lines[:1]] == ["[0 2 4 6"]
        assert (lines[1].split()[0], lines[2]) == ("8", "a negative number")
        hits.append((lines[0].split()[-1], lines[1].split()[1]))
    assert hits == [("0", "1"), ("1", "1")]


@pytest.mark.long
def test_a_writable_numba_folder_is_not_used(filled_cache: Cache) -> None:
    folder = filled_cache.of_loop
    assert filled_cache.exposed() is None
    for mode in (0o1777, 0o777):
        folder.chmod(mode)
        assert filled_cache.exposed() == folder
    filled_cache.require_unused(folder, filled_cache.run())


def test_a_replaceable_folder_is_not_used(filled_cache: Cache) -> None:
    filled_cache.folder.chmod(0o777)
    assert filled_cache.exposed() == filled_cache.folder
    filled_cache.folder.chmod(0o1777)
    assert filled_cache.exposed() is None


def test_a_group_writable_folder_is_not_used(filled_cache: Cache) -> None:
    """The group has other members; the group that every user has alone does no harm."""
    filled_cache.folder.chmod(0o770)
    is_alone = grp.getgrgid(os.getgid()).gr_name == pwd.getpwuid(os.getuid()).pw_name
    assert filled_cache.exposed() == (None if is_alone else filled_cache.folder)
    other = next(group for group in (1, 2, 3, 100) if group != os.getgid())
    try:
        os.chown(filled_cache.folder, -1, other)
    except PermissionError:
        pytest.skip("only root may give a folder to a group of others")
    assert filled_cache.exposed() == filled_cache.folder


def access_list(user: int, mask: int = 7) -> bytes:
    """Make a POSIX access control list by which a user may do everything that the mask allows."""
    entries = [(0x01, 7, -1), (0x02, 7, user), (0x04, 5, -1), (0x10, mask, -1), (0x20, 5, -1)]
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHi", *entry) for entry in entries)


@pytest.mark.parametrize("target", ["folder", "file"])
def test_an_access_list_that_lets_others_write_is_noticed(filled_cache: Cache, target: str) -> None:
    index = next(filled_cache.of_loop.glob("loops.*.nbi"))
    path = index.parent if target == "folder" else index
    attribute, other = "system.posix_acl_access", os.getuid() + 12345
    try:
        os.setxattr(path, attribute, access_list(other, mask=5))
    except (AttributeError, OSError):
        pytest.skip("this file system has no access control lists")
    assert filled_cache.exposed() is None
    os.setxattr(path, attribute, access_list(other))
    assert filled_cache.exposed() == path


def test_what_is_written_under_a_default_access_list_is_noticed(filled_cache: Cache) -> None:
    index = next(filled_cache.of_loop.glob("loops.*.nbi"))
    try:
        os.setxattr(index.parent, "system.posix_acl_default", access_list(os.getuid() + 12345))
    except (AttributeError, OSError):
        pytest.skip("this file system has no access control lists")
    copied = index.parent / "copied.nbi"
    copied.write_bytes(index.read_bytes())
    assert filled_cache.exposed() == copied


def test_a_writable_file_is_not_used(filled_cache: Cache) -> None:
    index = next(filled_cache.of_loop.glob("loops.*.nbi"))
    index.chmod(0o666)
    assert filled_cache.exposed() == index


@pytest.mark.long
def test_a_poisoned_index_of_this_user_runs(filled_cache: Cache, tmp_path: Path) -> None:
    """An index that runs a program when it is read does so in a folder of this user's."""
    index = next(filled_cache.of_loop.glob("loops.*.nbi"))
    touched = tmp_path / "touched"
    poisoned = pickle.dumps(numba.__version__) + pickle.dumps(Poison(touched))
    index.write_bytes(poisoned)
    filled_cache.folder.chmod(0o777)
    filled_cache.require_unused(filled_cache.folder, filled_cache.run())
    assert not touched.exists()
    filled_cache.folder.chmod(0o700)
    with pytest.raises(subprocess.CalledProcessError):
        filled_cache.run()
    assert touched.exists()


@pytest.mark.long
def test_a_run_ignores_a_poisoned_cache(tmp_path: Path) -> None:
    """Every index of a world-writable cache is poisoned; a run equals one without a cache."""
    cache, touched = tmp_path / "cache", tmp_path / "touched"
    cache.mkdir(mode=0o700)
    command = [sys.executable, "-c", "from segscore.jobs.cli.app import main; main()"]
    score = [*command, "score", *[str(DATA / "tinyrec.jsonl")] * 2, "--output"]
    said = run([*score, str(tmp_path / "good")], cache).stderr
    assert message_lines(said) == []
    assert (said.count("compiling its loops"), said.count("compiled its loops")) == (1, 0)
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
def test_a_link_of_another_user_is_not_followed(filled_cache: Cache, tmp_path: Path) -> None:
    """A link is trusted like its owner: one's own is, and that of another user is not."""
    link = tmp_path / "link"
    link.symlink_to(filled_cache.folder)
    linked = Cache(filled_cache.sources, link)
    assert linked.exposed() is None
    os.chown(link, OTHER, OTHER, follow_symlinks=False)
    assert linked.exposed() == link
    linked.require_unused(link, linked.run())


@needs_root
def test_a_link_to_a_writable_folder_is_not_followed(filled_cache: Cache, tmp_path: Path) -> None:
    filled_cache.folder.chmod(0o777)
    link = tmp_path / "link"
    link.symlink_to(filled_cache.folder)
    assert Cache(filled_cache.sources, link).exposed() == filled_cache.folder


@needs_root
@pytest.mark.parametrize("what", ["folder", "file"])
def test_a_file_of_another_user_is_not_used(filled_cache: Cache, what: str) -> None:
    index = next(filled_cache.of_loop.glob("loops.*.nbi"))
    owned = index if what == "file" else filled_cache.folder
    os.chown(owned, OTHER, OTHER)
    assert filled_cache.exposed() == owned


@pytest.mark.long
def test_files_of_root_are_used(filled_cache: Cache) -> None:
    """Loops compiled by root into an image, read by its user: numba needs a writable folder."""
    with other_user.shared_folder() as base:
        shutil.copytree(filled_cache.sources, base / "sources")
        cache = Cache(base / "sources", base / "cache")
        cache.run()
        assert cache.files(".nbi")
        for folder in {file.parent for file in cache.files(".nbi")}:
            os.chown(folder, OTHER, OTHER)
        process = cache.run(*AS_OTHER, HOME=str(base / "none"))
        assert process.stdout.endswith(" 1\n")
        assert process.stderr == ""
