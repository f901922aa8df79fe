"""Nights that are scored again: what changed, which verdicts rest on it, and rejudging those."""

import json
import shutil
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from segscore.pipeline import storage
from segscore.pipeline.errors import Refused
from segscore.pipeline.nightly.gate.rules import parse_rule
from segscore.pipeline.nightly.nights import read_night
from segscore.pipeline.nightly.restatements import note_before, record_restatement
from segscore.pipeline.storage import read_table
from segscore.schemas.nights import RESTATEMENTS
from tests.support.command_line import Segscore
from tests.support.nights import DAYS, GOOD, Archive, rows

FIRST, SECOND, THIRD = DAYS[:3]
NIGHTS = ((FIRST, GOOD, 0), (SECOND, GOOD, 0), (THIRD, GOOD, 0))
CORRECTED = 12
RULE = "boundary_similarity>=-0.02"


def correct_references(archive: Archive, night: str) -> None:
    """Deliver a night again, with other references of some documents."""
    listed = rows(night, "reference", GOOD)
    for row in listed[:CORRECTED]:
        row["boundaries"] = row["boundaries"][1:]
    archive.put(night, "reference", listed)


def restated(archive: Archive) -> list[dict[str, Any]]:
    """Return the rows of the table."""
    table = read_table(storage.join(archive.runs, "restatements"))
    RESTATEMENTS.validate(table)
    listed: list[dict[str, Any]] = table.to_pylist()
    return listed


def averages(archive: Archive, night: str) -> dict[str, float]:
    """Return the average of the rule for each system."""
    summary = read_table(f"{archive.folder_of(night)}/summary").to_pylist()
    return {
        row["hypothesis"]: row["value"]
        for row in summary
        if (row["measure"], row["average"]) == ("boundary_similarity", "micro")
    }


def before_files(archive: Archive) -> list[Path]:
    """List what is noted of nights that are being scored again."""
    return [*Path(archive.runs, "restatements", "_before").glob("*")]


@pytest.mark.long
def test_a_restated_night_is_recorded_and_later_verdicts_are_judged_again(
    archive: Archive,
) -> None:
    before, night = averages(archive, FIRST), archive.read(FIRST, "night.json")
    assert night["first_published_at"] == night["finished_at"]
    correct_references(archive, FIRST)
    assert archive.run(FIRST).code == 0
    now = averages(archive, FIRST)
    listed = restated(archive)
    assert {row["system"]: (row["before"], row["after"]) for row in listed} == {
        system: (before[system], now[system]) for system in GOOD
    }
    first, record = listed[0], archive.read(FIRST, "run.json")
    assert (first["run_before"], first["run"]) == (night["run"], record["fingerprint"])
    assert first["reason"] == f"references of {CORRECTED} documents changed"
    # The third night is compared with the second alone.
    assert (str(first["date"]), [str(day) for day in first["later"]]) == (FIRST, [SECOND])
    assert before_files(archive) == []
    assert archive.read(FIRST, "night.json")["first_published_at"] == night["finished_at"]

    printed = archive.segscore("trend", "--table", archive.runs).out
    assert (
        f"date={FIRST}  passed, restated" in printed and f"date={SECOND}  passed\n" not in printed
    )
    said = " ".join(printed.split())
    assert "1 later verdict rests on" in said
    assert "segscore nightly --settings FILE --rejudge --from " in said
    shutil.rmtree(Path(archive.folder, "references"))  # judging needs no input
    for _ in range(2):
        result = archive.segscore(
            "nightly", "--settings", archive.file, "--rejudge", "--from", SECOND, "--to", DAYS[9]
        )
        assert result.code == 0 and result.out == f"{SECOND}: passed\n{THIRD}: passed\n"
        found = json.loads(
            archive.segscore("trend", "--table", archive.runs, "--format", "json").out
        )
        assert [row["resting"] for row in found["restatements"]] == [[], []]
    assert archive.read(SECOND, "night.json")["against"]["steady"]["run"] == record["fingerprint"]
    assert [row["restated_at"] is None for row in found["runs"]] == [False, True, True]


def test_a_rule_that_is_dropped_is_not_an_average_that_became_undefined(archive: Archive) -> None:
    """The night is scored again and killed before that is recorded; then a rule is dropped."""
    rules = parse_rule(f"{RULE}, macro:boundary_similarity>=-0.02, pk<=+0.1")
    note_before(archive.runs, date.fromisoformat(FIRST), rules, "why")
    correct_references(archive, FIRST)
    assert archive.run(FIRST).code == 0
    listed = restated(archive)
    assert {row["average"] for row in listed} == {"micro", "macro"}
    assert None not in [row["after"] for row in listed]


