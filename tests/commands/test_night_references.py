"""Nights whose documents have other references are not compared on them."""

import json
from pathlib import Path

import pytest

from tests.support.command_line import Segscore
from tests.support.nights import DAYS, Archive, rows
from tests.support.rows import read_rows

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


@pytest.mark.long
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
    assert segscore("trend", "--table", archive.runs).code == 0
    history = read_rows(tmp_path / "archive" / "runs", "history")
    by_date = {str(row["date"]): row["test_set"] for row in history}
    record = json.loads((Path(archive.folder_of(DAYS[0])) / "run.json").read_text())
    assert by_date[DAYS[0]] == record["test_set"]["fingerprint"][:24]
    assert len({*by_date.values()}) == 3


def deliver_again(
    archive: Archive, night: str, chance: float = 0.9, *, fixed: bool = False
) -> None:
    """Deliver documents of a night under ids that every night uses, such as `show-3`."""
    for role in ("reference", "hypothesis"):
        listed = rows(night, role, {"steady": chance})
        for row in listed:
            row["document_id"] = f"show-{row['document_id'].rpartition('-')[2]}"
            if fixed:  # every show is as long as on any other night
                row["n_units"] = 60
        archive.put(night, role, listed)


@pytest.mark.first
@pytest.mark.parametrize("fixed", [False, True])
def test_ids_that_are_used_again_are_those_of_other_documents(
    segscore: Segscore, tmp_path: Path, *, fixed: bool
) -> None:
    archive = Archive(tmp_path / "archive", tmp_path, segscore)
    archive.settle(gate="boundary_similarity>=-0.1")
    for night in DAYS[:5]:
        deliver_again(archive, night, fixed=fixed)
        result = archive.run(night)
        assert result.code == 0, result.err
    verdict = archive.read(DAYS[4], "night.json")
    assert verdict["reused_ids"] == 40 and verdict["warnings"] == []
    assert {check["result"] for check in verdict["checks"]} == {"passed"}
    assert {check["shared"] for check in verdict["checks"]} == {0}
    assert len(verdict["checks"]) == 1
    assert "40 ids are used again for other documents" in result.out
    deliver_again(archive, DAYS[5], 0.4, fixed=fixed)
    result = archive.run(DAYS[5])
    assert result.code == 1 and "failed: steady got worse: boundary_similarity 0." in result.err
    assert not any(
        moved["shared"]
        for check in archive.read(DAYS[5], "night.json")["checks"]
        for moved in check["moved"]
    )


def test_a_night_of_reused_ids_is_judged_as_one_of_other_ids(
    segscore: Segscore, tmp_path: Path
) -> None:
    """The change, and its standard error but for the draw, are those of unpaired documents."""
    found = []
    for name in ("reused", "own"):
        archive = Archive(tmp_path / name, tmp_path, segscore)
        archive.settle(gate="boundary_similarity>=-0.1")
        for night in DAYS[:2]:
            if name == "reused":
                deliver_again(archive, night)
            else:
                archive.deliver(night, {"steady": 0.9})
            assert archive.run(night).code == 0
        found += archive.read(DAYS[1], "night.json")["checks"]
    reused, own = found
    assert reused["change"] == own["change"] and reused["shared"] == own["shared"] == 0
    assert reused["standard_error"] == pytest.approx(own["standard_error"], rel=0.15)


@pytest.mark.long
def test_a_corrected_set_stays_the_same_set(segscore: Segscore, tmp_path: Path) -> None:
    """All references of a fixed set are corrected once, and then stay so."""
    archive = Archive(tmp_path / "archive", tmp_path, segscore)
    for night, changed in zip(DAYS[:5], (0, 0, 40, 40, 40), strict=True):
        deliver(archive, night, changed)
        assert archive.run(night).code == 0
    results = [archive.read(night, "night.json")["checks"][0] for night in DAYS[1:5]]
    assert [check["result"] for check in results] == ["passed", "undecided", "passed", "passed"]
    assert all(archive.read(night, "night.json")["reused_ids"] == 0 for night in DAYS[:5])
