"""docs/method-nights.md: floors, what is nobody's fault, and acceptance of one system's fall."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import CommandResult, Segscore
from tests.support.night_metrics import one_error
from tests.support.rows import write_rows
from tests.support.station import Fault, Station

CHANNELS = ("eins", "news", "regio")
SYSTEMS = {"alpha": 0.95, "beta": 0.93, "delta": 0.91, "gamma": 0.9}
RULE = "boundary_similarity>=-0.05"


class Nights:
    """A station whose nights are run one after the other."""

    def __init__(self, folder: Path, segscore: Segscore, *faults: Fault) -> None:
        self.station = Station(folder, 12, faults, 1, CHANNELS, SYSTEMS)
        self.segscore = segscore

    def settle(self, gate: str, nightly: str = "") -> None:
        """Write the settings."""
        self.station.settings(nightly, 'reference-points = ["none"]', json.dumps(gate.split(", ")))

    def run(self, night: int, *options: object) -> CommandResult:
        """Deliver a night, if it is not there, and run it."""
        date = self.station.date(night)
        if not (self.station.folder / f"references/date={date}").exists():
            self.station.deliver(night)
        settings = self.station.folder / "nightly.toml"
        return self.segscore("nightly", "--settings", settings, "--date", date, *options)

    def verdict(self, night: int) -> Any:
        """Return the verdict on a night."""
        folder = self.station.runs / f"date={self.station.date(night)}"
        return json.loads((folder / "night.json").read_text())


@pytest.mark.first
@pytest.mark.parametrize(("size", "outcome"), [(0.0, "passed"), (0.75, "failed")])
def test_a_floor_is_about_all_documents_of_each_system(
    segscore: Segscore, tmp_path: Path, size: float, outcome: str
) -> None:
    """A hard channel and a reference point are below it, which only `gate-by` makes count."""
    hard = Fault("step", 0, None, "regio", 0.5)
    nights = Nights(tmp_path, segscore, hard, Fault("step", 0, "gamma", None, size))
    nights.settle("level:boundary_similarity>=.5")
    result = nights.run(0)
    verdict = nights.verdict(0)
    assert verdict["outcome"] == outcome and len(verdict["checks"]) == len(SYSTEMS)
    failed = [check["system"] for check in verdict["checks"] if check["result"] == "failed"]
    assert failed == (["gamma"] if size else [])
    if size:
        assert "gamma: boundary_similarity 0." in one_error(result.err)
        assert "is below the floor of 0.500" in one_error(result.err)
    nights.settle("level:boundary_similarity>=.5", 'gate-by = ["channel"]')
    nights.run(0)
    # Of few documents, the interval may include the floor, which warns.
    below = {"failed", "warned"}
    by_group = [check for check in nights.verdict(0)["group_checks"] if check["result"] in below]
    assert "regio" in {check["group"] for check in by_group}


@pytest.mark.long
def test_what_all_systems_do_is_said_once_with_the_references(
    segscore: Segscore, tmp_path: Path
) -> None:
    """The desk marks fewer boundaries, and each system as many as before."""
    nights = Nights(tmp_path, segscore)
    nights.settle(RULE, 'gate-by = ["channel"]')
    for night in range(4):
        assert nights.run(night).code == 0
    nights.station.deliver(4)
    for path in (tmp_path / f"references/date={nights.station.date(4)}").rglob("*.jsonl"):
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        fewer = [{**row, "boundaries": row["boundaries"][::4]} for row in rows]
        write_rows(path, fewer)
    ended = nights.run(4)
    line = one_error(ended.err)
    assert ended.code == 1
    assert "all 4 systems fell in all 3 groups, most in " in line
    assert "fewer boundaries than on the nights before: look at the references" in line
    assert "No system is to blame" in line and "got worse" not in line
    verdict = nights.verdict(4)
    assert {check["result"] for check in verdict["checks"] if check["system"] in SYSTEMS} == {
        "with_all"
    }
    references = [each for each in verdict["densities"] if each["system"] is None]
    assert [each["group"] for each in references] == [None, *CHANNELS]
    assert references[0]["boundaries"] == sum(each["boundaries"] for each in references[1:])


@pytest.mark.long
def test_the_fall_of_one_system_is_accepted_and_that_of_another_is_not(
    segscore: Segscore, tmp_path: Path
) -> None:
    falls = [Fault("step", 2, "beta", None, 0.8), Fault("step", 2, "delta", None, 0.8)]
    nights = Nights(tmp_path, segscore, *falls)
    nights.settle(RULE)
    for night in range(2):
        assert nights.run(night).code == 0
    assert "beta got worse" in one_error(nights.run(2).err)
    options = ("--accept", "other microphones", "--system", "beta")
    line = one_error(nights.run(2, *options).err)
    assert "delta got worse" in line and "beta" not in line
    verdict = nights.verdict(2)
    assert (verdict["outcome"], verdict["accepted"]) == ("failed", None)
    assert verdict["good_systems"] == ["alpha", "beta", "gamma"]
    line = one_error(nights.run(3).err)
    assert "delta got worse" in line and "beta" not in line
    assert {system: each["date"] for system, each in nights.verdict(3)["against"].items()} == {
        **dict.fromkeys(("alpha", "beta", "gamma"), nights.station.date(2)),
        "delta": nights.station.date(1),
    }
    both = nights.run(2, "--accept", "known", "--system", "delta", "--rule", RULE)
    assert both.code == 0, both.err
    assert nights.verdict(2)["outcome"] == "accepted"
    assert nights.run(3).code == 0
    wrong = nights.run(3, "--accept", "known", "--rule", "pk<=+0.1")
    assert wrong.code == 2 and "is none of --gate" in one_error(wrong.err)
    assert nights.run(3, "--system", "delta").code == 2
