"""Panel measures: one hypothesis before all the references of its document at once.

Kazantseva & Szpakowicz 2012, section 5.  At each window the numbers of boundaries the references
have there are opinions; a hypothesis pays for every reference whose opinion it does not share.
"""

import numpy as np

from segscore.pipeline.arrays.kernel import kernel
from segscore.pipeline.arrays.ragged import Ints, Positions, Ragged
from segscore.pipeline.measures.measure import IDENTITY, REVERSIBLE, Measure

COUNTS = {
    "references": "references of the document, those made of them left out",
    "windows": "windows that fit: max(0, n_units - window)",
    "opinions": "what is judged: references times windows",
    "penalty": "opinions whose number of boundaries is not the hypothesis's",
    "best": "least possible penalty: opinions outside the best supported number",
    "worst": "greatest possible penalty: opinions outside the least supported number",
}
NEVER = np.iinfo(np.int64).max


@kernel
def _look(
    positions: Positions, begin: int, stop: int, start: int, size: int, seen: Ints, coder: int
) -> None:
    """Bring a coder up to the window at ``start``: entered, left, opinion, next start that differs.

    A boundary at p has entered from start p - size + 1 on, and has left from start p + 1 on.
    """
    entered = begin + seen[coder, 0]
    left = begin + seen[coder, 1]
    while entered < stop and positions[entered] < start + size:
        entered += 1
    while left < stop and positions[left] < start:
        left += 1
    seen[coder, 0] = entered - begin
    seen[coder, 1] = left - begin
    seen[coder, 2] = entered - left
    seen[coder, 3] = NEVER
    if entered < stop:
        seen[coder, 3] = positions[entered] - size + 1
    if left < stop:
        seen[coder, 3] = min(seen[coder, 3], positions[left] + 1)


@kernel
def _range(seen: Ints, h: int, size: int, support: Ints, held: int) -> tuple[int, int]:
    """Largest support, and smallest over the opinions 0..size, of which ``held`` have any."""
    most, least = 0, h
    for a in range(h):
        most = max(most, support[seen[a, 2]])
        least = min(least, support[seen[a, 2]])
    return most, least if held > size else 0


@kernel
def _judge(
    offsets: Ints,
    positions: Positions,
    hyp: Positions,
    last: int,
    size: int,
    seen: Ints,
    support: Ints,
    out: Ints,
) -> None:
    """Visit only the window starts 1..last at which some coder's opinion may change.

    Args:
        offsets: of this document's references only, shape (references + 1,).
        positions: of all references.
        hyp: of the hypothesis.
        last: the last window start.
        size: m, positions in a window.
        seen: room for a row a reference and one for the hypothesis, shape (>= references + 1, 4).
        support: zeros for every opinion a reference can have; zeros again afterwards.
        out: penalty, best and worst are added to its entries 3, 4 and 5.
    """
    h = len(offsets) - 1
    seen[: h + 1, :3] = 0
    seen[: h + 1, 3] = 1
    support[0] = h
    held = 1
    most = least = 0
    start = 1
    while start <= last:
        end = last + 1
        changed = False
        for a in range(h):
            if seen[a, 3] == start:
                changed = True
                support[seen[a, 2]] -= 1
                held -= support[seen[a, 2]] == 0
                _look(positions, offsets[a], offsets[a + 1], start, size, seen, a)
                held += support[seen[a, 2]] == 0
                support[seen[a, 2]] += 1
            end = min(end, seen[a, 3])
        if changed:
            most, least = _range(seen, h, size, support, held)
        if seen[h, 3] == start:
            _look(hyp, 0, len(hyp), start, size, seen, h)
        end = min(end, seen[h, 3])
        agreeing = support[seen[h, 2]] if seen[h, 2] < len(support) else 0
        out[3] += (end - start) * (h - agreeing)
        out[4] += (end - start) * (h - most)
        out[5] += (end - start) * (h - least)
        start = end
    support[0] = 0
    for a in range(h):
        support[seen[a, 2]] = 0


@kernel
def _count_panels(
    ref_offsets: Ints,
    ref_positions: Positions,
    hyp_offsets: Ints,
    hyp_positions: Positions,
    first: Ints,
    document: Ints,
    hyp_row: Ints,
    n_units: Ints,
    window: Ints,
    counts: Ints,
) -> None:
    coders = boundaries = 0
    for d in document:
        coders = max(coders, first[d + 1] - first[d])
        for a in range(first[d], first[d + 1]):
            boundaries = max(boundaries, ref_offsets[a + 1] - ref_offsets[a])
    seen = np.zeros((coders + 1, 4), np.int64)
    support = np.zeros(boundaries + 1, np.int64)
    row = np.zeros(6, np.int64)
    for i in range(len(document)):
        d = document[i]
        references = ref_offsets[first[d] : first[d + 1] + 1]
        hyp = hyp_positions[hyp_offsets[hyp_row[i]] : hyp_offsets[hyp_row[i] + 1]]
        row[:] = 0
        row[0] = len(references) - 1
        row[1] = max(0, n_units[i] - window[i])
        row[2] = row[0] * row[1]
        _judge(references, ref_positions, hyp, row[1], window[i], seen, support, row)
        for c in range(6):
            counts[c, i] = row[c]


def count(
    references: Ragged,
    hypotheses: Ragged,
    first: Ints,
    document: Ints,
    hyp_row: Ints,
    n_units: Ints,
    window: Ints,
) -> Ints:
    """Count the opinions each hypothesis goes against, the fewest and most it could.

    The time is proportional to boundaries x references, whatever the units and the window.

    Args:
        references: boundary positions, one row a reference segmentation.
        hypotheses: boundary positions, one row a hypothesis segmentation.
        first: document d's references are rows first[d]..first[d+1]-1, shape (documents + 1,).
        document: document of each row, one that has a reference, shape (rows,).
        hyp_row: row of ``hypotheses`` of each row, shape (rows,).
        n_units: units N of each row's document, at least 1, shape (rows,).
        window: window size m of each row's document, at least 1, shape (rows,).

    Returns:
        One row a count of ``COUNTS``, shape (6, rows).
    """
    counts = np.empty((len(COUNTS), len(document)), np.int64)
    _count_panels(
        references.offsets,
        references.values,
        hypotheses.offsets,
        hypotheses.values,
        first,
        document,
        hyp_row,
        n_units,
        window,
        counts,
    )
    return counts


K_AND_S = "Kazantseva & Szpakowicz 2012,"
# A panel obeys a law of one reference when all its references are that one.
_JUDGED = frozenset({IDENTITY, REVERSIBLE})
BOUND = frozenset({REVERSIBLE})

MEASURES = (
    Measure(
        "win_diff_prime",
        "penalty / opinions",
        f"{K_AND_S} eq 7",
        _JUDGED,
        description="winDiff': penalty / opinions",
    ),
    Measure(
        "mult_window_diff",
        "(penalty - best) / (worst - best)",
        f"{K_AND_S} eq 10",
        _JUDGED,
        description="multWinDiff: (penalty - best) / (worst - best), 0 the best possible",
    ),
    Measure(
        "best_case",
        "best / opinions",
        f"{K_AND_S} eq 8",
        BOUND,
        better="neither",
        description="best / opinions",
    ),
    Measure(
        "worst_case",
        "worst / opinions",
        f"{K_AND_S} eq 9",
        BOUND,
        better="neither",
        description="worst / opinions",
    ),
)
