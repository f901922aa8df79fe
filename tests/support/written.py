"""Rows of tests, as files."""

import json
from collections.abc import Iterable
from pathlib import Path


def write(path: Path, rows: Iterable[object]) -> Path:
    """Write rows as JSON Lines; return the path."""
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    return path
