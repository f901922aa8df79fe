"""Known faults: what they do to references, and what a measure makes of them."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from segscore import Segmentation, calibrate, evaluate
from segscore.pipeline.arrays.document_ids import hash_names, index_documents
from segscore.pipeline.arrays.ragged import Ragged, from_lists
from segscore.pipeline.conventions import document_sample
from segscore.pipeline.conventions.calibrate import (
    Calibration,
    CurvePoint,
    run_calibration,
    size_of,
)
from segscore.pipeline.conventions.calibrate_settings import CalibrateSettings
from segscore.pipeline.conventions.document_sample import DocumentSample
from segscore.pipeline.conventions.faults import (
    COPIES,
    MOVED,
    RANDOM,
    Fault,
    faults,
    summed_distance,
    with_fault,
)
from segscore.pipeline.errors import Refused
from segscore.pipeline.storage import read_table
from segscore.schemas.conventions import CALIBRATION
from tests.oracles import naive, naive_sample
from tests.support.command_line import Segscore
from tests.support.examples import examples
from tests.support.paths import DATA
from tests.support.rows import read_rows, write_rows
from tests.support.strategies import segmentations

SHOW = Segmentation.from_starts([0, 20.0, 100.5, 300.0], duration=500)
STARGAZER = str(DATA / "stargazer.jsonl")
KINDS = ("missed", "added", "missed-or-added", "mixed", MOVED)


def lists(boundaries: Ragged) -> list[list[int]]:
    """Return the rows of a ragged array."""
    return [
        boundaries.values[start:end].tolist()
        for start, end in zip(boundaries.offsets, boundaries.offsets[1:], strict=False)
    ]


def versions(fault: Fault, corpus: list[tuple[int, list[int]]], seed: int = 0) -> list[list[int]]:
    """Return the versions of references with a fault."""
    numbers = np.arange(len(corpus), dtype=np.uint64)
    n_units = np.array([n for n, _ in corpus])
    made = with_fault(fault, seed, numbers, n_units, from_lists([b for _, b in corpus]))
    return lists(made)


@settings(max_examples=examples(50), deadline=None)
@given(
    corpus=st.lists(segmentations(30), min_size=1, max_size=4),
    kind=st.sampled_from(KINDS),
    level=st.integers(0, 4),
    seed=st.integers(0, 2**64 - 1),
)
def test_a_fault_does_what_it_says(
    corpus: list[tuple[int, list[int]]], kind: str, level: int, seed: int
) -> None:
    fault = Fault(kind, level if kind == MOVED else level / 4)
    made = versions(fault, corpus, seed)
    assert len(made) == COPIES * len(corpus)
    for place, coded in enumerate(made):
        n_units, truth = corpus[place // COPIES]
        assert coded == sorted(set(coded)) and all(0 < p < n_units for p in coded)
        if level == 0:
            assert coded == truth
        elif kind == "missed":
            assert set(coded) <= set(truth) and (level < 4 or not coded)
        elif kind == "added":
            assert set(coded) >= set(truth)
            free = n_units - 1 - len(truth)
            assert level < 4 or len(coded) == len(truth) + min(len(truth), free)
        elif kind == MOVED:
            assert len(coded) == len(truth)
            assert all(abs(p - q) <= level for p, q in zip(coded, truth, strict=True))
    if kind == MOVED:
        distances = [
            abs(p - q)
            for place, coded in enumerate(made)
            for p, q in zip(coded, corpus[place // COPIES][1], strict=True)
        ]
        truths = from_lists([boundaries for _, boundaries in corpus])
        assert summed_distance(truths, from_lists(made)) == sum(distances)


@settings(max_examples=examples(50), deadline=None)
@given(st.lists(segmentations(30), min_size=1, max_size=4), st.integers(0, 2**64 - 1))
def test_random_boundaries_are_as_many_as_those_of_the_reference(
    corpus: list[tuple[int, list[int]]], seed: int
) -> None:
    made = versions(Fault(RANDOM, 1.0), corpus, seed)
    assert len(made) == COPIES * len(corpus)
    for place, coded in enumerate(made):
        n_units, truth = corpus[place // COPIES]
        assert len(coded) == len(truth) and coded == sorted(set(coded))
        assert all(0 < p < n_units for p in coded)


def test_random_positions_are_equally_likely() -> None:
    """Of the six pairs of four positions, each comes up about as often."""
    drawn = [
        tuple(coded)
        for seed in range(60)
        for coded in versions(Fault(RANDOM, 1.0), [(5, [1, 2])], seed)
    ]
    seen = {pair: drawn.count(pair) for pair in set(drawn)}
    assert len(seen) == 6
    assert max(abs(number - 200) for number in seen.values()) < 60


def test_the_command_says_what_systems_that_find_nothing_get(
    segscore: Segscore, tmp_path: Path
) -> None:
    """What `score` gives to a reference point without boundaries, and a draw of random ones."""
    run = tmp_path / "run"
    options = ("--reference-points", "none,random-known", "--output", run)
    assert segscore("score", STARGAZER, STARGAZER, *options).code == 0
    summary = read_rows(run, "summary")
    values = {
        row["hypothesis"]: row["value"]
        for row in summary
        if (row["measure"], row["average"]) == ("pk", "micro")
    }
    result = segscore("simulate", "values", STARGAZER, "--measure", "pk", "--value", 0.3)
    assert result.code == 0, result.err
    nothing, random = map(float, re.findall(r"0\.\d{4}", result.out.splitlines()[-1]))
    assert nothing == pytest.approx(values["point:none"], abs=1e-4)
    assert random == pytest.approx(values["point:random-known"], abs=0.1)


@pytest.mark.parametrize("ending", ["svg", "pdf", "png"])
def test_the_curves_are_drawn(segscore: Segscore, tmp_path: Path, ending: str) -> None:
    figure = tmp_path / f"curves.{ending}"
    result = segscore("simulate", "values", STARGAZER, "--measure", "pk", "--figure", figure)
    assert result.code == 0, result.err
    content = figure.read_bytes()
    assert content.startswith({"svg": b"<svg", "pdf": b"%PDF", "png": b"\x89PNG"}[ending])
    if ending == "svg":
        assert "missed-or-added" in content.decode() and "random" in content.decode()
    refused = segscore(
        "simulate", "values", STARGAZER, "--measure", "pk", "--figure", tmp_path / "x.jpg"
    )
    assert refused.code == 2 and "must end in .svg, .pdf, .png" in refused.err


def test_levels_ascend_and_start_without_a_fault() -> None:
    listed = list(faults(7, 100))
    for kind in KINDS:
        levels = [fault.level for fault in listed if fault.kind == kind]
        assert levels[0] == 0 and levels == sorted(set(levels))
    assert max(fault.level for fault in listed if fault.kind == MOVED) == 6
    assert [fault.level for fault in faults(0, 100) if fault.kind == MOVED] == [0, 1]


def calibration(measure: str, **options: Any) -> Calibration:
    """Calibrate a measure on Stargazer."""
    return run_calibration(CalibrateSettings(STARGAZER, measure, **options))


def test_the_curve_is_that_of_the_slow_twin() -> None:
    points = calibration("boundary_similarity").points
    rows = [json.loads(line) for line in Path(STARGAZER).read_text("utf-8").splitlines()]
    truth = [row["boundaries"] for row in rows if row["role"] == "reference"]

    documents = hash_names(index_documents(pa.array(["stargazer"])).documents.ids).hashes
    numbers = documents[0] + np.arange(len(truth), dtype=np.uint64)
    for fault in (Fault("mixed", 0.25), Fault(MOVED, 2), Fault("missed", 0.5)):
        (point,) = (point for point in points if point.fault == fault)
        made = with_fault(fault, 0, numbers, np.full(len(truth), 21), from_lists(truth))
        counts = [
            naive.edit_counts(21, truth[place // COPIES], coded)
            for place, coded in enumerate(lists(made))
        ]
        total = {name: sum(count[name] for count in counts) for name in counts[0]}
        micro = naive.edit_values(total, n_t=2, per_row=False)["boundary_similarity"]
        assert micro is not None and point.micro == pytest.approx(float(micro), abs=1e-12)
        each = [naive.edit_values(c, n_t=2, per_row=True)["boundary_similarity"] for c in counts]
        assert point.macro == pytest.approx(float(sum(each) / len(each)), abs=1e-12)  # type: ignore[arg-type]


def test_recall_is_what_is_not_missed() -> None:
    for point in calibration("recall").points:
        if point.fault.kind == "missed":
            # 20 versions of 7 codings have about 800 boundaries: 4 standard deviations.
            assert point.micro == pytest.approx(1 - point.fault.level, abs=0.07)
        if point.fault.kind == "added":
            assert point.micro == 1


def points(kind: str, curve: list[tuple[float, float | None]]) -> list[CurvePoint]:
    """Return a curve."""
    return [CurvePoint(Fault(kind, size), size, value, value) for size, value in curve]


@pytest.mark.parametrize(
    ("value", "size"), [(1, 0), (0.9, 0.1), (0.7, 0.35), (0.5, 0.75), (0.6, 0.5), (0.3, None)]
)
def test_sizes_lie_between_points(value: float, size: float | None) -> None:
    curve = [(0, 1.0), (0.2, 0.8), (0.5, 0.6), (0.75, 0.5), (1.0, None)]
    expected = None if size is None else pytest.approx(size)
    assert size_of(curve, value) == expected


def test_a_value_is_described_in_a_sentence() -> None:
    curve = [*points("missed", [(0, 1.0), (1.0, 0.0)]), *points(MOVED, [(0, 1.0), (4, 0.2)])]
    described = Calibration(
        "boundary_similarity", tuple(curve), 3, (), DocumentSample(np.arange(3), 3)
    )
    assert described.describe(0.6) == (
        "boundary_similarity 0.6 on this corpus is what a system gets that misses 40 % of the "
        "boundaries; or moves every boundary by 2.0 units on average."
    )
    assert described.describe(0.1) == (
        "boundary_similarity 0.1 on this corpus is what a system gets that misses 90 % of the "
        "boundaries."
    )
    assert described.describe(2) == (
        "boundary_similarity 2 on this corpus is not what any of these faults gives."
    )


def test_the_curve_does_not_depend_on_the_order_of_rows(segscore: Segscore, tmp_path: Path) -> None:
    lines = (DATA / "moonstone.jsonl").read_text("utf-8").splitlines(keepends=True)
    (tmp_path / "back.jsonl").write_text("".join(reversed(lines)), "utf-8")
    tables = []
    for source, output in ((DATA / "moonstone.jsonl", "a"), (tmp_path / "back.jsonl", "b")):
        result = segscore(
            "simulate",
            "values",
            source,
            "--measure",
            "pk",
            "--output",
            tmp_path / output,
            "--value",
            0.3,
        )
        assert result.code == 0, result.err
        tables.append((tmp_path / output / "calibration.parquet").read_bytes())
    assert tables[0] == tables[1]
    table = read_table(str(tmp_path / "a" / "calibration.parquet"))
    CALIBRATION.validate(table)
    again = segscore("simulate", "values", STARGAZER, "--measure", "pk", "--output", tmp_path / "a")
    assert again.code == 2 and "already contains calibration.parquet" in again.err


CORPUS = st.dictionaries(st.text(min_size=1, max_size=3), segmentations(12), min_size=1, max_size=8)


@settings(max_examples=examples(20), deadline=None)
@given(corpus=CORPUS, most=st.integers(1, 30), data=st.data())
def test_the_documents_with_the_lowest_hashes_are_simulated(
    corpus: dict[str, tuple[int, list[int]]], most: int, data: st.DataObject
) -> None:
    chosen = naive_sample.chosen_documents(
        {name: len(boundaries) + 1 for name, (_, boundaries) in corpus.items()}, most
    )
    shuffled = data.draw(st.permutations([*corpus]))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(document_sample, "SEGMENTS", most)
        sampled = calibrate(_segmentations(corpus, shuffled), measure="boundary_similarity")
    as_many = calibrate(
        _segmentations(corpus, [*corpus]), measure="boundary_similarity", sample=len(chosen)
    )
    alone = calibrate(_segmentations(corpus, chosen), measure="boundary_similarity", sample="all")
    assert (len(sampled.sample), sampled.sample.of) == (len(chosen), len(corpus))
    assert sampled.references == len(corpus)
    assert (sampled.sample.words == "") == (len(chosen) == len(corpus))
    if len(chosen) < len(corpus):  # otherwise, documents keep their order
        assert sampled.table.equals(as_many.table)
    of_sample = {point.fault: point for point in sampled.points}
    for point in alone.points:
        if point.fault in of_sample:  # boundaries are moved up to the mean size of a segment
            assert point.micro == of_sample[point.fault].micro
            assert point.size == of_sample[point.fault].size
            assert point.macro == pytest.approx(of_sample[point.fault].macro)


def _segmentations(
    corpus: dict[str, tuple[int, list[int]]], names: list[str]
) -> dict[str, Segmentation]:
    return {name: Segmentation(corpus[name][1], corpus[name][0]) for name in names}


def test_a_sample_is_stated_and_the_same_for_any_order_of_rows(
    segscore: Segscore, tmp_path: Path
) -> None:
    lines = (DATA / "tinyrec.jsonl").read_text("utf-8").splitlines(keepends=True)
    tables = []
    for name, ordered in (("a", lines), ("b", lines[::-1]), ("c", lines[::2] + lines[1::2])):
        source = tmp_path / f"{name}.jsonl"
        source.write_text("".join(ordered), "utf-8")
        output = ("--output", tmp_path / name, "--value", 0.3)
        result = segscore("simulate", "values", source, "--measure", "pk", "--sample", 7, *output)
        assert result.code == 0, result.err
        stated = "simulated on 7 of 42 documents, chosen by a hash of their ids; --sample all takes"
        assert stated in " ".join(result.out.split())
        tables.append((tmp_path / name / "calibration.parquet").read_bytes())
    assert tables[0] == tables[1] == tables[2]
    table = read_table(str(tmp_path / "a" / "calibration.parquet"))
    assert table.column("documents").unique().to_pylist() == [7]
    assert table.column("all_documents").unique().to_pylist() == [42]
    for sample in ("all", 42, 50):
        every = segscore(
            "simulate", "values", source, "--measure", "pk", "--sample", sample, "--value", 0.3
        )
        assert "simulated on" not in every.out
    for sample in (0, "-1", "some", "7.5"):
        wrong = segscore("simulate", "values", source, "--measure", "pk", "--sample", sample)
        assert wrong.code == 2 and f"--sample {sample}: must be" in wrong.err


def test_python_gives_the_table_of_the_command(segscore: Segscore, tmp_path: Path) -> None:
    lines = Path(STARGAZER).read_text("utf-8").splitlines()
    rows = [row for row in map(json.loads, lines) if row["role"] == "reference"]
    references = {
        row["coder"]: {row["document_id"]: Segmentation(row["boundaries"], row["n_units"])}
        for row in rows
    }
    options = ("--measure", "window_diff", "--window", 3, "--seed", 5, "--output", tmp_path)
    assert segscore("simulate", "values", STARGAZER, *options).code == 0
    calibrated = calibrate(references, measure="window_diff", window=3, seed=5)
    assert calibrated.table.equals(read_table(str(tmp_path / "calibration.parquet")))


@pytest.mark.parametrize("option", [{"output": "x"}, {"value": 0.5}])
def test_options_of_the_command_only_are_refused(option: dict[str, Any]) -> None:
    (name,) = option
    with pytest.raises(Refused, match=f"{name}: is an option of the command only"):
        calibrate(STARGAZER, measure="pk", **option)


def test_unknown_measures_are_refused() -> None:
    with pytest.raises(Refused, match="--measure beauty: is not a measure of pairs"):
        calibration("beauty")
    with pytest.raises(
        Refused, match=r"--measure boundry_similarity: .*; the nearest is boundary_"
    ):
        calibration("boundry_similarity")


@pytest.mark.parametrize(
    ("measure", "value", "allowed"),
    [("pk", "500", "0 to 1"), ("pk", "-0.1", "0 to 1"), ("window_diff_weighted", "-1", "0 to ∞")],
)
def test_values_that_a_measure_cannot_have_are_refused(
    measure: str, value: str, allowed: str
) -> None:
    message = f"--value {value}: {measure} has values from {allowed}"
    with pytest.raises(Refused, match=message):
        CalibrateSettings(STARGAZER, measure, float(value))
    CalibrateSettings(STARGAZER, "pk", 1.0)
    CalibrateSettings(STARGAZER, "window_diff_weighted", 5.0)


@pytest.mark.parametrize(
    ("measure", "given", "value", "percent"),
    [
        ("pk", 15.08, 0.1508, True),
        ("pk", 100.0, 1.0, True),
        ("pk", 1.0, 1.0, False),
        ("window_diff_weighted", 5.0, 5.0, False),
    ],
)
def test_a_value_above_one_of_a_share_is_a_percentage(
    measure: str, given: float, value: float, percent: bool
) -> None:
    number = CalibrateSettings(STARGAZER, measure, given).number
    assert number is not None
    assert number.value == pytest.approx(value)
    assert number.assumed_percent == percent


@pytest.mark.parametrize("measure", ["b_tp", "over_segmentation"])
def test_measures_without_a_direction_are_refused(measure: str) -> None:
    with pytest.raises(Refused, match=f"^{measure}: neither high nor low values are better"):
        calibration(measure)


def test_a_document_that_is_too_long_for_random_positions_has_no_random_fault() -> None:
    assert {fault.kind for fault in faults(7, 2**31 - 1)} == {
        fault.kind for fault in faults(7, 100)
    } - {RANDOM}


def test_near_misses_of_recordings_are_those_of_a_run() -> None:
    """Two seconds, and in other tables two units."""
    units = Segmentation(SHOW.boundaries, SHOW.n_units)
    for reference, n_t in ((SHOW, 2000), (units, 2)):
        by_default, chosen = (
            calibrate({"d": reference}, measure="boundary_similarity", n_t=given).table
            for given in (None, n_t)
        )
        assert by_default == chosen


def coded(documents: int, seed: int = 0) -> dict[str, dict[str, Segmentation]]:
    """Codings by three people, of whom two coded each document, and one document all alone."""
    rng = np.random.default_rng(seed)
    codings: dict[str, dict[str, Segmentation]] = {"ann": {}, "ben": {}, "cay": {}}
    for i in range(documents + 1):
        places = np.flatnonzero(rng.random(40) < 0.2) + 1
        for coder in [*codings][: 1 if i == documents else 2 + i % 2]:
            kept = places[rng.random(len(places)) < 0.7] + rng.integers(0, 2)
            codings[coder][f"d{i}"] = Segmentation(kept, 50)
    return codings


@pytest.mark.first
@pytest.mark.parametrize("measure", ["boundary_similarity", "pk", "b_recall", "pr_error", "f1"])
def test_a_second_person_gets_what_the_reference_point_gets(measure: Any) -> None:
    """The value and its interval are those of ``point:human`` in a run."""
    codings = coded(12)
    one = {"s": codings["ann"]}
    run = evaluate(codings, one, measures=[measure], reference_points=["human"])
    row = run[measure, "point:human"]
    calibration = calibrate(codings, measure=measure)
    person = calibration.second_person
    assert person is not None and person.documents == 12
    assert person.value == pytest.approx(row.micro, abs=1e-12)
    assert person.ends == pytest.approx(row.interval, abs=1e-9)
    low, high = (f"{end:.4f}" for end in person.ends or ())
    said = calibration.second_person_in_words() or ""
    start = f"A second person gets {person.value:.4f} here, on 12 documents with two coders or more"
    assert said.startswith(f"{start} (95 % interval {low} to {high})"), said


def test_the_faults_of_a_second_person_have_a_range() -> None:
    """It follows from the interval, and each of its ends from an end of the interval."""
    calibration = calibrate(coded(12), measure="boundary_similarity")
    person = calibration.second_person
    assert person is not None and person.ends is not None
    low, high = sorted(calibration.sizes(end)["missed"] or 0.0 for end in person.ends)
    assert low < high
    words = f"misses {100 * low:.0f} % to {100 * high:.0f} % of the boundaries"
    assert words in (calibration.second_person_in_words() or "")
    assert person.value is not None
    assert words in calibration.describe(person.value, interval=person.ends)
    assert " to " not in calibration.describe(person.value)


def test_a_second_person_that_is_not_known(segscore: Segscore, tmp_path: Path) -> None:
    """Undefined is said, and never nan; without a second coder nothing is said."""
    codings = coded(6)
    alone = calibrate({"ann": codings["ann"]}, measure="f1")
    assert alone.second_person is None and alone.second_person_in_words() is None
    few = calibrate(coded(3), measure="f1").second_person_in_words() or ""
    assert "(no interval: at least 5 documents are needed)" in few
    rows = [
        {"document_id": f"d{i}", "coder": coder, "n_units": 20, "boundaries": [9] * (coder == "c")}
        for i in range(6)
        for coder in "abc"
        if (i == 0) == (coder == "c")
    ]
    table = tmp_path / "codings.jsonl"
    write_rows(table, rows)
    command = ("simulate", "values", table, "--measure", "f1")
    said = segscore(*command).out
    assert "What a second person gets here is undefined by f1, on 5 documents with two" in said
    assert "nan" not in said
    found = json.loads(segscore(*command, "--format", "json").out)["second_person"]
    assert found == {"value": None, "low": None, "high": None, "documents": 5}