@pytest.mark.long
def test_nights_that_are_judged_again_say_what_changed(archive: Archive) -> None:
    worse = {**GOOD, "steady": 0.2}
    archive.deliver(SECOND, worse)
    assert archive.run(SECOND, "--accept", "known").code == 0
    assert archive.outcome(SECOND) == "accepted"
    archive.deliver(FIRST, worse)
    assert archive.run(FIRST).code == 0
    dates = ("--from", FIRST, "--to", THIRD)
    rejudge = ("nightly", "--settings", archive.file, "--rejudge")
    finding = f"steady got worse ({RULE})"
    listed = json.loads(archive.segscore(*rejudge, *dates, "--format", "json").out)["nights"]
    change = f"accepted before, passed now; no longer: {finding}"
    assert [row["change"] for row in listed] == [None, change, None]
    again = archive.segscore(*rejudge, *dates)
    assert again.out == f"{FIRST}: passed\n{SECOND}: passed\n{THIRD}: passed\n"

    archive.deliver(FIRST)
    assert archive.run(FIRST).code == 0
    result = archive.segscore(*rejudge, "--date", SECOND)
    said = f"{SECOND}: passed before, accepted now; new: {finding}; the reason: known"
    assert result.out.splitlines()[0] == said


def test_verdicts_by_levels_rest_on_all_nights_before(archive: Archive) -> None:
    archive.settle(gate=f"{RULE}, level:{RULE}")
    for night in (SECOND, THIRD):
        assert archive.run(night).code == 0
        verdict = Path(archive.folder_of(night), "night.json")
        text = verdict.read_text()
        year = str(date.fromisoformat(json.loads(text)["finished_at"][:10]).year)
        verdict.write_text(text.replace(f'"finished_at": "{year}', '"finished_at": "2001'))
    correct_references(archive, FIRST)
    assert archive.run(FIRST).code == 0
    later = {str(day) for row in restated(archive) for day in row["later"]}
    assert later == {SECOND, THIRD}


def test_a_night_is_recorded_once_whoever_ends_it(archive: Archive) -> None:
    """A process that is killed before it has judged leaves what it noted; the next one ends it."""
    note_before(archive.runs, date.fromisoformat(FIRST), parse_rule(RULE), "why")
    (noted,) = before_files(archive)
    text = noted.read_text()
    assert archive.run(FIRST).code == 0
    assert not before_files(archive) and not storage.names(f"{archive.runs}/restatements/")[1:]
    correct_references(archive, FIRST)
    noted.write_text(text)
    assert archive.run(FIRST).code == 0
    listed = restated(archive)
    assert len(listed) == 2
    # Another process noted the same before, and ends later.
    noted.write_text(text)
    assert archive.run(FIRST).code == 0
    assert restated(archive) == listed and not before_files(archive)
    noted.write_text("{")
    assert archive.run(FIRST).code == 0
    assert restated(archive) == listed and not before_files(archive)


def test_a_note_stays_until_what_it_says_is_recorded(archive: Archive) -> None:
    """The table of averages cannot be read while the restatement is recorded."""
    night = date.fromisoformat(FIRST)
    note_before(archive.runs, night, parse_rule(RULE), "why")
    correct_references(archive, FIRST)
    found = read_night(archive.runs, night)
    assert found is not None
    (noted,) = before_files(archive)
    noted.write_text(noted.read_text().replace(found.fingerprint, "of an earlier run"))
    (summary,) = Path(archive.folder_of(FIRST), "summary").glob("*.parquet")
    content = summary.read_bytes()
    summary.write_bytes(b"damaged")
    with pytest.raises(Refused, match="summary"):
        record_restatement(archive.runs, found)
    assert before_files(archive) == [noted]
    summary.write_bytes(content)
    assert archive.run(FIRST).code == 0
    assert {row["run_before"] for row in restated(archive)} == {"of an earlier run"}
    assert before_files(archive) == []


@pytest.mark.parametrize(
    "damage",
    [
        {"values": [["steady", "boundary_similarity", "micro"]]},
        {"values": [["steady", "boundary_similarity", "micro", "high"]]},
        {"references": [["a", "b"]]},
        {"reason": None},
        {"judged": ...},
    ],
)
def test_a_damaged_note_is_removed(archive: Archive, damage: dict[str, Any]) -> None:
    night = date.fromisoformat(FIRST)
    note_before(archive.runs, night, parse_rule(RULE), "why")
    (noted,) = before_files(archive)
    content = {**json.loads(noted.read_text()), "run": "of an earlier run", **damage}
    noted.write_text(json.dumps({k: value for k, value in content.items() if value is not ...}))
    found = read_night(archive.runs, night)
    assert found is not None
    record_restatement(archive.runs, found)
    assert before_files(archive) == []
    assert not [*Path(archive.runs, "restatements").glob("date=*")]


def test_a_night_that_is_restated_back_and_forth_has_a_row_for_each_time(
    archive: Archive,
) -> None:
    for corrected in (True, False, True):
        if corrected:
            correct_references(archive, THIRD)
        else:
            archive.put(THIRD, "reference", rows(THIRD, "reference", GOOD))
        assert archive.run(THIRD).code == 0
    assert len(restated(archive)) == 3 * len(GOOD)


