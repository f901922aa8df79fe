"""Nights in the store of deploy/compose.yaml, as boxes see it."""

import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.support.containers import Box, Machine, environment
from tests.support.deployed import store_variables
from tests.support.nights import FOLDERS, GOOD, rows

PUT = "import fsspec; fsspec.filesystem('s3').put('/in/', 'segscore', recursive=True)"
LIST = "import fsspec; print(*fsspec.filesystem('s3').glob('segscore/runs/date=*/night.json'))"


def yesterday() -> set[str]:
    """Its date, and today's, should it be midnight."""
    return {str((datetime.now(UTC) - timedelta(days=back)).date()) for back in (1, 0)}


def deliver(machine: Machine, image: Path, folder: Path, days: set[str]) -> None:
    """Let the tables of nights come in."""
    for day in days:
        for role, name in FOLDERS.items():
            path = folder / name / f"date={day}" / "part.jsonl"
            path.parent.mkdir(parents=True)
            path.write_text("".join(json.dumps(row) + "\n" for row in rows(day, role, GOOD)))
    box = Box(image, environment() | store_variables(), read={"/in": folder})
    machine.say(box, "python", "-c", PUT)


def published(machine: Machine, image: Path) -> set[str]:
    """The nights that are in the store, judged."""
    box = Box(image, environment() | store_variables())
    return set(re.findall(r"date=([\d-]+)", machine.say(box, "python", "-c", LIST)))
