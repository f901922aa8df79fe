"""Threshold sweeps against the slow twin, which scores again at every threshold."""

import json
from collections.abc import Sequence
from dataclasses import replace
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

from segscore.pipeline.arrays.ragged import from_lists
from segscore.pipeline.errors import Failed
from segscore.pipeline.scoring.counting import Pairs
from segscore.pipeline.scoring.sweep import part
from segscore.pipeline.scoring.sweep.candidates import CHANGING, Candidates, compute_changes
from segscore.pipeline.scoring.sweep.curves import (
    POOLED,
    VALUES,
    Steps,
    curve,
    merge_steps,
    operating_point,
    without_boundaries,
)
from segscore.pipeline.storage import read_table
from tests.oracles import naive
from tests.support import passes, strategies
from tests.support.command_line import CommandResult, Segscore
from tests.support.corpora import COUNTED, SEGMENTATION, WINDOWS, Corpus, twin_scores
from tests.support.rows import read_rows
from tests.support.run_files import files
from tests.support.scored import FEW, SCORED, scored_corpus, write

Curve = dict[float | None, dict[str, Any]]


def sweep(segscore: Segscore, folder: Path, output: Path, *options: object) -> dict[str, Any]:
    """Sweep the tables of a folder; return run.json."""
    result = segscore(
        "sweep", folder / "references", folder / "hypotheses", "--output", output,
        "--documents", folder / "documents.parquet", *options,
    )  # fmt: skip
    assert result.code == 0, result.err
    loaded: dict[str, Any] = json.loads((output / "run.json").read_text())
    return loaded


def curves(output: Path) -> dict[str, Curve]:
    """Hypothesis -> threshold -> row of curves."""
    by_system: dict[str, Curve] = {}
    for row in read_rows(output, "curves"):
        by_system.setdefault(row["hypothesis"], {})[row["threshold"]] = row
    return by_system


def boundaries_at(row: dict[str, Any], threshold: float | None) -> list[int]:
    """The boundaries of a scored hypothesis whose score reaches a threshold."""
    scored = zip(row["boundaries"], row["boundary_scores"], strict=True)
    return [p for p, score in scored if threshold is not None and score >= threshold]


def at_threshold(generated: Corpus, threshold: float | None) -> Corpus:
    """The corpus with the hypotheses cut at a threshold."""
    rows = [{**row, "boundaries": boundaries_at(row, threshold)} for row in generated.hypotheses]
    return replace(generated, hypotheses=rows)


def segments(generated: Corpus, words: bool) -> dict[Any, int]:
    """(document, coder) -> segments, in the unit of the run."""
    lengths = {row["document_id"]: row["unit_lengths"] for row in generated.documents}
    counts = {}
    for row in [*generated.references, *generated.hypotheses]:
        boundaries, document = row["boundaries"], row["document_id"]
        if words:
            _, boundaries, _ = naive.in_words(row["n_units"], boundaries, lengths[document])
        counts[document, row["coder"]] = len(boundaries) + 1
    return counts


def twin_point(
    generated: Corpus, threshold: float | None, window: str | int, rounding: str, words: bool
) -> dict[str, dict[str, int]]:
    """Hypothesis -> sums of its pairs' counts at a threshold."""
    cut_corpus = at_threshold(generated, threshold)
    size = segments(cut_corpus, words)
    sums: dict[str, dict[str, int]] = {}
    for (document, reference, hypothesis), row in twin_scores(
        cut_corpus, window, rounding, words
    ).items():
        if hypothesis is not None:
            counted = row | {
                "hypothesis_segments": size[document, hypothesis],
                "reference_segments": size[document, reference],
            }
            total = sums.setdefault(hypothesis, dict.fromkeys(POOLED, 0))
            for name in POOLED:
                total[name] += counted[name]
    return sums


