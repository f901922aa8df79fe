"""Compiled loops of pseudo-coders: draw segments; keep, miss and add boundaries.

Where Fournier 2013, section 5, leaves details open, see ``pipeline/agreement/simulate.py``.
"""

from dataclasses import dataclass

import numpy as np

from segscore.pipeline.arrays.document_ids import GOLDEN_RATIO, Hashes, mix
from segscore.pipeline.arrays.kernel import kernel, kernel_of_steps
from segscore.pipeline.arrays.ragged import Ints, Positions, Ragged, RowArrays, row_values
from segscore.pipeline.errors import Refused

MOST_BOUNDARIES = 2**28
"""The most boundaries made at once: a GiB of them."""


@dataclass(frozen=True)
class Errors:
    """What a pseudo-coder does to each true boundary.

    Attributes:
        near: chance of a near miss, in [0, 1].
        full: chance of a full miss, in [0, 1 - near].
        added: share of full misses that add a boundary, in [0, 1]; the others omit one.
        reach: near misses move 1..reach positions, at least 1.
    """

    near: float
    full: float
    added: float
    reach: int


@kernel
def _start(seed: np.uint64, documents: Hashes, coders: Hashes, streams: Hashes) -> None:
    for i in range(len(documents)):
        of_document = mix(mix(seed + GOLDEN_RATIO) + documents[i])
        for j in range(len(coders)):
            streams[i * len(coders) + j] = mix(of_document + coders[j])


def streams(seed: int, documents: Hashes, coders: Hashes) -> Hashes:
    """Start a stream of random numbers per document and coder, shape (documents * coders,)."""
    started = np.empty(len(documents) * len(coders), np.uint64)
    _start(np.uint64(seed), documents, coders, started)
    return started


@kernel
def _draw(stream: np.uint64) -> tuple[float, np.uint64]:
    """Draw a uniform multiple of 2^-53 in [0, 1); return it and the next state of the stream."""
    stream += GOLDEN_RATIO
    return np.float64(mix(stream) >> np.uint64(11)) * 2.0**-53, stream


@kernel_of_steps(lambda starts, _, segments, *_rest: len(starts) * segments)
def _draw_segments(
    starts: Hashes,
    sizes: Ints,
    segments: int,
    longest: Positions,
    n_units: Positions,
    drawn_rows: RowArrays,
) -> None:
    """Draw each row's segments; with an empty array of positions, only compute the room needed."""
    offsets, positions = drawn_rows.offsets, drawn_rows.values
    for row in range(len(starts)):
        stream = starts[row]
        total, drawn = 0, 0
        while drawn < segments and total < longest[row]:
            if drawn and len(positions):
                positions[offsets[row] + drawn - 1] = total
            chance, stream = _draw(stream)
            total += sizes[int(chance * len(sizes))]
            drawn += 1
        n_units[row] = min(total, longest[row])
        offsets[row + 1] = offsets[row] + drawn - 1


def segment(
    starts: Hashes, sizes: Ints, segments: int, longest: Positions
) -> tuple[Positions, Ragged]:
    """Draw segmentations of at most ``segments`` segments and at most ``longest`` units.

    Args:
        starts: ``streams(...)``, shape (rows,).
        sizes: segment sizes to draw from uniformly, in units, each at least 1.
        segments: the most segments in a row, at least 1.
        longest: the most units in a row, at least 1; the last segment is cut to fit, shape (rows,).

    Returns:
        Units, shape (rows,), and boundaries, one row per segmentation.

    Raises:
        Refused: there are more than 2^28 boundaries.
    """
    n_units, offsets = np.zeros_like(longest), np.zeros(len(starts) + 1, np.int64)
    sizing = RowArrays(offsets, np.empty(0, np.int32))
    _draw_segments(starts, sizes, segments, longest, n_units, sizing)
    boundaries = RowArrays(offsets, _room(int(offsets[-1])))
    _draw_segments(starts, sizes, segments, longest, n_units, boundaries)
    return n_units, Ragged(*boundaries)


def _room(boundaries: int) -> Positions:
    if boundaries > MOST_BOUNDARIES:
        raise Refused("a document has more than 2^28 boundaries; lower --coders or --units")
    return np.zeros(boundaries, np.int32)


