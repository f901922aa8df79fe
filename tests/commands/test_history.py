"""`segscore trend --table`: summaries of many nights, of several versions, as one table."""

import csv
import json
import shutil
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq  # noqa: TID251
import pytest

from segscore.pipeline import storage
from segscore.pipeline.nightly import summaries, verdict
from segscore.pipeline.nightly.gate.past import read_past
from segscore.pipeline.nightly.gate.rules import parse_rule
from segscore.pipeline.nightly.nights import Nights, read_night
from segscore.pipeline.statistics.averages import SUMMARY_COLUMNS
from segscore.pipeline.storage import read_table
from segscore.schemas.nights import HISTORY, NIGHT_OUTCOMES, RESULTS
from tests.support.command_line import Segscore
from tests.support.night_metrics import WORSE
from tests.support.nights import DAYS, GOOD, Archive, rows
from tests.support.paths import DATA
from tests.support.run_files import everything

FIRST, SECOND, THIRD = DAYS[:3]
OURS = ["run", "date", "signature", "version", "outcome", "gate", "test_set", "good", "accepted"]


NIGHTS = ((FIRST, GOOD, 0), (SECOND, WORSE, 1))
"""Two nights: a good one, and one on which a system became worse."""


def gathered_table(archive: Archive, *options: object, code: int = 0) -> pa.Table:
    """Gather the archive's runs into a table: the second time from what was read the first time."""
    tables = []
    for _ in range(2):
        result = archive.segscore("trend", "--table", archive.runs, *options)
        assert result.code == code, result.err
        assert "Traceback" not in result.err
        tables.append(read_table(storage.join(archive.runs, "history")))
    assert tables[0].equals(tables[1], check_metadata=True)
    return tables[1]


def published_summary(archive: Archive, night: str) -> list[dict[str, Any]]:
    """Read the published summary of a night."""
    summary: list[dict[str, Any]] = read_table(f"{archive.folder_of(night)}/summary").to_pylist()
    return summary


def rewrite(archive: Archive, night: str, change: Any) -> None:
    """Rewrite a night as another version might have written it."""
    (file,) = Path(archive.folder_of(night), "summary").glob("*.parquet")
    pq.write_table(change(pq.ParquetFile(file).read()), file)


def test_every_summary_has_the_verdict_of_the_gate(archive: Archive) -> None:
    table = gathered_table(archive)
    assert table.column_names == [*OURS, *SUMMARY_COLUMNS]
    HISTORY.validate(table)
    listed = table.to_pylist()
    expected = [row for night in (FIRST, SECOND) for row in published_summary(archive, night)]
    assert [{name: row[name] for name in SUMMARY_COLUMNS} for row in listed] == expected
    for row in listed:
        night = row["date"].isoformat()
        assert row["run"] == f"date={night}"
        record = archive.read(night, "run.json")
        assert row["signature"] == record["signature"]
        assert row["version"] == record["versions"]["segscore"]
        assert row["outcome"] == {FIRST: "passed", SECOND: "failed"}[night]
        has_verdict = (row["measure"], row["average"]) == ("boundary_similarity", "micro")
        verdicts = (
            {"other": "failed", "steady": "passed"} if has_verdict and night == SECOND else {}
        )
        assert row["gate"] == verdicts.get(row["hypothesis"])
        assert row["good"] == ((night, row["hypothesis"]) != (SECOND, "other"))
        assert row["accepted"] is None


def test_csv_has_the_averages_of_each_night(archive: Archive) -> None:
    result = archive.segscore("trend", "--table", archive.runs, "--format", "csv")
    assert result.code == 0, result.err
    printed = [*csv.DictReader(result.out.splitlines())]
    table = gathered_table(archive).to_pylist()
    assert len(printed) == len(table)
    for row, known in zip(printed, table, strict=True):
        assert float(row["value"]) == known["value"]
        names = ("run", "hypothesis", "measure", "average")
        assert [row[name] for name in names] == [known[name] for name in names]
        assert (row["date"], row["series"]) == (known["date"].isoformat(), "1")


