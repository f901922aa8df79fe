"""`segscore history`: summaries of many nights, of several versions, as one table."""

import json
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq  # noqa: TID251
import pytest

from segscore.pipeline import storage
from segscore.pipeline.nightly import history, verdict
from segscore.pipeline.statistics.averages import SUMMARY_COLUMNS
from segscore.pipeline.storage import read_table
from segscore.schemas.history import HISTORY, NIGHT_OUTCOMES, RESULTS
from tests.support.command_line import Segscore
from tests.support.nights import DAYS, GOOD, Archive, rows
from tests.support.paths import DATA

FIRST, SECOND, THIRD = DAYS[:3]
OURS = ["run", "date", "signature", "version", "outcome", "gate"]


@pytest.fixture
def archive(segscore: Segscore, tmp_path: Path) -> Archive:
    """Two nights: one good, one on which a system got worse."""
    made = Archive(tmp_path / "archive", tmp_path, segscore)
    made.deliver(FIRST)
    assert made.run(FIRST).code == 0
    made.deliver(SECOND, {"steady": 0.9, "other": 0.4})
    assert made.run(SECOND).code == 1
    return made


def gathered(archive: Archive, *options: object, code: int = 0) -> pa.Table:
    """The table of the archive's runs."""
    ended = archive.segscore("history", archive.runs, *options)
    assert ended.code == code, ended.err
    assert "Traceback" not in ended.err
    return read_table(storage.join(archive.runs, "history"))


def published(archive: Archive, night: str) -> list[dict[str, Any]]:
    """The summary of a night."""
    found: list[dict[str, Any]] = read_table(f"{archive.folder_of(night)}/summary").to_pylist()
    return found


def rewrite(archive: Archive, night: str, change: Any) -> None:
    """Make of a night what another version might have written."""
    (file,) = Path(archive.folder_of(night), "summary").glob("*.parquet")
    pq.write_table(change(pq.read_table(file)), file)


def test_every_summary_is_there_with_what_the_gate_said(archive: Archive) -> None:
    table = gathered(archive)
    assert table.column_names == [*OURS, *SUMMARY_COLUMNS]
    HISTORY.validate(table)
    listed = table.to_pylist()
    expected = [row for night in (FIRST, SECOND) for row in published(archive, night)]
    assert [{name: row[name] for name in SUMMARY_COLUMNS} for row in listed] == expected
    for row in listed:
        night = row["date"].isoformat()
        assert row["run"] == f"date={night}"
        record = archive.read(night, "run.json")
        assert row["signature"] == record["signature"]
        assert row["version"] == record["versions"]["segscore"]
        assert row["outcome"] == {FIRST: "passed", SECOND: "failed"}[night]
        about = (row["measure"], row["average"]) == ("boundary_similarity", "micro")
        judged = {"other": "failed", "steady": "passed"} if about and night == SECOND else {}
        assert row["gate"] == judged.get(row["hypothesis"])


def test_the_schema_knows_all_that_a_verdict_says() -> None:
    assert tuple(NIGHT_OUTCOMES) == verdict.OUTCOMES
    assert {verdict.PASSED, verdict.FAILED, verdict.UNDEFINED, verdict.UNDECIDED} == set(RESULTS)
    assert list(history.RUN_COLUMNS) == OURS


def test_the_same_bytes_again_wherever_it_is_written(archive: Archive, tmp_path: Path) -> None:
    gathered(archive)
    file = Path(archive.runs, "history", "history.parquet")
    before = file.read_bytes()
    gathered(archive)
    assert file.read_bytes() == before
    elsewhere = tmp_path / "elsewhere"
    assert archive.segscore("history", archive.runs, "--output", elsewhere).code == 0
    assert [path.name for path in elsewhere.iterdir()] == ["history.parquet"]
    assert (elsewhere / "history.parquet").read_bytes() == before


def test_summaries_of_other_versions_are_united(archive: Archive) -> None:
    """A column that is missing, one that is new, a measure nobody knows, a type that widened."""

    def older(table: pa.Table) -> pa.Table:
        small = table.drop_columns(["sd"])
        place = small.column_names.index("documents")
        narrow = small.column("documents").cast(pa.int32())
        small = small.set_column(place, "documents", narrow)
        names = ["bygone" if name == "pk" else name for name in table["measure"].to_pylist()]
        place = small.column_names.index("measure")
        return small.set_column(place, "measure", pa.array(names)).append_column(
            "channel", pa.array(["one"] * table.num_rows)
        )

    rewrite(archive, FIRST, older)
    table = gathered(archive)
    HISTORY.validate(table)
    assert table.column_names == [*OURS, *SUMMARY_COLUMNS, "channel"]
    first, second = (
        [row for row in table.to_pylist() if row["date"].isoformat() == night]
        for night in (FIRST, SECOND)
    )
    assert {row["sd"] for row in first} == {None}
    assert {row["channel"] for row in first} == {"one"}
    assert {row["channel"] for row in second} == {None}
    assert "bygone" in {row["measure"] for row in first}
    assert any(row["sd"] is not None for row in second)


