"""Numbers made by other programs are named by their conventions."""

import importlib
import random
import warnings
from collections.abc import Callable
from functools import cache
from statistics import mean
from typing import Any

import numpy as np
import pytest

import segscore
from segscore.pipeline.conventions.averages import ConventionAverages
from segscore.pipeline.conventions.boundary_family import boundary_family
from segscore.pipeline.conventions.convention import Family
from segscore.pipeline.conventions.edit_family import EDIT_FAMILY
from segscore.pipeline.conventions.pair_search import grid_of
from segscore.pipeline.conventions.window_family import WINDOW_FAMILY
from tests.support.notations import mask, masses
from tests.support.pair_corpora import Documents, corpus_arrays
from tests.support.programs import annotation, intervals

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    segeval: Any = importlib.import_module("segeval")
    mir_eval: Any = importlib.import_module("mir_eval.segment")
    pyannote: Any = importlib.import_module("pyannote.metrics.segmentation")
nltk: Any = importlib.import_module("nltk.metrics.segmentation")

REACH = 2
Pair = tuple[int, list[int], list[int]]


def documents() -> Documents:
    """Return documents with boundaries on both sides, some near each other."""
    chosen = random.Random(20)  # noqa: S311
    made: Documents = []
    for _ in range(9):
        n_units = chosen.randint(15, 60)
        reference = sorted(chosen.sample(range(1, n_units), chosen.randint(2, 6)))
        moved = {p + chosen.choice((-2, -1, 0, 0, 1, 2, 3)) for p in reference}
        extra = set(chosen.sample(range(1, n_units), 1))
        hypothesis = sorted(p for p in (moved | extra) - {reference[0]} if 0 < p < n_units)
        made.append((n_units, [reference], hypothesis))
    return made


DOCUMENTS = documents()
PAIRS: list[Pair] = [(n, references[0], hypothesis) for n, references, hypothesis in DOCUMENTS]


def starts(n_units: int, boundaries: list[int]) -> str:
    """Return N flags, the mark on the first unit of a segment."""
    return "0" + mask(n_units, boundaries)


def ends(n_units: int, boundaries: list[int]) -> str:
    """Return N flags, the mark on the last unit of a segment."""
    return mask(n_units, boundaries) + "0"


def closed(n_units: int, boundaries: list[int]) -> str:
    """Return N flags, the mark on the last unit of every segment."""
    return mask(n_units, boundaries) + "1"


def half_segment(flags: str) -> int:
    """Return half the mean segment, as TinyRec and SuperDialseg compute it."""
    return max(2, round(len(flags) / (flags.count("1") + 1) / 2))


def half_of_marks(flags: str) -> int:
    """Return the k that nltk.pk computes if it is given none."""
    return round(len(flags) / (flags.count("1") * 2.0))


def by_nltk(
    measure: str, flags: Callable[[int, list[int]], str], k_of: Callable[[str], int]
) -> float:
    """Average NLTK's values."""
    function = nltk.pk if measure == "pk" else nltk.windowdiff
    sides = [(flags(n, reference), flags(n, hypothesis)) for n, reference, hypothesis in PAIRS]
    return mean(function(reference, hypothesis, k_of(reference)) for reference, hypothesis in sides)


def by_nltk_alone(measure: str, flags: Callable[[int, list[int]], str]) -> float:
    """Average NLTK's values, where Pk chooses k itself."""
    if measure == "window_diff":
        return by_nltk(measure, flags, half_of_marks)
    return mean(nltk.pk(flags(n, r), flags(n, h)) for n, r, h in PAIRS)


def by_weighted_nltk(measure: str) -> float:
    """Average NLTK's weighted WindowDiff."""
    assert measure == "window_diff"
    values = []
    for n, reference, hypothesis in PAIRS:
        k = max(2, round(n / (len(reference) + 1) / 2))
        values.append(nltk.windowdiff(mask(n, reference), mask(n, hypothesis), k, weighted=True))
    return mean(values)


def by_segeval(measure: str, *, exchanged: bool = False, **options: Any) -> float:
    """Average segeval's values; the hypothesis comes first."""
    function = getattr(segeval, measure)
    values = []
    for n, reference, hypothesis in PAIRS:
        sides = [masses(n, hypothesis), masses(n, reference)]
        values.append(float(function(*(sides[::-1] if exchanged else sides), **options)))
    return mean(values)


