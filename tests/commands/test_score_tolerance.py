"""`segscore score --tolerance --edges`, values below 0, and counts that do not fit."""

import json
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from statistics import mean

import pytest

from segscore.pipeline.measures import tolerance
from tests.oracles import naive_fields
from tests.support import passes
from tests.support.command_line import Segscore
from tests.support.corpora import COUNTED, corpus, run
from tests.support.rows import read_rows, write_rows

NAMES = [measure.name for measure in tolerance.MEASURES]


def write(file: Path, n_units: int, *sides: tuple[str, str, Sequence[int]]) -> Path:
    """Write the segmentations of one document."""
    lines = [
        {"document_id": "d", "coder": coder, "role": role, "n_units": n_units, "boundaries": [*b]}
        for coder, role, b in sides
    ]
    return write_rows(file, lines)


@pytest.mark.first
@pytest.mark.parametrize(("reach", "edges"), [(0, 2), (2, 0), (3, 1), (2**31 - 1, 2)])
def test_rows_and_micro_averages_are_those_of_the_twin(
    segscore: Segscore, tmp_path: Path, reach: int, edges: int
) -> None:
    made = corpus(seed=18)
    made.write(tmp_path)
    record = run(
        segscore, tmp_path, tmp_path / "run", "--tolerance", reach, "--edges", edges, *COUNTED,
    )  # fmt: skip
    signed = record["signature"].split("|")
    assert (f"tol:{reach}" in signed, f"edges:{edges}" in signed) == (reach > 0, edges > 0)
    sides = {
        (row["document_id"], row["coder"]): row["boundaries"]
        for row in (*made.references, *made.hypotheses)
    }
    scored = read_rows(tmp_path / "run", "scores")
    assert scored
    by_system: dict[str, list[dict[str, int]]] = {}
    for row in scored:
        reference, hypothesis = (
            sides[row["document_id"], row[role]] for role in ("reference", "hypothesis")
        )
        counts = naive_fields.tolerance_counts(row["n_units"], reference, hypothesis, reach, edges)
        assert {name: row[name] for name in counts} == counts
        exact = naive_fields.tolerance_values(counts, edges)
        assert all(passes.close(row[name], exact[name]) for name in NAMES)
        by_system.setdefault(row["hypothesis"], []).append(counts)
    averages = {
        (row["hypothesis"], row["measure"]): row["value"]
        for row in read_rows(tmp_path / "run", "summary")
        if row["average"] == "micro"
    }
    for system, counted in by_system.items():
        pooled = {name: sum(row[name] for row in counted) for name in counted[0]}
        exact = naive_fields.tolerance_values(pooled, edges)
        for name in NAMES:
            assert passes.close(averages[system, name], exact[name]), (system, name)


def test_averages_of_values_below_0(segscore: Segscore, tmp_path: Path) -> None:
    table = write(
        tmp_path / "talk.jsonl",
        60,
        ("one", "reference", [30]),
        ("two", "reference", [30, 40]),
        ("system", "hypothesis", range(26, 36)),
    )
    ended = segscore(
        "score", table, table, "--tolerance", 5, "--output", tmp_path / "run", *COUNTED
    )
    assert ended.code == 0, ended.err
    values = [row["r_value"] for row in read_rows(tmp_path / "run", "scores")]
    assert max(values) < 0
    macro = [
        row
        for row in read_rows(tmp_path / "run", "summary")
        if (row["measure"], row["average"]) == ("r_value", "macro")
    ]
    assert [row["value"] for row in macro] == [pytest.approx(mean(values), abs=1e-12)]
    (panel,) = read_rows(tmp_path / "run", "panel_scores")
    assert panel["mean_r_value"] == pytest.approx(mean(values), abs=1e-12)
    assert panel["mean_over_segmentation"] == float(Fraction(9 + 4, 2))


def test_sums_above_64_bits_are_averaged(segscore: Segscore, tmp_path: Path) -> None:
    """The pairs of units that are compared are about 2^61 in each of five documents."""
    coders: list[tuple[str, str, list[int]]] = [(f"coder {i}", "reference", []) for i in range(5)]
    table = write(tmp_path / "long.jsonl", 2**31 - 1, *coders, ("system", "hypothesis", [2**30]))
    ended = segscore("score", table, table, "--output", tmp_path / "run", "--measures", "all")
    assert ended.code == 0, ended.err
    counted = read_rows(tmp_path / "run", "scores")
    (rand,) = [
        row["value"]
        for row in read_rows(tmp_path / "run", "summary")
        if (row["measure"], row["average"]) == ("rand", "micro")
    ]
    together, apart, *others = [
        sum(row[f"pairs_{name}"] for row in counted)
        for name in ("together", "apart", "reference_only", "hypothesis_only")
    ]
    pairs = together + apart + sum(others)
    assert pairs > 2**63
    pairs = together + apart + sum(others)
    assert pairs > 2**63
    assert rand == pytest.approx((together + apart) / pairs, rel=1e-12)


def test_a_share_of_the_units_and_the_union_of_the_references(
    segscore: Segscore, tmp_path: Path
) -> None:
    """1 % of 250 units is 2: 13 is near 11, 102 near 100, and 200 is near nothing."""
    references = write(
        tmp_path / "references.jsonl",
        250,
        ("a", "reference", [11, 100]),
        ("b", "reference", [60]),
    )
    hypotheses = write(tmp_path / "hypotheses.jsonl", 250, ("s", "hypothesis", [13, 102, 200]))
    scored = segscore(
        *("score", references, hypotheses, "--tolerance", "1%", "--edges", 1),
        *("--measures", "tolerant_precision,panel_tolerance", "--output", tmp_path / "run"),
    )
    assert scored.code == 0, scored.err
    assert "|tol:1%|edges:1|" in json.loads((tmp_path / "run/run.json").read_text())["signature"]
    (panel,) = read_rows(tmp_path / "run", "panel_scores")
    assert panel["panel_tolerant_precision"] == pytest.approx(3 / 4)
    assert panel["panel_tolerant_recall"] == pytest.approx((1 + 1 / 2) / 2)
    assert panel["panel_tolerant_f1"] == pytest.approx(3 / 4)
    assert panel["mean_tolerant_precision"] == pytest.approx((3 / 4 + 1 / 4) / 2)
    averages = [
        row["value"]
        for row in read_rows(tmp_path / "run", "summary")
        if row["measure"] == "panel_tolerant_f1"
    ]
    assert averages == pytest.approx([3 / 4, 3 / 4])
