"""Find the documents that two nights scored against different references.

Such a document is either the same one, whose references were corrected, or another one with the
same id, in an archive that uses ids such as `morning` again every night.  Nights are compared
without the first, and as if the second had ids of their own.

The ids of a night are used again if most of those that it shares with another night have other
references there, and either most of these documents also have other lengths, or the same is true of
that night and the one before it.  (That a desk corrects most references of a fixed set of documents
happens on one night, and leaves their lengths.)
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
import pyarrow as pa

from segscore.pipeline.comparison.rows import (
    REFERENCE_DIGEST,
    ScoreRows,
    read_rows,
    same_references,
)
from segscore.pipeline.measures import PAIRS
from segscore.pipeline.nightly.nights import Night, Nights
from segscore.pipeline.plain_text import first_named

_EARLIER = 7
"""Nights before another one among which one is looked for that shares ids with it."""

_UNITS = "n_units"


@dataclass(frozen=True)
class OtherReferences:
    """Ids with other references in other nights: corrected ones, or those of other documents."""

    corrected: Sequence[str] = ()
    reused: Sequence[str] = ()


@dataclass(frozen=True)
class _Changes:
    """How many ids two nights share, which of these changed, and how many kept their length."""

    shared: int
    changed: Sequence[str]
    same_length: int

    @property
    def mostly(self) -> bool:
        """Whether most of the shared ids have other references."""
        return len(self.changed) > self.shared / 2


class ReferenceChanges:
    """How the references of nights differ; the scores of two nights are read once for it."""

    def __init__(self, earlier: Nights | None = None) -> None:
        """Start without having read a night.

        Args:
            earlier: the folder of the nights; None for runs that are no nights, whose ids are taken
                for those of the same documents.
        """
        self._earlier = earlier
        self._known: dict[tuple[str, str], _Changes] = {}

    def find(self, night: Night, others: Iterable[Night]) -> OtherReferences:
        """Return the ids that any of some other nights has with other references.

        Nights that an earlier version scored, without digests of the references, are not compared.

        Raises:
            Refused: a file of a night cannot be read.
            Failed: the server does not answer.
        """
        listed = {each.url: each for each in others if each.url != night.url}.values()
        pairs = [(other, self._changes(night, other)) for other in listed]
        are_reused = any(self._has_other_documents(other, changes) for other, changes in pairs)
        reused: set[str] = set()
        corrected: set[str] = set()
        for _, changes in pairs:
            (reused if are_reused and changes.mostly else corrected).update(changes.changed)
        return OtherReferences(sorted(corrected - reused), sorted(reused))

    def _has_other_documents(self, other: Night, changes: _Changes) -> bool:
        """Check whether the shared ids of a night are those of other documents."""
        if self._earlier is None or not changes.mostly:
            return False
        if changes.same_length <= len(changes.changed) / 2:
            return True
        for before in islice(self._earlier.newest_first(other.date), _EARLIER):
            between = self._changes(other, before)
            if between.shared:
                return between.mostly
        return False

    def _changes(self, night: Night, other: Night) -> _Changes:
        """Return the differences between two nights, from memory if they are known."""
        key = night.url, other.url
        if key not in self._known:
            self._known[key] = _compare(night, other)
        return self._known[key]


def _compare(night: Night, other: Night) -> _Changes:
    if not (night.has_digests and other.has_digests):
        return _Changes(0, [], 0)
    rows = read_rows([night, other], [], PAIRS, [REFERENCE_DIGEST, _UNITS], ())
    lengths = _lengths(rows)
    is_shared = (lengths > 0).all(axis=0)
    is_changed = is_shared & ~same_references(rows)
    return _Changes(
        int(is_shared.sum()),
        rows.documents.ids.filter(pa.array(is_changed)).to_pylist(),
        int((is_changed & (lengths[0] == lengths[1])).sum()),
    )


def _lengths(rows: ScoreRows) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    """Return the length of each document in both nights, 0 in one without it."""
    lengths = np.zeros((2, len(rows.documents)), np.int64)
    lengths[rows.run, rows.document] = rows.numbers[_UNITS]
    return lengths


def describe_changed_references(documents: Sequence[str], other: str) -> str:
    """Say that the references of some documents are not those of another night."""
    verb = "document has" if len(documents) == 1 else "documents have"
    return (
        f"{len(documents)} {verb} other references than on {other}, and no part in the comparison "
        f"with it: {first_named(documents)}"
    )
