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


def test_an_excluded_document_is_said_and_counted(archive: Archive) -> None:
    broken = f"{DAYS[3]}-7"
    exclude = f"""
exclude = [
    {{document = "{broken}", date = {DAYS[3]}, reason = "broken recording"}},
    {{document = "absent", date = {DAYS[3]}, reason = "never sent"}},
    {{document = "{DAYS[2]}-1", date = {DAYS[4]}, reason = "of another night"}},
]
"""
    archive.settle(score='group-by = ["channel"]', nightly=exclude)
    result = archive.run(DAYS[3])
    assert result.code == 0, result.err
    assert f"{broken} is excluded: broken recording" in result.out + result.err
    verdict = archive.read(DAYS[3], "night.json")
    assert f"{broken} is excluded: broken recording" in verdict["warnings"]
    assert "absent, which is to be excluded, is not in the input" in verdict["warnings"]
    record = archive.read(DAYS[3], "run.json")
    assert record["rows"]["references"]["rejected"] == 1
    assert record["rows"]["hypotheses"] == {"in": 80, "scored": 78, "rejected": 2, "unpaired": 0}
    # Without the exclusion the night is scored again, with the document.
    archive.settle(score='group-by = ["channel"]')
    assert archive.run(DAYS[3]).code == 0
    assert archive.read(DAYS[3], "run.json")["rows"]["hypotheses"]["scored"] == 80


def test_an_exclusion_without_a_reason_is_refused(archive: Archive) -> None:
    archive.settle(nightly=f'exclude = [{{document = "a", date = {CHANGED}}}]')
    result = archive.run(CHANGED)
    assert result.code == 2
    assert "--exclude" in result.err and "must look like {document = " in result.err


def test_a_new_group_and_a_new_system_are_announced_once(archive: Archive) -> None:
    result = archive.run(CHANGED)
    warnings = archive.read(CHANGED, "night.json")["warnings"]
    for text in (
        "norden is new: no night before has this group; if nord was renamed, say so in aliases",
        "newer is new: no night before has this system; if other was renamed, say so in aliases",
    ):
        assert text in warnings and text in result.out + result.err
    following = DAYS[5]
    put(archive, following, NEW, ("norden", "west"))
    archive.run(following)
    assert "is new" not in str(archive.read(following, "night.json")["warnings"])


@pytest.mark.long
def test_a_warning_that_stands_is_said_once_and_counted(archive: Archive) -> None:
    archive.settle("trial = ['stedy']", score='group-by = ["channel"]')
    warned = "--trial stedy: the night has no such system; the nearest is steady"
    said = []
    for day in DAYS[4:7]:
        put(archive, day, OLD, CHANNELS)
        assert archive.run(day).code == 0
        said.append(archive.read(day, "night.json"))
    assert said[0]["warnings"] == [warned] and said[0]["standing"] == []
    for night in said[1:]:
        assert night["warnings"] == [f"1 warning stands unchanged since {DAYS[4]}"]
        assert night["standing"] == [{"text": warned, "since": DAYS[4]}]
