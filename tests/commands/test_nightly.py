"""`segscore nightly`, real nights through the command line: each outcome, again and again."""

import json
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from segscore.pipeline import storage
from segscore.pipeline.nightly.nights import Nights
from segscore.pipeline.nightly.retention import remove_old
from segscore.pipeline.storage import read_table
from tests.support.command_line import Segscore
from tests.support.driven import Drive, Gate, wait
from tests.support.killing import Command
from tests.support.nights import DAYS, GOOD, Archive, rows
from tests.support.promises import Reader
from tests.support.told_nights import WORSE, metrics, one_error, outcome_told, shifted

FIRST, SECOND, THIRD, FOURTH = DAYS[:4]


@pytest.fixture
def archive(segscore: Segscore, tmp_path: Path) -> Archive:
    """An archive whose first night was good."""
    made = Archive(tmp_path / "archive", tmp_path, segscore)
    made.deliver(FIRST)
    ended = made.run(FIRST)
    assert ended.code == 0, ended.err
    return made


def files(folder: str) -> dict[str, bytes]:
    """All that a folder holds."""
    found = {str(path): path for path in Path(folder).rglob("*") if path.is_file()}
    return {name: path.read_bytes() for name, path in found.items()}


# --- What a night comes to -----------------------------------------------------------------------


def test_good_nights(archive: Archive) -> None:
    assert archive.outcome(FIRST) == "passed"
    archive.deliver(SECOND)
    ended = archive.run(SECOND)
    assert ended.code == 0, ended.err
    found = archive.read(SECOND, "night.json")
    assert (found["outcome"], found["good"], found["exit_code"]) == ("passed", True, 0)
    assert {check["against"] for check in found["checks"]} == {FIRST}
    assert [check["system"] for check in found["checks"]] == ["other", "steady"]
    summary = read_table(f"{archive.folder_of(SECOND)}/summary").to_pylist()
    for check in found["checks"]:
        (row,) = (
            row
            for row in summary
            if (row["hypothesis"], row["measure"], row["average"])
            == (check["system"], "boundary_similarity", "micro")
        )
        assert check["value"] == row["value"] and check["documents"] == row["defined"]
        assert check["change"] == pytest.approx(check["value"] - check["before"])


def test_a_worse_system_fails_the_gate(archive: Archive) -> None:
    archive.deliver(SECOND, WORSE)
    ended = archive.run(SECOND)
    assert ended.code == 1
    found = archive.read(SECOND, "night.json")
    assert (found["outcome"], found["good"], found["exit_code"]) == ("failed", False, 1)
    (failed,) = (check for check in found["checks"] if check["result"] == "failed")
    assert failed["system"] == "other"
    line = one_error(ended.err)
    fell = f"{abs(failed['change']):.4f}"
    assert f"other: micro boundary_similarity fell by {fell}" in line
    assert "0.02 allowed" in line and FIRST in line
    scores = read_table(f"{archive.folder_of(SECOND)}/scores").to_pylist()
    values = [
        (row["boundary_similarity"], row["document_id"])
        for row in scores
        if row["hypothesis"] == "other"
    ]
    worst = [document for _, document in sorted(values)[:5]]
    assert [moved["document_id"] for moved in failed["moved"]] == worst
    for document in worst[:3]:
        assert document in line
    commands = [text.partition(": segscore ")[2] for text in ended.out.splitlines()]
    explained = [command.split() for command in commands if command.startswith("explain")]
    assert len(explained) == 5
    shown = archive.segscore(*explained[0])
    assert shown.code == 0 and worst[0] in shown.out, shown.err


def test_a_failed_night_is_not_compared_with(archive: Archive) -> None:
    archive.deliver(SECOND, WORSE)
    assert archive.run(SECOND).code == 1
    archive.deliver(THIRD, WORSE)
    assert archive.run(THIRD).code == 1
    assert {check["against"] for check in archive.read(THIRD, "night.json")["checks"]} == {FIRST}
    archive.deliver(FOURTH)
    assert archive.run(FOURTH).code == 0
    # A date says which night, whatever it came to.
    assert archive.run(FOURTH, "--against", SECOND).code == 0
    assert {each["date"] for each in archive.read(FOURTH, "night.json")["against"].values()} == {
        SECOND
    }


