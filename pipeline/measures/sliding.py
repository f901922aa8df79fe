"""Windows slid over a pair: from boundary to boundary, or unit by unit where boundaries are many.

Both ways give the same counts.  Of a window over a dense document little more is to be known than
two numbers of boundaries, and those of many windows are taken at once; a sparse document has long
runs of equal windows, and only what happens between them is looked at.
"""

from typing import NamedTuple

import numpy as np

from segscore.pipeline.arrays.kernel import kernel
from segscore.pipeline.arrays.ragged import Ints, Positions
from segscore.pipeline.measures.prefetch import Index

_DENSE = 6
"""Up to so many units for each boundary of the two sides, each unit is looked at."""

LONGEST = 1 << 15
"""Documents below this many padded units can be dense: two counts fit into 32 bits."""

(
    _WINDOWS,
    _REFERENCE_WINDOWS,
    _PK_MISSES,
    _PK_FALSE_ALARMS,
    _WD_MISSES,
    _WD_FALSE_ALARMS,
    _PK_PRIME_MISSES,
    _PK_PRIME_FALSE_ALARMS,
    _WD_ABSOLUTE,
    _EDGE_WINDOWS,
    _EDGE_ERRORS,
) = range(11)
"""Rows of ``windows.COUNTS``."""

_Number = int | np.int32
SHIFT, LOW = 16, (1 << 16) - 1


@kernel
def dense(boundaries: int, n_units: int, k: int) -> bool:
    """Whether to slide unit by unit."""
    padded = n_units + 2 * k
    return padded < LONGEST and padded <= _DENSE * boundaries


class _Tally(NamedTuple):
    """How many windows of the document have a property; ``unequal`` is of the padded document.

    Attributes:
        with_ref: windows with a reference boundary.
        with_hyp: windows with a hypothesis boundary.
        with_any: windows with a boundary of either side.
        more: windows with more reference than hypothesis boundaries.
        fewer: windows with fewer.
        absolute: sum over windows of the difference between the numbers of boundaries.
        unequal: windows of the padded document in which the numbers differ.
    """

    with_ref: _Number
    with_hyp: _Number
    with_any: _Number
    more: _Number
    fewer: _Number
    absolute: _Number
    unequal: _Number


@kernel
def _write(tally: _Tally, n_units: int, k: int, out: Ints) -> None:
    """Write the counts of ``windows.COUNTS``."""
    false_alarms = tally.with_any - tally.with_ref
    out[_WINDOWS] = max(0, n_units - k)
    out[_REFERENCE_WINDOWS] = tally.with_ref
    out[_PK_MISSES] = tally.with_any - tally.with_hyp
    out[_PK_FALSE_ALARMS] = false_alarms
    out[_WD_MISSES] = tally.more
    out[_WD_FALSE_ALARMS] = tally.fewer
    out[_PK_PRIME_MISSES] = tally.more + tally.fewer - false_alarms
    out[_PK_PRIME_FALSE_ALARMS] = false_alarms
    out[_WD_ABSOLUTE] = tally.absolute
    out[_EDGE_WINDOWS] = n_units + k
    out[_EDGE_ERRORS] = tally.unequal


