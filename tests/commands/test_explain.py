"""`segscore explain`: the edits of one document of a run, and its segmentations drawn."""

import json
from pathlib import Path

import pytest

from segscore import Segmentation, evaluate
from segscore.pipeline.measures.edit_list import Edit, list_edits
from segscore.pipeline.reports.terminal import MOST_ROWS, describe_edit, draw_in_terminal
from tests.support.command_line import Segscore


def lines(*rows: dict[str, object]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def row(coder: str, role: str, boundaries: list[int], **further: object) -> dict[str, object]:
    common = {"document_id": "d", "n_units": 31, "boundaries": boundaries}
    return {**common, "coder": coder, "role": role, **further}


@pytest.fixture
def shows(segscore: Segscore, tmp_path: Path) -> Path:
    """A run of one document, one reference and two systems."""
    table = tmp_path / "shows.jsonl"
    table.write_text(
        lines(
            row("desk", "reference", [5, 12, 20]),
            row("a", "hypothesis", [5, 13, 27]),
            row("b", "hypothesis", []),
        )
    )
    result = segscore("score", table, table, "--output", tmp_path / "run")
    assert result.code == 0, result.err
    return tmp_path / "run"


def test_every_edit_is_listed_with_kind_position_and_span(segscore: Segscore, shows: Path) -> None:
    result = segscore("explain", shows, "--document", "d", "--hypothesis", "a")
    assert result.code == 0, result.err
    for message in (
        "d: a against desk",
        "near miss: 12 in the reference, 13 in the hypothesis, 1 apart",
        "miss: 20 in the reference only",
        "false alarm: 27 in the hypothesis only",
    ):
        assert message in result.out
    assert "b against" not in result.out
    assert "b against desk" in segscore("explain", shows, "--document", "d").out


def test_the_settings_of_the_run_decide(segscore: Segscore, shows: Path) -> None:
    table = shows.parent / "shows.jsonl"
    segscore("score", table, table, "--output", shows.parent / "strict", "--n-t", 1)
    result = segscore("explain", shows.parent / "strict", "--document", "d", "--hypothesis", "a")
    assert "near miss:" not in result.out and "miss: 12 in the reference only" in result.out


def test_types_are_named(segscore: Segscore, tmp_path: Path) -> None:
    table = tmp_path / "typed.jsonl"
    table.write_text(
        lines(
            row("desk", "reference", [5, 5, 9], boundary_types=[1, 2, 1]),
            row("a", "hypothesis", [5, 9], boundary_types=[2, 3]),
        )
    )
    assert segscore("score", table, table, "--output", tmp_path / "run").code == 0
    result = segscore("explain", tmp_path / "run", "--document", "d")
    assert "other type at 9: 1 in the reference, 3 in the hypothesis" in result.out
    assert "miss: 5 in the reference only" in result.out


def test_segmentations_are_drawn() -> None:
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


def test_at_most_so_many_rows_are_drawn() -> None:
    """The longest document there can be, with boundaries in more rows than are drawn."""
    positions = range(1, 2**31 - 1, 10**6)
    drawn = list(draw_in_terminal(2**31 - 1, list_edits(positions, positions), 80))
    assert len(positions) > MOST_ROWS
    assert sum(line.startswith("reference") for line in drawn) == MOST_ROWS
    assert drawn[-1].strip() == ("… (the first 1,000 rows are drawn; the edits are listed in full)")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--document", "nosuch"), "nosuch"),
        (
            ("--document", "d", "--hypothesis", "nosuch"),
            "hypothesis of nosuch for d; rejected",
        ),
        (("--document", "d", "--hypothesis", "A"), "hypothesis of A for d; the nearest is a; "),
    ],
)
def test_unknown_documents_and_coders_are_named(
    segscore: Segscore, shows: Path, options: tuple[str, ...], message: str
) -> None:
    result = segscore("explain", shows, *options)
    assert result.code == 2
    assert message in result.err and "Traceback" not in result.err


def test_a_changed_input_is_refused(segscore: Segscore, shows: Path) -> None:
    table = shows.parent / "shows.jsonl"
    table.write_text(table.read_text() + "\n")
    result = segscore("explain", shows, "--document", "d")
    assert result.code == 2
    assert str(table) in result.err and "has changed since the run" in result.err


def test_a_sweep_has_no_edits_to_explain(segscore: Segscore, tmp_path: Path) -> None:
    table = tmp_path / "scored.jsonl"
    candidates = row("a", "hypothesis", [5, 13], boundary_scores=[0.5, 0.25])
    table.write_text(lines(row("desk", "reference", [5, 12, 20]), candidates))
    assert segscore("sweep", table, table, "--output", tmp_path / "run").code == 0
    result = segscore("explain", tmp_path / "run", "--document", "d")
    assert result.code == 2
    assert "is a run of `segscore sweep`" in result.err and "Traceback" not in result.err


