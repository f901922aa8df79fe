"""How the values of documents become one number: averages, and documents without a value."""

from collections.abc import Mapping

import numpy as np

from segscore.pipeline.arrays.ragged import Flags, Floats, Ints
from segscore.pipeline.reconciliation.conventions import Answers, Choice, Family, Question

AVERAGE = Question(
    "average",
    (
        Choice("micro", "The counts of all pairs are added up.", "segscore, micro", "micro average"),
        Choice(
            "macro",
            "Mean over documents of the mean over their references.",
            "segscore, macro",
            "macro average",
        ),
        Choice(
            "pairs",
            "Mean over all pairs of a reference and a hypothesis.",
            "segeval.summarize",
            "mean of the column in scores",
        ),
    ),
)
F_OF_MEANS = Choice(
    "f-of-means",
    "F of the mean precision and the mean recall over documents.",
    "VidChapters",
    "F of the macro averages of precision and recall",
)
WITHOUT = Question(
    "without",
    (
        Choice("defined", "Only documents with an undefined value are left out.", "segscore"),
        Choice(
            "left-out",
            "Documents whose reference has no boundary are left out.",
            "NLTK, which divides by the number of boundaries to choose k",
            "without the documents whose reference has no boundary",
        ),
        Choice(
            "zero",
            "An undefined value counts as 0.",
            "mir_eval; segeval where no window fits",
            "undefined values as 0",
        ),
        Choice("one", "An undefined value counts as 1.", "pyannote.metrics", "undefined values as 1"),
        Choice(
            "zero-or-one",
            "An undefined value counts as 0, or as 1 if neither side has a boundary.",
            "chunkseg",
            "undefined values as 0, or as 1 if neither side has a boundary",
        ),
        Choice(
            "neither-zero",
            "A document in which neither side has a boundary counts as 0.",
            "SuperDialseg, F1",
            "documents in which neither side has a boundary as 0",
        ),
        Choice(
            "neither-left-out",
            "Documents in which neither side has a boundary are left out.",
            "segeval, which raises an exception for them",
            "without the documents in which neither side has a boundary",
        ),
    ),
)

_PARTS = {"f1": ("precision", "recall")}


def possible(answers: Answers) -> bool:
    """Return whether answers go together: sums have no undefined values to replace."""
    replaced = answers["without"] not in ("defined", "left-out", "neither-left-out")
    return not (answers["average"] == "micro" and replaced)


class Pooled:
    """Some pairs of a corpus, whose values are averaged.

    Attributes:
        document: document number of each pair, shape (pairs,).
        unbounded: whether its reference has no boundary, shape (pairs,).
        neither: whether neither side has a boundary, shape (pairs,).
    """

    def __init__(self, document: Ints, unbounded: Flags, neither: Flags) -> None:
        """Keep the arrays."""
        self.document, self.unbounded, self.neither = document, unbounded, neither

    def average(
        self, family: Family, measure: str, answers: Answers, counts: Mapping[str, Floats]
    ) -> float:
        """Return one number for all pairs, NaN if undefined.

        Args:
            family: has the formula of the measure.
            measure: name of the measure.
            answers: the convention.
            counts: counts of each pair, shape (pairs,) each.
        """
        how = answers["average"]
        if how == "f-of-means" and measure in _PARTS:
            macro = {**answers, "average": "macro"}
            parts = [self.average(family, part, macro, counts) for part in _PARTS[measure]]
            return 2 * parts[0] * parts[1] / sum(parts) if sum(parts) else 0.0
        kept = self._kept(answers["without"])
        if how == "micro":
            total = {name: np.array([count[kept].sum()]) for name, count in counts.items()}
            return float(_formula(family, measure, answers, total)[0])
        values = _formula(family, measure, answers, counts)
        values = self._filled(values, family.agreed.get(measure), answers["without"])
        kept &= ~np.isnan(values)
        if not kept.any():
            return float("nan")
        if how == "pairs":
            return float(values[kept].mean())
        _, document = np.unique(self.document[kept], return_inverse=True)
        return float((np.bincount(document, values[kept]) / np.bincount(document)).mean())

    def _kept(self, without: str) -> Flags:
        if without == "left-out":
            return ~self.unbounded
        return ~self.neither if without == "neither-left-out" else np.ones(len(self.document), bool)

    def _filled(self, values: Floats, agreed: float | None, without: str) -> Floats:
        """Replace undefined values, or those of pairs without any boundary."""
        if without == "neither-zero":
            return np.where(self.neither, 0.0, values)
        if agreed is not None:
            values = np.where(self.neither & np.isnan(values), agreed, values)
        replacements = {
            "zero": 0.0,
            "one": 1.0,
            "zero-or-one": np.where(self.neither, 1.0, 0.0),
        }
        if without not in replacements:
            return values
        return np.where(np.isnan(values), replacements[without], values)


def _formula(
    family: Family, measure: str, answers: Answers, counts: Mapping[str, Floats]
) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        values = np.asarray(family.formula(measure, answers, counts), np.float64)
    return np.where(np.isfinite(values), values, np.nan)
