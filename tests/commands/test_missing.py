"""Documents of which a system has no hypothesis: left out, scored as empty, or refused."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import segscore as api
from segscore.pipeline.runs.planning import Limits
from segscore.pipeline.storage import read_table
from tests.support.command_line import Segscore
from tests.support.written import write

Row = dict[str, Any]
DOCUMENTS, N_UNITS = 12, 30
LACKED = {"axon": {3, 7, 11}, "bert": {7}, "cord": set(range(DOCUMENTS))}
"""System -> the documents of which it has no hypothesis that can be scored.

Nobody has one of d7.  Of axon's documents, d3 is rejected; cord has other documents alone.
"""

WAYS = {
    "whole": Limits(),
    "parts": Limits(rows_per_part=4),
}


def references() -> list[Row]:
    return [
        {
            "document_id": f"d{number}",
            "coder": coder,
            "n_units": N_UNITS,
            "boundaries": [2 + number // 2, 12 + shift, 25],
            "boundary_types": [1, 2, 1],
            "genre": ("news", "talk")[number % 2],
        }
        for number in range(DOCUMENTS)
        for coder, shift in (("ann", 0), ("ben", number % 3))
    ]


def hypotheses() -> list[Row]:
    rows = [
        {
            "document_id": f"d{number}",
            "coder": system,
            "n_units": N_UNITS,
            "boundaries": [2 + number // 2, place],
            "boundary_types": [1, 2],
        }
        for system, place in (("axon", 12), ("bert", 14))
        for number in range(DOCUMENTS)
        if number not in LACKED[system]
    ]
    wrong = {"n_units": N_UNITS, "boundaries": [N_UNITS], "boundary_types": [1]}
    other = {"n_units": N_UNITS, "boundaries": [5], "boundary_types": [1]}
    return [
        *rows,
        {"document_id": "d3", "coder": "axon", **wrong},
        {"document_id": "elsewhere", "coder": "cord", **other},
    ]


def empty_rows() -> list[Row]:
    """The rows without boundaries that `--missing none` stands for."""
    nothing = {"n_units": N_UNITS, "boundaries": [], "boundary_types": []}
    return [
        {"document_id": f"d{number}", "coder": system, **nothing}
        for system, lacked in LACKED.items()
        for number in sorted(lacked)
    ]


def untyped(rows: list[Row]) -> list[Row]:
    return [{key: row[key] for key in row if key != "boundary_types"} for row in rows]


class Scorer:
    """Scores tables into new folders."""

    def __init__(self, segscore: Segscore, folder: Path, *, typed: bool = False) -> None:
        self.segscore, self.folder, self.runs = segscore, folder, 0
        kept = (lambda rows: rows) if typed else untyped
        self.references = write(folder / "references.jsonl", kept(references()))
        self.hypotheses = write(folder / "hypotheses.jsonl", kept(hypotheses()))
        # Without what is rejected: a document has two rows of a coder otherwise.
        scored = [row for row in hypotheses() if row["boundaries"] != [N_UNITS]]
        self.filled = write(folder / "filled.jsonl", kept([*scored, *empty_rows()]))

    def __call__(self, hypotheses: Path, *options: object, code: int = 0) -> Path:
        self.runs += 1
        run = self.folder / f"run-{self.runs}"
        result = self.segscore("score", self.references, hypotheses, "--output", run, *options)
        assert result.code == code, result.err
        self.out, self.err = result.out, result.err
        return run


def results(run: Path) -> Mapping[str, list[Row]]:
    """Return the rows of scores and averages, in an order of their own."""
    tables = {
        name: read_table(f"{run}/{name}").to_pylist()
        for name in ("scores", "panel_scores", "summary")
        if (run / name).exists()
    }
    return {name: sorted(rows, key=repr) for name, rows in tables.items()}


OPTIONS: list[tuple[bool, tuple[str, ...]]] = [
    (False, ("--group-by", "genre", "--consensus", "0.5", "--reference-points", "random-own,none")),
    (True, ("--confusion",)),
    (True, ("--by-level", "--reference-points", "random-own")),
]


@pytest.mark.first
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("typed", "options"), OPTIONS)
def test_they_are_scored_as_rows_without_boundaries_are(
    segscore: Segscore,
    tmp_path: Path,
    typed: bool,
    options: tuple[str, ...],
    way: str,
) -> None:
    score = Scorer(segscore, tmp_path, typed=typed)
    expected = results(score(score.filled, *options))
    segscore.cut(WAYS[way])
    run = score(score.hypotheses, *options, "--missing", "none")
    assert results(run) == expected
    record = json.loads((run / "run.json").read_text())
    added = sum(map(len, LACKED.values()))
    assert record["missing"] == {
        "documents": DOCUMENTS,
        "systems": {system: len(lacked) for system, lacked in LACKED.items()},
        "rejected": {"axon": 1},
        "contradicting": {},
        "added": added,
    }
    assert record["rows"]["hypotheses"] == {"in": 22, "scored": 20, "rejected": 1, "unpaired": 1}
    assert record["rows"]["references"] == {"in": 24, "scored": 24, "rejected": 0, "unpaired": 0}
    assert "|missing:none|ci:" in record["signature"]
    assert f"20 scored + 1 rejected + 1 unpaired; + {added} without boundaries\n" in score.out
    assert "scored as without boundaries: axon (3), bert (1) and cord (12)" in score.err


@pytest.mark.parametrize("way", WAYS)
def test_by_default_they_are_left_out(segscore: Segscore, tmp_path: Path, way: str) -> None:
    segscore.cut(WAYS[way])
    score = Scorer(segscore, tmp_path)
    run = score(score.hypotheses)
    record = json.loads((run / "run.json").read_text())
    assert record["missing"]["systems"] == {"axon": 3, "bert": 1, "cord": 12}
    assert record["missing"]["added"] == 0
    assert "missing:" not in record["signature"]
    assert record["rows"]["references"]["unpaired"] == 2
    scored = read_table(f"{run}/scores")
    assert scored.num_rows == 2 * 20
    assert "without boundaries" not in score.out


@pytest.mark.parametrize("way", WAYS)
def test_they_are_refused_by_name(segscore: Segscore, tmp_path: Path, way: str) -> None:
    segscore.cut(WAYS[way])
    score = Scorer(segscore, tmp_path)
    run = score(score.hypotheses, "--missing", "refuse", code=2)
    assert (
        "--missing refuse: axon has no hypothesis of 3 of 12 documents, of 1 because its rows were "
        "rejected (d11, d3, d7); bert has no "
        "hypothesis of 1 of 12 documents (d7); cord has no hypothesis of 12 of 12 documents (d0, "
        "d1, d10 and 9 more); add these rows, or choose --missing none" in score.err
    )
    assert not (run / "run.json").exists()
    again = segscore(
        "score", score.references, score.filled, "--output", run, "--missing", "refuse"
    )
    assert again.code == 0, again.err


@pytest.mark.first
@pytest.mark.parametrize("way", WAYS)
def test_a_system_that_lacks_too_many_is_not_published(
    segscore: Segscore, tmp_path: Path, way: str
) -> None:
    segscore.cut(WAYS[way])
    score = Scorer(segscore, tmp_path)
    rows = [row for row in untyped(hypotheses()) if row["coder"] != "cord"]
    paired = write(tmp_path / "paired.jsonl", rows)
    score(paired, "--max-unpaired", 0.2, code=1)
    assert "of 1 because its rows were rejected: too many to publish" in score.err
    assert "bert" not in score.err.splitlines()[-1]
    run = score(paired, "--max-unpaired", 0.25)
    again = segscore("score", score.references, paired, "--output", run, "--max-unpaired", 0.2)
    assert again.code == 1
    assert "axon has no hypothesis of 3 of 12 documents" in again.err
    score(paired, "--max-unpaired", 0, "--missing", "none")


@pytest.mark.first
@pytest.mark.parametrize("way", WAYS)
def test_rows_that_contradict_others_are_charged_to_nobody(
    segscore: Segscore, tmp_path: Path, way: str
) -> None:
    """A rival's row under a wrong name, and a length that is off by one."""
    segscore.cut(WAYS[way])
    score = Scorer(segscore, tmp_path)
    rows = untyped(hypotheses())
    rival = {"document_id": "d5", "coder": "axon", "n_units": N_UNITS, "boundaries": [9]}
    for row in rows:
        row["n_units"] += (row["coder"], row["document_id"]) == ("bert", "d2")
    wrong = write(tmp_path / "wrong.jsonl", [*rows, rival])
    options = ("--missing", "none", "--format", "markdown")
    run = score(wrong, *options)
    assert "left out, as nothing shows which are right: axon (1) and bert (1)" in score.out
    assert "hypotheses: 4 of 23 rows rejected" in score.out
    assert json.loads((run / "run.json").read_text())["missing"] == {
        "documents": DOCUMENTS,
        "systems": {"axon": 4, "bert": 2, "cord": 12},
        "rejected": {"axon": 2, "bert": 1},
        "contradicting": {"axon": 1, "bert": 1},
        "added": 16,
    }
    unsure = {("d5", "axon"), ("d2", "bert")}
    expected = [
        row
        for row in read_table(f"{score(score.filled)}/scores").to_pylist()
        if (row["document_id"], row["hypothesis"]) not in unsure
    ]
    found = read_table(f"{run}/scores").to_pylist()
    assert sorted(map(repr, found)) == sorted(map(repr, expected))
    explained = segscore("explain", run, "--document", "d5", "--format", "json")
    assert {pair["hypothesis"] for pair in json.loads(explained.out)["pairs"]} == {"bert", "cord"}
    score(wrong, *options, "--max-unpaired", 0.05, code=1)
    assert "bert has no hypothesis of 2 of 12 documents, of 1 because" in score.err


