"""The chance that each boundary of a consensus is right, by who has it and who has not.

Each coder's boundaries are right with some probability, which follows from how many they have in
common with the others.  So the boundaries of the coders who have one, and their absence from those
of the others, give the chance that it is one (naive Bayes).
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from math import exp, log, sqrt

import pyarrow as pa

_LEAST, _MOST = 0.5, 0.99
"""Limits of the probability that a coder is right: nobody is held to be worse than chance."""

BoundariesByCoder = Mapping[str, Sequence[int]]
"""The boundaries of a document by coder, ascending."""


def confidence_table(
    codings: Mapping[str, BoundariesByCoder], agreed: Mapping[str, Sequence[int]], within: int
) -> pa.Table:
    """Return a row for each boundary of a consensus.

    Args:
        codings: the codings of each document.
        agreed: its consensus.
        within: largest distance of a coder's boundary from that of the consensus.
    """
    right = chance_right(codings.values(), within)
    compared = {coder for coded in codings.values() if len(coded) > 1 for coder in coded}
    odds = {coder: log(right[coder] / (1 - right[coder])) for coder in compared}
    rows = [
        {"document_id": document, "position": position, **confidence}
        for document, positions in agreed.items()
        for position in positions
        for confidence in [_confidence(codings[document], odds, position, within)]
    ]
    columns = {
        "document_id": pa.string(),
        "position": pa.int32(),
        "supporters": pa.int64(),
        "coders": pa.int64(),
        "confidence": pa.float64(),
    }
    return pa.Table.from_pylist(rows, pa.schema(list(columns.items())))


def _confidence(
    coded: BoundariesByCoder, odds: Mapping[str, float], position: int, within: int
) -> dict[str, object]:
    """Return who has a boundary; the chance is null if a coder never shared a document."""
    near = {coder for coder, marks in coded.items() if is_near(marks, position, within)}
    chance = None
    if odds.keys() >= coded.keys():
        evidence = sum(odds[coder] * (1 if coder in near else -1) for coder in sorted(coded))
        chance = 1 / (1 + exp(-evidence))
    return {"supporters": len(near), "coders": len(coded), "confidence": chance}


def chance_right(documents: Iterable[BoundariesByCoder], near: int) -> dict[str, float]:
    """Return the probability that each coder is right about a boundary.

    If two coders are right independently, the share of boundaries that they have in common is the
    product of theirs.  So a coder's is the share in common with the others, divided by the root of
    its mean over the coders.
    """
    common = reliability(documents, near)
    root = sqrt(sum(common.values()) / len(common)) if common else 0.0
    return {
        coder: min(_MOST, max(_LEAST, share / root if root else _LEAST))
        for coder, share in common.items()
    }


def reliability(documents: Iterable[BoundariesByCoder], within: int) -> dict[str, float]:
    """Return the share of boundaries that each coder has in common with the others.

    Of the boundaries of both coders, pooled over all pairs with this coder, how many the other has
    within the distance: 1 of a coder who is always alone in a document.
    """
    common, marked = Counter[str](), Counter[str]()
    known: set[str] = set()
    for coded in documents:
        known |= coded.keys()
        for (x, first), (y, second) in combinations(sorted(coded.items()), 2):
            of_both = sum(is_near(second, p, within) for p in first)
            of_both += sum(is_near(first, p, within) for p in second)
            for coder in (x, y):
                common[coder] += of_both
                marked[coder] += len(first) + len(second)
    # In order, so that sums over coders have the same digits in each process.
    return {
        coder: common[coder] / marked[coder] if marked[coder] else 1.0 for coder in sorted(known)
    }


def is_near(marks: Sequence[int], position: int, within: int) -> bool:
    """Return whether a mark is at most a distance away.

    >>> is_near([3, 9], 7, 2), is_near([3, 9], 6, 2)
    (True, False)
    """
    at = bisect_left(marks, position - within)
    return at < len(marks) and marks[at] <= position + within
