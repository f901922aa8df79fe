"""Pair the coders of each document, and count what each pair has in common."""

from dataclasses import dataclass

import numpy as np

from segscore.pipeline.arrays.ragged import Ints, offsets_of
from segscore.pipeline.errors import Unsuitable
from segscore.pipeline.measures import edits, windows
from segscore.pipeline.measures.segmentation_pairs import pair_rows
from segscore.pipeline.scoring.references import References
from segscore.pipeline.storage.memory import machine_memory, readable_size

Counts = dict[str, Ints]
EDITS = ("matches", "near_misses", "near_miss_span", "misses", "false_alarms")


@dataclass(frozen=True)
class Peers:
    """The unordered pairs of codings of some documents, in the order of documents and coders.

    Attributes:
        documents: range of documents: first, and one past the last.
        row: row of the earlier coder of each pair in the codings, shape (pairs,).
        peer: row of the later coder, shape (pairs,).
        document: document of each pair, counted from 0 within the range, shape (pairs,).
        first: document d has the pairs first[d]..first[d+1]-1, shape (documents + 1,).
    """

    documents: tuple[int, int]
    row: Ints
    peer: Ints
    document: Ints
    first: Ints

    def __len__(self) -> int:
        return len(self.row)


_LEAST_BYTES = 8 * 19
"""Bytes that a pair takes at least, in the arrays of ``Peers`` and of its counts."""


def require_memory(codings: References) -> None:
    """Refuse a document with so many coders that this machine cannot hold their pairs.

    Raises:
        Unsuitable: there is such a document.
    """
    coders = np.diff(codings.first)
    document = int(np.argmax(coders))
    number = int(coders[document])
    pairs = number * (number - 1) // 2
    needed, present = pairs * _LEAST_BYTES, machine_memory()
    if needed > present:
        raise Unsuitable(
            f"{codings.documents.ids[document]}: has {number} coders, whose {pairs} pairs take "
            f"more than {readable_size(needed)} of memory, but this machine has "
            f"{readable_size(present)}; compare fewer coders of a document"
        )


def peers(first: Ints, documents: tuple[int, int]) -> Peers:
    """Pair the codings of each document in a range."""
    start, end = documents
    bounds = first[start : end + 1]
    coders = np.diff(bounds)
    rows = np.arange(bounds[0], bounds[-1])
    document = np.repeat(np.arange(end - start), coders)
    later = np.repeat(bounds[1:], coders) - 1 - rows
    row = np.repeat(rows, later)
    within = np.arange(len(row)) - np.repeat(np.cumsum(later) - later, later)
    edges = np.zeros(len(bounds), np.int64)
    np.cumsum(coders * (coders - 1) // 2, out=edges[1:])
    return Peers(documents, row, row + 1 + within, np.repeat(document, later), edges)


def count_coder_pairs(codings: References, pairs: Peers, n_t: int) -> Counts:
    """Count the edits of each pair, and windows with either coder as the reference.

    Args:
        codings: codings of the part.
        pairs: coder pairs of some of its documents.
        n_t: near misses lie 1..n_t-1 positions apart.

    Returns:
        Arrays of shape (pairs,) by name: ``EDITS``; ``pair_places``, the document's potential
        boundaries; ``boundaries`` and ``peer_boundaries``; ``window``, ``windows``, ``pk_errors``
        and ``window_diff_errors`` with the earlier coder as the reference, and the same with the
        prefix ``peer_`` for the later coder as the reference.
    """
    boundaries, size = codings.side.boundaries, codings.size[pairs.row]
    edited = edits.count(pair_rows(boundaries, boundaries, pairs.row, pairs.peer, size), n_t)
    edit_counts = dict(zip(edits.COUNTS, edited, strict=True))
    counts = {name: edit_counts[name] for name in EDITS}
    counts["pair_places"] = size - 1
    counts["boundaries"] = boundaries.lengths[pairs.row]
    counts["peer_boundaries"] = boundaries.lengths[pairs.peer]
    for prefix, row, other in (("", pairs.row, pairs.peer), ("peer_", pairs.peer, pairs.row)):
        window = codings.window[row]
        window_counts = windows.count(pair_rows(boundaries, boundaries, row, other, size), window)
        by_name = dict(zip(windows.COUNTS, window_counts, strict=True))
        counts[f"{prefix}window"] = window
        counts[f"{prefix}windows"] = by_name["windows"]
        counts[f"{prefix}pk_errors"] = by_name["pk_misses"] + by_name["pk_false_alarms"]
        counts[f"{prefix}window_diff_errors"] = by_name["wd_misses"] + by_name["wd_false_alarms"]
    return counts


def add_pairs(counts: Ints, first: Ints) -> Ints:
    """Sum integers over the rows of each document, shape (documents,)."""
    total = offsets_of(counts)
    return total[first[1:]] - total[first[:-1]]