def test_the_schema_covers_every_field_of_a_verdict() -> None:
    assert tuple(NIGHT_OUTCOMES) == verdict.OUTCOMES
    decided = {verdict.PASSED, verdict.FAILED, verdict.UNDEFINED, verdict.UNDECIDED}
    assert decided | {verdict.WARNED, verdict.COMMON_CAUSE, verdict.ON_TRIAL} == set(RESULTS)
    assert list(summaries.RUN_COLUMNS) == OURS


def test_bytes_are_the_same_for_any_output(archive: Archive, tmp_path: Path) -> None:
    gathered_table(archive)
    file = Path(archive.runs, "history", "history.parquet")
    before = file.read_bytes()
    gathered_table(archive)
    assert file.read_bytes() == before
    elsewhere = tmp_path / "elsewhere"
    assert archive.segscore("trend", "--table", archive.runs, "--output", elsewhere).code == 0
    written = sorted(str(path.relative_to(elsewhere)) for path in elsewhere.rglob("*.parquet"))
    assert written == [
        "_restatements/restatements.parquet",
        "_verdicts/verdicts.parquet",
        "history.parquet",
    ]
    assert (elsewhere / "history.parquet").read_bytes() == before


def test_summaries_of_other_versions_are_united(archive: Archive) -> None:
    """One lacks a column, one has a new column, an unknown measure and a wider type."""

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
    table = gathered_table(archive)
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


@pytest.mark.long
def test_group_columns_of_all_nights_are_united(segscore: Segscore, tmp_path: Path) -> None:
    """They have other names, other types, and a name that is a column of the table."""
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
    table = gathered_table(archive)
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


def test_other_runs_of_score_are_included(archive: Archive, segscore: Segscore) -> None:
    """A run made by hand is included; one of another command, or an unfinished one, is not."""
    runs = Path(archive.runs)
    tables = [f"{archive.folder}/{name}/date={FIRST}" for name in ("references", "hypotheses")]
    assert segscore("score", *tables, "--output", runs / "by hand").code == 0
    assert segscore("agree", DATA / "stargazer.jsonl", "--output", runs / "audit").code == 0
    (runs / "date=2026-02-01" / "_unfinished").mkdir(parents=True)
    table = gathered_table(archive)
    dates = {row["run"]: row["date"] for row in table.to_pylist()}
    assert dates == {
        "by hand": None,
        f"date={FIRST}": date.fromisoformat(FIRST),
        f"date={SECOND}": date.fromisoformat(SECOND),
    }
    assert {row["outcome"] for row in table.to_pylist() if row["run"] == "by hand"} == {None}


def test_an_unreadable_run_is_left_out_with_a_warning(archive: Archive) -> None:
    record = Path(archive.folder_of(FIRST), "run.json")
    text = record.read_text()
    for broken in ("{", json.dumps({**json.loads(text), "files": {"summary": ["gone.parquet"]}})):
        record.write_text(broken)
        result = archive.segscore("trend", "--table", archive.runs)
        assert result.code == 1
        assert f"warning: date={FIRST} was left out: " in result.err
        table = read_table(storage.join(archive.runs, "history"))
        assert set(table.column("run").to_pylist()) == {f"date={SECOND}"}


def files_read_before(archive: Archive) -> list[Path]:
    """List the files of the rows that were read before."""
    return sorted(Path(archive.runs, "history", "_read").glob("*.parquet"))


def gathered_anew(archive: Archive) -> bytes:
    """Gather the archive's runs without what was read before; return the bytes of the table."""
    for file in files_read_before(archive):
        file.unlink()
    gathered_table(archive)
    return Path(archive.runs, "history", "history.parquet").read_bytes()


def test_a_run_is_read_once(archive: Archive) -> None:
    before = gathered_anew(archive)
    (summary,) = Path(archive.folder_of(FIRST), "summary").iterdir()
    summary.unlink()  # what is not there cannot be read
    gathered_table(archive)
    assert Path(archive.runs, "history", "history.parquet").read_bytes() == before
    for file in files_read_before(archive):
        file.unlink()
    assert archive.segscore("trend", "--table", archive.runs).code == 1