def closest(points: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the operating point of a curve; of equally close thresholds the highest."""

    def distance(row: dict[str, Any]) -> Fraction:
        size = row["content_size"]
        produced = Fraction(size, row["hypothesis_segments"])
        return abs(produced - Fraction(size, row["reference_segments"]))

    least = min(distance(row) for row in points)
    return [row for row in points if distance(row) == least][-1]


@given(data=st.data(), triple=strategies.pairs(40), k=st.integers(1, 12))
def test_a_walk_over_candidates_counts_each_threshold(
    data: st.DataObject, triple: tuple[int, list[int], list[int]], k: int
) -> None:
    n_units, reference, places = triple
    score = st.one_of(st.sampled_from(FEW), st.floats(0, 1))
    scores = np.array([data.draw(score) for _ in places], np.float64)
    rows = np.zeros(len(places), np.int64)
    candidates = Candidates(rows, scores, np.arange(len(places)), from_lists([places]))
    pair = (
        from_lists([reference]),
        Pairs(passes.ONE, passes.ONE),
        np.array([n_units]),
        np.array([k]),
    )
    changes, without = compute_changes(candidates, *pair), without_boundaries(*pair)
    for threshold in [*scores, 2.0]:
        kept_positions = [p for p, s in zip(places, scores, strict=True) if s >= threshold]
        expected = {
            **naive.window_counts(n_units, reference, kept_positions, k),
            **naive.content_counts(n_units, reference, kept_positions),
            **naive.content_parts(n_units, reference, kept_positions),
            "hypothesis_segments": len(kept_positions) + 1,
            "matches": len({*kept_positions} & {*reference}),
            "reference_segments": len(reference) + 1,
        }
        counted = without[:, 0].copy()
        counted[: len(CHANGING)] += changes[scores >= threshold].sum(axis=0)
        assert dict(zip(POOLED, counted.tolist(), strict=True)) == {
            name: expected[name] for name in POOLED
        }


@given(
    steps=st.lists(st.integers(0, 4), max_size=12),
    pairs=st.integers(1, 3),
    more=st.integers(0, 30),
)
def test_the_operating_point_is_the_closest(steps: list[int], pairs: int, more: int) -> None:
    produced = np.cumsum([pairs, *steps])[::-1]
    wanted = pairs + more
    points = [
        {"content_size": 100, "hypothesis_segments": count, "reference_segments": wanted, "at": i}
        for i, count in enumerate(produced.tolist())
    ]
    assert operating_point(produced, wanted) == closest(points)["at"]


def test_of_equally_close_lengths_the_higher_threshold_is_chosen() -> None:
    """12 units: 2 or 6 segments, lengths 6 and 2, both 2 away from the reference's 4."""
    assert operating_point(np.array([6, 2, 2, 1]), 3) == 2


@pytest.mark.first
@pytest.mark.parametrize(("window", "rounding", "units"), WINDOWS)
def test_curves_equal_the_twin(
    segscore: Segscore, tmp_path: Path, window: str | int, rounding: str, units: str
) -> None:
    generated = scored_corpus(seed=len(str(window)))
    write(generated, tmp_path)
    record = sweep(
        segscore, tmp_path, tmp_path / "run", "--window", window, "--rounding", rounding,
        "--units", units,
    )  # fmt: skip
    words = units == "words"
    twin_curve = {
        coder: sorted(
            {s for r in generated.hypotheses if r["coder"] == coder for s in r["boundary_scores"]}
        )
        for coder in ("h0", "h1", "h2")
    }
    actual = curves(tmp_path / "run")
    assert {coder: [*curve] for coder, curve in actual.items()} == {
        coder: [*thresholds, None] for coder, thresholds in twin_curve.items()
    }
    for threshold in (*sorted(set(FEW)), None):
        for coder, sums in twin_point(generated, threshold, window, rounding, words).items():
            row = actual[coder][threshold]
            assert {name: row[name] for name in POOLED} == sums, (coder, threshold)
            check_values(row, record["p_seg"])
    points = read_table(str(tmp_path / "run" / "operating_points"))
    chosen = points.drop_columns("average_precision").to_pylist()
    assert chosen == [closest([*actual[coder].values()]) for coder in actual]


def check_values(row: dict[str, Any], p_seg: float) -> None:
    """Check that the values of a row are the formulas over its counts."""
    miss = naive.ratio(row["pk_misses"], row["reference_windows"])
    false_alarm = naive.ratio(row["pk_false_alarms"], row["windows"] - row["reference_windows"])
    prior = Fraction(p_seg)
    size = row["content_size"]
    expected = {
        "pk_miss_rate": miss,
        "pk_false_alarm_rate": false_alarm,
        "pk_prior": naive.weighted_sum((prior, miss), (1 - prior, false_alarm)),
        "r_miss": Fraction(row["content_leading_miss"] + row["content_trailing_miss"], size),
        "r_false_alarm": Fraction(
            row["content_leading_false_alarm"] + row["content_trailing_false_alarm"], size
        ),
        "mean_segment_length": Fraction(size, row["hypothesis_segments"]),
        "reference_mean_segment_length": Fraction(size, row["reference_segments"]),
    }
    for name, exact in expected.items():
        assert passes.close(row[name], exact), name


@pytest.mark.first
@pytest.mark.parametrize("units", ["units", "words"])
def test_the_ends_of_a_curve_equal_runs_of_score(
    segscore: Segscore, tmp_path: Path, units: str
) -> None:
    """The ends are all candidates, and no boundary, which is the reference point `none`."""
    generated = scored_corpus(seed=12, scores=())
    both = {(row["document_id"], row["n_units"]) for row in generated.references}
    documents = {row["document_id"] for row in generated.hypotheses if row["coder"] == "h0"}
    generated.hypotheses.extend(
        {"document_id": d, "coder": "h0", "n_units": n, "boundaries": [], "boundary_scores": []}
        for d, n in both
        if d not in documents
    )
    write(generated, tmp_path)
    sweep(segscore, tmp_path, tmp_path / "swept", "--units", units)
    result = segscore(
        "score", tmp_path / "references", tmp_path / "hypotheses", "--documents",
        tmp_path / "documents.parquet", "--output", tmp_path / "run",
        "--reference-points", "none", "--units", units, *COUNTED,
    )  # fmt: skip
    assert result.code == 0, result.err
    micro = {
        (row["hypothesis"], row["measure"]): row["value"]
        for row in read_rows(tmp_path / "run", "summary")
        if row["average"] == "micro"
    }
    for coder, points in curves(tmp_path / "swept").items():
        for name in VALUES:
            assert points[min(t for t in points if t is not None)][name] == micro[coder, name]
    for name in VALUES:
        assert curves(tmp_path / "swept")["h0"][None][name] == micro["point:none", name]


def test_a_lower_threshold_never_removes_a_boundary(segscore: Segscore, tmp_path: Path) -> None:
    write(scored_corpus(seed=7, scores=()), tmp_path)
    sweep(segscore, tmp_path, tmp_path / "run")
    for points in curves(tmp_path / "run").values():
        rows = [*points.values()]
        for lower, higher in pairwise(rows):
            assert lower["hypothesis_segments"] > higher["hypothesis_segments"]
            assert lower["pk_misses"] <= higher["pk_misses"]
            assert lower["pk_false_alarms"] >= higher["pk_false_alarms"]
            assert lower["r_miss"] >= higher["r_miss"]
            assert lower["r_false_alarm"] <= higher["r_false_alarm"]


def test_swapped_scores_do_not_change_the_number_of_segments(
    segscore: Segscore, tmp_path: Path
) -> None:
    """F07 section 3: the curve of a noisy system is comparable with that of the quiet one."""
    generated = scored_corpus(seed=3, scores=())
    noisy = []
    for row in generated.hypotheses:
        shuffled = Random(1).sample(row["boundary_scores"], len(row["boundary_scores"]))  # noqa: S311
        noisy.append({**row, "coder": f"{row['coder']} noisy", "boundary_scores": shuffled})
    generated.hypotheses.extend(noisy)
    write(generated, tmp_path)
    sweep(segscore, tmp_path, tmp_path / "run")
    actual = curves(tmp_path / "run")
    different = 0
    for coder in ("h0", "h1", "h2"):
        quiet, swapped = actual[coder], actual[f"{coder} noisy"]
        assert [*quiet] == [*swapped]
        for threshold, row in quiet.items():
            other = swapped[threshold]
            assert row["hypothesis_segments"] == other["hypothesis_segments"]
            different += row["r_miss"] != other["r_miss"]
    assert different


# --- Edges ---------------------------------------------------------------------------------------


class Table:
    """A folder with one reference of ten units in each of the documents a, b and c."""

    def __init__(self, segscore: Segscore, folder: Path) -> None:
        self.segscore = segscore
        self.folder = folder
        self.run = folder / "run"
        self.write("references.parquet", [("ann", d, 10, [3, 6], None) for d in "abc"])

    def write(self, name: str, rows: Sequence[tuple[Any, ...]], **columns: pa.Array) -> None:
        """Write rows (coder, document, units, boundaries, scores)."""
        cells = [
            {"coder": c, "document_id": d, "n_units": n, "boundaries": b, "boundary_scores": s}
            for c, d, n, b, s in rows
        ]
        table = pa.Table.from_pylist(cells, SCORED)
        for column, values in columns.items():
            table = table.append_column(column, values)
        pq.write_table(table, self.folder / name)

    def sweep(self, *options: object) -> CommandResult:
        """Sweep scored.parquet."""
        return self.segscore(
            "sweep", self.folder / "references.parquet", self.folder / "scored.parquet",
            "--output", self.run, *options,
        )  # fmt: skip

    def curve(self, *rows: tuple[Any, ...], **columns: pa.Array) -> Curve:
        """The curve of one hypothesis."""
        self.write("scored.parquet", rows, **columns)
        result = self.sweep()
        assert result.code == 0, result.err
        (only_curve,) = curves(self.run).values()
        return only_curve


@pytest.fixture
def table(segscore: Segscore, tmp_path: Path) -> Table:
    return Table(segscore, tmp_path)


def test_a_document_without_candidates_counts_at_every_threshold(table: Table) -> None:
    curve = table.curve(("sys", "a", 10, [3, 6], [0.5, 0.25]), ("sys", "b", 10, [], []))
    assert {t: row["hypothesis_segments"] for t, row in curve.items()} == {0.25: 4, 0.5: 3, None: 2}
    assert {row["reference_segments"] for row in curve.values()} == {6}


def test_a_curve_without_candidates_is_one_point(table: Table) -> None:
    curve = table.curve(("sys", "a", 10, [], []))
    assert [*curve] == [None]
    assert curve[None]["pk_miss_rate"] == 1
    points = read_rows(table.run, "operating_points")
    assert points == [curve[None] | {"average_precision": 0}]


def test_equal_scores_come_and_go_together(table: Table) -> None:
    curve = table.curve(("sys", "a", 10, [3, 6], [0.5, 0.5]), ("sys", "b", 10, [3, 6], [0.5, 0.5]))
    assert [*curve] == [0.5, None]
    assert (curve[0.5]["r_miss"], curve[0.5]["r_false_alarm"], curve[0.5]["pk_prior"]) == (0, 0, 0)
    (chosen,) = read_rows(table.run, "operating_points")
    assert chosen == curve[0.5] | {"average_precision": 1}


def test_one_unit_is_undefined_by_windows_but_not_by_content(table: Table) -> None:
    table.write("references.parquet", [("ann", "a", 1, [], None)])
    curve = table.curve(("sys", "a", 1, [], []))
    row = curve[None]
    assert (row["pk_miss_rate"], row["pk_false_alarm_rate"], row["pk_prior"]) == (None, None, None)
    assert (row["r_miss"], row["r_false_alarm"], row["mean_segment_length"]) == (0, 0, 1)


def test_thresholds_differ_to_the_last_bit_and_both_zeros_are_equal(table: Table) -> None:
    next_up = float(np.nextafter(0.5, 1))
    curve = table.curve(
        ("sys", "a", 10, [2, 3, 5], [0.5, next_up, -0.0]), ("sys", "b", 10, [2], [0.0])
    )
    assert [*curve] == [0.0, 0.5, next_up, None]
    assert str(next(iter(curve))) == "0.0"


def test_of_several_types_at_a_position_the_highest_score_counts(table: Table) -> None:
    """Boundaries with types are accepted under the rules of `segscore score`."""
    types = pa.array([[1, 1]] * 3, pa.list_(pa.int32()))
    table.write(
        "references.parquet", [("ann", d, 10, [3, 6], None) for d in "abc"], boundary_types=types
    )
    curve = table.curve(
        ("sys", "a", 10, [3, 3, 6], [0.25, 0.75, 0.5]),
        boundary_types=pa.array([[1, 2, 1]], pa.list_(pa.int32())),
    )
    assert {t: row["hypothesis_segments"] for t, row in curve.items()} == {
        0.25: 3, 0.5: 3, 0.75: 2, None: 1,
    }  # fmt: skip


def test_units_without_words_share_the_highest_score(table: Table) -> None:
    documents = [
        {"document_id": "a", "n_units": 10, "unit_lengths": [5, 1, 0, 1, 1, 1, 1, 1, 1, 0]}
    ]
    pq.write_table(pa.Table.from_pylist(documents), table.folder / "documents.parquet")
    table.write("references.parquet", [("ann", "a", 10, [2], None)])
    table.write("scored.parquet", [("sys", "a", 10, [2, 3, 9], [0.25, 0.75, 0.5])])
    result = table.sweep("--units", "words", "--documents", table.folder / "documents.parquet")
    assert result.code == 0, result.err
    curve = curves(table.run)["sys"]
    # Position 9 is the end in words, so its score is a threshold at which nothing changes.
    assert {t: row["hypothesis_segments"] for t, row in curve.items()} == {
        0.25: 2, 0.5: 2, 0.75: 2, None: 1,
    }  # fmt: skip
    assert curve[0.75]["r_miss"] == 0
    (chosen,) = read_rows(table.run, "operating_points")
    assert chosen["threshold"] == 0.75


def test_scores_may_be_short_floats_or_whole_numbers(table: Table) -> None:
    for kind, score in ((pa.float32(), 0.1), (pa.int8(), 1)):
        rows = pa.table(
            {
                "document_id": ["a"],
                "coder": ["sys"],
                "n_units": pa.array([10], pa.int32()),
                "boundaries": pa.array([[3]], pa.list_(pa.int32())),
                "boundary_scores": pa.array([[score]], pa.list_(kind)),
            }
        )
        pq.write_table(rows, table.folder / "scored.parquet")
        result = table.sweep("--fresh")
        assert result.code == 0, result.err
        assert next(iter(curves(table.run)["sys"])) == float(np.float32(score))


def test_content_counts_that_overflow_are_reported() -> None:
    none = np.zeros(len(POOLED), np.int64)
    steps = Steps(np.zeros(0), np.zeros((0, len(CHANGING)), np.int64), none, 2**62)
    assert merge_steps([{"sys": steps}])["sys"].largest == 2**62
    assert curve(steps).shape == (1, len(POOLED))
    with pytest.raises(Failed, match=r"sys: .* 2\^63"):
        merge_steps([{"sys": steps}, {"sys": steps}])


# --- Bad input -----------------------------------------------------------------------------------


def assert_refused(result: CommandResult, code: int, *texts: str) -> None:
    """Check that the command exited with this code and these messages, without a traceback."""
    assert result.code == code, result.err
    assert "Traceback" not in result.out + result.err
    assert "segscore: error: " in result.err
    for text in texts:
        assert text in result.err, result.err


def test_a_table_without_scores_is_refused_before_any_work(table: Table) -> None:
    rows = pa.Table.from_pylist(
        [{"document_id": "a", "coder": "sys", "n_units": 10, "boundaries": [3]}], SEGMENTATION
    )
    pq.write_table(rows, table.folder / "scored.parquet")
    assert_refused(
        table.sweep(), 2, "scored.parquet", "no column boundary_scores", "segscore score"
    )
    assert not table.run.exists()


def test_rows_that_cannot_be_swept_are_listed_by_the_rule_they_break(table: Table) -> None:
    bad = {
        "boundary_scores_given": None,
        "boundary_scores_in_range": [0.5, 1.5],
        "boundary_scores_parallel": [0.5],
        "boundary_scores_no_null": [0.5, None],
    }
    rows = [(rule, "a", 10, [3, 6], scores) for rule, scores in bad.items()]
    rows.append(("nan", "a", 10, [3, 6], [0.5, float("nan")]))
    rows.append(("below", "a", 10, [3, 6], [-0.1, 0.5]))
    rows += [("twice", "a", 10, [3], [0.5]), ("twice", "a", 10, [3], None)]
    rows.append(("alone", "z", 10, [3], [0.5]))
    rows.append(("other", "a", 9, [3], [0.5]))
    rows.append(("sys", "b", 10, [3, 6], [0.5, 1.0]))
    table.write("scored.parquet", rows)
    result = table.sweep()
    assert result.code == 0, result.err
    assert "rows were rejected" in result.err
    rejects = {(row["coder"], row["rule"]) for row in read_rows(table.run, "rejects")}
    assert rejects == {
        *((rule, rule) for rule in bad),
        ("nan", "boundary_scores_in_range"),
        ("below", "boundary_scores_in_range"),
        ("twice", "unique_document_coder"),
        ("other", "n_units_agree"),
    }
    assert [*curves(table.run)] == ["sys"]
    account = json.loads((table.run / "run.json").read_text())["rows"]
    assert account == {
        "references": {"in": 3, "scored": 1, "rejected": 0, "unpaired": 2},
        "hypotheses": {"in": 11, "scored": 1, "rejected": 9, "unpaired": 1},
    }
    unpaired = read_rows(table.run, "unpaired")
    assert sorted((row["table"], row["document_id"]) for row in unpaired) == [
        ("hypotheses", "z"), ("references", "a"), ("references", "c"),
    ]  # fmt: skip


def test_nothing_to_sweep_fails_and_publishes_nothing(table: Table) -> None:
    table.write("scored.parquet", [("sys", "a", 10, [3], None)])
    assert_refused(table.sweep(), 1, "nothing could be scored", "1 of 1 hypotheses were rejected")
    assert not (table.run / "run.json").exists()
    assert not (table.run / "curves").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--window", "wide"), "--window wide"),
        (("--window", "0"), "--window 0"),
        (("--rounding", "up"), "--rounding up"),
        (("--units", "letters"), "--units letters"),
        (("--units", "words"), "--units words needs --documents"),
        (("--p-seg", "1.5"), "--p-seg 1.5"),
        (("--p-seg", "nan"), "--p-seg nan"),
        (("--cluster", "moon"), "--cluster moon"),
    ],
)
def test_wrong_options_are_refused(table: Table, options: tuple[str, ...], message: str) -> None:
    table.write("scored.parquet", [("sys", "a", 10, [3], [0.5])])
    assert_refused(table.sweep(*options), 2, message)
    assert not table.run.exists()


