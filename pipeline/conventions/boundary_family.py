"""Conventions of precision, recall and F: what matches, how far away, and the ends of the text."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial

import numpy as np

from segscore.pipeline.arrays.ragged import Floats, Ints, Ragged
from segscore.pipeline.conventions.averages import F_OF_MEANS
from segscore.pipeline.conventions.convention import (
    Answer,
    Answers,
    Family,
    Program,
    Question,
)
from segscore.pipeline.conventions.corpus import CodedSide, Corpus
from segscore.pipeline.conventions.rewriting import (
    DOCUMENTS,
    MARKED_EDGES,
    MERGED,
    RewritingCounter,
)
from segscore.pipeline.measures import edits, tolerance

TOLERANCE = "tolerance"
"""Name of the question how far apart two boundaries may be; it may have one answer."""

_MATCHING = Question(
    "matching",
    (
        Answer(
            "most",
            "As many boundaries as possible are paired.",
            "segscore; mir_eval",
            "column tolerant_precision, tolerant_recall or tolerant_f1",
        ),
        Answer(
            "closest",
            "The closest boundaries are paired first, and no pair is undone.",
            "pyannote.metrics; chunkseg",
            "with pairs that are made closest first",
        ),
        Answer(
            "reach",
            "A boundary counts if the other side has one near, which several may share.",
            "VidChapters",
            "column reach_precision, reach_recall or reach_f1",
        ),
    ),
)
_EDGES = Question(
    "edges",
    (
        Answer("none", "The ends of the text are not counted.", "segscore; mir_eval, trim: true"),
        Answer("start", "The start of the text counts.", "DISRPT; VidChapters", "--edges 1"),
        Answer("both", "Both ends of the text count.", "mir_eval, trim=False", "--edges 2"),
        Answer(
            "end",
            "The end of the text counts.",
            "programs that mark the last unit of every segment",
            "--edges 1 on the text read backwards",
        ),
        MARKED_EDGES,
    ),
)
_CLASSES = Question(
    "classes",
    (
        Answer("boundary", "F of the boundaries.", "segscore; sklearn, average='binary'"),
        Answer(
            "both",
            "Mean of the F of boundaries and of the F of places without, N - 1 places.",
            "sklearn, average='macro', on N - 1 flags",
            "the mean with the F of places without a boundary",
        ),
        Answer(
            "both-units",
            "Mean of the F of boundaries and of the F of units without, N units.",
            "SuperDialseg, f1(macro); sklearn, average='macro', on N flags",
            "the mean with the F of units without a boundary",
        ),
    ),
    ("f1",),
)
_ROLES = Question(
    "roles",
    (
        Answer("given", "Precision is about the hypothesis.", "segscore"),
        Answer(
            "exchanged",
            "Precision and recall are exchanged.",
            "programs that are given the hypothesis first",
            "with REFERENCES and HYPOTHESES exchanged",
        ),
    ),
    ("precision", "recall"),
)


def _tolerances(tolerances: Sequence[int]) -> Question:
    choices = [Answer("0", "Boundaries match at the same position.", "segscore, f1")]
    for distance in tolerances:
        if distance:
            sentence = f"Boundaries match up to {distance} units apart."
            option = f"--tolerance {distance}"
            choices.append(Answer(str(distance), sentence, "mir_eval; pyannote.metrics", option))
    return Question(TOLERANCE, tuple(choices))


def _programs(tolerance: str) -> tuple[Program, ...]:
    """Return the programs that accept boundaries at some distance."""
    near = {"tolerance": tolerance}
    pairs = {"average": "pairs", **near}
    return (
        Program(f"segscore, T {tolerance}", "segscore score, column tolerant_f1", near),
        Program(
            f"segscore, T {tolerance}, macro",
            "segscore score, column tolerant_f1",
            {"average": "macro", **near},
        ),
        Program(
            f"mir_eval, T {tolerance}, trim: true",
            f"the mean of mir_eval.segment.detection(…, window={tolerance}), with the ends trimmed",
            {"without": "zero", **pairs},
        ),
        Program(
            f"mir_eval, T {tolerance}",
            f"the mean of mir_eval.segment.detection(…, window={tolerance})",
            {"edges": "both", **pairs},
        ),
        Program(
            f"pyannote.metrics, T {tolerance}",
            f"abs() of SegmentationPrecision(tolerance={tolerance}) or of SegmentationRecall",
            {"matching": "closest", **near},
            ("precision", "recall"),
        ),
        Program(
            f"pyannote.metrics, T {tolerance}, mean",
            f"the mean of SegmentationPrecision(tolerance={tolerance}) or of SegmentationRecall",
            {"matching": "closest", "without": "one", **pairs},
            ("precision", "recall"),
        ),
        Program(
            f"chunkseg, T {tolerance}",
            "the mean of chunkseg's precision, recall or F",
            {"matching": "closest", "without": "zero-or-one", **pairs},
        ),
        Program(
            f"VidChapters, t {int(tolerance) + 1}",
            "evaluate_navigation of VidChapters",
            {"matching": "reach", "edges": "start", "average": "f-of-means", **near},
        ),
        Program(
            f"Adachi 2026, T {tolerance}",
            "the evaluation of Adachi, Tsukagoshi & Ohmukai 2026",
            {"matching": "closest", "edges": "marked", "merged": "half-second", **pairs},
        ),
    )


_EXACT = (
    Program("segscore", "segscore score", {}),
    Program("segscore, macro", "segscore score", {"average": "macro"}),
    Program("DISRPT", "seg_eval of DISRPT", {"edges": "start"}),
    Program(
        "SuperDialseg, f1(binary)",
        "SegmentationEvaluation of super_dialseg",
        {"average": "pairs", "without": "neither-zero"},
        ("f1",),
    ),
    Program(
        "SuperDialseg, f1(macro)",
        "SegmentationEvaluation of super_dialseg",
        {"average": "pairs", "classes": "both-units"},
        ("f1",),
    ),
)


_ADDED: Mapping[str, int] = {"none": 0, "start": 1, "both": 2, "end": 1, "marked": 0}
"""How many ends of the text count in addition to the boundaries, by the answer about the edges."""


class _BoundaryCounter:
    """Counts boundaries by a convention, and remembers the last counts."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self._tolerant = lru_cache(1)(self._count_tolerant)
        self._closest = lru_cache(1)(self._count_closest)
        self._named = lru_cache(1)(self._name_counts)

    def order(self, answers: Answers) -> tuple[str, ...]:
        """Return a sort key; see ``convention``."""
        return answers["tolerance"], answers["edges"], answers["matching"]

    def counts(self, answers: Answers) -> Mapping[str, Ints]:
        """Return the counts of all pairs, shape (pairs,) each."""
        return self._named(int(answers["tolerance"]), answers["edges"], answers["matching"])

    def _name_counts(self, distance: int, edges: str, matching: str) -> Mapping[str, Ints]:
        counted = self._tolerant(distance, edges)
        right = counted["tolerant_matches"], counted["tolerant_matches"]
        if matching == "reach":
            right = counted["references_in_reach"], counted["hypotheses_in_reach"]
        if matching == "closest":
            # The two starts, and the two ends, are at distance 0 and thus paired with each other.
            pairs_made = self._closest(distance) + _ADDED[edges]
            right = pairs_made, pairs_made
        n_units = self.corpus.references.n_units[self.corpus.ref_row]
        return {
            "places": n_units - 1,
            "rows": np.ones_like(n_units),
            "references": counted["reference_boundaries"] + _ADDED[edges],
            "hypotheses": counted["hypothesis_boundaries"] + _ADDED[edges],
            "references_right": right[0],
            "hypotheses_right": right[1],
        }

    def _count_tolerant(self, distance: int, edges: str) -> Mapping[str, Ints]:
        corpus = self.corpus
        sides = corpus.references, corpus.hypotheses
        if edges == "end":
            sides = _reversed(sides[0]), _reversed(sides[1])
        pairs = corpus.pairs(sides[0].boundaries, sides[1].boundaries, sides[0].n_units)
        counts = tolerance.count(pairs, distance, _ADDED[edges])
        return dict(zip(tolerance.COUNTS, counts, strict=True))

    def _count_closest(self, distance: int) -> Ints:
        """Count the pairs made closest first; of equally close ones, the leftmost come first.

        These are the matches and near misses of boundary edit distance.
        """
        corpus = self.corpus
        sides = corpus.references.boundaries, corpus.hypotheses.boundaries
        pairs = corpus.pairs(*sides, corpus.references.n_units)
        counted = dict(zip(edits.COUNTS, edits.count(pairs, distance + 1), strict=True))
        return counted["matches"] + counted["near_misses"]