def test_a_measure_of_which_less_is_better(archive: Archive) -> None:
    archive.deliver(SECOND, WORSE)
    ended = archive.run(SECOND, "--gate", "pk<=+0.02,macro:window_diff<=+1")
    assert ended.code == 1
    assert "other: micro pk rose by" in one_error(ended.err)
    results = {
        (check["rule"], check["system"]): check["result"]
        for check in archive.read(SECOND, "night.json")["checks"]
    }
    assert results.pop(("pk<=+0.02", "other")) == "failed"
    assert set(results.values()) == {"passed"} and len(results) == 3


def test_without_rules_nothing_is_compared(archive: Archive) -> None:
    archive.settle(gate="pk<=+0.02")
    text = archive.file.read_text().replace('gate = ["pk<=+0.02"]', "")
    archive.file.write_text(text)
    archive.deliver(SECOND, WORSE)
    ended = archive.run(SECOND)
    assert ended.code == 0, ended.err
    assert archive.read(SECOND, "night.json")["checks"] == []


def test_an_average_that_is_undefined_now(archive: Archive) -> None:
    """A system that puts no boundary anywhere has no precision."""
    archive.settle(gate="b_precision>=-0.02")
    archive.run(FIRST)
    archive.deliver(SECOND, {"steady": 0.9, "other": 0.0})
    ended = archive.run(SECOND)
    assert ended.code == 1
    assert "other: micro b_precision is undefined now; it had a value in" in one_error(ended.err)


def test_panels_have_rules_too(archive: Archive) -> None:
    """Measures of all references at once, where documents have several."""
    archive.settle(gate="mult_window_diff<=+0.05")
    for night, systems in ((SECOND, GOOD), (THIRD, WORSE)):
        references = rows(night, "reference", GOOD)
        second = [{**row, "coder": "desk 2", "boundaries": row["boundaries"][1:]}
                  for row in references]  # fmt: skip
        archive.put(night, "reference", references + second)
        archive.put(night, "hypothesis", rows(night, "hypothesis", systems))
        ended = archive.run(night)
    assert ended.code == 1
    assert "other: micro mult_window_diff rose by" in one_error(ended.err)
    assert archive.read(SECOND, "night.json")["outcome"] == "passed"


def test_a_missing_system_is_said_once_and_compared_when_it_is_back(archive: Archive) -> None:
    archive.deliver(SECOND, {"steady": 0.9})
    ended = archive.run(SECOND)
    assert ended.code == 1
    assert "incomplete: missing tonight: other" in one_error(ended.err)
    assert archive.outcome(SECOND) == "incomplete"
    archive.deliver(THIRD, {"steady": 0.9})
    assert archive.run(THIRD).code == 0
    archive.deliver(FOURTH, WORSE)
    ended = archive.run(FOURTH)
    assert ended.code == 1
    against = archive.read(FOURTH, "night.json")["against"]
    assert (against["other"]["date"], against["steady"]["date"]) == (FIRST, THIRD)
    assert "other: micro boundary_similarity fell" in one_error(ended.err)


def test_a_new_system_has_nothing_to_be_compared_with(archive: Archive) -> None:
    archive.deliver(SECOND, {**GOOD, "new": 0.1})
    ended = archive.run(SECOND)
    assert ended.code == 0, ended.err
    assert "new: no earlier good night to compare with" in ended.out
    assert archive.read(SECOND, "night.json")["new"] == ["new"]


def test_another_signature_is_not_comparable(archive: Archive) -> None:
    archive.settle(score="n-t = 3")
    archive.deliver(SECOND, WORSE)
    ended = archive.run(SECOND)
    assert ended.code == 1
    line = one_error(ended.err)
    assert f"not comparable with {FIRST}: n_t was 2, is 3; run {FIRST} again" in line
    assert archive.outcome(SECOND) == "not_comparable"
    # What the message says helps.
    assert archive.run(FIRST).code == 0
    ended = archive.run(SECOND)
    assert ended.code == 1 and archive.outcome(SECOND) == "failed"


def test_another_signature_may_pass(archive: Archive) -> None:
    archive.settle('not-comparable = "pass"', "n-t = 3")
    archive.deliver(SECOND, WORSE)
    ended = archive.run(SECOND)
    assert ended.code == 0, ended.err
    assert f"warning: not comparable with {FIRST}: n_t was 2, is 3" in ended.err
    archive.deliver(THIRD, GOOD)
    assert archive.run(THIRD).code == 0
    assert {each["date"] for each in archive.read(THIRD, "night.json")["against"].values()} == {
        SECOND
    }