@kernel
def slide_by_boundary(ref: Positions, hyp: Positions, n_units: int, k: int, out: Ints) -> None:
    """Visit only the window starts at which a boundary enters or leaves.

    A window that starts at s covers positions s + 1..s + k. Starts run over -k..n_units - 1, the
    windows of the padded document; those of the document itself are 0..n_units - k - 1.

    Args:
        ref: positions of the reference, strictly ascending.
        hyp: positions of the hypothesis, strictly ascending.
        n_units: units N of the document.
        k: the size of windows.
        out: written: the counts of ``windows.COUNTS``, shape (11,).
    """
    ref_in = ref_out = hyp_in = hyp_out = Index(0)
    ref_end, hyp_end = Index(len(ref)), Index(len(hyp))
    with_ref = with_hyp = with_any = more = fewer = absolute = unequal = 0
    windows = max(0, n_units - k)
    start = -k
    r = h = 0
    while start < n_units:
        ref_enters = int(ref[ref_in]) - k if ref_in < ref_end else n_units
        ref_leaves = int(ref[ref_out]) if ref_out < ref_end else n_units
        hyp_enters = int(hyp[hyp_in]) - k if hyp_in < hyp_end else n_units
        hyp_leaves = int(hyp[hyp_out]) if hyp_out < hyp_end else n_units
        end = min(min(ref_enters, ref_leaves), min(hyp_enters, hyp_leaves))
        # Products of conditions, not branches: which boundary is the next nobody can foresee.
        inside = max(0, min(end, windows) - max(start, 0))
        with_ref += inside * (r > 0)
        with_hyp += inside * (h > 0)
        with_any += inside * (r + h > 0)
        more += inside * (r > h)
        fewer += inside * (r < h)
        absolute += inside * abs(r - h)
        unequal += (end - start) * (r != h)
        r += (ref_enters == end) - (ref_leaves == end)
        h += (hyp_enters == end) - (hyp_leaves == end)
        ref_in += Index(ref_enters == end)
        ref_out += Index(ref_leaves == end)
        hyp_in += Index(hyp_enters == end)
        hyp_out += Index(hyp_leaves == end)
        start = end
    tally = _Tally(with_ref, with_hyp, with_any, more, fewer, absolute, unequal)
    _write(tally, n_units, k, out)


@kernel
def _pass_boundaries(
    ref: Positions, hyp: Positions, k: int, padded: int, passed: Positions
) -> None:
    """Write how many boundaries lie up to each position of the padded document, both in one."""
    passed[: padded + 1] = 0
    for p in ref:
        passed[Index(k + p)] += 1
    for p in hyp:
        passed[Index(k + p)] += 1 << SHIFT
    total = np.int32(0)
    for i in range(Index(padded + 1)):
        total = np.int32(total + passed[i])
        passed[i] = total


@kernel
def _unequal(passed: Positions, k: int, first: int, end: int) -> np.int32:
    """Count the windows first..end-1 of the padded document with other numbers on either side."""
    found = np.int32(0)
    for i in range(Index(first), Index(end)):
        both = np.int32(passed[i + Index(k)] - passed[i])
        found = np.int32(found + ((both & LOW) != (both >> SHIFT)))
    return found


@kernel
def slide_by_unit(
    ref: Positions, hyp: Positions, n_units: int, k: int, passed: Positions, out: Ints
) -> None:
    """Visit every window; only for documents that ``dense`` names.

    Sums are int32, cast at each step as numba widens them: twice as many are taken at a time.

    Args:
        ref: positions of the reference, strictly ascending.
        hyp: positions of the hypothesis, strictly ascending.
        n_units: units N of the document.
        k: the size of windows.
        passed: room, shape (LONGEST,).
        out: written: the counts of ``windows.COUNTS``, shape (11,).
    """
    _pass_boundaries(ref, hyp, k, n_units + 2 * k, passed)
    after = max(n_units, k)
    with_ref = with_hyp = with_any = more = fewer = absolute = np.int32(0)
    for i in range(Index(k), Index(after)):
        both = np.int32(passed[i + Index(k)] - passed[i])
        r, h = np.int32(both & LOW), np.int32(both >> SHIFT)
        with_ref = np.int32(with_ref + (r > 0))
        with_hyp = np.int32(with_hyp + (h > 0))
        with_any = np.int32(with_any + (both != 0))
        more = np.int32(more + (r > h))
        fewer = np.int32(fewer + (r < h))
        absolute = np.int32(absolute + abs(np.int32(r - h)))
    edges = _unequal(passed, k, 0, k) + _unequal(passed, k, after, n_units + k)
    unequal = edges + more + fewer
    tally = _Tally(with_ref, with_hyp, with_any, more, fewer, absolute, unequal)
    _write(tally, n_units, k, out)
