"""The small installation: what works without any extra, and what names the extra that it needs."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command_line import Segscore
from tests.support.comparisons import refusal_line
from tests.support.paths import DATA

OF_EXTRAS = (
    "adlfs",
    "altair",
    "cryptography",
    "dask",
    "distributed",
    "duckdb",
    "gcsfs",
    "pandas",
    "prometheus_client",
    "s3fs",
    "tabulate",
    "vl_convert",
)
"""Modules that an installation without extras lacks."""

ARROW_AND_ABOVE = (
    *OF_EXTRAS,
    "fsspec",
    "jinja2",
    "narwhals",
    "pandera",
    "pyarrow",
    "rich",
    "typer",
)
"""Modules that an installation of NumPy and numba alone lacks."""

_HIDE = """
import importlib.metadata, sys
hidden = {hidden!r}
find_distribution = importlib.metadata.distribution
def distribution(name):
    if name.replace("-", "_") in hidden:
        raise importlib.metadata.PackageNotFoundError(name)
    return find_distribution(name)
importlib.metadata.distribution = distribution
class Hide:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in hidden:
            raise ModuleNotFoundError("No module named " + repr(name), name=name)
sys.meta_path.insert(0, Hide())
"""

TINYREC, STARGAZER = str(DATA / "tinyrec.jsonl"), str(DATA / "stargazer.jsonl")


def run_without(hidden: tuple[str, ...], code: str, folder: Path) -> str:
    """Run Python code in a process that cannot import some modules; return what it prints."""
    text = _HIDE.format(hidden=hidden) + code
    command = [sys.executable, "-c", text]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_pairs_are_scored_with_numpy_and_numba_alone(tmp_path: Path) -> None:
    code = """
import segscore
print(segscore.pk(reference=[2, 5], hypothesis=[2, 4], n_units=11))
score = segscore.score(reference=[2, 5], hypothesis=[2, 4], n_units=11)
print(score.boundary_similarity, score.signature.startswith("segscore|"), len(score.values) > 30)
try:
    segscore.score(reference=[2], hypothesis=[12], n_units=11)
except segscore.Refused as problem:
    print(problem)
"""
    value, score, refusal = run_without(ARROW_AND_ABOVE, code, tmp_path).splitlines()
    assert value == "0.2222222222222222"
    assert score == "0.75 True True"
    assert refusal.startswith("hypothesis: ")


@pytest.mark.long
def test_the_commands_of_one_machine_need_no_extra(tmp_path: Path) -> None:
    code = f"""
from segscore.jobs.cli.app import app
for line in (
    "score {TINYREC} {TINYREC} --output run",
    "compare run --measure pk --layout systems --format markdown",
    "agree {STARGAZER} --output agreement",
    "nightly --references {TINYREC} --hypotheses {TINYREC} --runs nights --date 2026-01-01",
    "cite run",
):
    try:
        app(line.split(), standalone_mode=False)
    except SystemExit as ended:
        assert not ended.code, line
"""
    printed = run_without(OF_EXTRAS, code, tmp_path)
    assert "| system" in printed
    assert "dask" not in json.loads((tmp_path / "run/run.json").read_text())["versions"]
    assert [*(tmp_path / "nights").rglob("night.json")]


@pytest.mark.parametrize(
    ("options", "hidden", "extra"),
    [
        (["--cluster", "processes"], "cryptography", "cluster"),
        (["--cluster", "processes"], "distributed", "cluster"),
        (["--cluster", "tcp://127.0.0.1:1"], "distributed", "cluster"),
        (["--memory-limit", "2GB"], "dask", "cluster"),
    ],
)
def test_a_cluster_names_its_extra(
    segscore: Segscore,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    options: list[str],
    hidden: str,
    extra: str,
) -> None:
    monkeypatch.setitem(sys.modules, hidden, None)
    refusal = refusal_line(
        segscore("score", TINYREC, TINYREC, "--output", tmp_path / "r", *options)
    )
    assert f"needs {hidden}: pip install 'segscore[{extra}]'" in refusal
    assert options[0] in refusal


def test_metrics_name_their_extra(
    segscore: Segscore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "prometheus_client", None)
    options = [
        "--runs",
        tmp_path / "nights",
        "--date",
        "2026-01-01",
        "--metrics",
        tmp_path / "m.prom",
    ]
    sides = ["--references", TINYREC, "--hypotheses", TINYREC]
    refusal = refusal_line(segscore("nightly", *sides, *options))
    assert "--metrics: needs prometheus_client: pip install 'segscore[metrics]'" in refusal
    assert not (tmp_path / "nights").exists()
