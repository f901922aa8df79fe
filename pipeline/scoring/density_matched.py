"""Reference points at a system's own density: chance, for as many boundaries as the system places.

They depend only on a hypothesis and on (seed, document id, coder, draw), so they are the same
however the work is split.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from segscore.pipeline.arrays.document_ids import GOLDEN_RATIO, Hashes, hash_names, mix
from segscore.pipeline.arrays.kernel import kernel
from segscore.pipeline.arrays.ragged import Ints, Positions, Ragged, RowArrays, offsets_of
from segscore.pipeline.scoring.draws import below, place_randomly


@dataclass(frozen=True)
class OwnDraw:
    """Hypotheses to draw a reference point for.

    Attributes:
        documents: hash of the document's id of each hypothesis, shape (hypotheses,).
        coders: hash of the coder's name of each hypothesis, shape (hypotheses,).
        n_units: N of each hypothesis's document, at least 1, shape (hypotheses,).
        boundaries: positions of the hypotheses in units, repeated for each type of a boundary.
        types: type of each entry of ``boundaries``; None in a run without types.
        seed: seed of the run, in 0..2^64-1.
        number: number of the draw, from 0; draws are independent.
    """

    documents: Hashes
    coders: Hashes
    n_units: Ints
    boundaries: Ragged
    types: Positions | None
    seed: int
    number: int

    def streams(self, purpose: str) -> Hashes:
        """Start a stream of random numbers per row, independent of those for other purposes."""
        streams = np.empty(len(self.n_units), np.uint64)
        purpose_hash = hash_names(pa.array([purpose])).hashes[0]
        key = np.uint64(self.seed), purpose_hash, np.uint64(self.number)
        _start(self.documents, self.coders, *key, streams)
        return streams


@dataclass(frozen=True)
class OwnPoint:
    """A way to segment a document from nothing but a system's own segmentation of it.

    Attributes:
        meaning: description in one line.
        source: where it is defined.
        draw: function that draws the positions of each row, ascending and distinct, from the
            distinct positions of the hypotheses.
    """

    meaning: str
    source: str
    draw: Callable[[OwnDraw, Ragged], Ragged]


@kernel
def _start(
    documents: Hashes,
    coders: Hashes,
    seed: np.uint64,
    purpose: np.uint64,
    number: np.uint64,
    streams: Hashes,
) -> None:
    key = mix(seed + GOLDEN_RATIO) ^ purpose
    for row in range(len(documents)):
        state = mix(mix(documents[row] ^ key) ^ coders[row])
        streams[row] = mix(state + GOLDEN_RATIO * (number + np.uint64(1)))


@kernel
def _shuffle_segments(streams: Hashes, n_units: Ints, rows: RowArrays, values: Positions) -> None:
    """Write the boundaries of each row's segments in random order, all orders equally likely."""
    offsets, positions = rows
    longest = np.int64(0)
    for row in range(len(n_units)):
        longest = max(longest, offsets[row + 1] - offsets[row])
    masses = np.empty(longest + 1, np.int64)
    written = 0
    for row in range(len(streams)):
        stream = streams[row]
        own = positions[offsets[row] : offsets[row + 1]]
        previous = np.int64(0)
        for i in range(len(own)):
            masses[i] = own[i] - previous
            previous = np.int64(own[i])
        masses[len(own)] = n_units[row] - previous
        position = np.int64(0)
        for i in range(len(own)):
            offset, stream = below(np.uint64(len(own) + 1 - i), stream)
            chosen = i + np.int64(offset)
            masses[i], masses[chosen] = masses[chosen], masses[i]
            position += masses[i]
            values[written] = position
            written += 1


@kernel
def _deal(
    streams: Hashes,
    typed: tuple[Ints, Positions, Positions],
    drawn: RowArrays,
    dealt: tuple[Positions, Positions],
) -> None:
    """Deal the types of each hypothesis over the drawn positions, all orders equally likely.

    The types of one boundary stay together: a boundary with types 1 and 2 becomes one drawn
    boundary with types 1 and 2.
    """
    offsets, positions, types = typed
    new_offsets, new_positions = drawn
    out_positions, out_types = dealt
    written = 0
    for row in range(len(streams)):
        stream = streams[row]
        first, end = offsets[row], offsets[row + 1]
        places = new_positions[new_offsets[row] : new_offsets[row + 1]].copy()
        place = -1
        for entry in range(first, end):
            if entry == first or positions[entry] != positions[entry - 1]:
                # The next boundary takes one of the places that are left.
                place += 1
                offset, stream = below(np.uint64(len(places) - place), stream)
                chosen = place + np.int64(offset)
                places[place], places[chosen] = places[chosen], places[place]
            out_positions[written] = places[place]
            out_types[written] = types[entry]
            written += 1


def _random(own_draw: OwnDraw, own: Ragged) -> Ragged:
    values = np.zeros(own.offsets[-1], np.int32)
    one_each = np.arange(len(own) + 1)
    streams = own_draw.streams("random-own")
    place_randomly(streams, own_draw.n_units, one_each, own.offsets, values)
    return Ragged(own.offsets, values)


def _shuffled(own_draw: OwnDraw, own: Ragged) -> Ragged:
    values = np.zeros(own.offsets[-1], np.int32)
    streams = own_draw.streams("shuffled-own")
    _shuffle_segments(streams, own_draw.n_units, own.arrays, values)
    return Ragged(own.offsets, values)


OWN_POINTS = {
    "random-own": OwnPoint(
        "as many boundaries as the system placed, at random positions", "docs/measures.md", _random
    ),
    "shuffled-own": OwnPoint(
        "the system's own segments in random order", "docs/measures.md", _shuffled
    ),
}


def draw(name: str, own_draw: OwnDraw) -> tuple[Ragged, Positions | None]:
    """Draw an own point for some hypotheses.

    Returns:
        The drawn positions in units, one row per hypothesis, and the type of each; None in a run
        without types. As in ``own_draw``, a position is repeated for each of its types.
    """
    boundaries = own_draw.boundaries
    own = boundaries if own_draw.types is None else _distinct(boundaries)
    drawn = OWN_POINTS[name].draw(own_draw, own)
    if own_draw.types is None:
        return drawn, None
    dealt = np.zeros(boundaries.offsets[-1], np.int32), np.zeros(boundaries.offsets[-1], np.int32)
    typed = boundaries.offsets, boundaries.values, own_draw.types
    _deal(own_draw.streams(f"{name}: types"), typed, drawn.arrays, dealt)
    return Ragged(boundaries.offsets, dealt[0]), dealt[1]


def _distinct(positions: Ragged) -> Ragged:
    """Return each row's positions once; the positions of a row are ascending."""
    row = np.repeat(np.arange(len(positions)), positions.lengths)
    first = np.ones(len(row), bool)
    first[1:] = (row[1:] != row[:-1]) | (positions.values[1:] != positions.values[:-1])
    lengths = np.bincount(row[first], minlength=len(positions))
    return Ragged(offsets_of(lengths), positions.values[first])
