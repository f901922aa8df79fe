"""`segscore compare NEW OLD --gate`: fails where a system is worse, and names it and the group."""

import json
from pathlib import Path

import pytest

from tests.support.command_line import Segscore
from tests.support.corpora import corpus, run

GATE = "boundary_similarity>=-0.01"


@pytest.fixture
def runs(segscore: Segscore, tmp_path: Path) -> tuple[Path, Path]:
    """A run, and one of the same documents in which h0 has no boundaries any more."""
    generated = corpus(seed=3, documents=60)
    for name in ("old", "new"):
        generated.write(tmp_path / name)
        run(segscore, tmp_path / name, tmp_path / f"{name}-run")
        for row in generated.hypotheses:
            if row["coder"] == "h0":
                row["boundaries"] = []
    return tmp_path / "new-run", tmp_path / "old-run"


def test_a_worse_system_fails(segscore: Segscore, runs: tuple[Path, Path]) -> None:
    options = ("--measure", "boundary_similarity", "--permutations", 99, "--gate", GATE)
    worse = segscore("compare", *runs, *options)
    assert worse.code == 1
    assert "h0 got worse: boundary_similarity 0, was 0." in worse.err
    assert "h1" not in worse.err
    assert f"segscore explain {runs[0]} --document" in worse.out
    better = segscore("compare", *reversed(runs), *options)
    assert better.code == 0, better.err
    assert "passed" in better.out and "failed" not in better.out


@pytest.mark.long
def test_the_verdict_comes_first(segscore: Segscore, runs: tuple[Path, Path]) -> None:
    options = ("--measure", "boundary_similarity", "--permutations", 99, "--gate", GATE)
    for each, verdict in ((runs, "Gate failed: 1 of "), (runs[::-1], "Gate passed: ")):
        text = segscore("compare", *each, *options).out
        assert text.startswith(verdict)
        markdown = segscore("compare", *each, *options, "--format", "markdown").out
        assert markdown.startswith(f"**{verdict}")
        found = json.loads(segscore("compare", *each, *options, "--format", "json").out)
        assert found["gate"]["passed"] == ("passed" in verdict)
        reasons = [line for line in markdown.splitlines() if line.startswith("- worse than")]
        assert len(reasons) == len(found["gate"]["problems"]) == (each == runs)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--gate", "boundary_similarity"), "--gate"),
        (("--gate", GATE, "--alpha", "2"), "--alpha 2: must lie between 0 and 1"),
    ],
)
def test_wrong_rules_are_refused(
    segscore: Segscore, runs: tuple[Path, Path], options: tuple[str, ...], message: str
) -> None:
    result = segscore("compare", *runs, "--measure", "boundary_similarity", *options)
    assert result.code == 2
    assert message in result.err


def test_a_gate_needs_two_runs(segscore: Segscore, runs: tuple[Path, Path]) -> None:
    options = ("--measure", "boundary_similarity", "--gate", GATE)
    result = segscore("compare", runs[0], *options)
    assert result.code == 2
    assert "needs exactly two runs, not 1" in result.err
