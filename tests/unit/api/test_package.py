"""The package: what importing it takes, its names, their their examples."""

import doctest
import importlib.metadata
import json
import os
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import segscore
from segscore.pipeline.measures import PAIRS
from tests.support.paths import ROOT

HEAVY = ("dask", "distributed", "pandas", "rich", "numba", "scipy", "pandera", "typer", "fsspec")
MODULES = [
    "segscore",
    *(f"segscore.api.{path.stem}" for path in (ROOT / "segscore/api").glob("[a-z]*.py")),
    "segscore.integrations.answers",
]


def python(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run Python as a user would."""
    command = [sys.executable, *arguments]
    surroundings = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    return subprocess.run(command, capture_output=True, text=True, env=surroundings, check=False)


def loaded(statement: str) -> set[str]:
    """The heavy libraries that a statement imports."""
    ended = python("-c", f"import sys\n{statement}\nprint(*sys.modules)")
    assert ended.returncode == 0, ended.stderr
    return {*HEAVY} & {*ended.stdout.split()}


def test_what_an_import_takes() -> None:
    assert loaded("import segscore") == set()
    assert loaded("import segscore; segscore.Segmentation([2], 9); segscore.Refused") == set()


def test_a_missing_package_is_named_in_a_sentence() -> None:
    code = "import sys; sys.modules['pyarrow'] = None; import segscore\n"
    ended = python("-c", f"{code}print(segscore.pk(reference=[2], hypothesis=[2], n_units=5))")
    assert ended.stdout == "0.0\n", ended.stderr
    ended = python("-c", f"{code}segscore.Metric('pk')")
    assert ended.stderr.splitlines()[-1] == (
        "ModuleNotFoundError: segscore.Metric needs pyarrow, which is not installed: pip install "
        "segscore, without --no-deps"
    )


def test_python_in_a_checkout_finds_all_parts_without_the_finder_of_an_installation() -> None:
    """There, it finds the folder `segscore/` before the package that is installed."""
    code = (
        "import sys; sys.meta_path[:] = "
        "[each for each in sys.meta_path if not each.__module__.startswith('__editable__')]\n"
        "import segscore; print(segscore.pk(reference=[2], hypothesis=[2], n_units=5))"
    )
    assert python("-c", code).stdout == "0.0\n"


@pytest.mark.long
def test_dask_is_imported_for_a_cluster_alone() -> None:
    one = "one = {'d': segscore.Segmentation([2], 9)}"
    work = (
        "import segscore",
        one,
        "e = segscore.evaluate(one, one)",
        "segscore.agree({'a': one, 'b': one})",
        "segscore.Metric('pk')",
        "repr(e)",
    )
    assert not {"dask", "distributed", "rich", "typer"} & loaded("\n".join(work))


def test_the_names() -> None:
    assert {*dir(segscore)} == {*segscore.__all__, *PAIRS.measures}
    assert all(getattr(segscore, name) is getattr(segscore, name) for name in dir(segscore))
    assert not {*segscore.__all__} & {*PAIRS.measures}


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name: str) -> None:
    module = import_module(name)
    ended = doctest.testmod(module, optionflags=doctest.IGNORE_EXCEPTION_DETAIL)
    assert not ended.failed


ERRORS = ("Refused", "Failed")


@pytest.mark.parametrize("name", [name for name in segscore.__all__ if name not in ERRORS])
def test_every_public_name_has_an_example(name: str) -> None:
    thing: Any = getattr(segscore, name)
    tests = doctest.DocTestFinder(recurse=False).find(thing, name)
    assert any(test.examples for test in tests)


def test_the_command_as_a_module() -> None:
    assert python("-m", "segscore", "--version").stdout.startswith("segscore ")
    ended = python("-m", "segscore", "score", "a", "b", "--output", "c", "--n-t", "0")
    assert (ended.returncode, "--n-t 0: must be at least 1" in ended.stderr) == (2, True)


@pytest.mark.first
@pytest.mark.parametrize(
    ("words", "offered"), [("segscore sc", "score"), ("segscore score --n-", "--n-t")]
)
def test_completion(words: str, offered: str) -> None:
    run = "import sys; sys.argv = ['segscore']; from segscore.jobs.cli.app import main; main()"
    asked = {"COMP_WORDS": words, "COMP_CWORD": str(len(words.split()) - 1)}
    ended = python("-c", run, _SEGSCORE_COMPLETE="complete_bash", **asked)
    assert offered in ended.stdout.split(), ended.stderr
    assert "--install-completion" in python("-m", "segscore", "--help").stdout


@pytest.mark.long
def test_only_long_calls_compile_and_say_so_once_on_a_machine(tmp_path: Path) -> None:
    for n_units, expected in ((9, 0), (2**17, 1), (2**17, 0)):
        call = f"reference=range(1, {n_units}), hypothesis=[3], n_units={n_units}"
        statement = f"import segscore\nfor _ in range(2): segscore.pk({call})"
        ended = python("-c", statement, NUMBA_CACHE_DIR=str(tmp_path))
        assert ended.returncode == 0, ended.stderr
        assert ended.stderr.count("First run on this machine: compiling") == expected


def test_the_package_has_the_version_of_the_command() -> None:
    import segscore

    printed = python("-m", "segscore", "--version").stdout
    assert printed.partition(" (commit ")[0].strip() == f"segscore {segscore.__version__}"


def test_the_command_says_the_commit_where_it_is_known(tmp_path: Path) -> None:
    """Of what pip installed from a repository, or of a checkout; without git, only the version."""
    version = importlib.metadata.version("segscore")
    without = python("-m", "segscore", "--version", PATH=str(tmp_path)).stdout
    assert without == f"segscore {version}\n"
    if (ROOT / ".git").exists() and shutil.which("git"):
        asked = ["git", "-C", str(ROOT), "rev-parse", "HEAD"]
        commit = subprocess.run(asked, capture_output=True, text=True, check=True).stdout[:12]
        assert f"(commit {commit}" in python("-m", "segscore", "--version").stdout
    installed = tmp_path / f"segscore-{version}.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text(f"Name: segscore\nVersion: {version}\n")
    origin = {"url": "https://example.org/x", "vcs_info": {"vcs": "git", "commit_id": "a" * 40}}
    for text, expected in ((json.dumps(origin), f" (commit {'a' * 12})"), ("[", "")):
        (installed / "direct_url.json").write_text(text)
        path = {"PYTHONPATH": f"{tmp_path}:{ROOT}", "PATH": str(tmp_path)}
        printed = python("-P", "-m", "segscore", "--version", **path).stdout
        assert printed == f"segscore {version}{expected}\n"