def by_text_seg(measure: str) -> float:
    """Weigh segeval's values by windows, as Accuracy of koomri/text-segmentation does."""
    function = getattr(segeval, measure)
    parts = [
        function(masses(n, hypothesis), masses(n, reference), return_parts=True)
        for n, reference, hypothesis in PAIRS
    ]
    return float(sum(part[0] for part in parts) / sum(part[1] for part in parts))


def by_nltk_2(measure: str) -> float:
    """Average windowdiff of NLTK 2, divided by the number of its windows."""
    assert measure == "window_diff"
    values = []
    for n, reference, hypothesis in PAIRS:
        seg1, seg2 = starts(n, reference), starts(n, hypothesis)
        k = half_segment(seg1)
        total = sum(
            abs(seg1[i : i + k + 1].count("1") - seg2[i : i + k + 1].count("1"))
            for i in range(len(seg1) - k)
        )
        values.append(total / (len(seg1) - k))
    return mean(values)


def of_matrix(measure: str, *, exchanged: bool = False) -> float:
    """Average precision, recall or F of segeval's confusion matrix."""
    function = getattr(
        segeval, {"b_precision": "precision", "b_recall": "recall", "b_f1": "fmeasure"}[measure]
    )
    values = []
    for n, reference, hypothesis in PAIRS:
        sides = [masses(n, reference), masses(n, hypothesis)]
        matrix = segeval.boundary_confusion_matrix(*(sides[::-1] if exchanged else sides))
        values.append(float(function(matrix, 1)))
    return mean(values)


def by_mir_eval(measure: str, *, trim: bool) -> float:
    """Average mir_eval's values."""
    place = ("precision", "recall", "f1").index(measure)
    return mean(
        float(mir_eval.detection(intervals(n, r), intervals(n, h), window=REACH, trim=trim)[place])
        for n, r, h in PAIRS
    )


def by_pyannote(measure: str, *, pooled: bool) -> float:
    """Add up pyannote's counts, or average its values."""
    name = {"precision": "SegmentationPrecision", "recall": "SegmentationRecall"}[measure]
    metric = getattr(pyannote, name)(tolerance=REACH)
    values = [metric(annotation(n, r), annotation(n, h)) for n, r, h in PAIRS]
    return float(abs(metric)) if pooled else mean(map(float, values))


def by_vidchapters(measure: str) -> float:
    """Average shares of starts that have one of the other side nearer than REACH + 1."""
    sides = [([0, *reference], [0, *hypothesis]) for _, reference, hypothesis in PAIRS]

    def share(of: list[int], other: list[int]) -> float:
        return mean(any(abs(p - q) < REACH + 1 for q in other) for p in of)

    recall, precision = mean(share(r, h) for r, h in sides), mean(share(h, r) for r, h in sides)
    f1 = 2 * precision * recall / (precision + recall)
    return {"precision": precision, "recall": recall, "f1": f1}[measure]


def by_flags(measure: str, labels: tuple[str, ...]) -> float:
    """Average F of flags over classes, as sklearn's f1_score on N flags."""
    assert measure == "f1"
    values = []
    for n, reference, hypothesis in PAIRS:
        flags = [*zip(ends(n, reference), ends(n, hypothesis), strict=True)]
        of_class = [
            2
            * sum(r == h == label for r, h in flags)
            / sum((r == label) + (h == label) for r, h in flags)
            for label in labels
        ]
        values.append(mean(of_class))
    return mean(values)


