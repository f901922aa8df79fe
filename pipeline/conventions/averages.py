"""Averages of documents' values, and the treatment of documents without a value."""

from collections.abc import Mapping

import numpy as np

from segscore.pipeline.arrays.ragged import Floats, Ints
from segscore.pipeline.conventions.convention import (
    Answer,
    Answers,
    Family,
    LazyCounts,
    Question,
)
from segscore.pipeline.conventions.corpus import Corpus

AVERAGE_QUESTION = Question(
    "average",
    (
        Answer("micro", "The counts of all pairs are added up.", "segscore", "micro average"),
        Answer(
            "macro",
            "Mean over documents of the mean over their references.",
            "segscore, macro",
            "macro average",
        ),
        Answer(
            "pairs",
            "Mean over all pairs of a reference and a hypothesis.",
            "segeval.summarize",
            "mean of the column in scores",
        ),
    ),
)
F_OF_MEANS = Answer(
    "f-of-means",
    "F of the mean precision and the mean recall over documents.",
    "VidChapters",
    "F of the macro averages of precision and recall",
)
WITHOUT_QUESTION = Question(
    "without",
    (
        Answer("defined", "Only documents with an undefined value are left out.", "segscore"),
        Answer(
            "left-out",
            "Documents whose reference has no boundary are left out.",
            "NLTK, which divides by the number of boundaries to choose k",
            "without the documents whose reference has no boundary",
        ),
        Answer(
            "zero",
            "An undefined value counts as 0.",
            "mir_eval; segeval where no window fits",
            "undefined values as 0",
        ),
        Answer("one", "An undefined value counts as 1.", "pyannote", "undefined values as 1"),
        Answer(
            "zero-or-one",
            "An undefined value counts as 0, or as 1 if neither side has a boundary.",
            "chunkseg",
            "undefined values as 0, or as 1 if neither side has a boundary",
        ),
        Answer(
            "neither-zero",
            "A document in which neither side has a boundary counts as 0.",
            "SuperDialseg, F1",
            "documents in which neither side has a boundary as 0",
        ),
        Answer(
            "neither-left-out",
            "Documents in which neither side has a boundary are left out.",
            "segeval, which raises an exception for them",
            "without the documents in which neither side has a boundary",
        ),
    ),
)

_PARTS = {"f1": ("precision", "recall")}


def of_pairs(answers: Answers) -> tuple[str, ...]:
    """Return the answers that values of pairs depend on: all but those on averages."""
    on_averages = AVERAGE_QUESTION.name, WITHOUT_QUESTION.name
    return tuple(answer for question, answer in answers.items() if question not in on_averages)


def possible(answers: Answers) -> bool:
    """Return whether answers go together.

    Sums have no undefined values to replace, and documents that are joined are not left out.
    """
    if answers.get("documents", "own") != "own":
        return answers["without"] == "defined"
    replaced = answers["without"] not in ("defined", "left-out", "neither-left-out")
    return not (answers["average"] == "micro" and replaced)


class ConventionAverages:
    """Averages of the pairs of a corpus by one convention."""

    def __init__(
        self,
        family: Family,
        answers: Answers,
        counts: Mapping[str, Ints],
        corpus: Corpus,
        by_formula: dict[str, Floats] | None = None,
    ) -> None:
        """Prepare averages.

        Args:
            family: has the formulas.
            answers: the convention.
            counts: counts of each pair by this convention, shape (pairs,) each.
            corpus: the pairs.
            by_formula: the value of each pair by the formula of each measure, NaN where undefined,
                shape (pairs,) each. Those that are computed are added, so that conventions with
                the same answers ``of_pairs`` can share them.
        """
        self.family, self.answers, self.counts, self.corpus = family, answers, counts, corpus
        self.by_formula = {} if by_formula is None else by_formula
        self.known: dict[str, Floats] = {}

    def average(self, measure: str, rows: Ints) -> float:
        """Return one number for some pairs, NaN if undefined."""
        how = self.answers["average"]
        if how == F_OF_MEANS.name and measure in _PARTS:
            parts = [self._macro(part, rows) for part in _PARTS[measure]]
            return 2 * parts[0] * parts[1] / sum(parts) if sum(parts) else 0.0
        if how == "micro":
            kept = self._kept(rows)
            total = LazyCounts(lambda name: np.array([self.counts[name][kept].sum()]))
            return float(self._formula(measure, total)[0])
        return self._pairs(measure, rows) if how == "pairs" else self._macro(measure, rows)

    def _pairs(self, measure: str, rows: Ints) -> float:
        values = self._values(measure)[self._kept(rows)]
        undefined = np.isnan(values)
        if undefined.any():
            values = values[~undefined]
        return float(values.mean()) if len(values) else float("nan")

    def _macro(self, measure: str, rows: Ints) -> float:
        kept = self._kept(rows)
        values = self._values(measure)[kept]
        defined = ~np.isnan(values)
        if not defined.any():
            return float("nan")
        document = self.corpus.document[kept[defined]]
        document -= document.min()
        pairs = np.bincount(document)
        known = pairs > 0
        return float((np.bincount(document, values[defined])[known] / pairs[known]).mean())

    def _kept(self, rows: Ints) -> Ints:
        """Return the pairs that are not left out."""
        without = self.answers["without"]
        if without == "left-out":
            return rows[~self.corpus.unbounded[rows]]
        if without == "neither-left-out":
            return rows[~self.corpus.neither[rows]]
        return rows

    def _values(self, measure: str) -> Floats:
        """Return the value of each pair, with undefined ones replaced, shape (pairs,)."""
        if measure not in self.known:
            if measure not in self.by_formula:
                self.by_formula[measure] = self._formula(measure, self.counts)
            self.known[measure] = self._filled(
                self.by_formula[measure], self.family.agreed.get(measure)
            )
        return self.known[measure]

    def _filled(self, values: Floats, agreed: float | None) -> Floats:
        without, neither = self.answers["without"], self.corpus.neither
        if without == "neither-zero":
            return np.where(neither, 0.0, values)
        if agreed is not None:
            values = np.where(neither & np.isnan(values), agreed, values)
        if without not in ("zero", "one", "zero-or-one"):
            return values
        replacement = neither if without == "zero-or-one" else without == "one"
        return np.where(np.isnan(values), replacement, values)

    def _formula(self, measure: str, counts: Mapping[str, Ints]) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            values = np.asarray(self.family.formula(measure, self.answers, counts), np.float64)
        return np.where(np.isfinite(values), values, np.nan)
