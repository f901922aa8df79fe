"""Power by resampling: how often the test of `segscore compare` finds a difference on n documents.

The documents' shares of a difference are centred, and the difference to find is added to each. Each
simulated corpus is drawn from them with replacement, and tested with Student's t, as the jackknife
tests (Efron & Tibshirani 1993, An Introduction to the Bootstrap, 25).
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.random import PCG64, SeedSequence

from segscore.pipeline.arrays.ragged import Floats
from segscore.pipeline.statistics.power import PairedTest

CORPORA = 10_000
SIZES = (10, 15, 20, 30, 50, 75, 100, 150, 200, 300, 500, 1000)
"""Numbers of documents to simulate, besides that of the comparison itself."""

ENOUGH = 0.99
"""Power beyond which no more documents are simulated."""

_AT_ONCE = 500


@dataclass(frozen=True)
class PowerPoint:
    """What the test finds on a number of documents.

    Attributes:
        documents: number of documents.
        power: share of the simulated corpora on which the test finds the difference.
        half_width: mean half-width of the 95 % interval of the difference.
        exaggeration: mean of the significant differences, by size, divided by the true one (Gelman
            & Carlin 2014); NaN if none is significant.
        wrong_sign: share of the significant differences that have the wrong sign; likewise.
    """

    documents: int
    power: float
    half_width: float
    exaggeration: float
    wrong_sign: float


def power_curve(
    differences: Floats, difference: float, test: PairedTest, seed: int
) -> Iterator[PowerPoint]:
    """Yield the power on growing numbers of documents, until it is nearly certain.

    Args:
        differences: the documents' shares of the difference of two systems, shape (documents,).
        difference: the difference to find, not 0.
        test: the level of the test; its power is not used.
        seed: seed of the draws.
    """
    shifted = differences - differences.mean() + difference
    enough = False
    for documents in sorted({*SIZES, len(differences)}):
        if enough and documents > len(differences):
            return
        point = _simulate(shifted, documents, difference, test, seed)
        enough = point.power >= ENOUGH
        yield point


def _simulate(
    values: Floats, documents: int, difference: float, test: PairedTest, seed: int
) -> PowerPoint:
    from scipy import special

    raw = PCG64(SeedSequence([seed, documents]))
    freedom = max(1.0, documents * test.effective - 1)
    widest, limit = (
        float(special.stdtrit(freedom, level)) for level in (0.975, 1 - test.alpha / 2)
    )
    estimates, widths, found = [], [], []
    for _ in range(CORPORA // _AT_ONCE):
        drawn = raw.random_raw(_AT_ONCE * documents) % np.uint64(len(values))
        corpora = values[drawn.astype(np.int64)].reshape(_AT_ONCE, documents)
        estimate = corpora.mean(axis=1)
        error = corpora.std(axis=1, ddof=1) / np.sqrt(documents)
        estimates.append(estimate)
        widths.append(widest * error)
        found.append(np.abs(estimate) > limit * error)
    significant = np.concatenate(estimates)[np.concatenate(found)]
    some = len(significant) > 0
    return PowerPoint(
        documents=documents,
        power=len(significant) / CORPORA,
        half_width=float(np.concatenate(widths).mean()),
        exaggeration=float(np.abs(significant).mean() / abs(difference)) if some else np.nan,
        wrong_sign=float((significant * difference < 0).mean()) if some else np.nan,
    )