@pytest.mark.long
def test_a_night_that_was_scored_or_judged_again_is_read_again(archive: Archive) -> None:
    gathered_table(archive)
    archive.deliver(FIRST, seed=3)
    assert archive.run(FIRST).code == 0
    table = gathered_table(archive)
    kept = Path(archive.runs, "history", "history.parquet").read_bytes()
    assert kept == gathered_anew(archive)
    first = table.filter(pc.equal(table.column("run"), f"date={FIRST}"))
    assert first.select(SUMMARY_COLUMNS).to_pylist() == published_summary(archive, FIRST)
    archive.run(SECOND, "--accept", "meant")
    table = gathered_table(archive)
    assert {*table.column("outcome").to_pylist()} == {"passed", "accepted"}
    kept = Path(archive.runs, "history", "history.parquet").read_bytes()
    assert kept == gathered_anew(archive)


@pytest.mark.parametrize("share", [0, 0.3, 0.9, 0.999, 2])
def test_damaged_files_of_what_was_read_are_as_good_as_none(archive: Archive, share: float) -> None:
    before = gathered_anew(archive)
    (file,) = files_read_before(archive)
    content = file.read_bytes()
    file.write_bytes(content[: int(share * len(content))] if share <= 1 else before)
    gathered_table(archive)
    assert Path(archive.runs, "history", "history.parquet").read_bytes() == before
    assert file.read_bytes() == content


def test_levels_are_those_of_all_nights_read_before_or_not(
    archive: Archive, tmp_path: Path
) -> None:
    gathered_table(archive)
    archive.run(FIRST, "--accept", "meant")
    rules = parse_rule("level:boundary_similarity>=-0.02, macro:pk<=+0.02")
    found = []
    for copy in ("read before", "not"):
        runs = str(tmp_path / copy)
        shutil.copytree(archive.runs, runs)
        if copy == "not":
            shutil.rmtree(Path(runs, "history"))
        night = read_night(runs, date.fromisoformat(SECOND))
        assert night is not None
        past = read_past(night, Nights(runs), rules, from_first=True)
        assert [each.date.isoformat() for each in past.nights] == [FIRST, SECOND]
        found.append((past.digest(rules), [each.averages for each in past.nights]))
        assert len([*Path(runs, "history", "_read").iterdir()]) == 1
    assert repr(found[0]) == repr(found[1])
    assert len(found[0][1][0]) == 4


def test_what_was_read_need_not_be_kept(archive: Archive) -> None:
    before = gathered_anew(archive)
    folder = Path(archive.runs, "history", "_read")
    for file in folder.iterdir():
        file.unlink()
    folder.rmdir()
    folder.write_text("no folder")
    gathered_table(archive)
    assert Path(archive.runs, "history", "history.parquet").read_bytes() == before


@pytest.mark.parametrize("folder_exists", [False, True])
def test_an_archive_without_runs_is_refused(
    segscore: Segscore, tmp_path: Path, folder_exists: bool
) -> None:
    runs = tmp_path / "runs"
    if folder_exists:
        (runs / "something").mkdir(parents=True)
    result = segscore("trend", "--table", runs)
    assert result.code == 2
    assert str(runs) in result.err and "Traceback" not in result.err
    assert not (runs / "history").exists()


def test_an_output_that_cannot_be_written_is_named(archive: Archive) -> None:
    file = Path(archive.folder, "notes")
    file.write_text("")
    result = archive.segscore("trend", "--table", archive.runs, "--output", file / "below")
    url = file / "below" / "history.parquet"
    assert result.err == f"segscore: error: {url}: cannot be written (not a directory)\n"
    assert result.code == 1


