"""Nights of which a part cannot be used: the rest is published, and all when it is mended."""

import json
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq  # noqa: TID251
import pytest

from tests.support.command_line import CommandResult, Segscore
from tests.support.night_metrics import metrics, one_error, outcome_in_metrics
from tests.support.nights import DAYS, FOLDERS, GOOD, Archive, rows

FIRST, SECOND, THIRD = DAYS[:3]


def truncated(path: Path, table: pa.Table) -> None:
    """A Parquet file that was not written to its end."""
    pq.write_table(table, path)
    path.write_bytes(path.read_bytes()[:-9])


def damaged_pages(path: Path, table: pa.Table) -> None:
    """A Parquet file with a sound footer, whose data are damaged."""
    pq.write_table(table, path, compression="zstd")
    contents = bytearray(path.read_bytes())
    contents[60:200] = bytes(140)
    path.write_bytes(contents)


def other_columns(path: Path, table: pa.Table) -> None:
    """A table without the boundaries."""
    pq.write_table(table.drop(["boundaries"]), path)


def half_a_line(path: Path, table: pa.Table) -> None:
    """A JSON Lines file that ends in the middle of a line."""
    lines = "".join(json.dumps(row) + "\n" for row in table.to_pylist())
    path.with_suffix(".jsonl").write_text(lines[:-20])


def wrong_values(path: Path, table: pa.Table) -> None:
    """Lengths that are no whole numbers."""
    lengths = pa.array([value + 0.5 for value in table.column("n_units").to_pylist()])
    pq.write_table(table.set_column(table.column_names.index("n_units"), "n_units", lengths), path)


class Delivery:
    """Nights with one file of hypotheses for each system."""

    def __init__(self, folder: Path, segscore: Segscore) -> None:
        self.archive = Archive(folder / "archive", folder, segscore)
        self.folder = folder / "archive" / FOLDERS["hypothesis"]
        self.deliver(FIRST)
        assert self.archive.run(FIRST).code == 0

    def deliver(self, night: str) -> None:
        """Write all files of a night."""
        self.archive.put(night, "reference", rows(night, "reference", GOOD))
        for system in GOOD:
            pq.write_table(self.table(night, system), self.path(night, system))

    def table(self, night: str, system: str) -> pa.Table:
        """Return what a system delivers."""
        return pa.Table.from_pylist(rows(night, "hypothesis", {system: GOOD[system]}))

    def path(self, night: str, system: str) -> Path:
        """Return the file of a system."""
        path = self.folder / f"date={night}" / f"{system}.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def run(self, night: str, *options: object) -> CommandResult:
        """Run a night."""
        return self.archive.run(night, *options)


@pytest.fixture
def delivery(tmp_path: Path, segscore: Segscore) -> Delivery:
    """A night that passed."""
    return Delivery(tmp_path, segscore)


@pytest.mark.parametrize(
    "spoil",
    [
        damaged_pages,
        half_a_line,
        *(
            pytest.param(x, marks=pytest.mark.long)
            for x in (truncated, other_columns, wrong_values)
        ),
    ],
)
def test_a_file_that_cannot_be_read_does_not_stop_the_other_systems(
    delivery: Delivery, spoil: Callable[[Path, pa.Table], None]
) -> None:
    archive = delivery.archive
    delivery.deliver(SECOND)
    path = delivery.path(SECOND, "other")
    path.unlink()
    spoil(path, delivery.table(SECOND, "other"))
    dry = delivery.run(SECOND, "--dry-run")
    assert dry.code == 0 and archive.read(SECOND, "run.json") is None
    # Damaged data of a file with a sound footer are found only when they are read.
    assert ("would leave out a file" in dry.out) is (spoil not in (damaged_pages, wrong_values))
    result = delivery.run(SECOND)
    line = one_error(result.err)
    assert result.code == 75, line
    assert f"{SECOND} is published; partial: the other files are scored, without 1 file" in line
    assert "Run the date again when it is mended" in line
    verdict = archive.read(SECOND, "night.json")
    assert (verdict["outcome"], verdict["good"], verdict["exit_code"]) == ("partial", True, 75)
    assert verdict["systems"] == ["steady"] and verdict["missing"] == ["other"]
    (unusable,) = verdict["unusable"]
    assert unusable["url"].endswith(("other.parquet", "other.jsonl"))
    assert unusable["url"] in unusable["problem"] and unusable["problem"] in line
    assert outcome_in_metrics(archive) == "partial" and metrics(archive)["unusable_files", ()] == 1
    # Again without a change: nothing is done, and the message is the same.
    record = archive.read(SECOND, "run.json")
    assert one_error(delivery.run(SECOND).err) == line
    assert archive.read(SECOND, "run.json") == record
    page = delivery.folder.parent / "night.html"
    assert archive.segscore("report", archive.folder_of(SECOND), "--output", page).code == 0
    answer = page.read_text()
    assert " is partial" in answer and "Cannot be read and left out: " in answer
    # The next night is compared with it, and still expects both systems.
    delivery.deliver(THIRD)
    assert delivery.run(THIRD).code == 0
    # Mended, the night is scored again as a whole.
    Path(unusable["url"]).unlink()
    pq.write_table(delivery.table(SECOND, "other"), path)
    result = delivery.run(SECOND)
    assert result.code == 0, result.err
    verdict = archive.read(SECOND, "night.json")
    assert verdict["systems"] == ["other", "steady"] and verdict["unusable"] == []


