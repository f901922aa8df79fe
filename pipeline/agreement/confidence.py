"""How many of a document's coders have each boundary of a consensus, weighted by reliability."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

import pyarrow as pa

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
    reliable = reliability(codings.values(), within)
    rows = [
        {"document_id": document, "position": position, **confidence}
        for document, positions in agreed.items()
        for position in positions
        for confidence in [_confidence(codings[document], reliable, position, within)]
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
    coded: BoundariesByCoder, reliable: Mapping[str, float], position: int, within: int
) -> dict[str, object]:
    near = [coder for coder, marks in coded.items() if is_near(marks, position, within)]
    total = sum(reliable[coder] for coder in coded)
    share = len(near) / len(coded)
    weighted = sum(reliable[coder] for coder in near) / total if total > 0 else share
    return {"supporters": len(near), "coders": len(coded), "confidence": weighted}


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
