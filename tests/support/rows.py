"""Write rows as JSON Lines, and read those of a table."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from segscore.pipeline.storage import read_table


def write_rows(path: Path, rows: Iterable[Mapping[str, Any]]) -> Path:
    """Write rows to a file of JSON Lines; create its folder; return the file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def read_rows(*table: object) -> list[dict[str, Any]]:
    """Read the rows of a table, given by the parts of its path."""
    rows: list[dict[str, Any]] = read_table("/".join(map(str, table))).to_pylist()
    return rows