def test_group_columns_of_all_nights(segscore: Segscore, tmp_path: Path) -> None:
    """Of other names, of other types, and of a name that the table has itself."""
    archive = Archive(tmp_path / "archive", tmp_path, segscore)
    kinds: dict[str, dict[str, Any]] = {
        FIRST: {"show": 7, "date": "monday"},
        SECOND: {"show": "seven"},
        THIRD: {},
    }
    for night, attributes in kinds.items():
        named = ",".join(attributes)
        archive.settle(score=f'group-by = "{named}"' if named else "")
        for role in ("reference", "hypothesis"):
            archive.put(night, role, [{**row, **attributes} for row in rows(night, role, GOOD)])
        assert archive.run(night).code == 0
    table = gathered(archive)
    HISTORY.validate(table)
    assert table.column_names == [*OURS, *SUMMARY_COLUMNS, "show", "group_date"]
    groups = {
        (row["date"].isoformat(), row["show"], row["group_date"]) for row in table.to_pylist()
    }
    assert groups == {
        (FIRST, "7", "monday"),
        (FIRST, None, None),
        (SECOND, "seven", None),
        (SECOND, None, None),
        (THIRD, None, None),
    }
    whole = [row for row in table.to_pylist() if row["gate"] is not None]
    assert whole and all(row["show"] is None for row in whole)


def test_runs_that_are_no_nights(archive: Archive, segscore: Segscore) -> None:
    """A run by hand is there; one of another command, or an unfinished one, is not."""
    runs = Path(archive.runs)
    tables = [f"{archive.folder}/{name}/date={FIRST}" for name in ("references", "hypotheses")]
    assert segscore("score", *tables, "--output", runs / "by hand").code == 0
    assert segscore("agree", DATA / "stargazer.jsonl", "--output", runs / "audit").code == 0
    (runs / "date=2026-02-01" / "_unfinished").mkdir(parents=True)
    table = gathered(archive)
    dates = {row["run"]: row["date"] for row in table.to_pylist()}
    assert dates == {
        "by hand": None,
        f"date={FIRST}": date.fromisoformat(FIRST),
        f"date={SECOND}": date.fromisoformat(SECOND),
    }
    assert {row["outcome"] for row in table.to_pylist() if row["run"] == "by hand"} == {None}


def test_a_run_that_cannot_be_read_is_left_out_and_said(archive: Archive) -> None:
    record = Path(archive.folder_of(FIRST), "run.json")
    text = record.read_text()
    for broken in ("{", json.dumps({**json.loads(text), "files": {"summary": ["gone.parquet"]}})):
        record.write_text(broken)
        ended = archive.segscore("history", archive.runs)
        assert ended.code == 1
        assert f"warning: date={FIRST} was left out: " in ended.err
        table = read_table(storage.join(archive.runs, "history"))
        assert set(table.column("run").to_pylist()) == {f"date={SECOND}"}


@pytest.mark.parametrize("made", [False, True])
def test_nothing_to_gather(segscore: Segscore, tmp_path: Path, made: bool) -> None:
    runs = tmp_path / "runs"
    if made:
        (runs / "something").mkdir(parents=True)
    ended = segscore("history", runs)
    assert ended.code == 2
    assert str(runs) in ended.err and "Traceback" not in ended.err
    assert not (runs / "history").exists()


def test_a_place_that_cannot_be_written_is_named(archive: Archive) -> None:
    file = Path(archive.folder, "notes")
    file.write_text("")
    ended = archive.segscore("history", archive.runs, "--output", file / "below")
    url = file / "below" / "history.parquet"
    assert ended.err == f"segscore: error: {url}: cannot be written (not a directory)\n"
    assert ended.code == 1


def test_old_nights_are_removed_first(archive: Archive) -> None:
    archive.deliver("2026-03-01")
    assert archive.run("2026-03-01").code == 0
    ended = archive.segscore("history", archive.runs, "--keep", 20)
    assert ended.code == 0, ended.err
    assert f"removed night {FIRST}" in ended.out
    table = read_table(storage.join(archive.runs, "history"))
    assert set(table.column("run").to_pylist()) == {"date=2026-03-01"}
    again = archive.segscore("history", archive.runs, "--keep", 20)
    assert again.code == 0 and "removed night" not in again.out
    assert archive.segscore("history", archive.runs, "--keep", 0).code == 2