NEAR = boundary_family((REACH,))
PROGRAMS: dict[str, tuple[Family, Callable[[str], float]]] = {
    "segeval": (WINDOW_FAMILY, by_segeval),
    "segeval, exchanged": (WINDOW_FAMILY, lambda m: by_segeval(m, exchanged=True)),
    "segeval, lamprier_et_al_2007_fix": (
        WINDOW_FAMILY,
        lambda m: by_segeval(m, lamprier_et_al_2007_fix=True),
    ),
    "TextSeg": (WINDOW_FAMILY, by_text_seg),
    "NLTK, N - 1 flags": (WINDOW_FAMILY, lambda m: by_nltk_alone(m, mask)),
    "NLTK, N flags, starts": (WINDOW_FAMILY, lambda m: by_nltk_alone(m, starts)),
    "NLTK, N flags, ends": (WINDOW_FAMILY, lambda m: by_nltk_alone(m, ends)),
    "NLTK, N flags, last one set": (WINDOW_FAMILY, lambda m: by_nltk_alone(m, closed)),
    "NLTK, weighted=True": (WINDOW_FAMILY, by_weighted_nltk),
    "NLTK 2, windowdiff": (WINDOW_FAMILY, by_nltk_2),
    "TinyRec": (WINDOW_FAMILY, lambda m: by_nltk(m, starts, half_segment)),
    "SuperDialseg": (WINDOW_FAMILY, lambda m: by_nltk(m, ends, half_segment)),
    "segeval, B or S": (EDIT_FAMILY, by_segeval),
    "segeval, matrix": (EDIT_FAMILY, of_matrix),
    "segeval, matrix, exchanged": (EDIT_FAMILY, lambda m: of_matrix(m, exchanged=True)),
    "SuperDialseg, f1(binary)": (NEAR, lambda m: by_flags(m, ("1",))),
    "SuperDialseg, f1(macro)": (NEAR, lambda m: by_flags(m, ("0", "1"))),
    f"mir_eval, T {REACH}": (NEAR, lambda m: by_mir_eval(m, trim=False)),
    f"mir_eval, T {REACH}, trim: true": (NEAR, lambda m: by_mir_eval(m, trim=True)),
    f"pyannote.metrics, T {REACH}": (NEAR, lambda m: by_pyannote(m, pooled=True)),
    f"pyannote.metrics, T {REACH}, mean": (NEAR, lambda m: by_pyannote(m, pooled=False)),
    f"VidChapters, t {REACH + 1}": (NEAR, by_vidchapters),
}
"""Name of a program -> its family, and what it computes for the documents."""


def named_values(family: Family, measure: str) -> dict[str, float]:
    """Return what the conventions of programs give."""
    corpus = corpus_arrays(DOCUMENTS)
    values: dict[str, float] = {}
    counter = family.counter(corpus)
    for convention in (one for one in grid_of(family, [measure]) if not one.changed):
        counts = counter.counts(convention.answers)
        averages = ConventionAverages(family, convention.answers, counts, corpus)
        value = averages.average(measure, np.arange(len(PAIRS)))
        values |= {program.name: value for program in convention.programs}
    return values


@pytest.mark.first
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_convention_gives_the_numbers_of_its_program(name: str) -> None:
    family, program = PROGRAMS[name]
    compared = 0
    for measure in family.measures:
        if family is EDIT_FAMILY and measure.startswith("b_") != ("matrix" in name):
            continue
        values = named_values(family, measure)
        on_list = name.replace(", B or S", "").replace(", matrix", "")
        if on_list in values:
            assert values[on_list] == pytest.approx(program(measure), abs=1e-12), measure
            compared += 1
    assert compared


@cache
def tables() -> tuple[dict[str, segscore.Segmentation], dict[str, segscore.Segmentation]]:
    """Return the documents as a user has them."""
    made = [(segscore.Segmentation(r, n), segscore.Segmentation(h, n)) for n, r, h in PAIRS]
    ids = [f"d{number}" for number in range(len(made))]
    return dict(zip(ids, [r for r, _ in made], strict=True)), dict(
        zip(ids, [h for _, h in made], strict=True)
    )


@pytest.mark.first
@pytest.mark.parametrize(
    ("measure", "name"),
    [
        ("pk", "NLTK, N flags, starts"),
        ("window_diff", "NLTK 2, windowdiff"),
        ("f1", "mir_eval, T 2"),
    ],
)
def test_a_number_made_by_a_program_is_reconciled(measure: str, name: str) -> None:
    value = PROGRAMS[name][1](measure)
    for published in (value, f"{value:.4f}"):
        found = segscore.reconcile(
            *tables(), measure=measure, published=published, tolerance=[REACH]
        )
        assert name in [one for names in found.fitting for one in names.split(" | ")]