def test_tables_in_memory_are_charged_alike(tmp_path: Path, segscore: Segscore) -> None:
    score = Scorer(segscore, tmp_path)
    expected = results(score(score.hypotheses, "--missing", "none"))
    tables = untyped(references()), untyped(hypotheses())
    charged = api.evaluate(*tables, missing="none")
    assert sorted(charged.summary.to_pylist(), key=repr) == expected["summary"]
    assert sorted(charged.scores.to_pylist(), key=repr) == expected["scores"]
    assert "missing:none" in charged.signature
    with pytest.raises(api.Refused, match=r"missing refuse: axon has no hypothesis of 3 of 12"):
        api.evaluate(*tables, missing="refuse")
    with pytest.raises(api.Failed, match=r"axon has no hypothesis of 3 of 12 documents.*bert"):
        api.evaluate(*tables, max_unpaired=0.05)
    with pytest.raises(api.Refused, match="missing some: must be one of leave-out, none"):
        api.evaluate(*tables, missing="some")  # type: ignore[arg-type]


@pytest.mark.long
def test_what_reads_inputs_again_knows_the_rows_that_were_added(
    segscore: Segscore, tmp_path: Path
) -> None:
    score = Scorer(segscore, tmp_path)
    run, filled = score(score.hypotheses, "--missing", "none"), score(score.filled)

    def printed(*arguments: object) -> list[str]:
        out = []
        for each in (run, filled):
            result = segscore(*(each if argument is run else argument for argument in arguments))
            assert result.code == 0, (arguments, result.err)
            out.append(result.out.replace(str(each), "RUN"))
        return out

    one = ("--document", "d7", "--hypothesis", "axon", "--format", "json")
    explained, expected = printed("explain", run, *one)
    assert json.loads(explained)["pairs"] == json.loads(expected)["pairs"]
    assert "miss" in explained
    for document in ("d3", "d7"):
        outputs = printed("explain", run, "--document", document)
        shown, also = (sorted(each.split("\n\n")) for each in outputs)
        assert shown == also
    compared = [
        json.loads(each)["where"] for each in printed("compare", run, "--where", "--format", "json")
    ]
    compared = [[{**row, "run": ""} for row in rows] for rows in compared]
    assert compared[0] == compared[1]
    report = segscore("report", run, "--output", tmp_path / "report.html")
    assert report.code == 0, report.err
    assert "16 hypotheses without boundaries were added" in (tmp_path / "report.html").read_text()


@pytest.mark.long
def test_the_gate_fails_where_documents_are_lacked(segscore: Segscore, tmp_path: Path) -> None:
    score = Scorer(segscore, tmp_path)
    before = score(score.filled)
    now = score(score.hypotheses)
    gate = ("--gate", "boundary_similarity>=-0.5")
    failed = segscore("compare", now, before, *gate)
    assert failed.code == 1
    assert (
        f"{now}: lacks documents of {before}: axon lacks 3 of 12 (d11, d3, d7); bert lacks 1 of 12 "
        "(d7); score these, or score with --missing none" in failed.err
    )
    more = segscore("compare", before, now, *gate)  # who has more documents lacks none
    assert more.code == 0, more.err
    charged = score(score.hypotheses, "--missing", "none")
    assert (
        segscore("compare", charged, score(score.hypotheses, "--missing", "none"), *gate).code == 0
    )
    listed = json.loads(segscore("compare", now, before, *gate, "--format", "json").out)
    assert listed["lacking"][0] == {
        "system": "axon",
        "documents": 12,
        "lacking": 3,
        "examples": ["d11", "d3", "d7"],
    }
