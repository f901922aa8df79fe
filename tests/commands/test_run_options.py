"""Consensus references, reference points and weights in a whole run."""

import json
from collections import defaultdict
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from segscore.pipeline.measures.selection import select
from segscore.pipeline.storage import write_table
from tests.oracles import naive
from tests.support import passes
from tests.support.command_line import Segscore
from tests.support.corpora import COUNTED, FAMILIES, Corpus, corpus, run
from tests.support.paths import DATA
from tests.support.rows import read_rows, write_rows

COUNTS = select(()).pairs.counts
POINTS = "none,all,regular,regular-mean-size,random-known,random-unknown,random-mean,coin,human"


def by_document(generated: Corpus) -> dict[str, list[dict[str, Any]]]:
    rows = defaultdict(list)
    for row in sorted(generated.references, key=lambda row: row["coder"]):
        rows[row["document_id"]].append(row)
    return rows


@pytest.mark.long
def test_consensus_is_scored_like_a_coder_and_averaged_apart(
    segscore: Segscore, tmp_path: Path
) -> None:
    generated = corpus(seed=12)
    generated.write(tmp_path)
    for output, options in (("plain", ()), ("agreed", ("--consensus", "0.5,any"))):
        run(segscore, tmp_path, tmp_path / output, *options)
    hypotheses = {(row["document_id"], row["coder"]): row for row in generated.hypotheses}
    references = by_document(generated)
    scored = read_rows(tmp_path / "agreed", "scores")
    agreed = [row for row in scored if row["reference"].startswith("consensus:")]
    assert len(agreed) == 2 * len(generated.hypotheses)
    for row in agreed:
        share = Fraction(1, 2) if row["reference"] == "consensus:0.5" else Fraction(0)
        of_document = references[row["document_id"]]
        n_units = of_document[0]["n_units"]
        reference = naive.consensus([row["boundaries"] for row in of_document], share)
        k = naive.window_size(n_units, len(reference) + 1)
        hypothesis = hypotheses[row["document_id"], row["hypothesis"]]["boundaries"]
        expected = passes.counts(n_units, reference, hypothesis, k, 2)
        assert {name: row[name] for name in COUNTS} == {name: expected[name] for name in COUNTS}
    # A consensus is left out of P_seg, the panel and the averages over all references.
    assert [row for row in scored if row not in agreed] == read_rows(tmp_path / "plain", "scores")
    assert read_rows(tmp_path / "agreed", "panel_scores") == read_rows(
        tmp_path / "plain", "panel_scores"
    )
    summary = read_rows(tmp_path / "agreed", "summary")
    whole = [row for row in summary if row.pop("reference") is None]
    assert whole == read_rows(tmp_path / "plain", "summary")
    pooled = sum(row["matches"] for row in agreed if row["hypothesis"] == "h0")
    assert pooled > 0


def test_summary_by_reference_separates_coders_and_consensus(
    segscore: Segscore, tmp_path: Path
) -> None:
    generated = corpus(seed=12)
    generated.write(tmp_path)
    run(segscore, tmp_path, tmp_path / "run", "--consensus", "any")
    scored = read_rows(tmp_path / "run", "scores")
    summary = read_rows(tmp_path / "run", "summary")
    references = {row["reference"] for row in summary if row["hypothesis"] == "h1"}
    assert references == {None, "r0", "r1", "r2", "consensus:any"}
    for row in summary:
        if (row["measure"], row["average"]) == ("window_diff", "micro") and row["reference"]:
            pairs_of_row = [
                pair
                for pair in scored
                if (pair["hypothesis"], pair["reference"]) == (row["hypothesis"], row["reference"])
            ]
            errors = sum(pair["wd_misses"] + pair["wd_false_alarms"] for pair in pairs_of_row)
            assert row["value"] == pytest.approx(
                errors / sum(pair["windows"] for pair in pairs_of_row)
            )
            assert row["documents"] == len(pairs_of_row)


