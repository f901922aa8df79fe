"""What programs of neighbouring fields compute, for the cases of docs/measures.md.

mir_eval and pyannote.metrics are run; of the others, which are not packages, the formulas are
repeated as their sources have them.
"""

import importlib
import warnings
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from tests.oracles import naive, naive_fields
from tests.support.notations import mask
from tests.support.programs import annotation, intervals, labels

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    mir_eval: Any = importlib.import_module("mir_eval.segment")
    pyannote: Any = importlib.import_module("pyannote.metrics.segmentation")
nltk: Any = importlib.import_module("nltk.metrics.segmentation")

Given = Mapping[str, Any]

_DETECTED = ("tolerant_precision", "tolerant_recall", "tolerant_f1")
_PAIRWISE = ("pair_precision", "pair_recall", "pair_f1")
_OF_PYANNOTE = {
    "tolerant_precision": "SegmentationPrecision",
    "tolerant_recall": "SegmentationRecall",
    "purity": "SegmentationPurity",
    "coverage": "SegmentationCoverage",
    "purity_coverage_f1": "SegmentationPurityCoverageFMeasure",
}


def sides_of(given: Given) -> tuple[Sequence[int], Sequence[int]]:
    """The boundaries of the reference and of the hypothesis."""
    return given["reference"], given["hypothesis"]


def by_mir_eval(given: Given, measure: str, *, trim: bool = True) -> float:
    """A value of mir_eval, without the ends of the document."""
    sides = [intervals(given["n_units"], side) for side in sides_of(given)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about sides without a boundary
        if measure in _DETECTED:
            found = mir_eval.detection(*sides, window=given.get("tolerance", 0), trim=trim)
            return float(found[_DETECTED.index(measure)])
        labelled = [both for side in sides for both in (side, labels(side))]
        if measure in _PAIRWISE:
            found = mir_eval.pairwise(*labelled, frame_size=1)
            return float(found[_PAIRWISE.index(measure)])
        index = {"rand": mir_eval.rand_index, "adjusted_rand": mir_eval.ari}[measure]
        return float(index(*labelled, frame_size=1))


def by_mir_eval_as_is(given: Given, measure: str) -> float:
    """A value of mir_eval with its default, which counts the ends of the document."""
    return by_mir_eval(given, measure, trim=False)


def by_pyannote(given: Given, measure: str) -> float:
    """A value of pyannote.metrics, each segment with a label of its own."""
    metric = getattr(pyannote, _OF_PYANNOTE[measure])(tolerance=given.get("tolerance", 0))
    return float(metric(*(annotation(given["n_units"], side) for side in sides_of(given))))


def by_vidchapters(given: Given, measure: str) -> Fraction:
    """The share of chapter starts that have one of the other side at a distance below T + 1."""
    refs, hyps = ([0, *side] for side in sides_of(given))
    limit = given["tolerance"] + 1
    recall = Fraction(sum(any(abs(r - h) < limit for h in hyps) for r in refs), len(refs))
    precision = Fraction(sum(any(abs(r - h) < limit for r in refs) for h in hyps), len(hyps))
    f1 = 2 * precision * recall / (precision + recall)
    return {"reach_precision": precision, "reach_recall": recall, "reach_f1": f1}[measure]


def by_vqwordseg(given: Given, measure: str) -> float:
    """The R-value with recall / precision - 1 for the over-segmentation."""
    found = naive_fields.tolerance_counts(
        given["n_units"], *sides_of(given), given.get("tolerance", 0)
    )
    matches = found["tolerant_matches"]
    recall = Fraction(matches, found["reference_boundaries"])
    over = recall / Fraction(matches, found["hypothesis_boundaries"]) - 1
    distances = np.sqrt(float((1 - recall) ** 2 + over**2)), float(recall - 1 - over) / np.sqrt(2)
    return {"over_segmentation": float(over), "r_value": 1 - sum(map(abs, distances)) / 2}[measure]


def by_superdialseg(given: Given, measure: str) -> float:
    """F1 of flags, and NLTK's Pk and WindowDiff on a flag for each unit, the last always 0."""
    assert measure == "dialseg_score"
    flags = [mask(given["n_units"], side) + "0" for side in sides_of(given)]
    pk = nltk.pk(*flags, given["k"])
    window_diff = nltk.windowdiff(*flags, given["k"])
    reference, hypothesis = map(set, sides_of(given))
    both = len(reference) + len(hypothesis)
    f1 = naive.ratio(2 * len(reference & hypothesis), both) or Fraction(0)
    return float(f1) / 2 + (1 - float(pk)) / 4 + (1 - float(window_diff)) / 4


def by_tcpdbench(given: Given, measure: str) -> float:
    """A value of TCPDBench: change points are paired from left to right, each with the nearest."""
    references = [{0, *side} for side in given["references"]]
    hypothesis, margin = {0, *given["hypothesis"]}, given["tolerance"]
    precision = _found(set().union(*references), hypothesis, margin) / len(hypothesis)
    shares = [_found(side, hypothesis, margin) / len(side) for side in references]
    recall = sum(shares) / len(shares)
    return {
        "panel_tolerant_precision": precision,
        "panel_tolerant_recall": recall,
        "panel_tolerant_f1": 2 * precision * recall / (precision + recall),
    }[measure]


def _found(points: set[int], hypothesis: set[int], margin: int) -> int:
    left, found = {*hypothesis}, 0
    for point in sorted(points):
        near = [(abs(point - other), other) for other in left if abs(point - other) <= margin]
        if near:
            left.remove(min(near)[1])
            found += 1
    return found