def test_the_file_of_yesterday_does_not_stop_the_other_systems(delivery: Delivery) -> None:
    delivery.deliver(SECOND)
    pq.write_table(delivery.table(FIRST, "other"), delivery.path(SECOND, "other"))
    result = delivery.run(SECOND, "--max-unpaired", 0.05)
    line = one_error(result.err)
    assert result.code == 75
    assert f"{SECOND} is published; partial: stale tonight: other has 40 rows" in line
    assert "missing tonight" not in line
    assert delivery.archive.read(SECOND, "night.json")["systems"] == ["steady"]
    assert one_error(delivery.run(SECOND, "--max-unpaired", 0.05).err) == line
    pq.write_table(delivery.table(SECOND, "other"), delivery.path(SECOND, "other"))
    assert delivery.run(SECOND, "--max-unpaired", 0.05).code == 0


def test_a_partial_night_in_which_a_system_got_worse_has_failed(delivery: Delivery) -> None:
    delivery.deliver(SECOND)
    other_columns(delivery.path(SECOND, "other"), delivery.table(SECOND, "other"))
    worse = pa.Table.from_pylist(rows(SECOND, "hypothesis", {"steady": 0.3}))
    pq.write_table(worse, delivery.path(SECOND, "steady"))
    result = delivery.run(SECOND)
    line = one_error(result.err)
    assert result.code == 1 and "failed: steady got worse: boundary_similarity 0." in line
    assert "without 1 file that cannot be read" in line


def test_a_file_that_is_never_mended_is_accepted_or_removed(delivery: Delivery) -> None:
    delivery.deliver(SECOND)
    truncated(delivery.path(SECOND, "other"), delivery.table(SECOND, "other"))
    assert delivery.run(SECOND).code == 75
    accepted = delivery.run(SECOND, "--accept", "other was switched off")
    assert accepted.code == 0 and delivery.archive.outcome(SECOND) == "accepted"
    delivery.deliver(THIRD)
    truncated(delivery.path(THIRD, "steady"), delivery.table(THIRD, "steady"))
    assert delivery.run(THIRD).code == 75
    delivery.path(THIRD, "steady").unlink()
    result = delivery.run(THIRD)
    assert result.code == 1 and "incomplete: missing tonight: steady" in one_error(result.err)


def test_a_system_whose_file_cannot_be_read_has_no_other_probable_cause(
    delivery: Delivery,
) -> None:
    delivery.archive.put(SECOND, "reference", rows(FIRST, "reference", GOOD))
    pq.write_table(delivery.table(FIRST, "steady"), delivery.path(SECOND, "steady"))
    truncated(delivery.path(SECOND, "other"), delivery.table(FIRST, "other"))
    result = delivery.run(SECOND)
    assert result.code == 75, result.err
    assert f"steady: every average equals that of {FIRST}" in result.err
    assert "Probable cause" not in result.err
    assert delivery.archive.read(SECOND, "night.json")["causes"] == []


def test_if_nothing_can_be_read_nothing_is_published(delivery: Delivery) -> None:
    delivery.deliver(SECOND)
    for system in GOOD:
        truncated(delivery.path(SECOND, system), delivery.table(SECOND, system))
    result = delivery.run(SECOND)
    assert result.code == 2 and delivery.archive.outcome(SECOND) is None
    assert outcome_in_metrics(delivery.archive) == "broken"
    delivery.deliver(SECOND)
    delivery.archive.put(SECOND, "reference", [{"document_id": "a", "n_units": "many"}])
    assert delivery.run(SECOND).code == 2


def test_several_nights_say_which_are_partial(delivery: Delivery) -> None:
    for night in (SECOND, THIRD):
        delivery.deliver(night)
    truncated(delivery.path(SECOND, "other"), delivery.table(SECOND, "other"))
    dates = ("--from", FIRST, "--to", THIRD)
    result = delivery.archive.segscore("nightly", "--settings", delivery.archive.file, *dates)
    assert result.code == 75, result.err
    assert f"1 of 3 nights are partial: {SECOND}" in result.err
    assert result.out.splitlines() == [
        f"{FIRST}: passed",
        f"{SECOND}: partial",
        f"{THIRD}: passed",
    ]


def test_two_versions_of_a_system_are_said_and_neither_is_used(delivery: Delivery) -> None:
    delivery.deliver(SECOND)
    changed = pa.Table.from_pylist(rows(SECOND, "hypothesis", {"other": 0.2}))
    pq.write_table(changed, delivery.path(SECOND, "other-2"))
    result = delivery.run(SECOND)
    # Another night's run would not mend it, so that nobody retries.
    assert result.code == 1
    line = one_error(result.err)
    assert f"{SECOND} is published; incomplete: other delivered two versions: " in line
    assert "neither version is used" in line
    assert "Run the date again when one of the two versions has been removed" in line
    assert delivery.archive.read(SECOND, "night.json")["systems"] == ["steady"]
    delivery.path(SECOND, "other-2").unlink()
    assert delivery.run(SECOND).code == 0