def test_old_nights_are_removed_first(archive: Archive) -> None:
    archive.deliver("2026-03-01")
    assert archive.run("2026-03-01").code == 0
    assert archive.segscore("trend", "--table", archive.runs).code == 0
    before = read_table(storage.join(archive.runs, "history"))
    there = everything(Path(archive.runs))
    tried = archive.segscore("trend", "--table", archive.runs, "--keep", 20, "--dry-run")
    would = f"would remove 2 nights more than 20 days older than the newest: {FIRST}, {SECOND}"
    assert (tried.code, " ".join(tried.out.split())) == (0, would)
    assert everything(Path(archive.runs)) == there
    result = archive.segscore("trend", "--table", archive.runs, "--keep", 20)
    assert result.code == 0, result.err
    assert f"removed night {FIRST}" in result.out
    assert [name for name in storage.names(archive.runs) if name.startswith("date=")] == [
        "date=2026-03-01"
    ]
    # The rows of the removed nights are kept.
    assert read_table(storage.join(archive.runs, "history")).equals(before)
    again = archive.segscore("trend", "--table", archive.runs, "--keep", 20)
    assert again.code == 0 and "removed night" not in again.out
    assert archive.segscore("trend", "--table", archive.runs, "--keep", 0).code == 2
    for options in (["--dry-run"], ["--dry-run", "--keep", 0]):
        assert archive.segscore("trend", "--table", archive.runs, *options).code == 2
    nowhere = archive.segscore("trend", "--table", f"{archive.runs}2", "--dry-run", "--keep", 9)
    assert nowhere.code == 2 and "no such folder" in nowhere.err


def test_the_last_night_is_named_if_it_is_days_ago(
    archive: Archive, segscore: Segscore, tmp_path: Path
) -> None:
    ago = (datetime.now(UTC).date() - date.fromisoformat(SECOND)).days
    result = archive.segscore("trend", "--table", archive.runs)
    assert result.out.endswith(f"\nthe last night is {SECOND}, {ago} days ago\n")
    today = datetime.now(UTC).date().isoformat()
    archive.deliver(today)
    assert archive.run(today).code == 0
    assert "the last night" not in archive.segscore("trend", "--table", archive.runs).out
    runs = tmp_path / "runs"
    assert segscore("score", *[DATA / "tinyrec.jsonl"] * 2, "--output", runs / "alone").code == 0
    assert "the last night" not in segscore("trend", "--table", runs).out


@pytest.mark.long
def test_missing_nights_are_listed(segscore: Segscore, tmp_path: Path) -> None:
    """Daily nights: one date was never delivered, one is waiting, one night cannot be read."""
    archive = Archive(tmp_path / "archive", tmp_path, segscore)
    days = [f"2026-03-{day:02}" for day in range(1, 11)]
    for day in days[:3] + days[6:9]:
        archive.deliver(day, {"exact": 1.0}, documents=4)
        assert archive.run(day).code == 0
    assert "waiting for input" in archive.run(days[4]).err
    listed = "no finished night: 2026-03-04 to 2026-03-06"
    result = segscore("trend", "--table", archive.runs)
    assert result.code == 0 and listed in result.out.splitlines()
    Path(archive.folder_of(days[1]), "run.json").write_text("{")
    result = segscore("trend", "--table", archive.runs)
    assert result.code == 1 and listed in result.out.splitlines()
    Path(archive.folder_of(days[7]), "run.json").unlink()
    result = segscore("trend", "--table", archive.runs)
    assert "no finished night: 2026-03-08, 2026-03-04 to 2026-03-06" in result.out


def test_a_run_itself_is_no_folder_of_runs(segscore: Segscore, tmp_path: Path) -> None:
    table = tmp_path / "t.jsonl"
    table.write_text('{"document_id": "d", "coder": "c", "n_units": 9, "boundaries": [2]}\n')
    run = tmp_path / "run"
    options = ("--output", run)
    assert segscore("score", table, table, *options).code == 0
    ended = segscore("trend", "--table", run)
    assert ended.code == 2
    assert f"{run}: contains no finished run of segscore score or nightly; it is a run" in ended.err
    other = segscore("score", table, table, *options, "--measures", "pk,window_diff")
    assert "(measures was the default, is pk,window_diff); choose another folder" in other.err


def test_the_folder_of_the_nights_is_that_of_the_settings(archive: Archive) -> None:
    result = archive.segscore("trend", "--table", "--settings", archive.file)
    assert result.code == 0, result.err
    assert result.out == archive.segscore("trend", "--table", archive.runs).out


def test_a_measure_that_is_added_begins_no_new_series(archive: Archive) -> None:
    archive.settle(score='measures = "default,r_miss"')
    archive.deliver(THIRD)
    assert archive.run(THIRD).code == 0
    told = archive.segscore("trend", "--table", archive.runs).out
    assert "new series" not in told and f"date={THIRD}" in told
