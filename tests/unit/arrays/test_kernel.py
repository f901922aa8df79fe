"""Kernels are interpreted or compiled, with the same results; only their owner can change them."""

import os
import pickle
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest

from segscore.pipeline.arrays.kernel import LIMITS, kernel, kernel_of_steps
from tests.support import kernels, other_user
from tests.support.other_user import AS_OTHER, OTHER
from tests.support.paths import DATA, ROOT

NOTICE = "First run on this machine: compiling numba kernels (a few seconds, cached afterwards)."
LOOPS = """
import sys
from segscore.pipeline.arrays.kernel import compile_always
compile_always()
sys.path.insert(0, sys.argv[1])
import loops
stats = loops.twice.compiled.stats
print(loops.twice(21), stats.cache_path is not None, sum(stats.cache_hits.values()))
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


CALLER = """
from callee import FACTOR, add
from segscore.pipeline.arrays.kernel import kernel


@kernel
def twice(number):
    return FACTOR * add(number)
"""
CALLEE = """
from segscore.pipeline.arrays.kernel import kernel

FACTOR = {factor}


@kernel
def add(number):
    return number + {summand}
"""


def run_loop(folder: Path, *before: str, loop: str = LOOP, **variables: str) -> tuple[str, str]:
    """Compile a loop in a process of its own; return what it prints on both streams.

    It prints the value, whether it is cached, and how often it was read from the cache.
    """
    sources = folder / "sources"
    sources.mkdir(exist_ok=True)
    (sources / "loops.py").write_text(loop)
    os.utime(sources / "loops.py", (0, 0))  # numba compiles a changed file again
    environment = other_user.environment() | {"NUMBA_CACHE_DIR": str(folder)} | variables
    command = [*before, sys.executable, "-c", LOOPS, str(sources)]
    ended = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    return ended.stdout, ended.stderr


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """The folder in which one process has compiled a loop."""
    assert run_loop(tmp_path) == ("42 True 0\n", f"{NOTICE}\n")
    return tmp_path / "segscore"


def assert_not_used(cache: Path) -> None:
    """Check that a process compiles, and says in one line why."""
    out, err = run_loop(cache.parent)
    assert out == "42 False 0\n"
    (line,) = err.splitlines()
    assert line.startswith(f"compiled kernels are not cached, because {cache} cannot be written to")


@pytest.mark.long
def test_what_one_process_compiled_another_reads_without_a_notice(cache: Path) -> None:
    assert cache.stat().st_mode & 0o777 == 0o700
    assert run_loop(cache.parent) == ("42 True 1\n", "")


@pytest.mark.long
def test_a_loop_is_compiled_again_if_what_it_uses_of_another_file_changes(tmp_path: Path) -> None:
    (tmp_path / "sources").mkdir()
    for factor, summand in ((2, 0), (3, 0), (3, 1), (2, 0)):
        callee = CALLEE.format(factor=factor, summand=summand)
        (tmp_path / "sources" / "callee.py").write_text(callee)
        out, _ = run_loop(tmp_path, loop=CALLER, PYTHONDONTWRITEBYTECODE="1")
        assert out.split()[0] == str(factor * (21 + summand))


@pytest.mark.long
@pytest.mark.parametrize("mode", [0o777, 0o1777, 0o770])
def test_a_folder_that_others_can_write_to_is_not_used(cache: Path, mode: int) -> None:
    cache.chmod(mode)
    assert_not_used(cache)


@pytest.mark.long
def test_a_link_is_not_followed(cache: Path) -> None:
    cache.rename(cache.parent / "moved")
    cache.symlink_to(cache.parent / "moved")
    assert_not_used(cache)


@pytest.mark.long
def test_a_poisoned_index_runs_only_in_a_folder_of_this_user(cache: Path, tmp_path: Path) -> None:
    touched = tmp_path / "touched"
    (index,) = cache.rglob("loops.twice*.nbi")
    index.write_bytes(pickle.dumps(numba.__version__) + pickle.dumps(Poison(touched)))
    cache.chmod(0o777)
    assert_not_used(cache)
    assert not touched.exists()
    cache.chmod(0o700)
    with pytest.raises(subprocess.CalledProcessError):
        run_loop(tmp_path)
    assert touched.exists()


@pytest.mark.long
def test_a_folder_of_another_user_is_not_used() -> None:
    with other_user.shared_folder() as base:
        run_loop(base)
        os.chown(base / "segscore", OTHER, OTHER)
        assert_not_used(base / "segscore")


@pytest.mark.long
def test_without_a_folder_every_process_compiles() -> None:
    with other_user.shared_folder() as base:
        (base / "sources").mkdir()
        (base / "sources").chmod(0o777)
        run_loop(base)
        out, err = run_loop(base, *AS_OTHER, HOME=str(base / "none"), NUMBA_CACHE_DIR="")
        assert out == "42 False 0\n"
        assert "because" in err and "Set NUMBA_CACHE_DIR" in err


@kernel
def add_up(numbers: np.ndarray) -> int:
    """Add numbers up, in 32 bits where they are interpreted."""
    total = np.int32(0)
    for number in numbers:
        total += number
    return int(total)


@kernel_of_steps(lambda numbers, times: numbers.size * times)
def add_often(numbers: np.ndarray, times: int) -> tuple[int, float]:
    """Call another kernel many times."""
    total = 0
    for _ in range(times):
        total += add_up(numbers)
    return total, np.float64(total) / 2


def test_a_call_is_compiled_once_it_is_long_or_its_numbers_could_wrap_around() -> None:
    """What a kernel returns has Python's types both ways."""
    few = np.ones(3, np.int32)
    with kernels.run("interpreted"):
        LIMITS.steps = 100
        for numbers in (few, np.ones(100, np.int32)):
            assert add_up(numbers) == len(numbers)
        assert add_often(few, 33) == (99, 49.5)
        assert {type(value) for value in (add_up(few), *add_often(few, 33))} == {int, float}
        assert not {"compiled"} & ({*vars(add_up)} | {*vars(add_often)})
        assert add_up(np.array([2**15 - 1] * 2, np.int32)) == 2**16 - 2
        assert "compiled" not in vars(add_up)
        assert add_often(few, 34) == (102, 51.0)
        assert "compiled" in vars(add_often)
        vars(add_up).pop("compiled")
        assert add_up(np.array([2**31 - 1] * 2, np.int32)) == 2**32 - 2
        assert "compiled" in vars(add_up)
        vars(add_up).pop("compiled")
        assert add_up(np.ones(101, np.int32)) == 101
        assert "compiled" in vars(add_up)


@pytest.mark.long
def test_a_small_job_imports_no_numba(tmp_path: Path) -> None:
    code = """
import sys, segscore
from segscore.jobs.cli.app import app
segscore.pk(reference=[2], hypothesis=[3], n_units=9)
app(sys.argv[1:], standalone_mode=False)
print(sorted({"numba", "llvmlite"} & set(sys.modules)))
"""
    command = ["score", str(DATA / "tinyrec.jsonl"), str(DATA / "tinyrec.jsonl")]
    ended = subprocess.run(
        [sys.executable, "-c", code, *command, "--output", str(tmp_path / "run")],
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    assert ended.stdout.endswith("\n[]\n"), ended.stderr


def test_a_number_that_wraps_around_fails_a_test() -> None:
    with kernels.run("interpreted"), pytest.raises(RuntimeWarning, match="overflow encountered"):
        add_up(np.array([2**15 - 1] * 2**17, np.int32))