@pytest.mark.long
@pytest.mark.parametrize("units", ["units", "words"])
def test_reference_points_are_scored_beside_the_hypotheses(
    segscore: Segscore, tmp_path: Path, units: str
) -> None:
    generated = corpus(seed=13)
    generated.write(tmp_path)
    options = ("--units", units)
    run(segscore, tmp_path, tmp_path / "plain", *options)
    run(segscore, tmp_path, tmp_path / "run", "--reference-points", POINTS, *options)
    scored = read_rows(tmp_path / "run", "scores")
    of_systems = [row for row in scored if not row["hypothesis"].startswith("point:")]
    assert of_systems == read_rows(tmp_path / "plain", "scores")
    references = by_document(generated)
    by_point = defaultdict(list)
    for row in scored:
        by_point[row["hypothesis"]].append(row)
    coded = len(generated.references)
    assert {len(by_point[f"point:{name}"]) for name in POINTS.split(",")[:-1]} == {coded}
    human = [row for row in scored if row["hypothesis"].startswith("point:human:")]
    assert len(human) == sum(len(rows) * (len(rows) - 1) for rows in references.values())
    assert all(row["hypothesis"] != f"point:human:{row['reference']}" for row in human)
    for row in by_point["point:none"]:
        assert row["false_alarms"] == row["near_misses"] == 0
    for row in by_point["point:random-known"] + by_point["point:regular"]:
        if units == "units":
            assert row["false_alarms"] == row["misses"]
    summary = read_rows(tmp_path / "run", "summary")
    names = {row["hypothesis"] for row in summary}
    assert names == {"h0", "h1", "h2", *(f"point:{name}" for name in POINTS.split(","))}
    (humans,) = (
        row
        for row in summary
        if (row["hypothesis"], row["measure"], row["average"]) == ("point:human", "pk", "micro")
    )
    assert humans["documents"] == sum(len(rows) > 1 for rows in references.values())


@pytest.mark.parametrize("coders", [1, 2])
def test_humans_that_cannot_be_scored_are_named(
    segscore: Segscore, tmp_path: Path, coders: int
) -> None:
    references = [row for row in corpus(seed=3).references if int(row["coder"][1:]) < coders]
    hypotheses = [row | {"coder": "h0"} for row in references if row["coder"] == "r0"]
    Corpus(references, hypotheses, []).write(tmp_path)
    finished = segscore(
        "score", tmp_path / "references", tmp_path / "hypotheses", "--reference-points", "human",
        "--output", tmp_path / "run",
    )  # fmt: skip
    assert finished.code == 0, finished.err
    assert ("no document has references by two coders" in finished.err) == (coders == 1)


@pytest.mark.parametrize("layout", ["systems", "measures"])
def test_a_run_without_averages_says_so(segscore: Segscore, tmp_path: Path, layout: str) -> None:
    """The chosen measure needs several references, which no document has."""
    references = [row for row in corpus(seed=3).references if row["coder"] == "r0"]
    Corpus(references, [row | {"coder": "h0"} for row in references], []).write(tmp_path)
    finished = segscore(
        "score", tmp_path / "references", tmp_path / "hypotheses", "--layout", layout,
        "--measures", "mult_window_diff", "--output", tmp_path / "run",
    )  # fmt: skip
    assert finished.code == 0, finished.err
    assert "no averages: no document has several references" in finished.out
    assert "segscore report" not in finished.out and "written to" in finished.out