def test_times_are_drawn_to_scale() -> None:
    """Half an hour in milliseconds, 8 rows at most: a column is 5 seconds."""
    edits = [
        Edit("near_miss", 30_001, 30_400, 1, 1, 399),
        Edit("miss", 600_000, None, 1, None, 0),
        Edit("match", 600_100, 600_100, 1, 1, 0),
    ]
    drawn = list(draw_in_terminal(1_860_120, edits, 80, "millisecond"))
    assert drawn[:6] == [
        "            0:00:00   0:00:50   0:01:40   0:02:30   0:03:20",
        "reference   ──────│───────────────────────────────────────────",
        "                  ~",
        "hypothesis  ──────│───────────────────────────────────────────",
        "",
        "            … (0:04:10 without a boundary, left out)",
    ]
    assert drawn[8].strip() == "-"
    assert describe_edit(edits[0], "millisecond") == (
        "near miss: 0:00:30.001 in the reference, 0:00:30.400 in the hypothesis, 0:00:00.399 apart"
    )
    assert describe_edit(edits[1], "millisecond") == "miss: 0:10:00 in the reference only"
    assert describe_edit(edits[1]) == "miss: 600000 in the reference only"


def test_without_a_document_some_are_named(segscore: Segscore, shows: Path) -> None:
    result = segscore("explain", shows)
    assert result.code == 2
    start = "segscore: error: --document: name a document of the run, such as "
    assert result.err.startswith(start)
    first = result.err.removeprefix(start).strip().split(", ")[0]
    assert segscore("explain", shows, "--document", first).code == 0


@pytest.fixture
def repeated(segscore: Segscore, tmp_path: Path) -> Path:
    """A run that rejected the two rows of a system for its only document, in two files."""
    table = tmp_path / "shows"
    table.mkdir()
    rows = [
        row("desk", "reference", [5, 12]),
        row("a", "hypothesis", [5]),
        row("b", "hypothesis", []),
    ]
    (table / "first.jsonl").write_text(lines(*rows))
    (table / "second.jsonl").write_text(lines(row("a", "hypothesis", [6])))
    scored = segscore("score", table, table, "--output", tmp_path / "run", "--max-rejects", 1)
    assert scored.code == 0, scored.err
    assert "rows were rejected: 2 unique_document_coder" in scored.err
    return tmp_path / "run"


def test_rows_that_the_run_rejected_are_not_drawn_as_if_they_were_scored(
    segscore: Segscore, repeated: Path
) -> None:
    reason = "(d, a): unique_document_coder: this coder has more than one row for this document"
    everyone = segscore("explain", repeated, "--document", "d")
    assert everyone.code == 0, everyone.err
    assert "b against desk" in everyone.out and "a against" not in everyone.out
    assert f"warning: rejected by the run: {repeated.parent}/shows/first.jsonl:2 {reason}" in (
        everyone.err
    )
    assert f"shows/second.jsonl:1 {reason}" in everyone.err
    listed = json.loads(segscore("explain", repeated, "--document", "d", "--format", "json").out)
    assert [pair["hypothesis"] for pair in listed["pairs"]] == ["b"]
    assert [each.partition(" ")[2] for each in listed["rejected"]] == [reason, reason]
    alone = segscore("explain", repeated, "--document", "d", "--hypothesis", "a")
    assert alone.code == 2 and not alone.out
    assert f"no accepted hypothesis of a for d; rejected: {repeated.parent}/shows/" in alone.err
    other = segscore("explain", repeated, "--document", "d", "--hypothesis", "b")
    assert other.code == 0 and "rejected" not in other.err


def test_an_empty_hypothesis_in_the_place_of_rejected_rows_is_drawn(
    segscore: Segscore, tmp_path: Path
) -> None:
    valid, invalid = row("a", "hypothesis", [5]), row("a", "hypothesis", [0])
    table, run = tmp_path / "shows.jsonl", tmp_path / "added"
    others = [row("desk", "reference", [5, 12]), row("b", "hypothesis", [])]
    table.write_text(lines(*others, invalid, {**valid, "document_id": "e"}))
    scored = segscore("score", table, table, "--output", run, "--missing", "none")
    assert scored.code == 0, scored.err
    shown = segscore("explain", run, "--document", "d", "--hypothesis", "a")
    assert shown.code == 0, shown.err
    assert shown.out.count("a against desk") == 1
    assert "miss: 5 in the reference only" in shown.out
    assert shown.err.count("rejected by the run") == 1


def test_rejected_rows_in_memory_are_named_by_their_table() -> None:
    rows = [row("a", "hypothesis", [5]), row("a", "hypothesis", [6]), row("b", "hypothesis", [5])]
    for each in rows:
        del each["role"]
    references = {"d": Segmentation([5, 12], 31)}
    explained = evaluate(references, rows, max_rejects=1).explain("d")
    assert [pair.hypothesis for pair in explained] == ["b"]
    assert [each.partition(" (")[0] for each in explained.rejected] == [
        "hypotheses row 0",
        "hypotheses row 1",
    ]
    assert f"rejected: {explained.rejected[0]}" in repr(explained)
    assert f"<p>rejected: {explained.rejected[0]}" in explained._repr_html_()
