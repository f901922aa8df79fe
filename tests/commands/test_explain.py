"""One document of a run again: its edits, and the segmentations drawn."""

import json
from pathlib import Path

import pytest

from segscore.pipeline.measures.edit_list import list_edits
from segscore.pipeline.reports.terminal import draw_in_terminal
from tests.support.command_line import Segscore


def lines(*rows: dict[str, object]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def row(coder: str, role: str, boundaries: list[int], **further: object) -> dict[str, object]:
    common = {"document_id": "d", "n_units": 31, "boundaries": boundaries}
    return {**common, "coder": coder, "role": role, **further}


@pytest.fixture
def shows(segscore: Segscore, tmp_path: Path) -> Path:
    """A run of one document, one reference, two systems."""
    table = tmp_path / "shows.jsonl"
    table.write_text(
        lines(
            row("desk", "reference", [5, 12, 20]),
            row("a", "hypothesis", [5, 13, 27]),
            row("b", "hypothesis", []),
        )
    )
    ended = segscore("score", table, table, "--output", tmp_path / "run")
    assert ended.code == 0, ended.err
    return tmp_path / "run"


def test_every_edit_is_listed_with_kind_position_and_span(segscore: Segscore, shows: Path) -> None:
    ended = segscore("explain", shows, "--document", "d", "--hypothesis", "a")
    assert ended.code == 0, ended.err
    for said in (
        "d: a against desk",
        "near miss: 12 in the reference, 13 in the hypothesis, 1 apart",
        "miss: 20 in the reference only",
        "false alarm: 27 in the hypothesis only",
    ):
        assert said in ended.out
    assert "b against" not in ended.out
    assert "b against desk" in segscore("explain", shows, "--document", "d").out


def test_the_settings_of_the_run_decide(segscore: Segscore, shows: Path) -> None:
    table = shows.parent / "shows.jsonl"
    segscore("score", table, table, "--output", shows.parent / "strict", "--n-t", 1)
    ended = segscore("explain", shows.parent / "strict", "--document", "d", "--hypothesis", "a")
    assert "near miss:" not in ended.out and "miss: 12 in the reference only" in ended.out


def test_types_are_named(segscore: Segscore, tmp_path: Path) -> None:
    table = tmp_path / "typed.jsonl"
    table.write_text(
        lines(
            row("desk", "reference", [5, 5, 9], boundary_types=[1, 2, 1]),
            row("a", "hypothesis", [5, 9], boundary_types=[2, 3]),
        )
    )
    assert segscore("score", table, table, "--output", tmp_path / "run").code == 0
    ended = segscore("explain", tmp_path / "run", "--document", "d")
    assert "other type at 9: 1 in the reference, 3 in the hypothesis" in ended.out
    assert "miss: 5 in the reference only" in ended.out


def test_what_is_drawn() -> None:
    edits = list_edits([5, 12, 20], [5, 13, 27])
    assert list(draw_in_terminal(31, edits, 80)) == [
        "            1        10        20        30",
        "reference   ────│──────│───────│──────────",
        "                =      ~~      -      +",
        "hypothesis  ────│───────│─────────────│───",
        "",
    ]


def test_a_long_document_is_drawn_where_it_has_boundaries() -> None:
    drawn = list(draw_in_terminal(10_000, list_edits([5], [9_000]), 72))
    assert sum("│" in line for line in drawn) == 2
    assert sum("positions without a boundary" in line for line in drawn) == 2
    assert max(len(line) for line in drawn) <= 72


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--document", "nosuch"), "nosuch"),
        (("--document", "d", "--hypothesis", "nosuch"), "nosuch"),
    ],
)
def test_what_is_not_there_is_said(
    segscore: Segscore, shows: Path, options: tuple[str, ...], said: str
) -> None:
    ended = segscore("explain", shows, *options)
    assert ended.code == 2
    assert said in ended.err and "Traceback" not in ended.err


def test_an_input_that_changed_is_not_explained(segscore: Segscore, shows: Path) -> None:
    table = shows.parent / "shows.jsonl"
    table.write_text(table.read_text() + "\n")
    ended = segscore("explain", shows, "--document", "d")
    assert ended.code == 2
    assert str(table) in ended.err and "has changed since the run" in ended.err


def test_a_sweep_has_no_edits_to_explain(segscore: Segscore, tmp_path: Path) -> None:
    table = tmp_path / "scored.jsonl"
    candidates = row("a", "hypothesis", [5, 13], boundary_scores=[0.5, 0.25])
    table.write_text(lines(row("desk", "reference", [5, 12, 20]), candidates))
    assert segscore("sweep", table, table, "--output", tmp_path / "run").code == 0
    ended = segscore("explain", tmp_path / "run", "--document", "d")
    assert ended.code == 2
    assert "is a run of `segscore sweep`" in ended.err and "Traceback" not in ended.err
