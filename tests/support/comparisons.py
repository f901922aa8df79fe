"""`segscore compare` on tables written for a test."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.support.command_line import CommandResult, Segscore
from tests.support.rows import read_rows
from tests.support.written import write

Row = dict[str, Any]


def tables(output: Path) -> dict[str, list[Row]]:
    """Return every table of a comparison."""
    listed = json.loads((output / "run.json").read_text())["files"]
    return {name: read_rows(output, name) for name in listed}


def refusal_line(result: CommandResult) -> str:
    """Return the one line of a command that was refused."""
    assert result.code == 2, result.out
    (line,) = result.err.splitlines()
    assert line.startswith("segscore: error: ")
    return line


def compare(segscore: Segscore, folder: Path, *arguments: object) -> dict[str, list[Row]]:
    output = folder / "comparison"
    result = segscore("compare", *arguments, "--output", output)
    assert result.code == 0, result.err
    return tables(output)


def line(document: str, coder: str, role: str, boundaries: list[int], n_units: int = 20) -> Row:
    return {
        "document_id": document,
        "coder": coder,
        "role": role,
        "n_units": n_units,
        "boundaries": boundaries,
    }


def scored(segscore: Segscore, folder: Path, rows: Sequence[Row], *options: object) -> Path:
    folder.mkdir()
    table = write(folder / "table.jsonl", rows)
    result = segscore("score", table, table, "--output", folder / "run", *options)
    assert result.code == 0, result.err
    return folder / "run"
