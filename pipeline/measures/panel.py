"""Panel measures: compare a hypothesis with all the references of its document at once.

Kazantseva & Szpakowicz 2012, section 5.  The number of boundaries that a reference has in a window
is its opinion there; a hypothesis is penalised for every reference with another opinion.
"""

from typing import NamedTuple

import numpy as np

from segscore.pipeline.arrays.kernel import kernel
from segscore.pipeline.arrays.ragged import Ints, Positions, Ragged, RowArrays, row_values
from segscore.pipeline.measures.compared import CountingSettings, PanelRows
from segscore.pipeline.measures.measure import IDENTITY, REVERSIBLE, Measure

COUNTS = {
    "references": "references of the document, except those computed from others",
    "windows": "windows that fit: max(0, n_units - window)",
    "opinions": "references times windows",
    "penalty": "opinions that differ from the hypothesis's number of boundaries",
    "best": "least possible penalty: opinions other than the most common one",
    "worst": "greatest possible penalty: opinions other than the least common one",
}
_REFERENCES, _WINDOWS, _OPINIONS, _PENALTY, _BEST, _WORST = range(6)
"""Rows of ``COUNTS``."""

_ROWS = len(COUNTS)

_ENTERED, _LEFT, _OPINION, _NEXT = range(4)
"""Columns of a coder's state at a window: boundaries that have entered it, boundaries that have
left it, their difference, and the next start at which that changes."""

NEVER = np.iinfo(np.int64).max


class _Scratch(NamedTuple):
    """Scratch space for one document.

    Attributes:
        states: one row per reference and one for the hypothesis, shape (>= references + 1, 4).
        support: number of references with each opinion; all zero between documents.
    """

    states: Ints
    support: Ints


@kernel
def _advance(positions: Positions, start: int, size: int, state: Ints) -> None:
    """Advance the state of a coder to the window at ``start``.

    A boundary at p has entered all windows that start at p - size + 1 or later, and has left those
    that start at p + 1 or later.
    """
    stop, entered, left = len(positions), state[_ENTERED], state[_LEFT]
    while entered < stop and positions[entered] < start + size:
        entered += 1
    while left < stop and positions[left] < start:
        left += 1
    state[_ENTERED] = entered
    state[_LEFT] = left
    state[_OPINION] = entered - left
    state[_NEXT] = NEVER
    if entered < stop:
        state[_NEXT] = positions[entered] - size + 1
    if left < stop:
        state[_NEXT] = min(state[_NEXT], positions[left] + 1)


@kernel
def _range(states: Ints, h: int, size: int, support: Ints, supported: int) -> tuple[int, int]:
    """Return the largest and the smallest support of the opinions 0..size.

    ``supported`` is the number of opinions with any support; if it is at most size, some have none.
    """
    most, least = 0, h
    for a in range(h):
        most = max(most, support[states[a, _OPINION]])
        least = min(least, support[states[a, _OPINION]])
    return most, least if supported > size else 0


@kernel
def _judge(
    references: RowArrays, hyp: Positions, last: int, size: int, scratch: _Scratch, out: Ints
) -> None:
    """Judge a hypothesis, visiting only the window starts at which an opinion may change.

    Args:
        references: references of one document.
        hyp: positions of the hypothesis.
        last: the last window start; the first is 1.
        size: window size m, in positions.
        scratch: scratch space for as many references.
        out: output: penalty, best and worst are added to.
    """
    h, states, support = len(references.offsets) - 1, scratch.states, scratch.support
    states[: h + 1, :_NEXT] = 0
    states[: h + 1, _NEXT] = 1
    support[0] = h
    supported = 1
    most = least = 0
    start = 1
    while start <= last:
        end = last + 1
        changed = False
        for a in range(h):
            if states[a, _NEXT] == start:
                changed = True
                support[states[a, _OPINION]] -= 1
                supported -= support[states[a, _OPINION]] == 0
                _advance(row_values(references, a), start, size, states[a])
                supported += support[states[a, _OPINION]] == 0
                support[states[a, _OPINION]] += 1
            end = min(end, states[a, _NEXT])
        if changed:
            most, least = _range(states, h, size, support, supported)
        if states[h, _NEXT] == start:
            _advance(hyp, start, size, states[h])
        end = min(end, states[h, _NEXT])
        agreeing = support[states[h, _OPINION]] if states[h, _OPINION] < len(support) else 0
        out[_PENALTY] += (end - start) * (h - agreeing)
        out[_BEST] += (end - start) * (h - most)
        out[_WORST] += (end - start) * (h - least)
        start = end
    support[0] = 0
    for a in range(h):
        support[states[a, _OPINION]] = 0