def _reversed(side: CodedSide) -> CodedSide:
    """Return the segmentations of the text read backwards."""
    row = np.repeat(np.arange(len(side.n_units)), side.boundaries.lengths)
    offsets = side.boundaries.offsets
    backwards = offsets[row] + offsets[row + 1] - 1 - np.arange(len(row))
    values = (side.n_units[row] - side.boundaries.values[backwards]).astype(np.int32)
    return replace(side, boundaries=Ragged(offsets, values))


def _formula(measure: str, answers: Answers, counts: Mapping[str, Ints]) -> Floats:
    """Compute precision, recall or F."""
    references, hypotheses = counts["references"], counts["hypotheses"]
    x, y = counts["references_right"], counts["hypotheses_right"]
    if measure == "f1":
        return _f1(answers, counts)
    about_reference = (measure == "recall") != (answers["roles"] == "exchanged")
    return x / references if about_reference else y / hypotheses


def _f1(answers: Answers, counts: Mapping[str, Ints]) -> Floats:
    """Compute F, 0 where nothing is right although there are boundaries."""
    references, hypotheses = counts["references"], counts["hypotheses"]
    x, y = counts["references_right"], counts["hypotheses_right"]
    f1 = 2 * x * y / (y * references + x * hypotheses)
    f1 = np.where((x * y == 0) & (references + hypotheses > 0), 0.0, f1)
    if answers["classes"] == "boundary":
        return f1
    places = counts["places"] + (counts["rows"] if answers["classes"] == "both-units" else 0)
    neither = places - references - hypotheses + (x + y) / 2
    other = 2 * neither / (2 * places - references - hypotheses)
    # sklearn takes the F of a class that does not occur as 0.
    mean = (np.nan_to_num(f1) + np.nan_to_num(other)) / 2
    return np.where(counts["rows"] > 0, mean, np.nan)


def boundary_family(tolerances: Sequence[int]) -> Family:
    """Return the family of precision, recall and F, at tolerances in the unit of the run."""
    near = _tolerances(tolerances)
    tolerant = [program for choice in near.choices[1:] for program in _programs(choice.name)]
    return Family(
        measures=("precision", "recall", "f1"),
        questions=(near, _MATCHING, _EDGES, _CLASSES, _ROLES, DOCUMENTS, MERGED),
        programs=(*_EXACT, *tolerant, *_programs("0")),
        counter=partial(RewritingCounter, _BoundaryCounter),
        formula=_formula,
        agreed={},
        averages=(F_OF_MEANS,),
    )