@pytest.mark.long
def test_reference_points_are_independent_of_the_split(segscore: Segscore, tmp_path: Path) -> None:
    generated = corpus(seed=14)
    tables = []
    for name, per_part, turned in (("a", 1_000_000, False), ("b", 30, True)):
        segscore.cut(per_part)
        order = -1 if turned else 1
        again = Corpus(
            generated.references[::order], generated.hypotheses[::order], generated.documents
        )
        again.write(tmp_path / name, files=3)
        options = ("--reference-points", POINTS, "--draws", 3, "--consensus", "0.5", "--seed", 5)
        run(segscore, tmp_path / name, tmp_path / name / "run", *options)
        scored = read_rows(tmp_path / name / "run", "scores")
        keys = ("document_id", "reference", "hypothesis")
        tables.append(sorted(scored, key=lambda row: tuple(row[key] for key in keys)))
        (summary,) = (tmp_path / name / "run" / "summary").iterdir()
        tables.append([{"summary": summary.read_bytes()}])
    assert tables[:2] == tables[2:]
    run(segscore, tmp_path / "a", tmp_path / "a" / "other", *options[:-1], 6)
    other = read_rows(tmp_path / "a" / "other", "scores")
    chosen = ("point:random-known", "point:coin")
    differing = [
        row["matches"]
        for table in (tables[0], other)
        for row in table
        if row["hypothesis"] in chosen
    ]
    assert differing[: len(differing) // 2] != differing[len(differing) // 2 :]


def test_blind_systems_are_equal_only_by_pr_error(segscore: Segscore, tmp_path: Path) -> None:
    """Georgescul et al. 2006, figures 1-3: none and all near 1/2; WindowDiff and Pk differ."""
    data = DATA / "tinyrec.jsonl"
    result = segscore(
        "score", data, data, "--output", tmp_path / "run", "--reference-points", "none,all",
        "--measures", "default,pr_error",
    )  # fmt: skip
    assert result.code == 0, result.err
    value = {
        (row["hypothesis"], row["measure"]): row["value"]
        for row in read_rows(tmp_path / "run", "summary")
        if row["average"] == "micro"
    }
    assert value["point:none", "pr_error"] == 0.5
    assert value["point:all", "pr_error"] == pytest.approx(0.5, abs=0.01)
    for name in ("window_diff", "pk"):
        assert abs(value["point:none", name] - value["point:all", name]) > 0.15


def test_similarity_over_positions_is_cosmetically_high(segscore: Segscore, tmp_path: Path) -> None:
    """Fournier 2013, figure 9: S far above B on the same data."""
    data = DATA / "tinyrec.jsonl"
    assert segscore("score", data, data, "--output", tmp_path / "run").code == 0
    value = {
        row["measure"]: row["value"]
        for row in read_rows(tmp_path / "run", "summary")
        if row["average"] == "micro"
    }
    assert value["segmentation_similarity"] > value["boundary_similarity"] + 0.5


def test_weights_costs_and_beta_change_the_values(segscore: Segscore, tmp_path: Path) -> None:
    generated = corpus(seed=15)
    generated.write(tmp_path)
    record = run(
        segscore, tmp_path, tmp_path / "run", "--content-weights", "2,0.5,1,3", "--beta", 2,
        "--c-seg-costs", "0.5,0.25", "--p-seg", 0.25, "--cost-miss", 0.75, *COUNTED,
    )  # fmt: skip
    for part in ("content_weights:2,0.5,1,3", "beta:2", "c_seg_costs:0.5,0.25", "cost_miss:0.75"):
        assert f"|{part}|" in record["signature"]
    for row in read_rows(tmp_path / "run", "scores"):
        exact = naive.weighted_parts(
            row,
            leading_miss=Fraction(2),
            trailing_miss=Fraction(1, 2),
            trailing_false_alarm=Fraction(3),
        )
        for name, part in (("r_miss", "content_miss"), ("r_false_alarm", "content_false_alarm")):
            assert passes.close(row[name], exact[part] / row["content_size"])
        values = passes.twin_values(
            {name: row[name] for name in select(FAMILIES).pairs.counts},
            p_seg=Fraction(1, 4),
            cost_miss=Fraction(3, 4),
            c_seg_costs=(Fraction(1, 2), Fraction(1, 4)),
        )
        for name in ("pr_error", "c_seg", "c_seg_normalised"):
            assert passes.close(row[name], values[name]), name


def test_unit_weights_weigh_content(segscore: Segscore, tmp_path: Path) -> None:
    """Weights equal to the word counts give a run in words; units without words count nothing."""
    generated = corpus(seed=16)
    for document in generated.documents:
        document["unit_weights"] = document["unit_lengths"]
    generated.write(tmp_path)
    run(segscore, tmp_path, tmp_path / "words", "--units", "words", "--measures", "default,content")
    run(segscore, tmp_path, tmp_path / "both", "--units", "words", "--unit-weights")
    run(segscore, tmp_path, tmp_path / "units", "--unit-weights")
    words, both, units = (
        read_rows(tmp_path / name, "scores") for name in ("words", "both", "units")
    )
    assert words == both
    lengths = {
        document["document_id"]: document["unit_lengths"] for document in generated.documents
    }
    sides = {
        (row["document_id"], row["coder"]): row["boundaries"]
        for row in (*generated.references, *generated.hypotheses)
    }
    for row in units:
        document = row["document_id"]
        reference, hypothesis = (sides[document, row[side]] for side in ("reference", "hypothesis"))
        weights = lengths[document]
        expected = naive.weighted_content_counts(row["n_units"], reference, hypothesis, weights)
        assert {name: row[name] for name in expected} == expected


def test_unit_weights_are_read_from_json_lines(segscore: Segscore, tmp_path: Path) -> None:
    generated = corpus(seed=16, documents=8)
    for document in generated.documents:
        document["unit_weights"] = document["unit_lengths"]
    generated.write(tmp_path)
    run(segscore, tmp_path, tmp_path / "parquet", "--unit-weights")
    described = [
        {key: row[key] for key in row if row[key] is not None} for row in generated.documents
    ]
    text = "".join(json.dumps(row) + "\n" for row in described)
    (tmp_path / "documents.parquet").unlink()
    (tmp_path / "documents.jsonl").write_text(text)
    sides = (tmp_path / "references", tmp_path / "hypotheses")
    options = ("--unit-weights", "--documents", tmp_path / "documents.jsonl")
    result = segscore("score", *sides, "--output", tmp_path / "lines", *options)
    assert result.code == 0, result.err
    assert read_rows(tmp_path / "lines", "scores") == read_rows(tmp_path / "parquet", "scores")


@pytest.mark.parametrize("ending", ["parquet", "jsonl"])
def test_columns_of_the_other_table_are_left_out(
    segscore: Segscore, tmp_path: Path, ending: str
) -> None:
    """In every format, segmentations may have weights of units, and documents boundaries."""
    generated = corpus(seed=16, documents=8)
    generated.write(tmp_path)
    run(segscore, tmp_path, tmp_path / "plain")
    weights = {row["document_id"]: row["unit_lengths"] for row in generated.documents}
    for row in (*generated.references, *generated.hypotheses):
        row["unit_weights"] = weights[row["document_id"]]
    for row in generated.documents:
        row["boundary_scores"] = [0.5]
    urls = []
    for name in ("references", "hypotheses", "documents"):
        table = pa.Table.from_pylist(getattr(generated, name))
        urls.append(tmp_path / f"wide-{name}.{ending}")
        if ending == "parquet":
            write_table(str(urls[-1]), table)
        else:
            write_rows(urls[-1], table.to_pylist())
    options = ("--documents", urls.pop(), "--output", tmp_path / "wide")
    result = segscore("score", *urls, *options)
    assert result.code == 0, result.err
    assert read_rows(tmp_path / "wide", "scores") == read_rows(tmp_path / "plain", "scores")


def test_constants_above_a_full_miss_are_refused(segscore: Segscore, tmp_path: Path) -> None:
    data = DATA / "tinyrec.jsonl"
    refused = segscore("score", data, data, "--output", tmp_path / "a", "--edit-constants", "0.6,0")
    assert refused.code == 2 and "--edit-constants 0.6" in refused.err
    result = segscore("score", data, data, "--output", tmp_path / "b", "--edit-constants", "0.5,0")
    assert result.code == 0, result.err
    assert min(row["boundary_similarity"] for row in read_rows(tmp_path / "b", "scores")) >= 0


@pytest.mark.first
@pytest.mark.parametrize("command", ["score", "agree", "compare"])
def test_replicates_are_accepted_and_ignored(
    segscore: Segscore, tmp_path: Path, command: str
) -> None:
    """A note says so, and the run is the same one as without them."""
    table = DATA / "tinyrec.jsonl"
    inputs: tuple[object, ...] = (table, table)
    if command == "agree":
        inputs = (DATA / "moonstone.jsonl",)
    if command == "compare":
        assert segscore("score", table, table, "--output", tmp_path / "scored").code == 0
        inputs = (tmp_path / "scored", "--measure", "pk", "--permutations", 0)
    output = tmp_path / "run"
    with_them = segscore(command, *inputs, "--replicates", 100, "--output", output)
    assert with_them.code == 0, with_them.err
    assert with_them.err.count("--replicates is ignored: intervals are computed by leaving") == 1
    without = segscore(command, *inputs, "--output", output)
    assert without.code == 0, without.err
    assert "already contains this" in without.out + without.err
