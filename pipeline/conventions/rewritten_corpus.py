"""Rewrite the segmentations of a corpus, as programs do before they count."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from segscore.pipeline.arrays.kernel import kernel
from segscore.pipeline.arrays.ragged import Flags, Ints, Positions, Ragged, offsets_of
from segscore.pipeline.conventions.corpus import CodedSide, Corpus
from segscore.pipeline.conventions.document_sample import rows_taken
from segscore.pipeline.errors import Refused
from segscore.pipeline.settings.ranges import MOST_UNITS

SECOND = 1000
"""Milliseconds in a second."""

_NEAR = 500
"""Milliseconds after a boundary within which another one is dropped."""


def joined(corpus: Corpus, *, marked: bool) -> Corpus:
    """Join the pairs of each system to one, in the order of the references.

    Args:
        corpus: the pairs.
        marked: whether both sides have a boundary where two documents are joined.

    Raises:
        Refused: a joined document would be too long.
    """
    order = _by_system(corpus)
    system = corpus.system[order]
    starts_system = np.diff(system, prepend=-1) != 0
    sizes = corpus.references.n_units[corpus.ref_row[order]].astype(np.int64)
    ends = np.cumsum(sizes)
    first = np.flatnonzero(starts_system)
    before = np.repeat((ends - sizes)[first], np.diff(first, append=len(order)))
    totals = np.add.reduceat(sizes, first)
    if totals.max() > MOST_UNITS:
        raise Refused(f"documents joined: have {totals.max():,} units; at most {MOST_UNITS:,}")
    start = ends - sizes - before
    rows = (corpus.references, corpus.ref_row[order]), (corpus.hypotheses, corpus.hyp_row[order])
    sides = [_joined_side(side, row, start, first, totals, marked) for side, row in rows]
    each = np.arange(len(first))
    return replace(corpus, references=sides[0], hypotheses=sides[1], ref_row=each, hyp_row=each)


def first_pairs(corpus: Corpus) -> Ints:
    """Return the pair of each system that comes first where its pairs are joined."""
    order = _by_system(corpus)
    return order[np.diff(corpus.system[order], prepend=-1) != 0]


def _by_system(corpus: Corpus) -> Ints:
    return np.lexsort((corpus.ref_row, corpus.document, corpus.system))


def _joined_side(
    side: CodedSide, rows: Ints, start: Ints, first: Ints, totals: Ints, marked: bool
) -> CodedSide:
    """Join the segmentations of some rows; the row ``first[s]`` begins those of system s."""
    lists = rows_taken(side.boundaries, rows)
    values = lists.values + np.repeat(start, lists.lengths).astype(np.int32)
    lists = Ragged(lists.offsets, values)
    if marked:
        lists = with_boundary(lists, start, where=start > 0, last=False)
    last = np.append(first[1:], len(rows)) - 1
    return CodedSide(
        Ragged(np.append(lists.offsets[first], lists.offsets[-1]), lists.values),
        totals,
        np.arange(len(first)),
        side.system[rows[first]],
        np.stack([side.edges[rows[first], 0], side.edges[rows[last], 1]], axis=1),
    )


def with_boundary(
    lists: Ragged, position: Ints, *, last: bool, where: Flags | None = None
) -> Ragged:
    """Add a boundary to segmentations, after their last one or before their first.

    Args:
        lists: boundaries, one row per segmentation.
        position: position of the added boundary in each, shape (rows,).
        last: whether it is the last one.
        where: the segmentations that get it, shape (rows,); None for all.
    """
    rows = np.arange(len(position)) if where is None else np.flatnonzero(where)
    at = (lists.offsets[1:] if last else lists.offsets[:-1])[rows]
    values = np.insert(lists.values, at, position[rows].astype(np.int32))
    added = np.zeros(len(position), np.int64)
    added[rows] = 1
    return Ragged(offsets_of(lists.lengths + added), values)


def with_marked_edges(corpus: Corpus) -> Corpus:
    """Add the ends of the text that a segmentation counts as boundaries, at 0 and N."""
    return _each_side(corpus, _with_edges)


def _with_edges(side: CodedSide) -> CodedSide:
    start, end = side.edges[:, 0], side.edges[:, 1]
    lists = with_boundary(side.boundaries, np.zeros_like(side.n_units), where=start, last=False)
    return replace(side, boundaries=with_boundary(lists, side.n_units, where=end, last=True))


def without_near(corpus: Corpus) -> Corpus:
    """Drop each boundary that is at most half a second after the last one that is kept."""
    return _each_side(corpus, _without_near)


def _without_near(side: CodedSide) -> CodedSide:
    kept = np.empty(len(side.boundaries.values), np.bool_)
    _keep_apart(side.boundaries.offsets, side.boundaries.values, _NEAR, kept)
    return replace(side, boundaries=only(side.boundaries, kept))


@kernel
def _keep_apart(offsets: Ints, positions: Positions, near: int, kept: Flags) -> None:
    for row in range(len(offsets) - 1):
        last = np.int64(-1) - near
        for i in range(offsets[row], offsets[row + 1]):
            kept[i] = positions[i] - last > near
            if kept[i]:
                last = np.int64(positions[i])


def only(lists: Ragged, kept: Flags) -> Ragged:
    """Return the boundaries that are kept, in the same rows."""
    return Ragged(offsets_of(kept)[lists.offsets], lists.values[kept])


def in_seconds(corpus: Corpus) -> Corpus:
    """Return a corpus in milliseconds in whole seconds, each in the segment of its middle.

    Several boundaries may come to lie between two seconds, and are kept.
    """
    return replace(_each_side(corpus, _in_seconds), parts=SECOND, repeated=True)


def _in_seconds(side: CodedSide) -> CodedSide:
    seconds, rest = np.divmod(side.n_units, SECOND)
    half = 2 * rest == SECOND
    n_units = np.maximum(1, seconds + ((2 * rest > SECOND) | (half & (seconds % 2 == 1))))
    lists = side.boundaries
    # Second i has its middle at i + 1/2, and is after a boundary that is there.
    positions = ((lists.values.astype(np.int64) + SECOND // 2 - 1) // SECOND).astype(np.int32)
    inside = (positions > 0) & (positions < np.repeat(n_units, lists.lengths))
    boundaries = only(Ragged(lists.offsets, positions), inside)
    return replace(side, boundaries=boundaries, n_units=n_units, length=side.n_units)


def _each_side(corpus: Corpus, rewrite: Callable[[CodedSide], CodedSide]) -> Corpus:
    return replace(
        corpus, references=rewrite(corpus.references), hypotheses=rewrite(corpus.hypotheses)
    )