def test_other_inputs_are_the_reason_if_no_reference_changed(archive: Archive) -> None:
    better = dict.fromkeys(GOOD, 1.0)
    archive.put(THIRD, "hypothesis", rows(THIRD, "hypothesis", better))
    assert archive.run(THIRD).code == 0
    listed = restated(archive)
    assert [row["after"] for row in listed] == [1, 1] and {row["documents"] for row in listed} == {
        0
    }
    assert all(
        row["reason"].startswith(f"the input {archive.folder}/hypotheses/date={THIRD}/part.jsonl")
        for row in listed
    )


def test_a_file_that_is_no_table_of_restatements_is_named(archive: Archive) -> None:
    folder = Path(archive.runs, "restatements")
    folder.mkdir()
    storage.write_table(str(folder / "date=x.parquet"), pa.table({"date": [1]}))
    result = archive.segscore("trend", "--table", archive.runs)
    assert result.code == 1
    assert "date=x.parquet: is not a table of restatements; remove it" in result.err


@pytest.mark.parametrize("several", [False, True])
def test_what_is_not_published_cannot_be_judged_again(
    segscore: Segscore, archive: Archive, *, several: bool
) -> None:
    dates = ("--from", DAYS[8], "--to", DAYS[9]) if several else ("--date", DAYS[8])
    result = segscore("nightly", "--settings", archive.file, "--rejudge", *dates)
    assert result.code == 2
    assert "published" in result.err and not Path(archive.folder_of(DAYS[8])).exists()


@pytest.mark.long
def test_every_published_verdict_stays_with_what_replaced_it(archive: Archive) -> None:
    """Also one that was accepted, after the night is corrected, judged by other rules, removed."""
    archive.deliver(THIRD, {**GOOD, "other": 0.2})
    assert archive.run(THIRD).code == 1
    text = Path(archive.folder_of(THIRD), "night.json").read_text()
    kept = Path(archive.runs, "verdicts")
    assert text in [path.read_text() for path in kept.iterdir()]
    archive.deliver(THIRD)
    assert archive.run(THIRD).code == 0
    archive.settle(gate="boundary_similarity>=-0.05")
    assert archive.run(THIRD).code == 0
    before = {path.name: path.read_text() for path in kept.iterdir()}
    assert archive.run(THIRD).code == 0  # as it is
    assert before == {path.name: path.read_text() for path in kept.iterdir()}

    table = ("trend", "--table", archive.runs)
    listed = json.loads(archive.segscore(*table, "--format", "json").out)["replaced_verdicts"]
    outcomes = [(row["date"], row["outcome"], row["replaced_by"]) for row in listed]
    assert outcomes == [
        (THIRD, "passed", "failed"), (THIRD, "failed", "passed"), (THIRD, "passed", "passed"),
    ]  # fmt: skip
    written = read_table(storage.join(archive.runs, "history/_verdicts/verdicts.parquet"))
    of_third = [row for row in written.to_pylist() if str(row["date"]) == THIRD]
    # Those that were replaced, and the last one, which was not.
    assert [row["outcome"] for row in of_third] == ["passed", "failed", "passed", "passed"]
    assert [row["replaced_at"] is None for row in of_third] == [False, False, False, True]
    assert [row["said"] for row in of_third[:3]] == [row["said"] for row in listed]
    assert listed[1]["rules"] == [RULE] and listed[1]["said"].startswith("other got worse: ")
    assert "the night was scored again (the input " in listed[1]["reason"]
    assert listed[2]["reason"].startswith("the settings of the gate changed (gate was ")
    said = " ".join(archive.segscore(*table).out.split())
    assert f"{THIRD} was failed by the verdict of" in said and "other got worse" in said
    page = archive.workspace / "page.html"
    assert archive.segscore("report", archive.folder_of(THIRD), "--output", page).code == 0
    assert f"{THIRD} was failed by the verdict of" in page.read_text()


def test_verdicts_are_told_as_they_were_on_a_day(archive: Archive) -> None:
    text = Path(archive.folder_of(THIRD), "night.json").read_text()
    first = json.loads(text)
    (kept,) = Path(archive.runs, "verdicts").glob(f"date={THIRD}-*")
    day = first["finished_at"][:10]
    kept.write_text(text.replace(f'"finished_at": "{day}', '"finished_at": "2026-01-04'))
    archive.deliver(THIRD, {**GOOD, "other": 0.2})
    assert archive.run(THIRD).code == 1
    table = ("trend", "--table", archive.runs, "--format", "json", "--until")
    for until, outcome in (("2026-01-04", ["passed"]), ("2026-01-03", [])):
        told = json.loads(archive.segscore(*table, until).out)["verdicts"]
        assert [each["outcome"] for each in told if each["date"] == THIRD] == outcome
    now = json.loads(archive.segscore(*table, "2999-01-01").out)["verdicts"]
    assert [(each["date"], each["outcome"]) for each in now] == [
        (FIRST, "passed"), (SECOND, "passed"), (THIRD, "failed"),
    ]  # fmt: skip
    printed = archive.segscore("trend", "--table", archive.runs, "--until", "2999-01-01")
    assert printed.code == 0 and "other got worse" in " ".join(printed.out.split())
