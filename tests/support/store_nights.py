"""Nights in the store of deploy/compose.yaml, as seen from boxes."""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.support.containers import Box, Machine, environment
from tests.support.deployed import store_variables
from tests.support.nights import FOLDERS, GOOD, rows
from tests.support.rows import write_rows

PUT = "import fsspec; fsspec.filesystem('s3').put('/in/', 'segscore', recursive=True)"
LIST = "import fsspec; print(*fsspec.filesystem('s3').glob('segscore/runs/date=*/night.json'))"


def yesterday() -> set[str]:
    """Return yesterday's date, and today's in case midnight passes."""
    return {str((datetime.now(UTC) - timedelta(days=back)).date()) for back in (1, 0)}


def deliver(machine: Machine, image: Path, folder: Path, days: set[str]) -> None:
    """Write the tables of nights into the store."""
    for day in days:
        for role, name in FOLDERS.items():
            path = folder / name / f"date={day}" / "part.jsonl"
            path.parent.mkdir(parents=True)
            write_rows(path, rows(day, role, GOOD))
    box = Box(image, environment() | store_variables(), read={"/in": folder})
    machine.say(box, "python", "-c", PUT)


def published(machine: Machine, image: Path) -> set[str]:
    """Return the published nights in the store."""
    box = Box(image, environment() | store_variables())
    return set(re.findall(r"date=([\d-]+)", machine.say(box, "python", "-c", LIST)))
