"""`segscore sweep --tolerances` against the slow twin, which counts again at every tolerance."""

import json
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq  # noqa: TID251
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segscore.pipeline.errors import Failed
from segscore.pipeline.measures import tolerance
from segscore.pipeline.runs.planning import Limits
from segscore.pipeline.scoring.sweep.coder_sums import merge_sums
from segscore.pipeline.scoring.sweep.tolerances import (
    ToleranceSums,
    tabulate_tolerances,
)
from segscore.pipeline.storage import read_table
from tests.oracles import naive, naive_fields
from tests.support import passes, strategies
from tests.support.command_line import Segscore
from tests.support.comparisons import refusal_line
from tests.support.corpora import SEGMENTATION, Corpus, corpus
from tests.support.rows import read_rows
from tests.support.run_files import files

TOLERANCES = (0, 1, 2, 5, 60)
NAMES = [measure.name for measure in tolerance.MEASURES]
Point = tuple[str, int]


def sweep(segscore: Segscore, folder: Path, output: Path, *options: object) -> list[dict[str, Any]]:
    """Sweep the tables of a folder over tolerances; return the rows of the table."""
    result = segscore(
        "sweep", folder / "references", folder / "hypotheses", "--output", output,
        "--tolerances", ",".join(map(str, TOLERANCES)), *options,
    )  # fmt: skip
    assert result.code == 0, result.err
    return read_rows(output, "tolerances")


def twin(generated: Corpus, edges: int = 0, *, words: bool = False) -> dict[Point, dict[str, int]]:
    """(Hypothesis, tolerance) -> sums over its pairs, counted one pair and tolerance at a time."""
    lengths = {row["document_id"]: row["unit_lengths"] for row in generated.documents}
    sums: dict[Point, dict[str, int]] = {}
    for row in generated.hypotheses:
        for reference in generated.references:
            if reference["document_id"] != row["document_id"]:
                continue
            n_units, side, other = row["n_units"], reference["boundaries"], row["boundaries"]
            if words:
                unit_lengths = lengths[row["document_id"]]
                _, other, _ = naive.in_words(n_units, other, unit_lengths)
                n_units, side, _ = naive.in_words(n_units, side, unit_lengths)
            for limit in TOLERANCES:
                counts = naive_fields.tolerance_counts(n_units, side, other, limit, edges)
                total = sums.setdefault((row["coder"], limit), dict.fromkeys(counts, 0))
                for name, count in counts.items():
                    total[name] += count
    return sums


def check(rows: Sequence[dict[str, Any]], sums: dict[Point, dict[str, int]], edges: int) -> None:
    """Check that the rows are in order, and have the counts of the twin and its values."""
    assert [(row["hypothesis"], row["tolerance"]) for row in rows] == sorted(sums)
    for row in rows:
        counts = sums[row["hypothesis"], row["tolerance"]]
        assert {name: row[name] for name in counts} == counts
        for name, exact in naive_fields.tolerance_values(counts, edges).items():
            assert passes.close(row[name], exact), name


@pytest.mark.parametrize(("edges", "units"), [(0, "units"), (1, "words"), (2, "units")])
def test_the_curve_equals_the_twin(
    segscore: Segscore, tmp_path: Path, edges: int, units: str
) -> None:
    generated = corpus(seed=edges)
    generated.write(tmp_path)
    options = ("--edges", edges, "--units", units, "--documents", tmp_path / "documents.parquet")
    rows = sweep(segscore, tmp_path, tmp_path / "run", *options)
    check(rows, twin(generated, edges, words=units == "words"), edges)


@given(
    triples=st.lists(strategies.pairs(40), min_size=1, max_size=4),
    tolerances=st.sets(st.integers(0, 45), min_size=1, max_size=4),
    edges=st.integers(0, 2),
)
def test_sums_over_parts_give_the_values_of_the_twin(
    triples: list[tuple[int, list[int], list[int]]], tolerances: set[int], edges: int
) -> None:
    """Each pair is a part of its own, and parts come in any order."""
    ascending = sorted(tolerances)
    parts, expected = [], [dict.fromkeys(tolerance.COUNTS, 0) for _ in ascending]
    for n_units, reference, hypothesis in triples:
        counts = [
            naive_fields.tolerance_counts(n_units, reference, hypothesis, limit, edges)
            for limit in ascending
        ]
        for total, each in zip(expected, counts, strict=True):
            for name, count in each.items():
                total[name] += count
        parts.append({"s": ToleranceSums(np.array([[*each.values()] for each in counts]))})
    parameters = {"edges": edges, "beta": 2.0}
    tables = [
        tabulate_tolerances(merge_sums(order, "numbers of tolerances"), ascending, parameters)
        for order in (parts, parts[::-1])
    ]
    assert tables[0].equals(tables[1])
    for row, counts_at in zip(tables[0].to_pylist(), expected, strict=True):
        assert {name: row[name] for name in counts_at} == counts_at
        for name, exact in naive_fields.tolerance_values(counts_at, edges, Fraction(2)).items():
            assert passes.close(row[name], exact), name


