"""A sample of the documents of a large corpus, which bounds the work on it.

Documents are chosen by a hash of their ids, so the order and the files of a table change nothing.
"""

from dataclasses import dataclass

import numpy as np

from segscore.pipeline.arrays.document_ids import hash_names
from segscore.pipeline.arrays.ragged import Ints, Ragged, offsets_of
from segscore.pipeline.scoring.references import References

EVERY_DOCUMENT = "all"
"""The sample that is all documents."""

SEGMENTS = 100_000
"""About how many segments the references of a sample have if no number of documents is given."""


@dataclass(frozen=True)
class DocumentSample:
    """Some documents of a corpus, or all of them.

    Attributes:
        chosen: numbers of the documents, shape (chosen,); by hash if they are not all.
        of: number of documents of the corpus.
    """

    chosen: Ints
    of: int

    def __len__(self) -> int:
        return len(self.chosen)

    @property
    def words(self) -> str:
        """The sample in words; empty if it is all documents."""
        if len(self) == self.of:
            return ""
        return f"{len(self):,} of {self.of:,} documents, chosen by a hash of their ids"


def choose_documents(references: References, asked: int | str | None) -> DocumentSample:
    """Choose the documents with the lowest hashes of their ids.

    Args:
        references: the accepted references of the corpus.
        asked: number of documents, or ``EVERY_DOCUMENT``; None for as many as have about
            ``SEGMENTS`` segments in their references, at least one.
    """
    number = len(references.documents)
    segments = np.add.reduceat(references.side.boundaries.lengths + 1, references.first[:-1])
    if asked == EVERY_DOCUMENT or (asked is None and segments.sum() <= SEGMENTS):
        return DocumentSample(np.arange(number), number)
    order = np.argsort(hash_names(references.documents.ids).hashes, kind="stable")
    most = asked if isinstance(asked, int) else 0
    if asked is None:
        most = max(1, int(np.searchsorted(np.cumsum(segments[order]), SEGMENTS, "right")))
    return DocumentSample(order[:most] if most < number else np.arange(number), number)


def reference_rows_of(references: References, documents: Ints) -> Ints:
    """Return the rows of the references of some documents, in the order of the documents."""
    first, lengths = references.first[documents], np.diff(references.first)[documents]
    return np.repeat(first - (np.cumsum(lengths) - lengths), lengths) + np.arange(lengths.sum())


def rows_taken(lists: Ragged, rows: Ints) -> Ragged:
    """Return some rows of a ragged array."""
    lengths = lists.lengths[rows]
    offsets = offsets_of(lengths)
    places = np.arange(offsets[-1]) + np.repeat(lists.offsets[rows] - offsets[:-1], lengths)
    return Ragged(offsets, lists.values[places])
