"""Nights in the store of deploy/compose.yaml, as boxes see it."""

import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.containers import Box, Machine, environment
from tests.deployed import store_variables
from tests.nights import FOLDERS, GOOD, rows

PUT = "import fsspec; fsspec.filesystem('s3').put('/in/', 'segscore', recursive=True)"
LIST = "import fsspec; print(*fsspec.filesystem('s3').glob('segscore/runs/date=*/night.json'))"


def deliver(machine: Machine, image: Path, folder: Path) -> set[str]:
    """Let the tables of yesterday come in, and of today, should it be midnight; the dates."""
    days = {str((datetime.now(UTC) - timedelta(days=back)).date()) for back in (1, 0)}
    for day in days:
        for role, name in FOLDERS.items():
            path = folder / name / f"date={day}" / "part.jsonl"
            path.parent.mkdir(parents=True)
            path.write_text("".join(json.dumps(row) + "\n" for row in rows(day, role, GOOD)))
    box = Box(image, environment() | store_variables(), read={"/in": folder})
    machine.say(box, "python", "-c", PUT)
    return days


def published(machine: Machine, image: Path) -> set[str]:
    """The nights that are in the store, judged."""
    box = Box(image, environment() | store_variables())
    return set(re.findall(r"date=([\d-]+)", machine.say(box, "python", "-c", LIST)))
