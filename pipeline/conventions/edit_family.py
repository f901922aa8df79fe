"""Conventions of B and S: near misses, their weight, and the potential boundaries."""

from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from segscore.pipeline.arrays.ragged import Floats, Ints
from segscore.pipeline.conventions.convention import (
    Answer,
    Answers,
    Family,
    Program,
    Question,
)
from segscore.pipeline.conventions.corpus import Corpus
from segscore.pipeline.measures import edits

_MEASURES = (
    "boundary_similarity",
    "segmentation_similarity",
    "b_precision",
    "b_recall",
    "b_f1",
)
_OF_MATRIX = ("b_precision", "b_recall", "b_f1")

_N_T = Question(
    "n_t",
    (
        Answer("2", "Boundaries 1 place apart can be a near miss.", "segscore; segeval", "--n-t 2"),
        Answer("1", "There are no near misses.", "exact matches", "--n-t 1"),
        *(
            Answer(
                str(n_t),
                f"Boundaries up to {n_t - 1} places apart can be a near miss.",
                f"segeval with n_t={n_t}",
                f"--n-t {n_t}",
            )
            for n_t in (3, 4, 5, 6)
        ),
    ),
)
_NEAR = Question(
    "near",
    (
        Answer("scaled", "A near miss costs its distance / n_t.", "segscore; segeval; F13 Table 2"),
        Answer(
            "whole",
            "A near miss costs as much as a full miss.",
            "segeval.weight_t; S of Fournier & Inkpen 2012",
            "near_misses for near_miss_span / n_t in the formula",
        ),
        Answer(
            "as-printed",
            "A near miss costs its distance / (n_t - 1).",
            "Fournier 2013, eq 5 as printed",
            "near_miss_span / (n_t - 1) for near_miss_span / n_t in the formula",
        ),
        Answer(
            "half",
            "A near miss costs 1/2, whatever its distance.",
            "programs that do not weigh the distance",
            "near_misses / 2 for near_miss_span / n_t in the formula",
        ),
    ),
)
_PAIRING = Question(
    "pairing",
    (
        Answer("greedy", "The nearest boundaries are paired first.", "segscore; segeval; F13"),
        Answer("optimal", "Boundaries are paired at least cost.", "segscore", "--pairing optimal"),
    ),
)
_POTENTIAL = Question(
    "potential",
    (
        Answer("places", "There are N - 1 potential boundaries.", "segscore; segeval"),
        Answer(
            "units",
            "There are N potential boundaries.",
            "programs that count a flag for each unit",
            "with n_units + 1",
        ),
    ),
    ("segmentation_similarity",),
)
_CREDIT = Question(
    "credit",
    (
        Answer("correct", "A near miss counts with 1 - its cost.", "segscore"),
        Answer(
            "cost",
            "A near miss counts with its cost.",
            "segeval; Fournier 2013, eq 7 as printed",
            "near_miss_span / n_t instead of 1 minus it in b_tp",
        ),
    ),
    _OF_MATRIX,
)
_ROLES = Question(
    "roles",
    (
        Answer("given", "Misses and false alarms are as named.", "segscore"),
        Answer(
            "exchanged",
            "Misses and false alarms are exchanged.",
            "segeval.boundary_confusion_matrix(hypothesis, reference)",
            "with REFERENCES and HYPOTHESES exchanged",
        ),
    ),
    ("b_precision", "b_recall"),
)

_SKIPPED = {"average": "pairs", "without": "neither-left-out"}
_PROGRAMS = (
    Program("segscore", "segscore score", {}),
    Program("segscore, macro", "segscore score", {"average": "macro"}),
    Program(
        "segeval",
        "the mean of segeval.boundary_similarity(hypothesis, reference), or of the other function",
        _SKIPPED,
        ("boundary_similarity", "segmentation_similarity"),
    ),
    Program(
        "segeval",
        "the mean of segeval.precision, recall or fmeasure of "
        "segeval.boundary_confusion_matrix(reference, hypothesis)",
        {**_SKIPPED, "credit": "cost"},
        _OF_MATRIX,
    ),
    Program(
        "segeval, exchanged",
        "the mean of segeval.precision or recall of "
        "segeval.boundary_confusion_matrix(hypothesis, reference)",
        {**_SKIPPED, "credit": "cost", "roles": "exchanged"},
        ("b_precision", "b_recall"),
    ),
    Program(
        "F13 as printed",
        "equations 4 to 7 of Fournier 2013",
        {"near": "as-printed", "credit": "cost"},
    ),
    Program(
        "Fournier & Inkpen 2012",
        "S of the paper",
        {"near": "whole", "average": "pairs"},
        ("segmentation_similarity",),
    ),
)


class _EditCounter:
    """Counts edits by a convention, and remembers the last counts."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self._remembered = lru_cache(1)(self._count)

    def order(self, answers: Answers) -> tuple[str, ...]:
        """Return a sort key; see ``convention``."""
        return answers["n_t"], answers["pairing"]

    def counts(self, answers: Answers) -> Mapping[str, Ints]:
        """Return the counts of all pairs, shape (pairs,) each."""
        return self._remembered(int(answers["n_t"]), answers["pairing"])

    def _count(self, n_t: int, pairing: str) -> Mapping[str, Ints]:
        corpus = self.corpus
        sides = corpus.references.boundaries, corpus.hypotheses.boundaries
        pairs = corpus.pairs(*sides, corpus.references.n_units)
        counted = edits.count(pairs, n_t, pairing=pairing)
        rows = {"rows": np.ones(len(corpus.ref_row), np.int64)}
        return dict(zip(edits.COUNTS, counted, strict=True)) | rows


def _formula(measure: str, answers: Answers, counts: Mapping[str, Ints]) -> Floats:
    """Compute B, S, or a value of the confusion matrix."""
    near, misses, false_alarms = (
        counts[name] for name in ("near_misses", "misses", "false_alarms")
    )
    costs = _near_cost(answers, counts)
    wrong = misses + false_alarms + costs
    if measure == "boundary_similarity":
        return 1 - wrong / (misses + false_alarms + near + counts["matches"])
    if measure == "segmentation_similarity":
        added = counts["rows"] if answers["potential"] == "units" else 0
        return 1 - wrong / (counts["potential_boundaries"] + added)
    right = counts["matches"] + (costs if answers["credit"] == "cost" else near - costs)
    if answers["roles"] == "exchanged":
        misses, false_alarms = false_alarms, misses
    extra = {
        "b_precision": false_alarms,
        "b_recall": misses,
        "b_f1": (misses + false_alarms) / 2,
    }
    return right / (right + extra[measure])


def _near_cost(answers: Answers, counts: Mapping[str, Ints]) -> Floats:
    """Return the summed cost of the near misses."""
    n_t, span, near = int(answers["n_t"]), counts["near_miss_span"], counts["near_misses"]
    if answers["near"] == "scaled":
        return np.asarray(span / n_t, np.float64)
    if answers["near"] == "as-printed":
        return np.asarray(span / max(1, n_t - 1), np.float64)
    return np.asarray(near / 2 if answers["near"] == "half" else near, np.float64)


EDIT_FAMILY = Family(
    measures=_MEASURES,
    questions=(_N_T, _NEAR, _PAIRING, _POTENTIAL, _CREDIT, _ROLES),
    programs=_PROGRAMS,
    counter=_EditCounter,
    formula=_formula,
    agreed={"boundary_similarity": 1.0, "segmentation_similarity": 1.0},
)
