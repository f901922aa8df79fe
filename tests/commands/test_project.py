"""`segscore project`: segmentations of one transcript in the units of another."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import accumulate, pairwise
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pytest

from segscore.pipeline import storage
from segscore.pipeline.runs import planning
from segscore.schemas.alignment import ALIGNMENT
from tests.oracles import naive_projection
from tests.oracles.naive_alignment import best_edits, tokens_of
from tests.support.command_line import CommandResult, Segscore
from tests.support.rows import read_rows
from tests.support.run_files import everything
from tests.support.transcripts import Pair, make_pair
from tests.support.written import write

HAND = [
    "Good evening and welcome.",
    "The floods in the valley recede.",
    "Rescue teams go home today.",
    "And now the sport.",
    "A late goal gave Leeds a draw.",
    "The manager was not amused.",
    "Finally the weather.",
    "It will rain until Friday.",
]
HEARD = [
    "good evening and welcome",
    "the floods in the valley receipt rescue teams go home today",
    "and now the sport a late goal",
    "gave leads a draw the manager was not amused",
    "finally the weather it will rain until friday",
]
ROW = {"document_id": "show-1", "coder": "anna", "n_units": 8, "boundaries": [3, 6]}


def read(folder: Path) -> list[dict[str, Any]]:
    return read_rows(folder)


class Projects:
    """Projects segmentations in a folder, and reads what was written."""

    def __init__(self, folder: Path, segscore: Segscore) -> None:
        self.folder, self.segscore = folder, segscore

    def write(self, name: str, records: Sequence[Mapping[str, Any]]) -> Path:
        path = self.folder / name
        path.write_text("".join(f"{json.dumps(record)}\n" for record in records))
        return path

    def units(self, name: str, units: Mapping[str, Sequence[str]]) -> Path:
        return self.write(
            name, [{"document_id": d, "units": [*texts]} for d, texts in units.items()]
        )

    def __call__(
        self,
        rows: Sequence[Mapping[str, Any]] | Path,
        *options: object,
        hand: Mapping[str, Sequence[str]] | None = None,
        heard: Mapping[str, Sequence[str]] | None = None,
    ) -> CommandResult:
        table = rows if isinstance(rows, Path) else self.write("rows.jsonl", rows)
        source = self.units("hand.jsonl", {"show-1": HAND} if hand is None else hand)
        target = self.units("heard.jsonl", {"show-1": HEARD} if heard is None else heard)
        return self.segscore(
            *("project", table, "--from", source, "--to", target),
            *("--output", self.folder / "out", *options),
        )

    def rows(self, table: str = "references") -> list[dict[str, Any]]:
        return read(self.folder / "out" / table)

    def refusal(self, *arguments: Any, **units: Any) -> str:
        result = self(*arguments, **units)
        assert (result.code, result.out) == (2, ""), result
        (line,) = result.err.splitlines()
        assert not (self.folder / "out").exists()
        return line


@pytest.fixture
def projects(tmp_path: Path, segscore: Segscore) -> Projects:
    return Projects(tmp_path, segscore)


def test_boundaries_and_what_belongs_to_them_are_carried_over(projects: Projects) -> None:
    rows = [
        {**ROW, "genre": "news", "mood": "calm", "boundary_kinds": ["jingle", "talk"]},
        {
            **ROW,
            "coder": "berta",
            "boundaries": [1, 3, 3, 5, 6],
            "boundary_types": [1, 1, 2, 1, 1],
            "mood": "tired",
            "genre": "news",
        },
        {
            **ROW,
            "coder": "system",
            "role": "hypothesis",
            "boundaries": [3, 4, 5],
            "boundary_scores": [0.5, 0.25, 0.75],
            "boundary_kinds": ["jingle", "talk", "talk"],
        },
    ]
    result = projects(rows)
    assert result.code == 0, result.err
    assert result.out.splitlines()[:3] == [
        "1 document: 5.1 % of the words edited (0 only in --to, 0 only in --from, 5.1 changed)",
        "0 of 9 boundaries uncertain (0 %); 1 dropped at an end of a document, or where another is",
        "one unit is now below the noise of the projection: score with --n-t or --tolerance of 2 "
        "to 3 units",
    ]
    anna, berta = projects.rows()
    assert (anna["coder"], anna["boundaries"], anna["n_units"]) == ("anna", [2, 4], 5)
    assert (anna["mood"], anna["collapsed_boundaries"]) == ("calm", 0)
    assert anna["boundary_kinds"] == ["jingle", "talk"]
    assert (berta["boundaries"], berta["boundary_types"]) == ([1, 2, 2, 3, 4], [1, 1, 2, 1, 1])
    assert (berta["mood"], berta["collapsed_boundaries"]) == ("tired", 0)
    (system,) = projects.rows("hypotheses")
    assert (system["boundaries"], system["boundary_scores"]) == ([2, 3], [0.5, 0.75])
    assert (system["collapsed_boundaries"], system.get("boundary_kinds")) == (1, None)
    (document,) = projects.rows("documents")
    assert (document["n_units"], document["unit_lengths"]) == (5, [4, 11, 7, 9, 8])
    table = storage.read_table(str(projects.folder / "out" / "alignment"))
    ALIGNMENT.validate(table)
    first = table.to_pylist()[0]
    assert (first["source_tokens"], first["output_tokens"], first["substitutions"]) == (39, 39, 2)
    assert (first["breaks"], first["status"], first["missing_tail_units"]) == (2, "ok", 0)


def test_the_same_transcript_needs_no_advice(projects: Projects) -> None:
    result = projects([ROW], heard={"show-1": [text.upper() for text in HAND]})
    assert result.code == 0, result.err
    assert result.out.startswith(
        "1 document: 0 % of the words edited (0 only in --to, 0 only in --from, 0 changed)\n"
        "0 of 2 boundaries uncertain (0 %)\n"
    )
    assert "noise" not in result.out
    assert projects.rows()[0]["boundaries"] == [3, 6]


def test_characters_may_be_compared(projects: Projects) -> None:
    result = projects([ROW], "--tokens", "characters")
    assert result.code == 0, result.err
    assert result.out.startswith("1 document: 2.4 % of the characters edited (")
    assert projects.rows()[0]["boundaries"] == [2, 4]


def pairs(number: int) -> dict[str, Pair]:
    random = Random(number)  # noqa: S311
    return {f"show-{i}": make_pair(random, segments=3, words=9, changed=0.3) for i in range(number)}


@pytest.mark.first
@pytest.mark.parametrize("ties", ["latest", "earliest"])
def test_a_corpus_is_projected_as_by_trying_all_cuts(projects: Projects, ties: str) -> None:
    made = {name: p for name, p in pairs(30).items() if len(p.target) < 12}
    made = {
        name: p
        for name, p in made.items()
        if min(sum(len(tokens_of(u)) for u in units) for units in (p.source, p.target)) >= 20
    }
    assert len(made) > 10
    random = Random(1)  # noqa: S311
    rows: list[dict[str, Any]] = []
    for name, pair in made.items():
        n_units = len(pair.source)
        boundaries = sorted(random.sample(range(1, n_units), min(3, n_units - 1)))
        rows.append({**ROW, "document_id": name, "n_units": n_units, "boundaries": boundaries})
    result = projects(
        rows,
        *("--ties", ties, "--max-edits", 1),
        hand={name: pair.source for name, pair in made.items()},
        heard={name: pair.target for name, pair in made.items()},
    )
    assert result.code == 0, result.err
    found = {row["document_id"]: row for row in projects.rows()}
    aligned = {row["document_id"]: row for row in projects.rows("alignment")}
    for row in rows:
        pair = made[row["document_id"]]
        expected = naive_projection.project(pair.source, pair.target, row["boundaries"], ties=ties)
        assert found[row["document_id"]]["boundaries"] == expected.boundaries
        one = aligned[row["document_id"]]
        assert one["uncertain_breaks"] == expected.uncertain
        assert one["collapsed"] == expected.collapsed
        words = [
            [w for unit in units for w in tokens_of(unit)] for units in (pair.target, pair.source)
        ]
        names = ("matches", "substitutions", "deletions", "insertions")
        assert tuple(one[name] for name in names) == best_edits(*words)


@pytest.mark.long
def test_parts_workers_and_resuming_change_nothing(
    projects: Projects, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = {
        name: make_pair(Random(name), segments=5, words=20, changed=0.1)  # noqa: S311
        for name in (f"show-{i}" for i in range(40))
    }
    rows = [
        {
            **ROW,
            "document_id": name,
            "coder": coder,
            "role": role,
            "n_units": len(pair.source),
            "boundaries": pair.boundaries,
            "channel": f"c{int(name[5:]) % 3}",
        }
        for coder, role in (("anna", "reference"), ("berta", "reference"), ("s", "hypothesis"))
        for name, pair in made.items()
    ]
    units = {
        "hand": {name: pair.source for name, pair in made.items()},
        "heard": {name: pair.target for name, pair in made.items()},
    }
    result = projects(rows, **units)
    assert result.code == 0, result.err
    expected = [pa.Table.from_pylist(projects.rows(t)).sort_by(
        [("document_id", "ascending"), *([("coder", "ascending")] if t != "documents" else [])]
    ) for t in ("references", "hypotheses", "documents", "alignment")]  # fmt: skip
    (projects.folder / "out").rename(projects.folder / "whole")
    monkeypatch.setattr(planning, "LIMITS", replace(planning.LIMITS, bytes_per_part=4096))
    outputs = []
    for workers in (1, 3):
        again = projects(rows, "--workers", workers, **units)
        assert again.code == 0, again.err
        assert again.out == result.out
        outputs.append(everything(projects.folder / "out"))
        (projects.folder / "out").rename(projects.folder / f"workers-{workers}")
    assert outputs[0] == outputs[1]
    assert len(outputs[0]) > 6
    for name, table in zip(
        ("references", "hypotheses", "documents", "alignment"), expected, strict=True
    ):
        keys = [("document_id", "ascending")]
        keys += [("coder", "ascending")] if name != "documents" else []
        parts = pa.Table.from_pylist(read(projects.folder / "workers-1" / name)).sort_by(keys)
        assert parts.select(table.column_names) == table


def test_tables_of_an_import_keep_their_roles(projects: Projects, tmp_path: Path) -> None:
    rows = projects.write(
        "both.jsonl", [ROW, {**ROW, "coder": "s", "role": "hypothesis", "boundaries": [3]}]
    )
    assert projects.segscore("import", rows, "--output", tmp_path / "tables").code == 0
    result = projects(tmp_path / "tables" / "hypotheses")
    assert result.code == 0, result.err
    assert [row["boundaries"] for row in projects.rows("hypotheses")] == [[2]]
    assert not (tmp_path / "out" / "references").exists()
    (tmp_path / "out").rename(tmp_path / "first")
    assert projects(tmp_path / "tables" / "hypotheses", "--role", "reference").code == 0
    assert [row["boundaries"] for row in projects.rows("references")] == [[2]]


def test_attributes_and_roles_of_parquet_files(projects: Projects, tmp_path: Path) -> None:
    rows = pa.table(
        {
            "document_id": ["show-1"] * 3,
            "coder": ["a", "b", "c"],
            "n_units": pa.array([8] * 3, pa.int32()),
            "boundaries": pa.array([[3], [6], []], pa.list_(pa.int32())),
            "role": ["hypothesis", None, "reference"],
            "day": pa.array([1, 2, 3], pa.date32()),
            "number": pa.array([1, 2, 3], pa.int16()),
            "tags": pa.array([["x"], [], None], pa.list_(pa.string())),
            "price": pa.array([1, 2, 3], pa.decimal128(5, 2)),
        }
    )
    path = tmp_path / "rows.parquet"
    storage.write_table(str(path), rows)
    result = projects(path)
    assert result.code == 0, result.err
    assert "the attribute price (decimal128(5, 2)) is written as text" in result.err
    (first,) = projects.rows("hypotheses")
    assert (first["boundaries"], str(first["day"])) == ([2], "1970-01-02")
    assert (first["number"], first["tags"], first["price"]) == (1, ["x"], "1.00")
    assert [(row["coder"], row["boundaries"]) for row in projects.rows()] == [("b", [4]), ("c", [])]
    (tmp_path / "out").rename(tmp_path / "first")
    wrong = rows.set_column(4, "role", pa.array(["judge"] * 3))
    storage.write_table(str(path), wrong)
    assert "the role 'judge' must be one of reference, hypothesis" in projects.refusal(path)


SHORT = {"show-1": HEARD[:1]}
OTHER = {"show-1": ["something else entirely is said here"] * 8}


@pytest.mark.long
@pytest.mark.parametrize(
    ("row", "units", "message"),
    [
        ({}, {"hand": {"show-2": HAND}}, "show-1 of anna (no units in --from; "),
        ({}, {"heard": {"show-2": HEARD}}, "show-1 of anna (no units in --to; "),
        ({}, {"heard": SHORT}, "(4 words in --to, where 20 are needed to align it; "),
        ({}, {"hand": SHORT}, "(4 words in --from, where 20 are needed to align it; "),
        ({}, {"heard": OTHER}, "(edit rate 1.00, above --max-edits 0.5; "),
        ({"n_units": 9}, {}, "(n_units is 9, but it has 8 units in --from; "),
    ],
)
def test_what_cannot_be_projected_is_refused_with_its_place(
    projects: Projects, row: dict[str, Any], units: dict[str, Any], message: str
) -> None:
    line = projects.refusal([{**ROW, **row}], **units)
    assert "1 of 1 segmentation cannot be projected: " in line
    assert message in line
    assert "rows.jsonl:1)" in line


def test_only_the_first_of_many_problems_are_named(projects: Projects) -> None:
    rows = [{**ROW, "document_id": f"show-{number}"} for number in range(1, 31)]
    line = projects.refusal(rows)
    assert "29 of 30 segmentations cannot be projected: show-2 of anna" in line
    assert "; and 19 more; " in line


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--ties", "first"), "--ties first: must be one of latest, earliest"),
        (("--tokens", "letters"), "--tokens letters: must be one of words, characters"),
        (("--max-edits", "-1"), "--max-edits -1: must be a number of at least 0"),
        (("--max-edits", "nan"), "--max-edits nan: must be a number of at least 0"),
        (("--role", "judge"), "--role judge: must be one of reference, hypothesis"),
        (("--encoding", "x"), "--encoding x: is not known"),
        (("--text-field", "[["), "--text-field [["),
    ],
)
def test_options_are_checked(projects: Projects, options: tuple[str, ...], message: str) -> None:
    assert message in projects.refusal([ROW], *options)


def test_what_is_not_a_table_of_segmentations_is_refused(
    projects: Projects, tmp_path: Path
) -> None:
    twice = [{"document_id": "show-1", "units": HAND}] * 2
    target = projects.units("heard.jsonl", {"show-1": HEARD})
    result = projects.segscore(
        *("project", projects.write("rows.jsonl", [ROW])),
        *("--from", projects.write("twice.jsonl", twice), "--to", target),
        *("--output", tmp_path / "out"),
    )
    assert result.code == 2
    assert "twice.jsonl:2: the document show-1 is in --from twice" in result.err
    storage.write_table(str(tmp_path / "units.parquet"), pa.table({"units": [HAND]}))
    result = projects.segscore(
        *("project", tmp_path / "rows.jsonl", "--from", tmp_path / "units.parquet"),
        *("--to", target, "--output", tmp_path / "out"),
    )
    assert "units.parquet: is a Parquet file; units are read from " in result.err
    (tmp_path / "rows.ref").write_text("a\n")
    assert "rows.ref" in projects.refusal(tmp_path / "rows.ref")
    assert "rows.jsonl:1" in projects.refusal([{**ROW, "boundaries": [9]}])
    assert "missing" in projects.refusal(tmp_path / "missing")
    both = projects.write("both.jsonl", [ROW, {**ROW, "role": "hypothesis", "coder": "s"}])
    assert projects.segscore("import", both, "--output", tmp_path / "tables").code == 0
    assert "contains several tables" in projects.refusal(tmp_path / "tables")


def test_an_output_that_exists_is_left_alone(projects: Projects) -> None:
    assert projects([ROW]).code == 0
    before = everything(projects.folder / "out")
    again = projects([ROW], "--ties", "earliest")
    assert again.code == 2
    assert "already contains" in again.err
    assert everything(projects.folder / "out") == before


def test_texts_with_a_unit_in_a_line_and_another_encoding(
    projects: Projects, tmp_path: Path
) -> None:
    for name, units in (("hand", HAND), ("heard", [*HEARD[:4], "schließlich das Wetter"])):
        (tmp_path / name).mkdir()
        (tmp_path / name / "show-1.txt").write_text("\n".join(units), "cp1252")
    result = projects.segscore(
        *("project", projects.write("rows.jsonl", [ROW]), "--encoding", "cp1252"),
        *("--from", tmp_path / "hand", "--to", tmp_path / "heard" / "*.txt"),
        *("--output", tmp_path / "out"),
    )
    assert result.code == 0, result.err
    assert projects.rows()[0]["boundaries"] == [2, 4]


@pytest.mark.parametrize("kind", ["parquet", "jsonl"])
def test_folders_name_coders_and_attributes(projects: Projects, tmp_path: Path, kind: str) -> None:
    for coder in ("anna", "berta"):
        folder = tmp_path / "all" / "channel=one" / f"coder={coder}"
        folder.mkdir(parents=True)
        row = {key: value for key, value in ROW.items() if key != "coder"}
        if kind == "jsonl":
            (folder / "rows.jsonl").write_text(json.dumps(row))
        else:
            storage.write_table(str(folder / "rows.parquet"), pa.Table.from_pylist([row]))
    result = projects(tmp_path / "all")
    assert result.code == 0, result.err
    assert [(row["coder"], row["boundaries"]) for row in projects.rows()] == [
        ("anna", [2, 4]),
        ("berta", [2, 4]),
    ]
    assert [row["channel"] for row in projects.rows("documents")] == ["one"]


@pytest.mark.parametrize("side", ["references", "hypotheses"])
def test_signature_and_cite_name_what_was_projected(
    projects: Projects, tmp_path: Path, side: str
) -> None:
    role = side.removesuffix("s").replace("hypothese", "hypothesis")
    assert projects([ROW], "--role", role).code == 0
    plain = projects.write("plain.jsonl", [{**ROW, "n_units": 5, "boundaries": [2]}])
    tables = [tmp_path / "out" / side, plain]
    run = tmp_path / "run"
    given = tables if side == "references" else tables[::-1]
    scored = projects.segscore("score", *given, "--output", run)
    assert f"|projected:{side},words,latest|" in scored.out, scored.err
    cited = projects.segscore("cite", run).out
    assert f"the {side} are projected from another transcript by the fewest edits of words" in cited
    assert projects.segscore("score", plain, plain, "--output", tmp_path / "other").code == 0
    assert "projected" not in projects.segscore("cite", tmp_path / "other").out


def test_spans_of_characters_are_carried_to_sentences(segscore: Segscore, tmp_path: Path) -> None:
    """A boundary goes to the end of the sentence from which the fewest words are between them."""
    draw = Random(11)  # noqa: S311
    sentences, texts, spans, expected = [], [], [], {}
    for number in range(12):
        units = [
            " ".join(f"w{draw.randrange(10**6)}" for _ in range(draw.randrange(3, 9))) + "."
            for _ in range(8)
        ]
        text, name = " ".join(units), f"d{number}"
        # Segments are long, so that moving a boundary costs the words that it moves.
        marks = [int(len(text) * (part + draw.uniform(-0.08, 0.08)) / 4) for part in (1, 2, 3)]
        ends = [*accumulate(len(unit.split()) for unit in units)]
        # A word that a boundary divides is before it.
        before = [len(text[:mark].split()) for mark in marks]
        cuts = [min(range(9), key=lambda c: (abs([0, *ends][c] - words), -c)) for words in before]
        expected[name] = sorted({*cuts} - {0, 8})
        sentences.append({"document_id": name, "units": units})
        texts.append({"document_id": name, "units": f"{text}\n"})
        edges = [0, *marks, len(text)]
        spans.append({"document_id": name, "coder": "chunks", "spans": [*pairwise(edges)]})
    files = {
        name: write(tmp_path / f"{name}.jsonl", rows)
        for name, rows in (("sentences", sentences), ("texts", texts), ("spans", spans))
    }
    tables, out = tmp_path / "tables", tmp_path / "out"
    assert segscore("import", files["spans"], "--unit", "character", "--output", tables).code == 0
    to = ("--to", files["sentences"])
    carried = segscore(
        "project", tables / "references", "--from", files["texts"], *to, "--output", out
    )
    assert carried.code == 0, carried.err
    rows = storage.read_table(str(out / "references")).to_pylist()
    assert {row["document_id"]: row["boundaries"] for row in rows} == expected
    refused = segscore(
        "project", tables / "references", "--from", files["sentences"], *to, "--output", out
    )
    assert (refused.code, "must have one text" in refused.err) == (2, True)
