"""Audits in this process, without the command line."""

from pathlib import Path
from typing import Any

from segscore.pipeline.agreement.part import AgreeJob, AgreePart, audit_part
from segscore.pipeline.agreement.results import group_tables
from segscore.pipeline.agreement.run import find_tables
from segscore.pipeline.agreement.settings import AgreeSettings
from segscore.pipeline.agreement.tallies import Tallies, merge_tallies
from segscore.pipeline.runs import receipts
from segscore.pipeline.runs.shuffle import Partitioning
from tests.support.rows import read_rows

Rows = list[dict[str, Any]]


def audit(folder: Path, codings: str, **chosen: Any) -> dict[str, Rows]:
    """Return every table of an audit of codings in a folder."""
    settings = AgreeSettings(str(folder / codings), str(folder / "run"), **chosen)
    place = Partitioning(find_tables(settings), str(folder / "run"), 1)
    choices = settings.choices(None)
    job = AgreeJob(place, settings, choices, {}, str(folder / "run"))
    audit_part(job, AgreePart("part", 0))
    tallies = receipts.load(job.folder, receipts.SUMS, "part", Tallies)
    tables = group_tables(merge_tallies([tallies], {}), {}, choices)
    rows = {name: table.to_pylist() for name, table in tables.items()}
    for name in ("pairs", "documents", "prominence"):
        exists = (folder / "run" / name).exists()
        rows[name] = read_rows(folder / "run", name) if exists else []
    return rows


def contested_order(row: dict[str, Any]) -> tuple[float, float, str]:
    """Return the place of a row of `documents` among contested ones, the most contested first."""
    window_diff = row["window_diff_mean"]
    return -row["contested"], 1.0 if window_diff is None else -window_diff, row["document_id"]