def test_an_empty_name_and_a_missing_table_are_refused(table: Table) -> None:
    references = table.folder / "references.parquet"
    assert_refused(
        table.segscore("sweep", references, " ", "--output", table.run), 2, "SCORED: is empty"
    )
    assert_refused(
        table.segscore("sweep", references, "nowhere", "--output", table.run), 2, "nowhere"
    )


def test_a_finished_run_is_kept_without_fresh(table: Table) -> None:
    table.curve(("sys", "a", 10, [3], [0.5]))
    before = files(table.run)
    again = table.sweep()
    assert again.code == 0
    assert "already contains this run, finished" in again.out
    assert files(table.run) == before
    assert_refused(table.sweep("--units", "words"), 2, "--units words needs --documents")
    assert_refused(table.sweep("--p-seg", 0.5), 2, "contains a finished run")
    assert files(table.run) == before
    table.write("scored.parquet", [("new", "a", 10, [3], [0.5])])
    assert table.sweep("--fresh").code == 0
    assert [*curves(table.run)] == ["new"]


# --- The run -------------------------------------------------------------------------------------


@pytest.mark.long
def test_bytes_are_the_same_on_any_cluster(
    segscore: Segscore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    segscore.cut(20)
    monkeypatch.setattr(part, "CANDIDATES_AT_ONCE", 30)
    generated = scored_corpus(seed=4, documents=60)
    generated.hypotheses.append(
        {**generated.hypotheses[0], "boundaries": [], "boundary_scores": []}
    )
    write(generated, tmp_path, count=4)
    places = {
        "one": ("local", "--workers", 1),
        "four": ("local", "--workers", 4),
        "processes": ("processes", "--workers", 2),
    }
    for name, place in places.items():
        record = sweep(segscore, tmp_path, tmp_path / name, "--cluster", *place)
        assert record["rows"]["hypotheses"]["rejected"] == 2
        assert files(tmp_path / name) == files(tmp_path / "one"), name


@pytest.mark.parametrize("rows_per_part", [10, 1_000_000])
def test_bytes_are_the_same_from_one_file_and_from_four(
    segscore: Segscore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows_per_part: int
) -> None:
    generated = scored_corpus(seed=6, scores=())
    contents = []
    for count in (1, 4):
        folder = tmp_path / str(count)
        write(generated, folder, count)
        segscore.cut(rows_per_part if count == 4 else 50)
        monkeypatch.setattr(part, "CANDIDATES_AT_ONCE", rows_per_part)
        sweep(segscore, folder, folder / "run")
        Random(count).shuffle(generated.hypotheses)  # noqa: S311
        Random(count).shuffle(generated.references)  # noqa: S311
        curve = files(folder / "run")
        contents.append(
            [
                content
                for name, content in curve.items()
                if name.startswith(("curves/", "operating_points/"))
            ]
        )
    assert contents[0] == contents[1]


def test_the_record_and_summary_of_a_sweep(segscore: Segscore, tmp_path: Path) -> None:
    write(scored_corpus(seed=2), tmp_path)
    record = sweep(segscore, tmp_path, tmp_path / "run", "--p-seg", 0.25, "--rounding", "half-up")
    assert record["signature"] == (
        "segscore|sweep:score>=t|operating_point:mean-length|window:per-pair,half-up,min2"
        "|units:units|p_seg:0.25|v:0.3.0.dev0"
    )
    assert record["settings"]["scored"] == str(tmp_path / "hypotheses")
    assert record["p_seg"] == 0.25
    assert {table_name: len(files_) for table_name, files_ in record["inputs"].items()} == {
        "references": 1, "hypotheses": 1, "documents": 1,
    }  # fmt: skip
    for rows in record["rows"].values():
        assert rows["in"] == rows["scored"] + rows["rejected"] + rows["unpaired"]
    status = segscore("show", tmp_path / "run")
    assert status.code == 0
    assert record["signature"] in status.out


def test_results_are_printed(table: Table) -> None:
    rows = [("sys[b]", "a", 10, [2, 3, 6], [0.25, 0.5, 0.75]), ("sys2", "a", 10, [], [])]
    table.write("scored.parquet", rows)
    result = table.sweep()
    lines = [" ".join(line.split()) for line in result.out.splitlines()]
    assert "0.25 0.0000 0.2500 0.4000 0.0000 2.5000 3.3333" in "\n".join(lines)
    assert "* 0.5 0.0000 0.0000 0.0000 0.0000 3.3333 3.3333" in lines
    assert any(line.startswith("sys2 * none 1.0000") for line in lines)
    assert sum("*" in line for line in lines) == 3
    assert "sys[b]" in result.out
    assert "hypotheses: 2 in = 2 scored + 0 rejected + 0 unpaired" in lines
    assert f"written to {table.run}" in result.out


@pytest.mark.parametrize("options", [(), ("--tolerances", "0,2")])
def test_curves_are_saved_as_a_figure(
    segscore: Segscore, tmp_path: Path, options: tuple[str, ...]
) -> None:
    rows = [
        {"document_id": f"d{d}", "coder": coder, "n_units": 20, "boundaries": [5, 12]}
        | ({"boundary_scores": [0.3, 0.1 * d]} if coder == "model" else {})
        for d in range(4)
        for coder in ("desk", "model")
    ]
    for coder in ("desk", "model"):
        lines = [json.dumps(row) + "\n" for row in rows if row["coder"] == coder]
        (tmp_path / f"{coder}.jsonl").write_text("".join(lines))
    files = (tmp_path / "desk.jsonl", tmp_path / "model.jsonl")
    figure = tmp_path / "curves.svg"
    command = ("sweep", *files, "--output", tmp_path / "run", *options, "--figure", figure)
    ended = segscore(*command)
    assert ended.code == 0, ended.err
    assert f"{figure}: written" in ended.err
    assert ("tolerance" if options else "pk miss rate") in figure.read_text()
    refused = segscore(*command[:-1], tmp_path / "curves.jpg")
    assert refused.code == 2 and "must end in" in refused.err