@pytest.mark.long
def test_a_point_equals_a_run_of_score(segscore: Segscore, tmp_path: Path) -> None:
    corpus(seed=5).write(tmp_path)
    options = ("--edges", 1, "--beta", 2)
    rows = sweep(segscore, tmp_path, tmp_path / "swept", *options)
    for limit in TOLERANCES:
        run = tmp_path / str(limit)
        result = segscore(
            "score", tmp_path / "references", tmp_path / "hypotheses", "--output", run,
            "--tolerance", limit, "--measures", "tolerance", *options,
        )  # fmt: skip
        assert result.code == 0, result.err
        micro = {
            (row["hypothesis"], row["measure"]): row["value"]
            for row in read_rows(run, "summary")
            if row["average"] == "micro"
        }
        assert micro == {
            (row["hypothesis"], name): row[name]
            for row in rows
            if row["tolerance"] == limit
            for name in NAMES
        }


def test_counts_grow_with_the_tolerance(segscore: Segscore, tmp_path: Path) -> None:
    """Up to all boundaries of the shorter side, where the tolerance is the length."""
    corpus(seed=8).write(tmp_path)
    rows = sweep(segscore, tmp_path, tmp_path / "run")
    for name in ("tolerant_matches", "references_in_reach", "hypotheses_in_reach"):
        for row, later in pairwise(rows):
            assert row["hypothesis"] != later["hypothesis"] or row[name] <= later[name]
    scored = segscore(
        "score", tmp_path / "references", tmp_path / "hypotheses", "--output", tmp_path / "exact",
    )  # fmt: skip
    assert scored.code == 0, scored.err
    exact = {
        (row["hypothesis"], row["measure"]): row["value"]
        for row in read_rows(tmp_path / "exact", "summary")
        if row["average"] == "micro"
    }
    for row in rows:
        if row["tolerance"] == 0:
            for name in ("precision", "recall", "f1"):
                assert row[f"tolerant_{name}"] == exact[row["hypothesis"], name]


def test_several_types_at_a_position_count_once(segscore: Segscore, tmp_path: Path) -> None:
    schema = SEGMENTATION.append(pa.field("boundary_types", pa.list_(pa.int32())))
    reference = {"document_id": "d", "coder": "r", "n_units": 20, "boundaries": [4, 4, 9]}
    hypothesis = reference | {"coder": "h", "boundaries": [5, 9, 9]}
    for name, row in (("references", reference), ("hypotheses", hypothesis)):
        table = pa.Table.from_pylist([row | {"boundary_types": [1, 2, 3]}], schema)
        (tmp_path / name).mkdir()
        pq.write_table(table, tmp_path / name / "0.parquet")
    rows = sweep(segscore, tmp_path, tmp_path / "run")
    counted = ("reference_boundaries", "hypothesis_boundaries", "tolerant_matches")
    assert [[row[name] for name in counted] for row in rows[:2]] == [[2, 2, 1], [2, 2, 2]]


def test_bytes_are_the_same_on_any_cluster_and_partitioning(
    segscore: Segscore, tmp_path: Path
) -> None:
    generated = corpus(seed=4, documents=60)
    contents = []
    for count, workers in ((1, 1), (4, 4)):
        folder = tmp_path / str(count)
        generated.write(folder, count)
        limits = Limits(rows_per_part=1_000_000 if count == 1 else 10)
        segscore.cut(limits)
        sweep(segscore, folder, folder / "run", "--workers", workers)
        contents.append(
            [text for name, text in files(folder / "run").items() if name.startswith("tolerances/")]
        )
        Random(1).shuffle(generated.hypotheses)  # noqa: S311
        Random(2).shuffle(generated.references)  # noqa: S311
    assert len(contents[0]) == 1
    assert contents[0] == contents[1]


