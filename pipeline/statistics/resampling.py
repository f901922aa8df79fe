"""Resampling units: what an average is computed again without (``jackknife``)."""

from dataclasses import dataclass

import numpy as np

from segscore.pipeline.arrays.document_ids import MIX_1, Hashes, mix
from segscore.pipeline.arrays.kernel import kernel
from segscore.pipeline.arrays.ragged import Ints

BUCKETS = 4096
"""Largest number of resampling units."""


def estimator(documents: int) -> str:
    """Return the name of the method that estimates intervals, for the signature."""
    return f"jackknife,{units_name(documents)}"


def units_name(documents: int) -> str:
    """Return the signature's name for the resampling units of a number of documents."""
    return "documents" if documents <= BUCKETS else f"{BUCKETS}-buckets"


@kernel
def _spread(hashes: Hashes, buckets: np.uint64, unit: Ints) -> None:
    for row in range(len(hashes)):
        unit[row] = mix(hashes[row] ^ MIX_1) % buckets


def buckets(hashes: Hashes) -> Ints:
    """Return the resampling unit of each document, 0..``BUCKETS`` - 1, by its hash, shape (rows,).

    With more documents than ``BUCKETS``, several documents share a resampling unit.  The documents
    of a unit are a random sample, so the variance is that of resampling documents, while the cost
    no longer grows with their number.
    """
    unit = np.empty(len(hashes), np.int64)
    _spread(hashes, np.uint64(BUCKETS), unit)
    return unit


@dataclass(frozen=True)
class Units:
    """Resampling units: single documents, or sets of them if there are more than ``BUCKETS``.

    Attributes:
        index: index into ``hashes`` of each document's unit, shape (documents,).
        hashes: a number for each unit, from which its random numbers are derived: the document's
            hash, or the index of the set, shape (units,).
        kind: the signature's name for the units.
    """

    index: Ints
    hashes: Hashes
    kind: str = "documents"


def units(hashes: Hashes, documents: int | None = None) -> Units:
    """Assign documents to resampling units.

    Args:
        hashes: hashes of the documents, which may be some of a run's.
        documents: number of all documents of the run; None if ``hashes`` has all of them.
    """
    if (len(hashes) if documents is None else documents) <= BUCKETS:
        return Units(np.arange(len(hashes)), hashes)
    all_units = np.arange(BUCKETS, dtype=np.uint64)
    return Units(buckets(hashes), all_units, f"{BUCKETS}-buckets")
