"""Nights of channels: rules by group, groups that are missing, ranges, dry runs."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.support.command_line import CommandResult, Segscore
from tests.support.night_metrics import one_error
from tests.support.station import Fault, Station

CHANNELS = ("eins", "news", "regio")
SYSTEMS = {"alpha": 0.9, "beta": 0.86, "gamma": 0.8}
RULE = "boundary_similarity>=-0.05"


class Nights:
    """A station whose nights are run."""

    def __init__(self, folder: Path, segscore: Segscore, faults: Sequence[Fault] = ()) -> None:
        self.station = Station(folder, 12, faults, 1, CHANNELS, SYSTEMS)
        self.segscore = segscore

    def settle(self, nightly: str = "", gate: str = f'["{RULE}"]') -> None:
        """Write the settings."""
        self.station.settings(nightly, "", gate)

    def several(self, first: int, last: int, *options: object) -> CommandResult:
        """Deliver some nights and run them in one command."""
        for night in range(first, last + 1):
            self.station.deliver(night)
        dates = ("--from", self.station.date(first), "--to", self.station.date(last))
        return self.run(*dates, *options)

    def one(self, night: int, *options: object) -> CommandResult:
        """Deliver a night and run it."""
        self.station.deliver(night)
        return self.run("--date", self.station.date(night), *options)

    def run(self, *options: object) -> CommandResult:
        """Run the command."""
        return self.segscore(
            "nightly", "--settings", self.station.folder / "nightly.toml", *options
        )

    def verdict(self, night: int) -> dict[str, object]:
        """Return night.json."""
        path = self.station.runs / f"date={self.station.date(night)}" / "night.json"
        contents: dict[str, object] = json.loads(path.read_text())
        return contents


@pytest.mark.long
def test_a_channel_that_falls_for_all_systems_is_named_on_its_first_night(
    segscore: Segscore, tmp_path: Path
) -> None:
    nights = Nights(tmp_path, segscore, [Fault("step", 14, None, "regio", 0.4)])
    nights.settle('gate-by = ["channel"]')
    assert nights.several(0, 13).code == 0
    result = nights.one(14)
    line = one_error(result.err)
    assert result.code == 1 and "failed: regio fell for all 3 systems: boundary_sim" in line
    assert "its recordings or references may have changed" in line
    assert "eins" not in line and "news" not in line
    assert "gate by group" in result.out
    accepted = nights.run("--date", nights.station.date(14), "--accept", "new recorder")
    assert accepted.code == 0, accepted.err
    assert nights.one(15).code == 0  # what was accepted is not held against it
    verdict = nights.verdict(14)
    checks = verdict["group_checks"]
    assert isinstance(checks, list)
    # Three systems and their mean in three groups.
    assert len(checks) == 12 and {check["group"] for check in checks} == {*CHANNELS}
    assert {check["group"] for check in checks if check["result"] == "failed"} == {"regio"}
    # Without the rule by group the night passes a rule that is wide enough.
    assert nights.run("--date", nights.station.date(14), "--gate-by", "", "--gate",
                      "boundary_similarity>=-0.3").code == 0  # fmt: skip


@pytest.mark.long
def test_one_system_in_one_channel_is_named_by_itself(segscore: Segscore, tmp_path: Path) -> None:
    nights = Nights(tmp_path, segscore, [Fault("step", 4, "beta", "news", 0.6)])
    nights.settle('gate-by = ["channel"]', '["boundary_similarity>=-0.2"]')
    assert nights.several(0, 3).code == 0
    line = one_error(nights.one(4).err)
    assert "failed: beta got worse in news: boundary_similarity 0." in line
    assert "for all" not in line


@pytest.mark.long
def test_a_missing_channel_is_warned_of_or_makes_the_night_incomplete(
    segscore: Segscore, tmp_path: Path
) -> None:
    nights = Nights(tmp_path, segscore, [Fault("missing", 3, None, "regio")])
    nights.settle()
    assert nights.several(0, 2).code == 0
    result = nights.one(3)
    assert result.code == 0
    assert "warning: regio: no documents; the last 3 good nights had 12" in result.err
    assert nights.verdict(3)["warnings"] == ["regio: no documents; the last 3 good nights had 12"]
    required = nights.run("--date", nights.station.date(3), "--require-groups")
    assert required.code == 1
    assert "incomplete: missing groups: regio" in one_error(required.err)
    assert nights.verdict(3)["missing_groups"] == ["regio"]


@pytest.mark.long
def test_a_night_that_fails_for_one_system_counts_for_what_is_usual(
    segscore: Segscore, tmp_path: Path
) -> None:
    faults = [Fault("step", 2, "beta", None, 0.7), Fault("missing", 3, None, "regio")]
    nights = Nights(tmp_path, segscore, faults)
    nights.settle()
    assert nights.several(0, 2).code == 1
    assert nights.verdict(2)["good_systems"] == ["alpha", "gamma"]
    assert "warning: regio: no documents; the last 3 good nights had 12" in nights.one(3).err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--gate", f"{RULE},{RULE}"), "a second rule"),
        (("--gate-by", "channel,channel"), "--gate-by channel,channel: names a column twice"),
        (("--gate-by", "hour"), "--gate-by hour: the documents have no such attribute"),
    ],
)
def test_wrong_rules_are_refused(
    segscore: Segscore, tmp_path: Path, options: tuple[str, ...], message: str
) -> None:
    nights = Nights(tmp_path, segscore)
    nights.settle()
    result = nights.one(0, *options)
    assert result.code in (1, 2) and message in one_error(result.err)


def test_a_location_without_date_is_noticed(segscore: Segscore, tmp_path: Path) -> None:
    nights = Nights(tmp_path, segscore)
    nights.settle()
    path = nights.station.folder / "nightly.toml"
    name = f"hypotheses/date={nights.station.date(0)}"
    path.write_text(path.read_text().replace("hypotheses/date={date}", name))
    fixed = f"{nights.station.folder}/{name}"
    result = nights.one(0)
    assert result.code == 0
    assert (
        f"warning: --hypotheses {fixed}: has no {{date}}, so that every night reads" in result.err
    )
    dry = nights.run("--date", nights.station.date(0), "--dry-run")
    assert f"--hypotheses {fixed} has no {{date}}" in dry.out


@pytest.mark.long
def test_a_range_of_nights_ends_with_what_went_wrong(segscore: Segscore, tmp_path: Path) -> None:
    nights = Nights(tmp_path, segscore, [Fault("broken", 2, "beta", until=3)])
    nights.settle()
    nights.station.deliver(4)
    result = nights.several(0, 2, "--format", "json")
    listed = json.loads(result.out)["nights"]
    assert [night["outcome"] for night in listed][:2] == ["passed", "passed"]
    assert nights.run("--from", "2026-09-01", "--to", "2026-09-02").code == 75
    mixed = nights.run("--from", "2026-09-30", "--to", "2026-10-02")
    assert mixed.code == 0, mixed.err
    assert mixed.out.splitlines() == [
        "2026-09-30: waiting", "2026-10-01: passed", "2026-10-02: passed",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "options",
    [
        ("--from", "2026-10-01"),
        ("--from", "2026-10-02", "--to", "2026-10-01"),
        ("--date", "2026-10-01", "--from", "2026-10-01", "--to", "2026-10-01"),
        (),
    ],
)
def test_dates_that_do_not_fit_are_refused(
    segscore: Segscore, tmp_path: Path, options: tuple[str, ...]
) -> None:
    nights = Nights(tmp_path, segscore)
    nights.settle()
    assert nights.run(*options).code == 2


def test_a_dry_run_says_what_would_be_done_and_writes_nothing(
    segscore: Segscore, tmp_path: Path
) -> None:
    nights = Nights(tmp_path, segscore)
    nights.settle()
    first = nights.station.date(0)
    waiting = nights.run("--date", first, "--dry-run")
    assert waiting.code == 0 and f"{first}: would wait for input: " in waiting.out
    nights.station.deliver(0)
    new = nights.run("--date", first, "--explain-plan")
    assert "would be scored; there is no earlier good night to compare with" in new.out
    assert "references: 3 files, " in new.out and not nights.station.runs.exists()
    assert nights.run("--date", first).code == 0
    before = {path: path.read_bytes() for path in nights.station.runs.rglob("*") if path.is_file()}
    done = nights.run("--date", first, "--dry-run")
    assert "is scored already, with this input" in done.out
    (tmp_path / "references" / f"date={first}" / "channel=eins" / "part.jsonl").unlink()
    changed = nights.run("--date", first, "--dry-run")
    assert "would be scored again: the input " in changed.out
    nights.station.deliver(1)
    second = nights.run("--date", nights.station.date(1), "--dry-run").out
    assert f"compared with {first}; expected: alpha, beta and gamma" in second
    after = {path: path.read_bytes() for path in nights.station.runs.rglob("*") if path.is_file()}
    assert before == after


def test_a_dry_run_of_several_nights_says_what_depends_on_the_first(
    segscore: Segscore, tmp_path: Path
) -> None:
    nights = Nights(tmp_path, segscore)
    nights.settle()
    result = nights.several(0, 1, "--dry-run")
    first, second = (nights.station.date(night) for night in (0, 1))
    assert result.code == 0, result.err
    assert f"{second}: {first} is an earlier good night, if it passes first" in result.out
    assert result.out.count("is an earlier good night") == 1


@pytest.mark.long
def test_a_range_of_nights_prints_the_warnings_of_each(segscore: Segscore, tmp_path: Path) -> None:
    nights = Nights(tmp_path, segscore, [Fault("missing", 3, None, "regio")])
    nights.settle()
    result = nights.several(0, 3)
    assert result.code == 0
    day = nights.station.date(3)
    assert f"warning: {day}: regio: no documents; the last 3 good nights had 12" in result.err


def test_a_dry_run_refuses_attributes_that_the_input_lacks(
    segscore: Segscore, tmp_path: Path
) -> None:
    nights = Nights(tmp_path, segscore)
    nights.settle()
    nights.station.deliver(0)
    wrong = nights.run("--date", nights.station.date(0), "--dry-run", "--gate-by", "chanel")
    assert wrong.code == 2
    assert "--gate-by chanel: the documents have no such attribute; the nearest is" in wrong.err


@pytest.mark.long
def test_what_many_nights_share_is_said_once(segscore: Segscore, tmp_path: Path) -> None:
    nights = Nights(tmp_path, segscore)
    nights.settle()
    assert nights.several(0, 3).code == 0
    nights.station.settings("", "n-t = 3", f'["{RULE}"]')
    first, last = (nights.station.date(night) for night in (0, 3))
    again = nights.run("--from", first, "--to", last, "--not-comparable", "pass")
    assert again.code == 0, again.err
    said = f"{first} is scored again: n_t was 2, is 3; and likewise 3 more nights to {last}"
    assert again.err.count("is scored again") == 1 and said in again.err


def test_lines_for_programs_have_the_outcome(segscore: Segscore, tmp_path: Path) -> None:
    nights = Nights(tmp_path, segscore, [Fault("step", 1, "beta", None, 0.7)])
    nights.settle()

    def last(result: CommandResult) -> dict[str, object]:
        line: dict[str, object] = json.loads(result.err.splitlines()[-1])
        return line

    dates = [nights.station.date(night) for night in range(3)]
    passed = last(nights.one(0, "--log-format", "json"))
    failed = last(nights.one(1, "--log-format", "json"))
    waiting = last(nights.run("--date", dates[2], "--log-format", "json"))
    for line, outcome, code in (
        (passed, "passed", 0),
        (failed, "failed", 1),
        (waiting, "waiting", 75),
    ):
        assert (line["outcome"], line["exit_code"]) == (outcome, code)
        assert line["date"] in dates and float(str(line["duration_seconds"])) >= 0
    assert passed["run"] == nights.verdict(0)["run"] and "seconds" in failed
