"""Commands whose outputs may overlap with their inputs, and their refusals."""

import json
from collections.abc import Callable
from contextlib import nullcontext

import pytest

from segscore.pipeline.runs import executors
from tests.support.command_line import CommandResult

NIGHT = "date=2026-01-01"
ROWS = "".join(
    json.dumps({"document_id": "d", "coder": coder, "role": role, "n_units": 9, "boundaries": [b]})
    + "\n"
    for coder, role, b in (("a", "reference", 3), ("b", "reference", 4), ("s", "hypothesis", 3))
)

COMMANDS: dict[str, Callable[[str, str], list[str]]] = {
    "score": lambda source, output: ["score", source, "else.jsonl", "--output", output],
    "score hypotheses": lambda source, output: ["score", "else.jsonl", source, "--output", output],
    "score documents": lambda source, output: [
        "score", "else.jsonl", "else.jsonl", "--documents", source, "--output", output, "--fresh"
    ],
    "sweep": lambda source, output: ["sweep", "else.jsonl", source, "--output", output],
    "agree": lambda source, output: ["agree", source, "--output", output],
    "import": lambda source, output: ["import", "else.jsonl", source, "--output", output],
    "project": lambda source, output: [
        "project", source, "--from", "else.jsonl", "--to", "else.jsonl", "--output", output
    ],
    "project from": lambda source, output: [
        "project", "else.jsonl", "--from", source, "--to", "else.jsonl", "--output", output
    ],
    "simulate": lambda source, output: ["simulate", "coders", source, "--output", output],
    "compare": lambda source, output: [
        "compare", "else", source, "--measure", "pk", "--output", output
    ],
    "reconcile": lambda source, output: [
        "reconcile", "else.jsonl", source, "--measure", "pk", "--published", ".3",
        "--output", output,
    ],
    "nightly": lambda source, output: [
        "nightly", "--date", NIGHT[5:], "--references", source, "--hypotheses", "else-{date}.jsonl",
        "--runs", output.rstrip("/").removesuffix(f"/{NIGHT}") + "/" * output.endswith("/"),
    ],
}  # fmt: skip


def refusal_line(result: CommandResult) -> str:
    """Return the one line of a command that was refused."""
    assert result.code == 2, result
    (line,) = result.err.splitlines()
    assert line.startswith("segscore: error: ")
    assert result.out == ""
    return line


@pytest.fixture
def idle(monkeypatch: pytest.MonkeyPatch) -> None:
    """Start no threads: refused commands need none."""
    monkeypatch.setattr(executors, "connect", lambda *_: nullcontext())
