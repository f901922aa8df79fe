"""Known faults: versions of references with boundaries missed, added or moved.

A fault of a level is what pseudo-coders do (``pipeline/agreement/simulate.py``): each boundary is
missed, or an extra one is added, with a probability; or each boundary is moved by 1 to so many
units, but never past another one.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from segscore.pipeline.agreement import pseudo_coders
from segscore.pipeline.agreement.pseudo_coders import Errors
from segscore.pipeline.arrays.document_ids import Hashes
from segscore.pipeline.arrays.ragged import Ints, Ragged, offsets_of
from segscore.pipeline.scoring.draws import place_randomly

COPIES = 20
"""Versions of each reference, so that a value depends little on chance."""

MOVED, RANDOM = "moved", "random"
_MOST_RANDOM_UNITS = 1 << 25
_SHARES = tuple(percent / 100 for percent in range(0, 101, 5))
_DISTANCES = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 75, 100)


@dataclass(frozen=True)
class Fault:
    """A kind of fault at one level.

    Attributes:
        kind: missed, added, missed-or-added, moved, mixed, or random: as many boundaries as the
            reference, anywhere.
        level: probability of the fault for each boundary; of ``moved``, the largest distance.
    """

    kind: str
    level: float

    @property
    def errors(self) -> Errors:
        """What a pseudo-coder with this fault does to each boundary."""
        level = self.level
        if self.kind == MOVED:
            return Errors(1.0 if level else 0.0, 0.0, 0.0, max(1, int(level)))
        if self.kind == "mixed":
            return Errors(level / 2, level / 2, 0.5, 1)
        added = {"missed": 0.0, "added": 1.0, "missed-or-added": 0.5}[self.kind]
        return Errors(0.0, level, added, 1)


def faults(longest: int, units: int) -> Iterator[Fault]:
    """Yield the faults to simulate, by kind, in order of their level.

    Args:
        longest: mean segment size; boundaries are not moved further.
        units: units of the longest document; drawing random positions takes memory for each of
            them, so that documents of more than 33 million units have no random fault.
    """
    for kind in ("missed", "added", "missed-or-added", "mixed"):
        yield from (Fault(kind, share) for share in _SHARES)
    yield Fault(MOVED, 0)
    yield from (Fault(MOVED, distance) for distance in _DISTANCES if distance <= max(1, longest))
    if units <= _MOST_RANDOM_UNITS:
        yield Fault(RANDOM, 1.0)


def with_fault(
    fault: Fault, seed: int, documents: Hashes, n_units: Ints, references: Ragged
) -> Ragged:
    """Return versions of references with a fault: ``COPIES`` of each, one after the other.

    Args:
        fault: the fault.
        seed: seed of the random numbers.
        documents: a number for each reference, on which its random numbers depend, shape (rows,).
        n_units: N of each reference's document, shape (rows,).
        references: boundaries of the references, one row each.
    """
    starts = pseudo_coders.streams(seed, documents, np.arange(COPIES, dtype=np.uint64))
    if fault.kind == RANDOM:
        return _anywhere(starts, n_units, references)
    return pseudo_coders.code(starts, n_units.astype(np.int32), references, fault.errors)


def _anywhere(starts: Hashes, n_units: Ints, references: Ragged) -> Ragged:
    """Return versions with as many boundaries as the references, all choices equally likely."""
    lengths = np.repeat(references.lengths, COPIES)
    offsets = offsets_of(lengths)
    values = np.zeros(offsets[-1], np.int32)
    units = np.repeat(n_units, COPIES).astype(np.int64)
    place_randomly(starts, units, np.arange(len(starts) + 1), offsets, values)
    return Ragged(offsets, values)


def summed_distance(references: Ragged, moved: Ragged) -> int:
    """Return by how many units all boundaries of the versions were moved together."""
    first = np.repeat(references.offsets[:-1], COPIES)
    row = np.repeat(np.arange(len(moved)), moved.lengths)
    place = np.arange(len(moved.values)) - moved.offsets[row]
    truth = references.values[first[row] + place]
    return int(np.abs(moved.values - truth).sum())
