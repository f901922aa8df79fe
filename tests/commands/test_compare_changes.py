"""`segscore compare --changes`: what one system gets right and another does not."""

import csv
import json
from collections import Counter
from io import StringIO
from pathlib import Path
from random import Random
from typing import Any

import pytest

from segscore.pipeline.measures.edit_list import list_edits
from segscore.pipeline.storage import read_table
from segscore.schemas.comparisons import CHANGED, CHANGES
from tests.support.command_line import Segscore

Row = dict[str, Any]
GOLD = {"a": [3, 8, 12, 16], "b": [5, 10]}
OLD = {"a": [3, 7, 14, 18], "b": [5, 7]}
NEW = {"a": [3, 12, 18], "b": [10, 2]}


def rows(coder: str, lists: dict[str, list[int]]) -> list[Row]:
    return [
        {"document_id": name, "coder": coder, "n_units": 20, "boundaries": sorted(positions)}
        for name, positions in lists.items()
    ]


def write(path: Path, *tables: list[Row]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for table in tables for row in table))
    return path


@pytest.fixture
def run(segscore: Segscore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    gold = write(tmp_path / "gold.jsonl", rows("desk", GOLD))
    systems = write(tmp_path / "systems.jsonl", rows("old", OLD), rows("new", NEW))
    assert segscore("score", gold, systems, "--output", "run").code == 0
    return "run"


def test_each_boundary_is_right_fixed_broken_or_wrong(segscore: Segscore, run: str) -> None:
    result = segscore("compare", run, "--changes", "--systems", "old,new", "--format", "json")
    assert result.code == 0, result.err
    found = json.loads(result.out)
    numbers = {(row["what"], row["change"]): row["number"] for row in found["changes"]}
    # 8 is found by the old system as 7, within n_t - 1; 16 by neither.
    assert numbers == {
        ("reference boundaries", "both right"): 1,
        ("reference boundaries", "fixed"): 2,
        ("reference boundaries", "broken"): 2,
        ("reference boundaries", "both wrong"): 1,
        ("false alarms", "kept"): 1,
        ("false alarms", "gone"): 2,
        ("false alarms", "new"): 1,
        ("split reference segments", "before"): 3,
        ("split reference segments", "after"): 2,
        ("spanning hypothesis segments", "before"): 3,
        ("spanning hypothesis segments", "after"): 3,
    }
    listed = {(r["document_id"], r["position"]): r["change"] for r in found["changed"]}
    assert listed == {
        ("a", 8): "broken",
        ("a", 12): "fixed",
        ("a", 14): "gone",
        ("b", 2): "new",
        ("b", 5): "broken",
        ("b", 7): "gone",
        ("b", 10): "fixed",
    }
    assert {row["p"] for row in found["changes"] if row["change"] == "fixed"} == {None}
    command = found["changed"][0]["command"]
    assert command == "segscore explain run --document a --hypothesis new"
    assert segscore(*command.split()[1:]).code == 0


def test_the_order_of_the_systems_is_the_direction(segscore: Segscore, run: str) -> None:
    text = segscore("compare", run, "--changes", "--systems", "new,old")
    assert text.code == 0, text.err
    assert "what changed from new to old" in text.out
    listed = segscore("compare", run, "--changes", "--systems", "new,old", "--format", "csv")
    changes = Counter(row["change"] for row in csv.DictReader(StringIO(listed.out)))
    assert changes == {"fixed": 2, "broken": 2, "gone": 1, "new": 2}


def test_counts_are_those_of_the_edits(segscore: Segscore, tmp_path: Path) -> None:
    chance = Random(11)  # noqa: S311
    lists = [
        {f"d{i}": chance.sample(range(1, 20), chance.randint(0, 7)) for i in range(30)}
        for _ in range(3)
    ]
    gold = write(tmp_path / "gold.jsonl", rows("desk", lists[0]))
    runs = []
    for name, of_system in zip("ab", lists[1:], strict=True):
        table = write(tmp_path / f"{name}.jsonl", rows("system", of_system))
        runs.append(tmp_path / name)
        assert segscore("score", gold, table, "--output", runs[-1]).code == 0
    result = segscore("compare", *runs, "--changes", "--format", "json")
    assert result.code == 0, result.err
    found = {
        (row["what"], row["change"]): row["number"] for row in json.loads(result.out)["changes"]
    }
    expected: Counter[str] = Counter()
    for name, reference in lists[0].items():
        right, alarms = [], []
        for of_system in lists[1:]:
            edits = list_edits(sorted(reference), sorted(of_system[name]))
            right.append({e.position for e in edits if e.kind in ("match", "near_miss")})
            alarms.append({e.other_position for e in edits if e.kind == "false_alarm"})
        for position in reference:
            before, after = (position in each for each in right)
            expected[
                {(1, 1): "both right", (0, 1): "fixed", (1, 0): "broken"}.get(
                    (before, after), "both wrong"
                )
            ] += 1
        expected["false alarms"] += len(alarms[0])
    for change in ("both right", "fixed", "broken", "both wrong"):
        assert found["reference boundaries", change] == expected[change]
    kept, gone = (found["false alarms", change] for change in ("kept", "gone"))
    assert kept + gone == expected["false alarms"]


def test_the_tables_are_those_of_the_page(segscore: Segscore, run: str) -> None:
    result = segscore("compare", run, "--changes", "--systems", "old,new", "--output", "compared")
    assert result.code == 0, result.err
    for schema in (CHANGES, CHANGED):
        table = read_table(f"compared/{schema.name}")
        assert table.column_names == [*schema.columns]
        schema.validate(table)


def test_it_needs_two_systems(segscore: Segscore, run: str) -> None:
    result = segscore("compare", run, "--changes", "--systems", "old")
    assert result.code == 2
    assert "name two in their order with --systems" in " ".join(result.err.split())
