"""Slide a window over a pair: from boundary to boundary, or unit by unit if boundaries are dense.

All ways give the same counts; a third is in ``words.py``.  In a dense document, each window needs
little more than its two numbers of boundaries, which are computed for many windows at once.  A
sparse document has long runs of equal windows, so it is enough to visit the changes between them.
Small windows of documents that are not sparse are counted 64 at a time (``words``), with the same
counts too.
"""

from typing import NamedTuple

import numpy as np

from segscore.pipeline.arrays.kernel import inlined, kernel
from segscore.pipeline.arrays.ragged import Ints, Positions
from segscore.pipeline.measures.prefetch import Index

_DENSE = 6
"""Largest number of padded units per boundary of both sides for a document to be dense."""

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

_Number = int | np.int32 | np.int64
SHIFT, LOW = 16, (1 << 16) - 1


@inlined
def dense(boundaries: int, n_units: int, k: int) -> bool:
    """Return whether to slide unit by unit."""
    padded = n_units + 2 * k
    return padded < LONGEST and padded <= _DENSE * boundaries


class WindowTally(NamedTuple):
    """Numbers of windows of the document, or for ``unequal`` of the padded document.

    Attributes:
        with_ref: windows with a reference boundary.
        with_hyp: windows with a hypothesis boundary.
        with_any: windows with a boundary of either side.
        more: windows with more reference than hypothesis boundaries.
        fewer: windows with fewer reference than hypothesis boundaries.
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


@inlined
def write_tally(tally: WindowTally, n_units: int, k: int, out: Ints) -> None:
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
    """Count windows, visiting only the starts at which a boundary enters or leaves.

    A window that starts at s covers positions s + 1..s + k. The windows of the padded document
    start at -k..n_units - 1, those of the document itself at 0..n_units - k - 1.

    Args:
        ref: positions of the reference, ascending; each may be repeated.
        hyp: positions of the hypothesis, likewise.
        n_units: number N of units of the document.
        k: window size.
        out: output: the counts of ``windows.COUNTS``, shape (11,).
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
        # Products of conditions, not branches: which boundary comes next is unpredictable.
        inside = max(0, min(end, windows) - max(start, 0))
        with_ref += inside * (r > 0)
        with_hyp += inside * (h > 0)
        with_any += inside * (r + h > 0)
        more += inside * (r > h)
        fewer += inside * (r < h)
        absolute += inside * abs(r - h)
        unequal += (end - start) * (r != h)
        r += int(ref_enters == end) - int(ref_leaves == end)
        h += int(hyp_enters == end) - int(hyp_leaves == end)
        ref_in += Index(ref_enters == end)
        ref_out += Index(ref_leaves == end)
        hyp_in += Index(hyp_enters == end)
        hyp_out += Index(hyp_leaves == end)
        start = end
    write_tally(
        WindowTally(with_ref, with_hyp, with_any, more, fewer, absolute, unequal), n_units, k, out
    )


@inlined
def _pass_boundaries(
    ref: Positions, hyp: Positions, k: int, padded: int, passed: Positions
) -> None:
    """Write the number of boundaries up to each position of the padded document.

    The low 16 bits count the reference's, the high bits the hypothesis's.
    """
    passed[: padded + 1] = 0
    for p in ref:
        passed[Index(k + p)] += 1
    for p in hyp:
        passed[Index(k + p)] += 1 << SHIFT
    total = np.int32(0)
    for i in range(Index(padded + 1)):
        total = np.int32(total + passed[i])
        passed[i] = total


@inlined
def _unequal(passed: Positions, k: int, first: _Number, end: int) -> np.int32:
    """Count the windows first..end-1 of the padded document in which the two numbers differ."""
    count = np.int32(0)
    for i in range(Index(first), Index(end)):
        packed = np.int32(passed[i + Index(k)] - passed[i])
        count = np.int32(count + ((packed & LOW) != (packed >> SHIFT)))
    return count


@kernel
def slide_by_unit(
    ref: Positions, hyp: Positions, n_units: int, k: int, passed: Positions, out: Ints
) -> None:
    """Count windows, visiting every one; only for documents that are ``dense``.

    Sums are cast to int32 at each step, because numba would widen them: as int32, twice as many are
    computed at a time.

    Args:
        ref: positions of the reference, strictly ascending.
        hyp: positions of the hypothesis, strictly ascending.
        n_units: number N of units of the document.
        k: window size.
        passed: scratch space, shape (LONGEST,).
        out: output: the counts of ``windows.COUNTS``, shape (11,).
    """
    _pass_boundaries(ref, hyp, k, n_units + 2 * k, passed)
    after = max(n_units, k)
    with_ref = with_hyp = with_any = more = fewer = absolute = np.int32(0)
    for i in range(Index(k), Index(after)):
        packed = np.int32(passed[i + Index(k)] - passed[i])
        r, h = np.int32(packed & LOW), np.int32(packed >> SHIFT)
        with_ref = np.int32(with_ref + (r > 0))
        with_hyp = np.int32(with_hyp + (h > 0))
        with_any = np.int32(with_any + (packed != 0))
        more = np.int32(more + (r > h))
        fewer = np.int32(fewer + (r < h))
        absolute = np.int32(absolute + abs(np.int32(r - h)))
    first = np.int64(0)  # for a literal 0, numba would compile the kernel once more
    edges = _unequal(passed, k, first, k) + _unequal(passed, k, after, n_units + k)
    unequal = edges + more + fewer
    tally = WindowTally(
        np.int64(with_ref),
        np.int64(with_hyp),
        np.int64(with_any),
        np.int64(more),
        np.int64(fewer),
        np.int64(absolute),
        unequal,
    )
    write_tally(tally, n_units, k, out)
