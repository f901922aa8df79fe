"""`segscore score --select --join --confusion`: labels of segments in tables."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import Segscore
from tests.support.rows import read_rows, write_rows

REFERENCE = {
    "document_id": "d",
    "coder": "a",
    "n_units": 100,
    "boundaries": [10, 20, 40, 50],
    "segment_labels": ["content", "ad", "content", "ad", "content"],
}
HYPOTHESIS = {
    "document_id": "d",
    "coder": "s",
    "n_units": 100,
    "boundaries": [11, 21, 30, 35, 44, 52],
    "segment_labels": ["content", "ad", None, "ad", "content", "ad", "content"],
}


def put(path: Path, *rows: dict[str, Any]) -> Path:
    """Write a table as JSON Lines."""
    return write_rows(path, rows)


@pytest.fixture
def tables(tmp_path: Path) -> tuple[Path, Path]:
    """The tables of one document."""
    references = put(tmp_path / "references.jsonl", REFERENCE)
    return references, put(tmp_path / "hypotheses.jsonl", HYPOTHESIS)


def test_selected_segments_are_scored_beside_the_default_measures(
    segscore: Segscore, tmp_path: Path, tables: tuple[Path, Path]
) -> None:
    run = tmp_path / "run"
    scored = segscore(
        *("score", *tables, "--select", "ad", "--join", "10s", "--unit", "second"),
        *("--tiou", ">=0.5", "--output", run),
    )
    assert scored.code == 0, scored.err
    signature = json.loads((run / "run.json").read_text())["signature"]
    assert "|tiou:>=1/2|" in signature
    assert "|select:ad|join:10|" in signature
    (row,) = read_rows(run, "scores")
    assert (row["selected_references"], row["selected_hypotheses"]) == (2, 1)
    assert row["boundary_similarity"] is not None


def test_labels_are_counted_over_overlapping_units(
    segscore: Segscore, tmp_path: Path, tables: tuple[Path, Path]
) -> None:
    scored = segscore("score", *tables, "--confusion", "--output", tmp_path / "run")
    assert scored.code == 0, scored.err
    cells = {
        (row["reference_label"], row["hypothesis_label"]): row["units"]
        for row in read_rows(tmp_path / "run", "label_confusion")
    }
    assert cells == {
        ("ad", "ad"): 9 + 6,
        ("ad", "content"): 1 + 4,
        ("content", None): 9,
        ("content", "ad"): 1 + 5 + 2,
        ("content", "content"): 10 + 5 + 48,
    }
    assert sum(cells.values()) == 100


def test_rows_without_labels_are_rejected_and_tables_without_them_refused(
    segscore: Segscore, tmp_path: Path, tables: tuple[Path, Path]
) -> None:
    other = {**HYPOTHESIS, "coder": "other"}
    hypotheses = put(tables[1], HYPOTHESIS, {**other, "segment_labels": None})
    run = tmp_path / "run"
    scored = segscore("score", tables[0], hypotheses, "--select", "ad", "--output", run)
    assert scored.code == 0, scored.err
    (rejected,) = read_rows(run, "rejects")
    assert (rejected["coder"], rejected["rule"]) == ("other", "segment_labels_given")
    del other["segment_labels"]
    hypotheses = put(tmp_path / "other.jsonl", other)
    refused = segscore("score", tables[0], hypotheses, "--select", "ad", "--output", run)
    assert refused.code == 2
    assert "have no column segment_labels" in refused.err


@pytest.mark.parametrize(
    ("changed", "rule"),
    [
        ({"segment_labels": ["ad"]}, "segment_labels_parallel"),
        ({"segment_labels": None}, None),
        ({"boundaries": [10, 10], "boundary_types": [1, 2], "segment_labels": ["a", "b"]}, None),
    ],
)
def test_there_is_one_label_for_each_segment(
    segscore: Segscore, tmp_path: Path, changed: dict[str, Any], rule: str | None
) -> None:
    checked = segscore("validate", put(tmp_path / "table.jsonl", {**REFERENCE, **changed}))
    assert (checked.code == 0) == (rule is None), checked.out
    assert rule is None or rule in checked.out + checked.err


def test_lists_are_read_whatever_the_file(segscore: Segscore, tmp_path: Path) -> None:
    header = "document_id,coder,n_units,boundaries,segment_labels\n"
    csv = tmp_path / "references.csv"
    csv.write_text(header + 'd,a,100,10 20,"content;ad break;"\n')
    imported = segscore("import", csv, "--output", tmp_path / "tables")
    assert imported.code == 0, imported.err
    (row,) = read_rows(tmp_path / "tables", "references")
    assert row["segment_labels"] == ["content", "ad break", None]


def test_an_import_keeps_the_labels_of_spans_with_content_between(
    segscore: Segscore, tmp_path: Path
) -> None:
    """Two advertisements as a label track: what is between them has no label."""
    track = tmp_path / "show.txt"
    track.write_text("60\t90\tad\n600\t630\tad\n")
    lengths = put(tmp_path / "documents.jsonl", {"document_id": "show", "n_units": 900_000})
    for role, name in (("reference", "a"), ("hypothesis", "s")):
        imported = segscore(
            *("import", track, "--format", "audacity", "--gaps", "own", "--role", role),
            *("--coder", name, "--documents", lengths, "--output", tmp_path / role),
        )
        assert imported.code == 0, imported.err
    (row,) = read_rows(tmp_path / "reference", "references")
    assert row["boundaries"] == [60_000, 90_000, 600_000, 630_000]
    assert row["segment_labels"] == [None, "ad", None, "ad", None]
    scored = segscore(
        *("score", tmp_path / "reference/references", tmp_path / "hypothesis/hypotheses"),
        *("--select", "ad", "--join", "15s", "--output", tmp_path / "run"),
    )
    assert scored.code == 0, scored.err
    (score,) = read_rows(tmp_path / "run", "scores")
    assert (score["selected_matches"], score["selected_f1"]) == (2, 1)


def test_labels_of_segments_beyond_the_end_are_dropped(segscore: Segscore, tmp_path: Path) -> None:
    references = put(tmp_path / "references.jsonl", REFERENCE)
    longer = {**REFERENCE, "coder": "s", "n_units": 102, "boundaries": [10, 20, 40, 100]}
    hypotheses = put(tmp_path / "hypotheses.jsonl", longer)
    scored = segscore(
        *("score", references, hypotheses, "--length-tolerance", 3, "--select", "ad"),
        *("--output", tmp_path / "run"),
    )
    assert scored.code == 0, scored.err
    (row,) = read_rows(tmp_path / "run", "scores")
    assert (row["selected_hypotheses"], row["selected_matches"]) == (2, 1)


def test_units_are_words_in_a_run_in_words(segscore: Segscore, tmp_path: Path) -> None:
    references = put(tmp_path / "references.jsonl", REFERENCE)
    moved = {**REFERENCE, "coder": "s", "boundaries": [12, 20, 40, 50]}
    hypotheses = put(tmp_path / "hypotheses.jsonl", moved)
    lengths = [3] * 100
    documents = put(
        tmp_path / "documents.jsonl", {"document_id": "d", "n_units": 100, "unit_lengths": lengths}
    )
    scored = segscore(
        *("score", references, hypotheses, "--documents", documents, "--units", "words"),
        *("--select", "ad", "--output", tmp_path / "run"),
    )
    assert scored.code == 0, scored.err
    (row,) = read_rows(tmp_path / "run", "scores")
    assert (row["selected_matches"], row["start_late"]) == (2, 6)


def test_a_label_that_no_segment_has_is_named(
    segscore: Segscore, tmp_path: Path, tables: tuple[Path, Path]
) -> None:
    scored = segscore("score", *tables, "--select", "advert", "--output", tmp_path / "run")
    assert scored.code == 0, scored.err
    assert "--select advert: no segment of the references or hypotheses has" in scored.err
    plain = {**HYPOTHESIS, "segment_labels": [None] * 7}
    unlabelled = put(tmp_path / "plain.jsonl", plain)
    scored = segscore("score", tables[0], unlabelled, "--select", "ad", "--output", tmp_path / "b")
    assert "--select ad: no segment of the hypotheses has such a label" in scored.err
    scored = segscore("score", *tables, "--select", "ad", "--output", tmp_path / "c")
    assert "--select" not in scored.err


def test_a_confusion_of_labels_needs_them_on_both_sides(
    segscore: Segscore, tmp_path: Path, tables: tuple[Path, Path]
) -> None:
    bare = {name: value for name, value in HYPOTHESIS.items() if name != "segment_labels"}
    hypotheses = put(tmp_path / "bare.jsonl", bare)
    scored = segscore("score", tables[0], hypotheses, "--confusion", "--output", tmp_path / "run")
    assert scored.code == 0, scored.err
    assert "the hypotheses (" in scored.err
    assert "have no column segment_labels, so there is no table label_confusion" in scored.err
    scored = segscore("score", hypotheses, hypotheses, "--confusion", "--output", tmp_path / "b")
    assert "label_confusion" not in scored.err
