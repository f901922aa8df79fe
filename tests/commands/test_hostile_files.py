"""Hostile files given to each command: no signal, no traceback, one line, bounded memory."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from segscore.pipeline.storage import write_table
from tests.support.hostile import table
from tests.support.hostile_files import run_all, write_all

MOST_MB = 1500
Command = Sequence[object]


@pytest.fixture
def good(tmp_path: Path) -> Path:
    """A good table, and the folder of the hostile ones beside it."""
    path = tmp_path / "good.parquet"
    write_table(str(path), table(["a", "b"], "good", 10, [3, 7]))
    return path


def commands(kind: str, good: Path, bad: Path, output: Path) -> Iterator[Command]:
    """Give a file to a command in each of its places."""
    limit = ("--memory-limit", "700MB")
    first, second, third = (("--output", output / name) for name in ("a", "b", "c"))
    if kind == "validate":
        yield "validate", bad
        yield "validate", "--documents", bad
    elif kind == "score":
        yield "score", bad, good, *first, *limit
        yield "score", good, bad, *second, *limit
        yield "score", good, good, "--documents", bad, *third, *limit
    elif kind == "agree":
        yield "agree", bad, *first, *limit
    elif kind == "import":
        yield "import", bad, *first, *limit, "--coder", "x"
        yield "import", bad, *second, *limit, "--format", "jsonl", "--max-rejects", "1"
    elif kind == "project":
        units = ("--from", good, "--to", good)
        yield "project", bad, *units, *first, *limit
        yield "project", good, "--from", bad, "--to", bad, *second, *limit
    elif kind == "simulate":
        yield "simulate", "coders", bad, *first
    elif kind == "calibrate":
        yield "simulate", "values", bad, "--measure", "boundary_similarity", "--value", "0.5"
    elif kind == "reconcile":
        published = ("--measure", "pk", "--published", "0.25")
        yield "reconcile", bad, good, *published
        yield "reconcile", good, bad, *published
    else:
        yield "sweep", good, bad, "--tolerances", "0,1", *first


def assert_ends_well(result: dict[str, Any], refused: int) -> None:
    """Check that a command ended in order: with a result, or with one line."""
    text = result["out"] + result["err"]
    assert "Traceback" not in text and "traceback" not in text, result
    assert result["code"] in (0, 1, 2), result
    assert "run the same command to resume" not in text, result
    lines = result["err"].splitlines()
    errors = [line for line in lines if line.startswith("segscore: error: ")]
    assert len(errors) <= 1, result
    if result["code"] == refused:
        assert errors and lines[-1] == errors[0], result
        assert len(errors[0]) < 8000, result


KINDS = (
    "validate",
    "score",
    "agree",
    "import",
    "project",
    "simulate",
    "calibrate",
    "reconcile",
    "sweep",
)


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_each_command_ends_in_order(good: Path, kind: str) -> None:
    given = [
        command
        for number, bad in enumerate(write_all(good.parent / "hostile"))
        for command in commands(kind, good, bad, good.parent / f"out {number}")
    ]
    for result in run_all(given, MOST_MB):
        assert_ends_well(result, 2)


@pytest.mark.long
def test_forged_runs(good: Path) -> None:
    """Records that cannot be read, given to the commands that read runs."""
    run = good.parent / "run"
    (first,) = run_all([("score", good, good, "--output", run)], MOST_MB)
    assert first["code"] == 0, first
    record = run / "run.json"
    genuine = json.loads(record.read_text())
    forged: dict[str, str | bytes] = {
        "deep": "[" * 100_000,
        "object": '{"a":' * 100_000,
        "list": "[]",
        "text": "x",
        "not UTF-8": b"\xff",
        "no files": json.dumps({**genuine, "files": {}}),
        "outside": json.dumps({**genuine, "files": {"scores": ["../../x"]}}),
        "surrogate": json.dumps({**genuine, "signature": "\ud800"}),
    }
    for content in forged.values():
        record.write_bytes(content if isinstance(content, bytes) else content.encode())
        again: list[Command] = [
            ("compare", run, "--output", good.parent / "compared"),
            ("report", run, "--output", good.parent / "page.html"),
            ("explain", run, "--document", "a"),
            ("export", run, "--document", "a", "--format", "audacity"),
            ("score", good, good, "--output", run),
        ]
        for result in run_all(again, MOST_MB):
            assert_ends_well(result, 2)
