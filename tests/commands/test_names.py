"""Systems and groups with new names, and documents that are excluded."""

import csv
import io
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import Segscore
from tests.support.nights import DAYS, Archive, rows

OLD = {"steady": 0.9, "other": 0.8}
NEW = {"steady": 0.9, "newer": 0.8}
CHANGED = DAYS[4]
CHANNELS = ("nord", "west")


@pytest.fixture
def archive(tmp_path: Path, segscore: Segscore) -> Archive:
    """Four nights with old names; the fifth has new ones."""
    archive = Archive(tmp_path / "archive", tmp_path, segscore)
    archive.settle(score='group-by = ["channel"]')
    for day in DAYS[:4]:
        put(archive, day, OLD, CHANNELS)
        assert archive.run(day).code == 0
    put(archive, CHANGED, NEW, ("norden", "west"))
    return archive


def put(archive: Archive, day: str, systems: dict[str, float], channels: tuple[str, ...]) -> None:
    """Write a night whose documents are of two channels in turn."""
    references = rows(day, "reference", systems, 40)
    channelled: list[dict[str, Any]] = [
        {**row, "channel": channels[number % 2]} for number, row in enumerate(references)
    ]
    archive.put(day, "reference", channelled)
    archive.put(day, "hypothesis", rows(day, "hypothesis", systems, 40))


ALIASES = f"""
gate-by = ["channel"]
[[nightly.aliases]]
system = "newer"
was = "other"
since = {CHANGED}
[[nightly.aliases]]
channel = "norden"
was = "nord"
since = {CHANGED}
"""


def test_an_alias_takes_the_nights_before_along(archive: Archive) -> None:
    archive.settle(score='group-by = ["channel"]', nightly=ALIASES)
    result = archive.run(CHANGED)
    assert result.code == 0, result.err
    verdict = archive.read(CHANGED, "night.json")
    assert (verdict["missing"], verdict["new"]) == ([], [])
    assert verdict["against"]["newer"]["date"] == DAYS[3]
    assert not [text for text in verdict["warnings"] if "nord" in text]
    compared = {check["group"] for check in verdict["group_checks"] if check["before"] is not None}
    assert "norden" in compared
    trend = ("trend", archive.runs, "--measure", "boundary_similarity", "--month", "2026-01")
    text = archive.segscore(*trend, "--group-by", "channel", "--format", "csv").out
    months = {(row["system"], row["channel"]): row for row in csv.DictReader(io.StringIO(text))}
    assert {system for system, _ in months} == {"newer", "steady"}
    assert {channel for _, channel in months} == {"", "norden", "west"}
    assert {row["nights"] for row in months.values()} == {"5"}
    # An earlier night that is run again has its own names.
    assert archive.run(DAYS[3]).code == 0
    assert archive.read(DAYS[3], "night.json")["systems"] == ["other", "steady"]


def test_a_malformed_alias_is_refused(archive: Archive) -> None:
    archive.settle(nightly='aliases = [{system = "newer", was = "other"}]')
    result = archive.run(CHANGED)
    assert result.code == 2
    assert "--aliases" in result.err and "must look like {system = " in result.err
