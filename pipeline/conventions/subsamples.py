"""Scores of most of the documents, which may lie near the published number.

A wrong number in a paper is rarely drawn from anywhere. It is that of a few documents less, or of
another version of the corpus, and conventions fit it as easily as they lie close to each other.
"""

import numpy as np

from segscore.pipeline.arrays.document_ids import hash_names
from segscore.pipeline.arrays.ragged import Floats, Ints, add_up
from segscore.pipeline.conventions.convention import Answers, Family, LazyCounts
from segscore.pipeline.conventions.corpus import Corpus
from segscore.pipeline.statistics.resampling import BUCKETS, buckets

SUBSAMPLES = 1000
_KEPT = (0.90, 0.95)
"""The smallest and the largest share of the documents that a subsample has."""


class Subsamples:
    """Subsamples of the documents of a corpus, always the same ones.

    Above ``BUCKETS`` documents, they are of as many sets of documents.
    """

    def __init__(self, corpus: Corpus) -> None:
        """Draw the subsamples; the order of the documents in their tables changes nothing."""
        hashes = hash_names(corpus.documents.ids).hashes[corpus.document]
        units, self._unit = np.unique(hashes, return_inverse=True)
        if len(units) > BUCKETS:
            units, self._unit = np.unique(buckets(hashes), return_inverse=True)
        self.number = len(units)
        draw = np.random.Generator(np.random.PCG64(0))
        kept = np.rint(draw.uniform(*_KEPT, (SUBSAMPLES, 1)) * self.number)
        order = draw.random((SUBSAMPLES, self.number)).argsort(axis=1, kind="stable")
        self._kept = (order < np.minimum(kept, self.number - 1)).astype(np.int64)

    def values(
        self, family: Family, answers: Answers, counts: LazyCounts, of: tuple[str, Ints]
    ) -> Floats:
        """Return the micro average of each subsample, NaN where undefined, shape (subsamples,).

        Args:
            family: has the formulas.
            answers: the convention.
            counts: counts of each pair by this convention, shape (pairs,) each.
            of: the measure, and the pairs that are averaged.
        """
        measure, rows = of

        def total(name: str) -> Ints:
            of_units = add_up(counts[name][rows], self._unit[rows], self.number)
            return np.asarray(self._kept @ of_units)

        with np.errstate(divide="ignore", invalid="ignore"):
            values = family.formula(measure, answers, LazyCounts(total))
        return np.asarray(values, np.float64)


def share_explained(nearby: Floats, values: Floats, half_width: Floats) -> float:
    """Return the share of subsamples whose numbers, as printed, some convention gives.

    Args:
        nearby: the numbers of each subsample, shape (subsamples, numbers).
        values: value of each number by each convention, shape (conventions, numbers).
        half_width: half the width of the print of each number, shape (numbers,).
    """
    width = 2 * half_width
    printed = np.rint(nearby / width) * width
    explained = np.zeros(len(nearby), bool)
    for of_convention in np.unique(values, axis=0):
        explained |= (np.abs(printed - of_convention) <= half_width * (1 + 1e-9)).all(axis=1)
    return float(explained.mean())