def test_the_record_and_what_is_printed(segscore: Segscore, tmp_path: Path) -> None:
    generated = corpus(seed=2)
    generated.hypotheses.append({**generated.hypotheses[0], "document_id": "nowhere"})
    generated.write(tmp_path)
    result = segscore(
        "sweep", tmp_path / "references", tmp_path / "hypotheses", "--output", tmp_path / "run",
        "--tolerances", "1500,0,1500", "--edges", 2, "--window", 3,
    )  # fmt: skip
    assert result.code == 0, result.err
    record = json.loads((tmp_path / "run" / "run.json").read_text())
    assert record["signature"] == (
        "segscore|sweep:tolerance|tol:0,1500|units:units|edges:2|v:0.3.0.dev0"
    )
    assert record["rows"]["hypotheses"]["unpaired"] == 1
    rows = read_rows(tmp_path / "run", "tolerances")
    lines = [" ".join(line.split()) for line in result.out.splitlines()]
    shown = [f"{row['tolerant_precision']:.4f} {row['tolerant_recall']:.4f}" for row in rows]
    assert [row["tolerance"] for row in rows] == [0, 1500] * 3
    assert any(line.startswith(f"h0 0 {shown[0]}") for line in lines)
    assert any(line.startswith(f"1,500 {shown[1]}") for line in lines)
    assert record["signature"] in result.out
    again = segscore(
        "sweep", tmp_path / "references", tmp_path / "hypotheses", "--output", tmp_path / "run",
        "--tolerances", "0,1500", "--edges", 2, "--window", 3,
    )  # fmt: skip
    assert "already contains this run, finished" in again.out


def test_what_a_terminal_has_no_room_for_is_counted(segscore: Segscore, tmp_path: Path) -> None:
    """The first and the last tolerance are shown."""
    lines = [
        {"document_id": "d", "coder": coder, "n_units": 90, "boundaries": [number + 5, 50]}
        for number, coder in enumerate(["desk", *(f"s{system:02}" for system in range(23))])
    ]
    references, systems = tmp_path / "references.jsonl", tmp_path / "systems.jsonl"
    references.write_text(json.dumps(lines[0]))
    systems.write_text("".join(f"{json.dumps(line)}\n" for line in lines[1:]))
    limits = ("--tolerances", ",".join(map(str, range(21))))
    result = segscore("sweep", references, systems, "--output", tmp_path / "run", *limits)
    assert result.code == 0, result.err
    assert "3 more systems and 1 more tolerance: in the table tolerances" in result.out
    cells = [line.split() for line in result.out.splitlines()]
    assert [row[0] for row in cells if row and row[0][0] == "s" and row[0][1:].isdigit()] == [
        f"s{system:02}" for system in range(20)
    ]
    first = next(place for place, row in enumerate(cells) if row[:2] == ["s00", "0"])
    assert len(cells[first + 19]) == 6 and cells[first + 19][0] == "20"
    assert not cells[first + 20]
    assert len(read_table(str(tmp_path / "run" / "tolerances"))) == 23 * 21


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--tolerances", "-1"), "--tolerances -1"),
        (("--tolerances", f"0,{2**31}"), f"--tolerances {2**31}"),
        (("--tolerances", "0.5"), "--tolerances 0.5: must be whole numbers"),
        (("--tolerances", ""), "--tolerances"),
        (("--tolerances", "0", "--edges", "3"), "--edges 3"),
        (("--tolerances", "0", "--beta", "0"), "--beta 0"),
    ],
)
def test_wrong_options_are_refused(
    segscore: Segscore, tmp_path: Path, options: tuple[str, ...], message: str
) -> None:
    corpus(seed=2, documents=3).write(tmp_path)
    tables = (tmp_path / "references", tmp_path / "hypotheses")
    line = refusal_line(segscore("sweep", *tables, "--output", tmp_path / "run", *options))
    assert message in line
    assert not (tmp_path / "run").exists()


def test_receipts_of_other_shapes_are_refused() -> None:
    with pytest.raises(ValueError, match="shape"):
        ToleranceSums(np.zeros((2, 3), np.int64))
    parts = [{"s": ToleranceSums(np.zeros((many, 8), np.int64))} for many in (1, 2)]
    with pytest.raises(Failed, match="run again with --fresh"):
        merge_sums(parts, "numbers of tolerances")