def test_reference_points_and_consensus_are_no_systems(archive: Archive) -> None:
    """And do not change what a system's average is."""
    archive.deliver(SECOND)
    assert archive.run(SECOND).code == 0
    before = archive.read(SECOND, "night.json")["checks"]
    archive.settle(score='reference-points = "none,human"\nconsensus = "0.5"')
    assert archive.run(FIRST).code == 0
    ended = archive.run(SECOND)
    assert ended.code == 0, ended.err
    found = archive.read(SECOND, "night.json")
    assert found["systems"] == ["other", "steady"]
    assert found["checks"] == before


def test_many_documents_share_resampling_units(
    archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Above a number of documents the noise is that of buckets of them: nearly the same."""
    archive.deliver(SECOND)
    assert archive.run(SECOND).code == 0
    exact = archive.read(SECOND, "night.json")["checks"]
    monkeypatch.setattr("segscore.pipeline.statistics.bootstrap.BUCKETS", 30)
    assert archive.run(SECOND, "--alpha", 0.04).code == 0
    for check, by_document in zip(archive.read(SECOND, "night.json")["checks"], exact, strict=True):
        assert check["value"] == by_document["value"]
        assert check["standard_error"] != by_document["standard_error"]
        assert check["standard_error"] == pytest.approx(by_document["standard_error"], rel=0.5)


# --- The same date again -------------------------------------------------------------------------


def test_the_same_input_says_the_same_and_changes_nothing(archive: Archive) -> None:
    archive.deliver(SECOND, WORSE)
    first = archive.run(SECOND)
    before = {**files(archive.runs), **files(str(archive.metrics.parent))}
    again = archive.run(SECOND)
    assert (first.code, again.code) == (1, 1)
    assert one_error(first.err) == one_error(again.err)
    assert "already scored, with the same input" in again.out
    assert {**files(archive.runs), **files(str(archive.metrics.parent))} == before


def test_other_rules_judge_again_without_scoring(archive: Archive) -> None:
    archive.deliver(SECOND, WORSE)
    assert archive.run(SECOND).code == 1
    record = archive.read(SECOND, "run.json")
    assert archive.run(SECOND, "--gate", "boundary_similarity>=-0.9").code == 0
    assert archive.read(SECOND, "run.json") == record
    assert archive.run(SECOND).code == 1


def test_late_references_replace_the_night(archive: Archive) -> None:
    all_references = rows(SECOND, "reference", GOOD)
    archive.put(SECOND, "hypothesis", rows(SECOND, "hypothesis", GOOD))
    archive.put(SECOND, "reference", all_references[:25])
    ended = archive.run(SECOND)
    assert ended.code == 0, ended.err
    assert archive.read(SECOND, "run.json")["rows"]["hypotheses"]["unpaired"] == 30
    archive.put(SECOND, "reference", all_references)
    reader = Reader(Path(archive.folder_of(SECOND)))
    reader.start()
    ended = archive.run(SECOND)
    reader.end()
    assert ended.code == 0, ended.err
    assert "is scored again" in ended.err and "has changed" in ended.err
    assert archive.read(SECOND, "run.json")["rows"]["hypotheses"]["unpaired"] == 0
    assert read_table(f"{archive.folder_of(SECOND)}/scores").num_rows == 80
    assert archive.read(SECOND, "night.json")["checks"][0]["documents"] == 40


def test_a_night_that_changed_is_compared_with_anew(archive: Archive) -> None:
    """Late references of the night before change what tonight comes to."""
    archive.deliver(SECOND)
    assert archive.run(SECOND).code == 0
    before = archive.read(SECOND, "night.json")
    archive.deliver(FIRST, seed=1)
    assert archive.run(FIRST).code == 0
    assert archive.run(SECOND).code == 0
    after = archive.read(SECOND, "night.json")
    assert after["against"] != before["against"]
    assert after["checks"][0]["before"] != before["checks"][0]["before"]


# --- Not yet, not now ----------------------------------------------------------------------------


@pytest.mark.parametrize("there", [None, "hypothesis", "reference"])
def test_waiting_for_input(archive: Archive, there: str | None) -> None:
    if there is not None:
        archive.put(SECOND, there, rows(SECOND, there, GOOD))
    ended = archive.run(SECOND)
    assert ended.code == 1
    line = one_error(ended.err)
    assert f"{SECOND}: waiting for input: " in line and "nothing was published" in line
    assert not Path(archive.folder_of(SECOND)).exists()
    told = metrics(archive)
    assert outcome_told(archive) == "waiting"
    assert told["exit_code", ()] == 1
    judged = archive.read(FIRST, "night.json")["finished_at"]
    then = datetime.fromisoformat(judged).timestamp()
    assert told["last_success_timestamp_seconds", ()] == then
    archive.deliver(SECOND)
    assert archive.run(SECOND).code == 0
    assert outcome_told(archive) == "passed"


def test_an_empty_table_is_waited_for(archive: Archive) -> None:
    archive.deliver(SECOND)
    archive.put(SECOND, "reference", [])
    ended = archive.run(SECOND)
    assert ended.code == 1 and "waiting for input" in one_error(ended.err)


def test_a_table_that_is_no_table(archive: Archive) -> None:
    archive.deliver(SECOND)
    archive.put(SECOND, "hypothesis", [{"document_id": "a", "n_units": "many"}])
    ended = archive.run(SECOND)
    assert ended.code == 2
    one_error(ended.err)
    assert outcome_told(archive) == "broken" and metrics(archive)["exit_code", ()] == 2
    assert archive.outcome(SECOND) is None


def test_too_many_rejects_publish_nothing(archive: Archive) -> None:
    archive.settle(score="max-rejects = 0.1")
    archive.deliver(SECOND)
    made = rows(SECOND, "hypothesis", GOOD)
    archive.put(SECOND, "hypothesis", made + made[:30])
    ended = archive.run(SECOND)
    assert ended.code == 1 and "--max-rejects" in one_error(ended.err)
    assert outcome_told(archive) == "broken"
    assert archive.read(SECOND, "run.json") is None


# --- Killed, and two at once ---------------------------------------------------------------------


class Jobs:
    """Nights in processes of their own."""

    def __init__(self, archive: Archive, folder: Path) -> None:
        self.archive = archive
        self.folder = folder
        self.commands: list[Command] = []

    def start(self, night: str, gate: Gate, host: str | None = None) -> tuple[Drive, Command]:
        """Run a night that stops, or ends, somewhere."""
        place = self.folder / f"drive{len(self.commands)}"
        place.mkdir()
        drive = Drive(str(place), 20, {"gate": gate}, host)
        asked = ("nightly", "--settings", self.archive.file, "--date", night, "--workers", 1)
        self.commands.append(Command(drive, *asked))
        return drive, self.commands[-1]


@pytest.fixture
def jobs(archive: Archive, tmp_path: Path) -> Iterator[Jobs]:
    """They are ended with the test."""
    made = Jobs(archive, tmp_path)
    yield made
    for command in made.commands:
        command.kill()


@pytest.mark.parametrize(
    ("gate", "published"),
    [
        (Gate("storage.write_new_text", "kill", "run.json"), False),
        (Gate("storage.write_new_text", "kill", "run.json", after=True), True),
        (Gate("nightly.nights.save_verdict", "kill"), True),
    ],
    ids=["before it is published", "before it is judged", "before the verdict is kept"],
)
def test_killed_and_run_again(archive: Archive, jobs: Jobs, gate: Gate, published: bool) -> None:
    archive.deliver(SECOND, WORSE)
    _, command = jobs.start(SECOND, gate)
    assert command.ended().code == -9
    assert (archive.read(SECOND, "run.json") is not None) == published
    assert archive.outcome(SECOND) is None
    ended = archive.run(SECOND)
    assert ended.code == 1 and archive.outcome(SECOND) == "failed"
    assert not (Path(archive.folder_of(SECOND)) / "_unfinished").exists()
    # Nobody took it for a good night meanwhile.
    archive.deliver(THIRD)
    assert archive.run(THIRD).code == 0
    assert {each["date"] for each in archive.read(THIRD, "night.json")["against"].values()} == {
        FIRST
    }


def test_the_verdict_of_a_run_that_was_replaced_does_not_count(
    archive: Archive, jobs: Jobs
) -> None:
    archive.deliver(SECOND)
    assert archive.run(SECOND).code == 0
    archive.deliver(SECOND, WORSE)
    assert jobs.start(SECOND, Gate("nightly.nights.save_verdict", "kill"))[1].ended().code == -9
    assert archive.outcome(SECOND) == "passed"  # of the run before
    archive.deliver(THIRD)
    assert archive.run(THIRD).code == 0
    assert {each["date"] for each in archive.read(THIRD, "night.json")["against"].values()} == {
        FIRST
    }


@pytest.mark.parametrize("host", [None, "elsewhere"])
def test_two_at_once(archive: Archive, jobs: Jobs, host: str | None) -> None:
    """On one machine the second sees the first; from another it loses, or wins."""
    archive.deliver(SECOND)
    drive, first = jobs.start(SECOND, Gate("storage.write_new_text", "wait", "run.json"), host)
    wait(lambda: drive.reached("gate"), "the record is next")
    metrics_before = archive.metrics.read_text()
    second = archive.run(SECOND)
    if host is None:
        assert second.code == 1
        assert "another process is working on this night" in one_error(second.err)
        assert archive.metrics.read_text() == metrics_before
    drive.open("gate")
    ended = first.ended()
    assert sorted([ended.code, second.code]) == [0, 1]
    if host is not None:
        assert "another process is working on this night" in one_error(ended.err)
    assert outcome_told(archive) == "passed"
    assert archive.run(SECOND).code == 0


# --- Metrics -------------------------------------------------------------------------------------


def test_metrics_tell_what_the_tables_tell(archive: Archive) -> None:
    odd = 'new\n"show"\\'
    archive.deliver(SECOND, {**WORSE, odd: 0.9})
    twice = rows(SECOND, "hypothesis", GOOD)
    archive.put(SECOND, "hypothesis", [*rows(SECOND, "hypothesis", {**WORSE, odd: 0.9}), twice[0]])
    assert archive.run(SECOND).code == 1
    told = metrics(archive)
    assert outcome_told(archive) == "failed"
    record = archive.read(SECOND, "run.json")
    assert told["pairs", ()] == record["pairs"]
    assert told["duration_seconds", ()] == pytest.approx(sum(record["seconds"].values()))
    assert told["date_timestamp_seconds", ()] == datetime(2026, 1, 2, tzinfo=UTC).timestamp()
    for table, became in record["rows"].items():
        for name in ("scored", "rejected", "unpaired"):
            assert told[f"{name}_rows", (("table", table),)] == became[name]
    assert told["rejected_rows", (("table", "hypotheses"),)] == 2
    rule = ("rule", "boundary_similarity>=-0.02")
    assert told["gate_passed", (rule, ("system", "other"))] == 0
    assert told["gate_passed", (rule, ("system", "steady"))] == 1
    seen = 0
    for row in read_table(f"{archive.folder_of(SECOND)}/summary").to_pylist():
        system = ("system", row["hypothesis"])
        assert told["documents", (system,)] == row["documents"]
        if (row["measure"], row["average"]) == ("boundary_similarity", "micro"):
            labels = (("average", "micro"), ("measure", row["measure"]), system)
            assert told["average", labels] == row["value"]
            assert told["average_low", labels] == row["ci_low"]
            assert told["average_high", labels] == row["ci_high"]
            seen += 1
    assert seen == 3


def test_metrics_stay_with_the_newest_night(archive: Archive) -> None:
    archive.deliver(SECOND)
    assert archive.run(SECOND).code == 0
    before = archive.metrics.read_bytes()
    archive.deliver(FIRST, seed=4)
    ended = archive.run(FIRST)
    assert ended.code == 0 and f"describes a newer night, {SECOND}" in ended.err
    assert archive.metrics.read_bytes() == before


def test_metrics_that_cannot_be_written(archive: Archive) -> None:
    archive.deliver(SECOND)
    ended = archive.run(SECOND, "--metrics", f"{archive.file}/night.prom")
    assert ended.code == 1
    assert "--metrics" in one_error(ended.err)
    assert archive.outcome(SECOND) == "passed"


def test_json_lines(archive: Archive) -> None:
    archive.deliver(SECOND, WORSE)
    ended = archive.run(SECOND, "--log-format", "json")
    lines = [json.loads(line) for line in ended.err.splitlines()]
    judged, error = lines[-2:]
    assert (judged["outcome"], judged["good"]) == ("failed", False)
    assert (error["level"], error["exit_code"]) == ("error", 1)


# --- Old nights ----------------------------------------------------------------------------------


def test_old_nights_are_removed_and_nothing_else(archive: Archive) -> None:
    last_good = FIRST
    failed = [shifted(FIRST, days) for days in (1, 2, 3, 40)]
    for night in failed:
        archive.deliver(night, WORSE)
        assert archive.run(night).code == 1
    runs = Path(archive.runs)
    (runs / f"date={failed[1]}" / "notes.txt").write_text("mine")
    mine = [runs / "date=2020-01-01" / "data.parquet", runs / "date=soon" / "a", runs / "old" / "b"]
    for path in mine:
        path.parent.mkdir()
        path.write_text("mine")
    kept = files(archive.runs)
    ended = archive.run(failed[-1], "--keep", 10)
    assert ended.code == 1
    gone = {failed[0], failed[2]}
    for night in gone:
        assert f"removed night {night}" in ended.out
        assert not Path(archive.folder_of(night)).exists()
    left = {name: content for name, content in kept.items()
            if not any(f"date={night}/" in name for night in gone)}  # fmt: skip
    assert files(archive.runs) == left
    assert Path(archive.folder_of(last_good)).exists()
    assert "notes.txt, which the night did not write" in ended.err
    again = archive.run(failed[-1], "--keep", 10)
    assert again.code == 1 and "removed night" not in again.out
    assert files(archive.runs) == left


@pytest.mark.parametrize("after", [0, 1, 2, 8])
def test_a_removal_that_was_cut_short_is_finished(
    archive: Archive, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    """Whatever was removed last, and a file that somebody puts there meanwhile stays."""
    later = shifted(FIRST, 30)
    archive.deliver(later)
    assert archive.run(later).code == 0
    nights, left, remove = Nights(archive.runs), after, storage.remove

    def cut_short(url: str) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise KeyboardInterrupt
        remove(url)

    monkeypatch.setattr(storage, "remove", cut_short)
    with pytest.raises(KeyboardInterrupt):
        remove_old(nights, 10)
    monkeypatch.setattr(storage, "remove", remove)
    folder = Path(archive.folder_of(FIRST))
    (folder / "mine.txt").write_text("mine")
    kept = files(archive.runs)
    assert remove_old(Nights(archive.runs), 10)[0] == [] and files(archive.runs) == kept
    (folder / "mine.txt").unlink()
    assert remove_old(Nights(archive.runs), 10) == ([date.fromisoformat(FIRST)], [])
    assert not folder.exists()


@pytest.mark.parametrize("place", ["scores/mynotes.txt", "corpus/a.jsonl", "summary/.hidden"])
def test_a_night_that_holds_a_file_of_others_is_kept(archive: Archive, place: str) -> None:
    later = shifted(FIRST, 30)
    archive.deliver(later)
    assert archive.run(later).code == 0
    mine = Path(archive.folder_of(FIRST), place)
    mine.parent.mkdir(exist_ok=True)
    mine.write_text("mine")
    before = files(archive.runs)
    ended = archive.run(later, "--keep", 10)
    assert ended.code == 0, ended.err
    assert files(archive.runs) == before
    assert f"it contains {place.removesuffix('/a.jsonl')}" in ended.err


def test_a_record_that_lists_files_elsewhere_removes_nothing(archive: Archive) -> None:
    later = shifted(FIRST, 30)
    archive.deliver(later)
    assert archive.run(later).code == 0
    night = Path(archive.folder_of(FIRST))
    victim = Path(archive.folder) / "victim-01234567.parquet"
    victim.write_text("mine")
    record = json.loads((night / "run.json").read_text())
    record["files"]["scores"].append("../../../victim-01234567.parquet")
    (night / "run.json").write_text(json.dumps(record))
    before = files(archive.folder)
    ended = archive.run(later, "--keep", 10)
    assert "run.json: was not written by segscore, or was changed since" in ended.err
    # Only the verdict of the later night is another one: what it was compared with is passed over.
    judged = str(Path(archive.folder_of(later)) / "night.json")
    found = files(archive.folder)
    assert found.keys() == before.keys() and found.pop(judged) != before.pop(judged)
    assert found == before


def test_a_wrong_date_in_the_future_removes_nothing(archive: Archive) -> None:
    """Days are counted from today then."""
    today = datetime.now(UTC).date().isoformat()
    for night in (today, "2999-01-01"):
        archive.deliver(night)
        assert archive.run(night).code == 0
    ended = archive.run("2999-01-01", "--keep", 5)
    assert ended.code == 0, ended.err
    assert Path(archive.folder_of(today)).exists()
    assert not Path(archive.folder_of(FIRST)).exists()


def test_a_night_stands_when_what_it_was_compared_with_is_gone(archive: Archive) -> None:
    archive.deliver(SECOND, WORSE)
    assert archive.run(SECOND).code == 1
    storage.remove(archive.folder_of(FIRST))
    ended = archive.run(SECOND)
    assert ended.code == 1 and archive.outcome(SECOND) == "failed"


def test_a_night_that_cannot_be_read_is_passed_over_and_said(archive: Archive) -> None:
    archive.deliver(SECOND)
    assert archive.run(SECOND).code == 0
    storage.write_text(f"{archive.folder_of(SECOND)}/run.json", "{")
    archive.deliver(THIRD)
    ended = archive.run(THIRD)
    assert ended.code == 0, ended.err
    assert "night ignored" in ended.err and "not valid JSON" in ended.err
    assert archive.read(THIRD, "night.json")["against"]["steady"]["date"] == FIRST


# --- Settings ------------------------------------------------------------------------------------


def test_how_to_score_is_said_as_for_score(archive: Archive) -> None:
    """Whatever a settings file may say of `score`, a memory limit among it, serves nights too."""
    archive.settle(score='memory-limit = "4GiB"\nexplain-plan = true')
    archive.deliver(SECOND)
    ended = archive.run(SECOND)
    assert ended.code == 0, ended.err
    archive.settle(score='memory-limit = "much"')
    assert archive.run(SECOND).code == 2


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--date", "2026-1-2"), "--date 2026-1-2: must be a date such as 2026-01-31"),
        (("--date", "2026-02-30"), "--date 2026-02-30: must be a date"),
        (("--against", "yesterday"), "--against yesterday: must be a date such as 2026-01-31, or"),
        (("--against", SECOND), f"--against {SECOND}: must not be the night itself"),
        (("--against", "2019-01-01"), "--against 2019-01-01: no such night in"),
        (("--gate", "pk>=-1"), "--gate pk>=-1: lower is better"),
        (("--alpha", "0"), "--alpha 0.0: must be above 0"),
        (("--alpha", "nan"), "--alpha nan: must be above 0"),
        (("--not-comparable", "maybe"), "--not-comparable maybe: must be one of fail, pass"),
        (("--metrics", "night.txt"), "--metrics night.txt: must end in .prom"),
        (("--keep", "0"), "--keep 0: must be at least 1"),
        (("--runs", "runs/{date}"), "every night gets its own folder"),
        (("--references", "r/{day}"), "--references r/{day}: unknown placeholder {day}"),
        (("--references", " "), "REFERENCES: is empty"),
    ],
)
def test_settings_that_cannot_be_meant(
    archive: Archive, options: tuple[str, ...], said: str
) -> None:
    archive.deliver(SECOND)
    ended = archive.run(SECOND, *options)
    assert ended.code == 2
    assert said in one_error(ended.err)
    assert not Path(archive.folder_of(SECOND)).exists()


def test_what_a_file_cannot_say(archive: Archive) -> None:
    archive.settle(f'date = "{SECOND}"\nfresh = true\nmetric = "x.prom"\nkeep = "long"')
    ended = archive.run(SECOND)
    assert ended.code == 2
    line = one_error(ended.err)
    for said in (
        "nightly.date can only be set on the command line",
        "nightly.fresh can only be set on the command line",
        "no such key nightly.metric, nearest is nightly.metrics",
        "nightly.keep is 'long', must be int",
    ):
        assert said in line


def test_a_night_is_scored_as_the_table_score_says(archive: Archive) -> None:
    """The same tables, to the byte, as `segscore score` writes with the same file."""
    archive.settle(
        'not-comparable = "pass"',
        'n-t = 3\ngroup-by = ["show"]\nc-seg-costs = [1, 0.5]\nworkers = 1',
    )
    for role in ("reference", "hypothesis"):
        listed = rows(SECOND, role, GOOD)
        archive.put(SECOND, role, [{**row, "show": row["document_id"][-1]} for row in listed])
    assert archive.run(SECOND).code == 0
    tables = [f"{archive.folder}/{name}/date={SECOND}" for name in ("references", "hypotheses")]
    alone = archive.desk / "alone"
    options = ("--settings", archive.file, "--output", alone)
    ended = archive.segscore("score", *tables, *options)
    assert ended.code == 0, ended.err
    for table in ("scores", "summary"):
        one, other = (files(f"{run}/{table}") for run in (alone, archive.folder_of(SECOND)))
        assert list(one.values()) == list(other.values()) and one
