"""Resampling units: what an average is computed again without (``jackknife``)."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from segscore.pipeline.arrays.document_ids import MIX_1, Hashes, hash_names, mix
from segscore.pipeline.arrays.kernel import kernel
from segscore.pipeline.arrays.ragged import Ints, flags

if TYPE_CHECKING:
    import pyarrow as pa

BUCKETS = 4096
"""Largest number of resampling units."""


DOCUMENTS = "documents"
"""The signature's name for resampling units that are single documents."""


def estimator(units: Hashes, resample_by: str | None = None) -> str:
    """Return the name of the method that estimates intervals, for the signature.

    Args:
        units: the resampling units, after ``settled``.
        resample_by: the attribute whose documents are one unit; None for single documents.
    """
    of = f",{BUCKETS}-buckets" if are_buckets(units) else ""
    if of and resample_by is None:
        return f"jackknife{of}"
    return f"jackknife,{resample_by or DOCUMENTS}{of}"


def are_buckets(units: Hashes) -> bool:
    """Return whether units are buckets of documents; hashes of documents are larger."""
    return bool(len(units)) and bool((units < np.uint64(BUCKETS)).any())


def settled(units: Hashes) -> Hashes:
    """Return the units of a whole run: in buckets if there are more than ``BUCKETS``.

    Args:
        units: the units of all parts, some of which may have their units in buckets already.
    """
    distinct = np.unique(units)
    if len(distinct) <= BUCKETS and not are_buckets(distinct):
        return units
    in_buckets = buckets(units).astype(np.uint64)
    return np.where(units < np.uint64(BUCKETS), units, in_buckets)


def unit_hashes(documents: Hashes, values: "pa.Array | None") -> Hashes:
    """Return the hash of each document's resampling unit, shape (documents,).

    Args:
        documents: hashes of the documents.
        values: value of the attribute whose documents are one unit, null for documents that are
            units of their own; None for single documents.
    """
    if values is None:
        return documents
    hashes = hash_names(values.cast("string").fill_null("")).hashes
    return np.where(flags(values.is_null()), documents, hashes)


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
    """The resampling units of some documents.

    Attributes:
        index: index into ``hashes`` of each document's unit, shape (documents,).
        hashes: the units, ascending: hashes of documents or of values of an attribute, or numbers
            of buckets, shape (units,).
        documents: the hash of each document, shape (documents,).
    """

    index: Ints
    hashes: Hashes
    documents: Hashes


def assign_units(
    documents: Hashes, values: "pa.Array | None" = None, in_run: int | None = None
) -> Units:
    """Assign documents to resampling units.

    Args:
        documents: hashes of the documents, which may be some of a run's.
        values: as in ``unit_hashes``.
        in_run: number of all documents of the run, if they are the units; None to count the units.
    """
    of_each = unit_hashes(documents, values)
    distinct, index = np.unique(of_each, return_inverse=True)
    number = len(distinct) if in_run is None or values is not None else in_run
    if number <= BUCKETS:
        return Units(index.astype(np.int64), distinct, documents)
    return Units(buckets(of_each), np.arange(BUCKETS, dtype=np.uint64), documents)
