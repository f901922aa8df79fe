"""An archive of nights and audits for dashboards."""

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd
import pytest

from tests.support.command_line import CommandResult, Segscore
from tests.support.nights import DAYS, GOOD, Archive, rows
from tests.support.paths import DATA, ROOT

if TYPE_CHECKING:
    import duckdb

FOLDER = ROOT / "deploy" / "dashboards"
NIGHTS = FIRST, SECOND, FAILED = DAYS[:3]
AUDIT = "date=2026-01-03"
COMMAND = [sys.executable, "-c", "from segscore.jobs.cli.app import main; main()"]


class Started(Segscore):
    """The command line in a process of its own, for what outlives a test."""

    def __init__(self) -> None:
        """Capture and patch nothing."""

    def __call__(self, *arguments: object) -> CommandResult:
        """Run `segscore ARGUMENTS`."""
        result = subprocess.run([*COMMAND, *map(str, arguments)], capture_output=True, text=True)
        return CommandResult(result.returncode, result.stdout, result.stderr)


@dataclass(frozen=True)
class Place:
    """Three nights, the last of which failed, and two audits.

    Attributes:
        nights: the nights.
        audits: folder of the audits.
    """

    nights: Archive
    audits: Path

    def connect(self) -> "duckdb.DuckDBPyConnection":
        """Open a database with the views over it."""
        import duckdb  # otherwise Python reports what the module keeps of it as leaked

        database = duckdb.connect()
        database.execute(f"CREATE MACRO archive() AS '{self.nights.runs}'")
        database.execute(f"CREATE MACRO audit_archive() AS '{self.audits}'")
        for name in ("views", "audits"):
            database.execute((FOLDER / f"{name}.sql").read_text("utf-8"))
        return database

    def night(self, night: str, table: str) -> pd.DataFrame:
        """Read a table of a night, from the files that its run.json lists."""
        return listed(Path(self.nights.folder_of(night)), table)


def listed(run: Path, table: str) -> pd.DataFrame:
    """Read a table of a run, from the files that its run.json lists."""
    files = json.loads((run / "run.json").read_text())["files"][table]
    return pd.concat([pd.read_parquet(run / table / file) for file in files])


@pytest.fixture(scope="session")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """The archive, with unpublished files beside the published ones."""
    folder = tmp_path_factory.mktemp("archive")
    nights = Archive(folder / "archive", folder, Started())
    rules = "boundary_similarity>=-0.02, level:boundary_similarity>=-0.02"
    nights.settle(
        gate=rules, score='group-by = "program"\nreference-points = "none"\nconsensus = "0.5"'
    )
    for night in NIGHTS:
        chances = {**GOOD, "other": 0.3} if night == FAILED else GOOD
        for role in ("reference", "hypothesis"):
            put = [
                {**row, "program": ("news", "talk")[i % 2]}
                for i, row in enumerate(rows(night, role, chances))
            ]
            second = [{**row, "coder": "second"} for row in put[::3] if role == "reference"]
            bad = [{**put[0], "coder": "bad", "boundaries": [0]}] if role == "reference" else []
            nights.put(night, role, [*put, *second, *bad])
        result = nights.run(night)
        assert result.code == (1 if night == FAILED else 0), result.err
    corrected = Path(nights.folder, "references", f"date={FIRST}", "part.jsonl")
    listed_rows = [json.loads(line) for line in corrected.read_text().splitlines()]
    for row in listed_rows[:5]:
        row["boundaries"] = row["boundaries"][1:]
    nights.put(FIRST, "reference", listed_rows)
    assert nights.run(FIRST).code == 0
    history = nights.segscore("trend", "--table", nights.runs)
    assert history.code == 0, history.err
    audits = folder / "audits"
    for table, name, options in (
        ("moonstone", AUDIT, ("--group-by", "group")),
        ("stargazer", "by hand", ()),
    ):
        run = audits / name
        result = nights.segscore("agree", DATA / f"{table}.jsonl", *options, "--output", run)
        assert result.code == 0, result.err
    # An unfinished night, and what a killed one left beside the files of a published one.
    (Path(nights.runs) / "date=2026-01-04" / "scores").mkdir(parents=True)
    for run in (Path(nights.folder_of(FAILED)), Path(nights.runs, "date=2026-01-04")):
        scores = Path(nights.folder_of(FIRST), "scores")
        for file in scores.iterdir():
            (run / "scores" / f"stray-{file.name}").write_bytes(file.read_bytes())
    stray = next(Path(audits, "by hand", "coders").iterdir())
    stray.with_name("stray.parquet").write_bytes(stray.read_bytes())
    return Place(nights, audits)


@pytest.fixture
def database(place: Place) -> Iterator["duckdb.DuckDBPyConnection"]:
    """A database with the views."""
    with place.connect() as connected:
        yield connected
