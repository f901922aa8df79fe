"""Runs with undefined values are shown by every command that reads them."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from segscore import read_run
from tests.support.command_line import CommandResult, Segscore

Row = dict[str, Any]


@pytest.fixture
def one(tmp_path: Path) -> Path:
    """One document, with a reference and two systems, one of them perfect."""
    rows = [_row("news", boundaries, coder) for coder, boundaries in (("a", [4, 8]), ("b", [3]))]
    return _written(tmp_path / "one.jsonl", [_row("news", [4, 8], "ann", "reference"), *rows])


def _row(document: str, boundaries: list[int], coder: str, role: str = "hypothesis") -> Row:
    row = {"document_id": document, "coder": coder, "role": role, "n_units": 12}
    return {**row, "boundaries": boundaries}


def _written(file: Path, rows: list[Row]) -> Path:
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return file


def _score(segscore: Segscore, table: Path, *options: str) -> Path:
    run = table.parent / "run"
    scored = segscore("score", table, table, "--output", run, *options)
    assert scored.code == 0, scored.err
    return run


def _refused(ended: CommandResult, said: str) -> None:
    assert ended.code == 2
    assert said in ended.err


@pytest.mark.first
@pytest.mark.parametrize("options", [(), ("--draws", "4"), ("--replicates", "0")])
@pytest.mark.parametrize("reading", [(), ("--calibrate",), ("--average", "macro")])
def test_skill_without_an_interval_is_reported(
    segscore: Segscore, one: Path, options: tuple[str, ...], reading: tuple[str, ...]
) -> None:
    run = _score(segscore, one, "--reference-points", "none,random-own", *options)
    page = one.parent / "page.html"
    reported = segscore("report", run, "--output", page, *reading)
    assert reported.code == 0, reported.err
    assert "Skill" in page.read_text()


def test_a_run_without_averages_is_shown_or_refused(segscore: Segscore, one: Path) -> None:
    """Panel measures need several references, which no document has."""
    run = _score(segscore, one, "--measures", "panel")
    page = ("--output", one.parent / "page.html")
    _refused(segscore("report", run, *page), "no document has several references")
    _refused(segscore("cite", run), "no averages to report")
    assert read_run(run).signature in repr(read_run(run))


def test_ids_that_are_null_are_listed(segscore: Segscore, tmp_path: Path) -> None:
    table = _written(tmp_path / "null.jsonl", [{**_row("news", [4], "a"), "coder": None}])
    listed = segscore("validate", table)
    assert listed.code == 1
    assert "(news, null): coder_given" in listed.out


@pytest.mark.parametrize("command", ["score", "agree"])
def test_a_plan_is_json(segscore: Segscore, one: Path, command: str) -> None:
    tables = [one, one] if command == "score" else [one]
    output = ("--output", one.parent / "run", "--explain-plan", "--format", "json")
    planned = segscore(command, *tables, *output)
    contents = json.loads(planned.out)
    assert contents["command"] == command
    assert contents["plan"]
    assert all(isinstance(line, str) for line in contents["plan"])


def test_coders_without_a_segmentation_are_refused_by_the_only_document(
    segscore: Segscore, one: Path
) -> None:
    tables = one.parent / "tables"
    assert segscore("import", one, "--unit", "millisecond", "--output", tables).code == 0
    options = ("--format", "textgrid", "--coder", "nobody")
    _refused(
        segscore("export", tables / "hypotheses", *options), "no coder nobody for document news"
    )


@pytest.mark.long
def test_a_system_without_a_value_on_any_night_has_no_mean(
    segscore: Segscore, tmp_path: Path
) -> None:
    """A system that marks nothing has no precision."""
    for night in NIGHTS:
        (tmp_path / night).mkdir()
        rows = [_row("news", [4, 8], "ann", "reference")]
        rows += [_row("news", [4, 8], "a"), _row("news", [], "silent")]
        _written(tmp_path / night / "both.jsonl", rows)
    table = tmp_path / "{date}" / "both.jsonl"
    inputs = ("--references", table, "--hypotheses", table, "--runs", tmp_path / "nights")
    ended = segscore("nightly", *inputs, "--from", NIGHTS[0], "--to", NIGHTS[-1])
    assert ended.code == 0, ended.err
    page = tmp_path / "trend.html"
    options = ("--measure", "b_precision", "--report", page)
    trend = segscore("trend", tmp_path / "nights", *options)
    assert trend.code == 0, trend.err
    assert "nan" not in trend.out + re.sub(r"<script.*?</script>", "", page.read_text(), flags=re.S)


NIGHTS = [f"2026-05-{day:02}" for day in range(1, 11)]


def test_a_number_that_no_convention_can_give_is_reconciled(
    segscore: Segscore, tmp_path: Path
) -> None:
    """A document of one unit has no window, and no place for a boundary."""
    rows = [{**_row("news", [], coder, role), "n_units": 1} for coder, role in ROLES.items()]
    table = _written(tmp_path / "unit.jsonl", rows)
    number = ("--measure", "boundary_similarity", "--published", "0.3")
    tried = segscore("reconcile", table, table, *number)
    assert tried.code == 0, tried.err
    assert "by every convention, a value is undefined" in tried.out


ROLES = {"ann": "reference", "a": "hypothesis"}


def test_a_coder_of_recordings_without_a_place_for_a_boundary_is_listed(
    segscore: Segscore, tmp_path: Path
) -> None:
    """A recording of one millisecond has no place for a boundary, so that the rate is undefined."""
    rows = [_row("news", [4, 8], coder) for coder in ("ann", "bob")]
    rows += [{**_row("click", [], coder), "n_units": 1} for coder in ("lea", "max")]
    table, tables = _written(tmp_path / "codings.jsonl", rows), tmp_path / "tables"
    assert segscore("import", table, "--unit", "millisecond", "--output", tables).code == 0
    audit = tmp_path / "audit"
    audited = segscore("agree", tables / "hypotheses", "--output", audit)
    assert audited.code == 0, audited.err
    (lea,) = (line.split() for line in audited.out.splitlines() if line.startswith("lea "))
    assert lea[1:3] == ["–", "–"]
    reported = segscore("report", audit, "--output", tmp_path / "page.html")
    assert reported.code == 0, reported.err