@kernel
def _count_panels(
    references: RowArrays, hypotheses: RowArrays, rows: PanelRows, counts: Ints
) -> None:
    first, document = rows.first, rows.document
    coders = boundaries = 0
    for d in document:
        coders = max(coders, first[d + 1] - first[d])
        for a in range(first[d], first[d + 1]):
            boundaries = max(boundaries, references.offsets[a + 1] - references.offsets[a])
    scratch = _Scratch(np.zeros((coders + 1, 4), np.int64), np.zeros(boundaries + 1, np.int64))
    row = np.zeros(_ROWS, np.int64)
    for i in range(len(document)):
        d, size = document[i], rows.window[i]
        document_references = RowArrays(
            references.offsets[first[d] : first[d + 1] + 1], references.values
        )
        row[:] = 0
        row[_REFERENCES] = len(document_references.offsets) - 1
        row[_WINDOWS] = max(0, rows.n_units[i] - size)
        row[_OPINIONS] = row[_REFERENCES] * row[_WINDOWS]
        _judge(
            document_references,
            row_values(hypotheses, rows.hyp_row[i]),
            row[_WINDOWS],
            size,
            scratch,
            row,
        )
        for c in range(_ROWS):
            counts[c, i] = row[c]


def count(references: Ragged, hypotheses: Ragged, rows: PanelRows) -> Ints:
    """Count the opinions that each hypothesis disagrees with, and the fewest and most possible.

    The time is proportional to boundaries x references, whatever the units and the window.

    Args:
        references: boundary positions, one row per reference segmentation.
        hypotheses: boundary positions, one row per hypothesis segmentation.
        rows: the hypotheses to judge.

    Returns:
        One row per count of ``COUNTS``, shape (6, rows).
    """
    counts = np.empty((_ROWS, len(rows.document)), np.int64)
    _count_panels(references.arrays, hypotheses.arrays, rows, counts)
    return counts


def count_panels(
    references: Ragged, hypotheses: Ragged, rows: PanelRows, _settings: CountingSettings
) -> Ints:
    """Count the rows of a run, as ``count`` does; no setting matters but the window, a row's."""
    return count(references, hypotheses, rows)


K_AND_S = "Kazantseva & Szpakowicz 2012,"
# A panel measure obeys a law for one reference if all references of the panel are equal to it.
_PANEL_LAWS = frozenset({IDENTITY, REVERSIBLE})
_BOUND_LAWS = frozenset({REVERSIBLE})

MEASURES = (
    Measure(
        "win_diff_prime",
        "penalty / opinions",
        f"{K_AND_S} eq 7",
        _PANEL_LAWS,
        description="winDiff': penalty / opinions",
    ),
    Measure(
        "mult_window_diff",
        "(penalty - best) / (worst - best)",
        f"{K_AND_S} eq 10",
        _PANEL_LAWS,
        description="multWinDiff: (penalty - best) / (worst - best), 0 the best possible",
    ),
    Measure(
        "best_case",
        "best / opinions",
        f"{K_AND_S} eq 8",
        _BOUND_LAWS,
        better="neither",
        description="best / opinions",
    ),
    Measure(
        "worst_case",
        "worst / opinions",
        f"{K_AND_S} eq 9",
        _BOUND_LAWS,
        better="neither",
        description="worst / opinions",
    ),
)