@kernel
def _keep_or_miss(
    stream: np.uint64,
    truth: Positions,
    n_units: int,
    errors: tuple[float, float, float, int],
    coded: Positions,
) -> tuple[int, int, np.uint64]:
    """Write a coder's version of each true boundary.

    Returns:
        The number of boundaries written, the number still to be added, and the next state of the
        stream.
    """
    near, full, added, reach = errors
    written, extra, last = 0, 0, 0
    for i in range(len(truth)):
        # Always draw twice per boundary, so that the chance of misses does not change the others.
        kind_draw, stream = _draw(stream)
        detail_draw, stream = _draw(stream)
        position = int(truth[i])
        if kind_draw < near:
            before = int(truth[i - 1]) if i > 0 else 0
            after = int(truth[i + 1]) if i + 1 < len(truth) else n_units
            low = max(position - reach, max(before, last) + 1)
            high = min(position + reach, after - 1)
            if low < high:
                moved = low + int(detail_draw * (high - low))
                position = moved + 1 if moved >= position else moved
        elif kind_draw < near + full:
            if detail_draw >= added:
                continue
            extra += 1
        coded[written] = position
        written += 1
        last = position
    return written, extra, stream


@kernel
def _take(taken: Positions, position: int) -> bool:
    """Put a position into a hash table whose free places are 0; return whether it is new there."""
    mask = np.uint64(len(taken) - 1)
    place = mix(np.uint64(position)) & mask
    while taken[place] != 0:
        if taken[place] == position:
            return False
        place = (place + np.uint64(1)) & mask
    taken[place] = position
    return True


@kernel
def _places(boundaries: int) -> int:
    """Return the size of a hash table for a document: a power of two, with a third left free.

    A true boundary takes at most two places: its own, and the one it is moved to or that is added.
    """
    places = 2
    while places < 3 * boundaries:
        places *= 2
    return places


@kernel
def _add(
    stream: np.uint64,
    truth: Positions,
    n_units: int,
    taken: Positions,
    extra: tuple[int, int],
    coded: Positions,
) -> int:
    """Add boundaries where neither the truth nor the coder has one; return their new total.

    ``taken`` is a hash table that is empty before and after. ``extra`` is the number of boundaries
    to add, and the number that the coder already has.
    """
    to_add, written = extra
    free = n_units - 1
    for boundaries in (truth, coded[:written]):
        for position in boundaries:
            if _take(taken, position):
                free -= 1
    for _ in range(min(to_add, free)):
        while True:
            chance, stream = _draw(stream)
            position = 1 + int(chance * (n_units - 1))
            if _take(taken, position):
                break
        coded[written] = position
        written += 1
    taken[:] = 0
    coded[:written].sort()
    return written


@kernel
def _code(
    starts: Hashes,
    n_units: Positions,
    truth: RowArrays,
    errors: tuple[float, float, float, int],
    codings: RowArrays,
) -> None:
    offsets, positions = codings.offsets, codings.values
    coders = len(starts) // len(n_units)
    longest = 0
    for d in range(len(n_units)):
        longest = max(longest, len(row_values(truth, d)))
    taken = np.zeros(_places(longest), np.int32)
    offsets[0] = 0
    for row in range(len(starts)):
        d = row // coders
        true_boundaries = row_values(truth, d)
        coded = positions[offsets[row] :]
        written, extra, stream = _keep_or_miss(
            starts[row], true_boundaries, n_units[d], errors, coded
        )
        if extra > 0:
            table = taken[: _places(len(true_boundaries))]
            written = _add(stream, true_boundaries, n_units[d], table, (extra, written), coded)
        offsets[row + 1] = offsets[row] + written


def code(starts: Hashes, n_units: Positions, truth: Ragged, errors: Errors) -> Ragged:
    """Derive a segmentation with errors for each coder of each document from the true one.

    Args:
        starts: ``streams(...)``, shape (documents * coders,).
        n_units: N of each document, shape (documents,).
        truth: true boundaries, one row per document.
        errors: chances of each error.

    Returns:
        Boundaries, one row per document and coder.

    Raises:
        Refused: there could be more than 2^28 boundaries.
    """
    coders = len(starts) // len(n_units)
    offsets = np.empty(len(starts) + 1, np.int64)
    # A true boundary becomes at most two; memory that is not needed is never touched.
    positions = _room(2 * coders * len(truth.values))
    chances = (float(errors.near), float(errors.full), float(errors.added), errors.reach)
    _code(starts, n_units, truth.arrays, chances, RowArrays(offsets, positions))
    return Ragged(offsets, positions[: offsets[-1]])
