"""Nights whose documents have other references are not compared on them."""

import json
from pathlib import Path

from segscore.pipeline.storage import read_table
from tests.support.command_line import Segscore
from tests.support.nights import DAYS, Archive, rows

SAME = "2026-01-01"
"""The night whose documents, and their references and hypotheses, every night has."""


def deliver(archive: Archive, night: str, changed: int, place: int = 1) -> None:
    """Deliver the same documents as on the first night, some with other references."""
    references = rows(SAME, "reference", {})
    hypotheses = rows(SAME, "hypothesis", {"steady": 1.0})
    for row in references[:changed]:
        row["boundaries"] = [place]
    archive.put(night, "reference", references)
    archive.put(night, "hypothesis", hypotheses)


def test_changed_references_are_no_fall(segscore: Segscore, tmp_path: Path) -> None:
    archive = Archive(tmp_path / "archive", tmp_path, segscore)
    deliver(archive, DAYS[0], 0)
    assert archive.run(DAYS[0]).code == 0
    deliver(archive, DAYS[1], 15)
    night = archive.run(DAYS[1])
    assert night.code == 0, night.err
    verdict = archive.read(DAYS[1], "night.json")
    (check,) = verdict["checks"][:1]
    assert (check["documents"], check["shared"], check["change"]) == (25, 25, 0.0)
    warning = (
        "15 documents have other references than on 2026-01-01, and no part in the comparison with "
        "it: 2026-01-01-0, 2026-01-01-1, 2026-01-01-10 and 12 more"
    )
    assert warning in verdict["warnings"]
    deliver(archive, DAYS[2], 40, place=2)
    assert archive.run(DAYS[2]).code == 0
    assert archive.read(DAYS[2], "night.json")["checks"][0]["result"] == "undecided"
    assert segscore("history", archive.runs).code == 0
    history = read_table(str(tmp_path / "archive" / "runs" / "history")).to_pylist()
    by_date = {str(row["date"]): row["test_set"] for row in history}
    record = json.loads((Path(archive.folder_of(DAYS[0])) / "run.json").read_text())
    assert by_date[DAYS[0]] == record["test_set"]["fingerprint"][:24]
    assert len({*by_date.values()}) == 3
