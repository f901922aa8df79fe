"""Reference points at a system's own density: chance, for as many boundaries as the system places.

They depend only on a hypothesis and on (seed, document id, coder, draw), so they are the same
however the work is split.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from segscore.pipeline.arrays.document_ids import Hashes, hash_names, mix
from segscore.pipeline.arrays.kernel import kernel
from segscore.pipeline.arrays.ragged import Ints, Positions, Ragged, RowArrays, offsets_of
from segscore.pipeline.scoring.draws import GOLDEN_RATIO, below, place_randomly


@dataclass(frozen=True)
class OwnDraws:
    """Hypotheses to draw reference points for, each several times.

    The draws of a hypothesis follow each other: row r is draw r % draws of hypothesis r // draws.

    Attributes:
        documents: hash of the document's id of each hypothesis, shape (hypotheses,).
        coders: hash of the coder's name of each hypothesis, shape (hypotheses,).
        n_units: N of each hypothesis's document, at least 1, shape (hypotheses,).
        boundaries: positions of the hypotheses in units, repeated for each type of a boundary.
        types: type of each entry of ``boundaries``; None in a run without types.
        seed: seed of the run, in 0..2^64-1.
        draws: draws of each hypothesis, at least 1.
    """

    documents: Hashes
    coders: Hashes
    n_units: Ints
    boundaries: Ragged
    types: Positions | None
    seed: int
    draws: int

    @property
    def hypothesis(self) -> Ints:
        """The hypothesis of each row, shape (hypotheses * draws,)."""
        return np.repeat(np.arange(len(self.n_units)), self.draws)

    def streams(self, purpose: str) -> Hashes:
        """Start a stream of random numbers per row, independent of those for other purposes."""
        streams = np.empty(len(self.n_units) * self.draws, np.uint64)
        purpose_hash = hash_names(pa.array([purpose])).hashes[0]
        _start(self.documents, self.coders, np.uint64(self.seed), purpose_hash, streams)
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
    draw: Callable[[OwnDraws, Ragged], Ragged]


@kernel
def _start(
    documents: Hashes, coders: Hashes, seed: np.uint64, purpose: np.uint64, streams: Hashes
) -> None:
    draws = len(streams) // max(1, len(documents))
    key = mix(seed + GOLDEN_RATIO) ^ purpose
    for hypothesis in range(len(documents)):
        state = mix(mix(documents[hypothesis] ^ key) ^ coders[hypothesis])
        for draw in range(draws):
            state += GOLDEN_RATIO
            streams[hypothesis * draws + draw] = mix(state)


@kernel
def _shuffle_segments(
    streams: Hashes, source: Ints, n_units: Ints, rows: RowArrays, values: Positions
) -> None:
    """Write the boundaries of each row's segments in random order, all orders equally likely."""
    offsets, positions = rows
    longest = np.int64(0)
    for hypothesis in range(len(n_units)):
        longest = max(longest, offsets[hypothesis + 1] - offsets[hypothesis])
    masses = np.empty(longest + 1, np.int64)
    written = 0
    for row in range(len(streams)):
        hypothesis, stream = source[row], streams[row]
        own = positions[offsets[hypothesis] : offsets[hypothesis + 1]]
        previous = np.int64(0)
        for i in range(len(own)):
            masses[i] = own[i] - previous
            previous = np.int64(own[i])
        masses[len(own)] = n_units[hypothesis] - previous
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
    source: Ints,
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
        hypothesis, stream = source[row], streams[row]
        first, end = offsets[hypothesis], offsets[hypothesis + 1]
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


def _random(own_draws: OwnDraws, own: Ragged) -> Ragged:
    rows = own_draws.hypothesis
    offsets = offsets_of(own.lengths[rows])
    values = np.empty(offsets[-1], np.int32)
    one_each = np.arange(len(rows) + 1)
    place_randomly(
        own_draws.streams("random-own"), own_draws.n_units[rows], one_each, offsets, values
    )
    return Ragged(offsets, values)


def _shuffled(own_draws: OwnDraws, own: Ragged) -> Ragged:
    rows = own_draws.hypothesis
    offsets = offsets_of(own.lengths[rows])
    values = np.empty(offsets[-1], np.int32)
    streams = own_draws.streams("shuffled-own")
    _shuffle_segments(streams, rows, own_draws.n_units, own.arrays, values)
    return Ragged(offsets, values)


OWN_POINTS = {
    "random-own": OwnPoint(
        "as many boundaries as the system placed, at random positions", "docs/measures.md", _random
    ),
    "shuffled-own": OwnPoint(
        "the system's own segments in random order", "docs/measures.md", _shuffled
    ),
}


def draw(name: str, own_draws: OwnDraws) -> tuple[Ragged, Positions | None]:
    """Draw an own point for some hypotheses.

    Returns:
        The drawn positions in units, one row per hypothesis and draw, and the type of each; None in
        a run without types. As in ``own_draws``, a position is repeated for each of its types.
    """
    own = own_draws.boundaries if own_draws.types is None else _distinct(own_draws.boundaries)
    drawn = OWN_POINTS[name].draw(own_draws, own)
    if own_draws.types is None:
        return drawn, None
    rows = own_draws.hypothesis
    offsets = offsets_of(own_draws.boundaries.lengths[rows])
    dealt = np.empty(offsets[-1], np.int32), np.empty(offsets[-1], np.int32)
    typed = own_draws.boundaries.offsets, own_draws.boundaries.values, own_draws.types
    _deal(own_draws.streams(f"{name}: types"), rows, typed, drawn.arrays, dealt)
    return Ragged(offsets, dealt[0]), dealt[1]


def _distinct(positions: Ragged) -> Ragged:
    """Return each row's positions once; the positions of a row are ascending."""
    row = np.repeat(np.arange(len(positions)), positions.lengths)
    first = np.ones(len(row), bool)
    first[1:] = (row[1:] != row[:-1]) | (positions.values[1:] != positions.values[:-1])
    lengths = np.bincount(row[first], minlength=len(positions))
    return Ragged(offsets_of(lengths), positions.values[first])
