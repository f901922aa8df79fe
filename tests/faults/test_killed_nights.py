"""Nights that are scored or judged again and killed meanwhile: the old ones stay, and then end."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from segscore.pipeline.storage import read_table
from tests.support.command_line import Segscore
from tests.support.driven import FaultPlan, Gate
from tests.support.killing import Command
from tests.support.nights import DAYS, GOOD, Archive, rows
from tests.support.run_files import everything

FIRST, SECOND, THIRD = DAYS[:3]
RULES = "boundary_similarity>=-0.02, level:boundary_similarity>=-0.02"
TIMES = ("finished_at", "restated_at")
SCORING = ("nightly", "--settings", "segscore.toml", "--date", FIRST)
REJUDGING = ("nightly", "--settings", "segscore.toml", "--rejudge", "--from", SECOND, "--to", THIRD)


@pytest.fixture(scope="module")
def restated(tmp_path_factory: pytest.TempPathFactory, segscore_once: Segscore) -> Archive:
    """Three nights, of which the first has other references now."""
    folder = tmp_path_factory.mktemp("restated")
    archive = Archive(folder / "archive", folder, segscore_once)
    archive.settle(gate=RULES)
    for night in (FIRST, SECOND, THIRD):
        archive.deliver(night)
        assert archive.run(night).code == 0
    listed = rows(FIRST, "reference", GOOD)
    for row in listed[:12]:
        row["boundaries"] = row["boundaries"][1:]
    archive.put(FIRST, "reference", listed)
    shutil.copytree(folder / "archive", folder / "kept")
    return archive


class Trial:
    """The archive as it was, in which commands are killed."""

    def __init__(self, archive: Archive) -> None:
        self.archive = archive
        shutil.rmtree(archive.folder)
        shutil.copytree(archive.workspace / "kept", archive.folder)

    def run(self, command: tuple[str, ...], **gates: Gate) -> int:
        """Run a command in a process of its own; return its exit code."""
        folder = self.archive.workspace / f"plan{len(list(self.archive.workspace.glob('plan*')))}"
        folder.mkdir()
        settings = str(self.archive.file)
        words = [settings if word == "segscore.toml" else word for word in command]
        ended = Command(FaultPlan(str(folder), 1000, gates), *words).result()
        assert "Traceback" not in ended.err, ended.err
        return ended.code

    def night(self, night: str) -> dict[str, bytes]:
        """Return the files of a night, without those of an attempt that has not ended."""
        found = everything(Path(self.archive.folder_of(night)))
        return {name: content for name, content in found.items() if not name.startswith("_")}

    def said(self) -> list[dict[str, Any]]:
        """Return all verdicts, without their times."""
        verdicts = [self.archive.read(night, "night.json") for night in (FIRST, SECOND, THIRD)]
        return [{k: v for k, v in each.items() if k not in TIMES} for each in verdicts]

    def restatements(self) -> list[dict[str, Any]]:
        """Return the table of restatements, without times."""
        listed = read_table(f"{self.archive.runs}/restatements").to_pylist()
        return [{k: v for k, v in row.items() if k not in TIMES} for row in listed]

    def noted(self) -> list[Path]:
        """List what is noted of nights that are being scored again."""
        return [*Path(self.archive.runs, "restatements", "_before").glob("*")]


SCORED_AGAIN = {
    "when it is noted": (Gate("storage.write_new_text", "kill", "_before", after=True), True),
    "while it is scored": (Gate("runs.receipts.keep", "kill", after=True), True),
    "before it is published": (Gate("runs.publication.publish", "kill"), True),
    "before the record": (Gate("storage.write_new_text", "kill", "run.json"), False),
    "before it is judged": (Gate("nightly.judge.judge", "kill"), False),
    "before the table": (Gate("storage.write_table", "kill", "restatements"), False),
    "before the note is removed": (Gate("storage.remove", "kill", "_before"), False),
}
"""Where a night that is scored again is killed, and whether the old one is still there then."""


def test_a_night_that_is_killed_while_it_is_restated_stays_and_is_restated_by_the_next_run(
    restated: Archive,
) -> None:
    undisturbed = Trial(restated)
    assert undisturbed.run(SCORING) == 0
    expected = undisturbed.said(), undisturbed.restatements()
    assert len(expected[1]) == len(GOOD)
    for place, (gate, is_old) in SCORED_AGAIN.items():
        trial = Trial(restated)
        before, said = trial.night(FIRST), trial.said()
        assert trial.run(SCORING, killed=gate) == -9, place
        assert (trial.night(FIRST) == before) == is_old, place
        assert trial.said()[1:] == said[1:]
        assert trial.run(SCORING) == 0, place
        assert (trial.said(), trial.restatements()) == expected, place
        assert trial.noted() == [], place


def test_nights_that_are_killed_while_they_are_judged_again_keep_their_verdicts(
    restated: Archive,
) -> None:
    undisturbed = Trial(restated)
    assert undisturbed.run(SCORING) == 0
    assert undisturbed.run(REJUDGING) == 0
    expected = undisturbed.said()
    for after in (False, True):
        trial = Trial(restated)
        assert trial.run(SCORING) == 0
        before = trial.said()
        gate = Gate("nightly.nights.save_verdict", "kill", SECOND, after=after)
        assert trial.run(REJUDGING, killed=gate) == -9
        found = trial.said()
        assert found[0] == before[0] and found[2] == before[2]
        assert found[1] == (expected[1] if after else before[1])
        assert trial.run(REJUDGING) == 0
        assert trial.said() == expected and trial.noted() == []
