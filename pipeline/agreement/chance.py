"""Agreement by chance: what coders reach who place as many boundaries at random.

The expectation of pi and kappa is the chance that both mark one position, which is not what the
similarities of boundaries count.  So it is measured: each coding is drawn again and again with its
number of boundaries at random positions, and the draws are compared as the codings are.
"""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from segscore.pipeline.agreement import coder_pairs
from segscore.pipeline.agreement.coefficients import ACTUAL
from segscore.pipeline.arrays.document_ids import Hashes, hash_names
from segscore.pipeline.arrays.ragged import Floats, Ints, Ragged, numbers, offsets_of
from segscore.pipeline.measures import edits
from segscore.pipeline.measures.measure import evaluate
from segscore.pipeline.measures.segmentation_pairs import pair_rows
from segscore.pipeline.scoring.density_matched import OwnDraw, draw

DRAWS = 64
"""How often each coding is drawn."""

MOST_DOCUMENTS = 4_096
"""Documents that are drawn, by hash, so that the cost does not grow with the archive."""

_MOST_CODERS = 24
"""Codings of a document that are drawn, by the hash of the coder."""

_COUNTS = (*coder_pairs.EDITS, "pair_places")


@dataclass(frozen=True)
class ChanceCounts:
    """Counts of pairs of random codings, summed over the draws of each document.

    Attributes:
        documents: hash of each document, ascending, shape (documents,).
        counts: ``EDITS`` and ``pair_places``, shape (documents,) each.
    """

    documents: Hashes
    counts: dict[str, Ints]

    def similarities(self, documents: Hashes | None, n_t: int) -> tuple[dict[str, Floats], int]:
        """Return each similarity, shape (1,), and how many documents it is of.

        Args:
            documents: hashes of the documents that count; None: all.
            n_t: near misses lie 1..n_t-1 positions apart.
        """
        chosen = np.ones(len(self.documents), bool)
        if documents is not None:
            chosen = np.isin(self.documents, documents)
        sums = {name: values[chosen].sum(keepdims=True) for name, values in self.counts.items()}
        similar = evaluate(ACTUAL.values(), sums, {"n_t": n_t}, rows=False)
        return similar, int(np.count_nonzero(chosen))


def drawn_counts(lengths: pa.Table, n_t: int, seed: int) -> ChanceCounts:
    """Draw codings and compare them.

    Args:
        lengths: the tally ``lengths``: document, coder, boundaries and potential boundaries.
        n_t: near misses lie 1..n_t-1 positions apart.
        seed: of the draws, which are those of the baseline `random-own`.
    """
    document = numbers(lengths.column("document").combine_chunks())
    coders = hash_names(lengths.column("coder").combine_chunks()).hashes
    order = np.lexsort([coders, document])
    place = np.arange(len(order)) - np.searchsorted(document[order], document[order])
    kept = order[place < _MOST_CODERS]
    ids, codings = np.unique(document[kept], return_counts=True)
    ids, codings = ids[:MOST_DOCUMENTS], codings[:MOST_DOCUMENTS]
    kept = kept[: codings.sum()]
    marks, places = (
        numbers(lengths.column(name).combine_chunks())[kept] for name in ("marks", "places")
    )
    pairs = coder_pairs.peers(offsets_of(codings), (0, len(ids)))
    size = 1 + places[pairs.row]
    total = np.zeros((len(coder_pairs.EDITS), len(pairs)), np.int64)
    own = Ragged(offsets_of(marks), np.zeros(int(marks.sum()), np.int32))
    for number in range(DRAWS):
        chosen = OwnDraw(document[kept], coders[kept], 1 + places, own, None, seed, number)
        drawn, _ = draw("random-own", chosen)
        counted = edits.count(pair_rows(drawn, drawn, pairs.row, pairs.peer, size), n_t)
        total += counted[: len(total)]
    counts = dict(zip(edits.COUNTS, total, strict=False)) | {
        "pair_places": DRAWS * places[pairs.row]
    }
    summed = {name: coder_pairs.add_pairs(counts[name], pairs.first) for name in _COUNTS}
    return ChanceCounts(ids, summed)


def first_by_hash(hashes: Hashes, coders: Ints) -> Ints:
    """Return the documents that may be drawn: those with several coders and the lowest hashes."""
    several = np.flatnonzero(coders > 1)
    if len(several) <= MOST_DOCUMENTS:
        return several
    return several[np.argpartition(hashes[several], MOST_DOCUMENTS)[:MOST_DOCUMENTS]]
