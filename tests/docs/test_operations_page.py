"""docs/operations.md: the line for an absolute floor, with the real jq."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import Segscore
from tests.support.pages import DOCS
from tests.support.station import Fault, Station

FLOOR = 0.5
"""The floor of the page."""

JQ = shutil.which("jq")
pytestmark = pytest.mark.skipif(JQ is None, reason="jq is not installed")


def ends_with(printed: str) -> int:
    """Run the program of the page on what a command printed; return its exit code."""
    page = (DOCS / "operations.md").read_text("utf-8")
    (program,) = re.findall(r"^segscore score … --format json \| jq -e '(.*?)'$", page, re.M | re.S)
    assert f".value >= {FLOOR}" in program
    ended = subprocess.run(
        [str(JQ), "-e", program], input=printed, capture_output=True, text=True, check=False
    )
    assert not ended.stderr
    return ended.returncode


def published_night(segscore: Segscore, folder: Path, chance: float) -> str:
    """Publish a night whose systems find so many boundaries, fewer in one of three channels.

    Returns:
        What the command prints as JSON.
    """
    hard = Fault("step", 0, None, "regio", 0.45)
    channels, systems = ("eins", "news", "regio"), {"alpha": chance, "beta": chance - 0.02}
    station = Station(folder, 8, [hard], 1, channels, systems)
    settings = station.settings(score='reference-points = ["none", "random-own"]')
    station.deliver(0)
    night = ("--settings", settings, "--date", station.date(0), "--format", "json")
    ended = segscore("nightly", *night)
    assert ended.code == 0, ended.err
    return ended.out


def averages(printed: str, *, whole: bool) -> list[Any]:
    """Return the averages of systems: over all documents, or of each channel."""
    return [
        row["value"]
        for row in json.loads(printed)["summary"]
        if (row["measure"], row["average"]) == ("boundary_similarity", "micro")
        and (row["channel"] is None) == whole
        and not row["hypothesis"].startswith("point:")
    ]


def test_groups_and_reference_points_below_the_floor_are_left_out(
    segscore: Segscore, tmp_path: Path
) -> None:
    printed = published_night(segscore, tmp_path, 0.95)
    assert min(averages(printed, whole=False)) < FLOOR < min(averages(printed, whole=True))
    rows = json.loads(printed)["summary"]
    assert min(row["value"] for row in rows if row["hypothesis"] == "point:none") < FLOOR
    assert ends_with(printed) == 0


def test_a_system_below_the_floor_ends_with_1(segscore: Segscore, tmp_path: Path) -> None:
    printed = published_night(segscore, tmp_path, 0.45)
    assert min(averages(printed, whole=True)) < FLOOR
    assert ends_with(printed) == 1


def scored(segscore: Segscore, folder: Path, *options: str) -> str:
    """Score a system against eleven coders, most of whom agree with it; return what is printed."""
    rows = [(f"agrees-{i}", "reference", SAME) for i in range(8)]
    rows += [(f"differs-{i}", "reference", [place + i for place in OTHER]) for i in (0, 3, 6)]
    table = folder / "one.jsonl"
    with table.open("w") as file:
        for coder, role, boundaries in [*rows, ("alpha", "hypothesis", SAME)]:
            row = {"document_id": "d", "n_units": 70, "coder": coder, "role": role}
            file.write(json.dumps({**row, "boundaries": boundaries}) + "\n")
    output = ("--format", "json", "--output", folder / "run")
    ended = segscore("score", table, table, *output, *options)
    assert ended.code == 0, ended.err
    return ended.out


SAME, OTHER = [5, 10, 15, 20], [25, 35, 45, 55]


def test_rows_of_a_consensus_below_the_floor_are_left_out(
    segscore: Segscore, tmp_path: Path
) -> None:
    printed = scored(segscore, tmp_path, "--consensus", "any")
    values = {
        row["reference"]: row["value"]
        for row in json.loads(printed)["summary"]
        if (row["measure"], row["average"]) == ("boundary_similarity", "micro")
    }
    assert values["consensus:any"] < FLOOR < values[None]
    assert ends_with(printed) == 0


def test_a_run_without_the_measure_ends_with_1(segscore: Segscore, tmp_path: Path) -> None:
    assert ends_with(scored(segscore, tmp_path, "--measures", "pk")) == 1
