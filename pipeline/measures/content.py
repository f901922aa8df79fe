"""Content measures: how much a listener misses of a story, and hears of other stories.

Franz, McCarley & Xu 2007, "User-Oriented Text Segmentation Evaluation Measure", eq 1 and the
generalisations named in its section 2.
"""

from typing import NamedTuple

import numpy as np

from segscore.pipeline.arrays.kernel import kernel
from segscore.pipeline.arrays.ragged import Ints, Positions, row_values
from segscore.pipeline.measures.compared import ComparedPairs, UnitTotals
from segscore.pipeline.measures.measure import IDENTITY, REVERSIBLE, Measure
from segscore.pipeline.measures.prefetch import AT_ONCE, FIRST_PAIR, Index, prefetch
from segscore.pipeline.measures.segmentation_pairs import SegmentationPairs

COUNTS = {
    "content_miss": "sum over units of the number of units in the same reference segment "
    "but in another hypothesis segment",
    "content_false_alarm": "sum over units of the number of units in the same hypothesis segment "
    "but in another reference segment",
    "content_size": "units at which a listener can be: n_units",
    "content_leading_miss": "the part of content_miss before the hypothesis segment",
    "content_trailing_miss": "the part of content_miss after the hypothesis segment",
    "content_leading_false_alarm": "the part of content_false_alarm before the reference segment",
    "content_trailing_false_alarm": "the part of content_false_alarm after the reference segment",
    "stories": "reference segments",
    "story_miss_sum": "sum over stories of the share missed, in multiples of 2^-40",
    "story_false_alarm_sum": "sum over stories of the unwanted share heard, in multiples of 2^-40",
}

(
    _MISS,
    _FALSE_ALARM,
    _SIZE,
    _LEADING_MISS,
    _TRAILING_MISS,
    _LEADING_FALSE_ALARM,
    _TRAILING_FALSE_ALARM,
    _STORIES,
    _STORY_MISS_SUM,
    _STORY_FALSE_ALARM_SUM,
) = range(10)
"""Rows of ``COUNTS``."""

_ROWS = len(COUNTS)

STORY_BITS = 40
"""A story's fractions are counted in units of 2^-STORY_BITS."""

STORY_UNIT = 2.0**STORY_BITS


class _Places(NamedTuple):
    """The places of boundaries, with the end of the document as the last one.

    Attributes:
        words: number of words before each boundary; a listener can be at any word.
        content: amount of content before each boundary.
    """

    words: Ints
    content: Ints


@kernel
def _overlaps(ref: _Places, hyp: _Places, out: Ints) -> None:
    """Count the content, visiting each overlap of a reference and a hypothesis segment once.

    In the names, a reference segment is a story, and a hypothesis segment is what is shown. An
    overlap without words adds nothing, because no listener can be there, so it is enough to visit
    boundaries in the order of words, even if several have the same number of words before them.
    """
    h = 0
    start = content_start = shown_start_content = 0
    leading_miss = trailing_miss = leading_false_alarm = trailing_false_alarm = 0
    out[:] = 0
    for r in range(len(ref.words)):
        end, content_end = ref.words[r], ref.content[r]
        missed = 0
        spurious = 0.0
        overlap_start = start
        while overlap_start < end:
            shown_end, shown_end_content = hyp.words[h], hyp.content[h]
            words = min(end, shown_end) - overlap_start
            first_shared = max(content_start, shown_start_content)
            last_shared = min(content_end, shown_end_content)
            missed += words * (content_end - content_start - (last_shared - first_shared))
            leading_miss += words * (first_shared - content_start)
            trailing_miss += words * (content_end - last_shared)
            leading_false_alarm += words * (first_shared - shown_start_content)
            trailing_false_alarm += words * (shown_end_content - last_shared)
            extra = words * (shown_end_content - shown_start_content - (last_shared - first_shared))
            if extra > 0:
                spurious += extra / (shown_end_content - shown_start_content)
            overlap_start += words
            if shown_end <= end:
                h += 1
                shown_start_content = shown_end_content
        if end > start:
            out[_STORIES] += 1
            if missed > 0:
                share = missed / ((end - start) * (content_end - content_start))
                out[_STORY_MISS_SUM] += np.int64(np.rint(share * STORY_UNIT))
            out[_STORY_FALSE_ALARM_SUM] += np.int64(np.rint(spurious / (end - start) * STORY_UNIT))
        start = end
        content_start = content_end
    out[_MISS] = leading_miss + trailing_miss
    out[_FALSE_ALARM] = leading_false_alarm + trailing_false_alarm
    out[_SIZE] = ref.words[-1]
    out[_LEADING_MISS], out[_TRAILING_MISS] = leading_miss, trailing_miss
    out[_LEADING_FALSE_ALARM] = leading_false_alarm
    out[_TRAILING_FALSE_ALARM] = trailing_false_alarm


@kernel
def _overlaps_in_units(ref: Positions, hyp: Positions, size: int, out: Ints) -> None:
    """Count as ``_overlaps`` does, where content is the units that a listener can be at.

    Then the listeners of a story miss as much before the segment shown to them as after it: of two
    units of a story that are not shown together, each misses the other, one as leading and one as
    trailing content. The same is true of false alarms, so only one of the two is counted.
    """
    r = h = Index(0)
    ref_end, hyp_end = Index(len(ref)), Index(len(hyp))
    overlap_start = start = shown_start = missed = 0
    spurious = 0.0
    miss = false_alarm = miss_shares = false_alarm_shares = 0
    while overlap_start < size:
        end = int(ref[r]) if r < ref_end else size
        shown_end = int(hyp[h]) if h < hyp_end else size
        overlap_end = min(end, shown_end)
        words, story, shown = overlap_end - overlap_start, end - start, shown_end - shown_start
        miss += words * (overlap_start - start)
        false_alarm += words * (overlap_start - shown_start)
        missed += words * (story - words)
        spurious += words * (shown - words) / shown
        # Products, not branches: which of the two segments ends here is unpredictable.
        ends, shown_ends = overlap_end == end, overlap_end == shown_end
        miss_shares += ends * int(np.rint(missed / (story * story) * STORY_UNIT))
        false_alarm_shares += ends * int(np.rint(spurious / story * STORY_UNIT))
        missed *= not ends
        spurious *= not ends
        start += ends * story
        shown_start += shown_ends * shown
        r += Index(ends)
        h += Index(shown_ends)
        overlap_start = overlap_end
    out[_MISS], out[_FALSE_ALARM], out[_SIZE] = 2 * miss, 2 * false_alarm, size
    out[_LEADING_MISS] = out[_TRAILING_MISS] = miss
    out[_LEADING_FALSE_ALARM] = out[_TRAILING_FALSE_ALARM] = false_alarm
    out[_STORIES] = len(ref) + 1
    out[_STORY_MISS_SUM], out[_STORY_FALSE_ALARM_SUM] = miss_shares, false_alarm_shares


@kernel
def _count_pairs(pairs: SegmentationPairs, counts: Ints) -> None:
    ref_row, hyp_row, n_units = pairs.ref_row, pairs.hyp_row, pairs.n_units
    row = np.zeros(_ROWS, np.int64)
    ends, buffer = np.empty(AT_ONCE + 1, np.int64), np.empty(0, np.int32)
    first = FIRST_PAIR
    while first < len(ref_row):
        buffer, copied = prefetch(pairs.references, ref_row, first, ends, buffer)
        for i in range(first, first + copied):
            ref = buffer[ends[i - first] : ends[i - first + 1]]
            _overlaps_in_units(ref, row_values(pairs.hypotheses, hyp_row[i]), n_units[i], row)
            for c in range(_ROWS):
                counts[c, i] = row[c]
        first += copied


def count(pairs: SegmentationPairs) -> Ints:
    """Count the content of each pair (docs/measures.md), in time proportional to its boundaries.

    Args:
        pairs: the segmentations to compare, in words if the run measures in words.

    Returns:
        One row per count of ``COUNTS``, shape (10, pairs).  Content is in units squared (there is a
        listener at each unit, who misses some units) and below N^2.  A story's two fractions are
        computed in float64 and each rounded once to 2^-40.  Their sums are below 2^40 x stories, so
        they fit for fewer than 2^23 stories, whether of one pair or summed over all pairs.
    """
    counts = np.empty((_ROWS, len(pairs.ref_row)), np.int64)
    _count_pairs(pairs, counts)
    return counts


@kernel
def _places(positions: Positions, words: Ints, weights: Ints) -> _Places:
    """Return the places of boundaries in a document, followed by its end."""
    last_unit = np.empty(len(positions) + 1, np.int64)
    for i in range(len(positions)):  # not by a slice; see ``digests``
        last_unit[i] = positions[i] - 1
    last_unit[-1] = len(words) - 1
    return _Places(words[last_unit], weights[last_unit])


@kernel
def _count_weighted_pairs(
    pairs: SegmentationPairs, document: Ints, units: UnitTotals, counts: Ints
) -> None:
    row = np.zeros(_ROWS, np.int64)
    for i in range(len(pairs.ref_row)):
        first, end = units.offsets[document[i]], units.offsets[document[i] + 1]
        words, weights = units.words[first:end], units.weights[first:end]
        ref = _places(row_values(pairs.references, pairs.ref_row[i]), words, weights)
        hyp = _places(row_values(pairs.hypotheses, pairs.hyp_row[i]), words, weights)
        _overlaps(ref, hyp, row)
        for c in range(_ROWS):
            counts[c, i] = row[c]


def count_weighted(pairs: SegmentationPairs, document: Ints, units: UnitTotals) -> Ints:
    """Count the content of each pair in unit weights, with a listener at each word.

    See docs/measures.md. Positions are in units even if the run measures in words: two boundaries
    with the same position in words may have units between them that have weight but no words.

    Args:
        pairs: the segmentations to compare, in units; ``n_units`` is not used.
        document: index into ``units.offsets`` of each pair's document, shape (pairs,).
        units: words and weights of all documents.

    Returns:
        The counts of ``count``, with content in words x weight, below words x weight of the
        document, which must be below 2^63.  A story's fractions are shares of weight, 0 for a story
        (or a hypothesis segment) without weight; a story without words is not counted.
    """
    counts = np.empty((_ROWS, len(pairs.ref_row)), np.int64)
    _count_weighted_pairs(pairs, document, units, counts)
    return counts


def count_compared(compared: ComparedPairs) -> Ints:
    """Count each pair of a run, as ``count`` does."""
    weighted = compared.weighted
    return count(compared.pairs) if weighted is None else count_weighted(*weighted)


F07 = "Franz, McCarley & Xu 2007,"
_ASYMMETRIC_LAWS = frozenset({IDENTITY, REVERSIBLE})
"""Reversible as long as leading and trailing content have equal weights, which is the default."""

MEASURES = (
    Measure(
        "r_miss",
        "(weight_leading_miss * content_leading_miss"
        " + weight_trailing_miss * content_trailing_miss) / content_size",
        f"{F07} eq 1; weights section 2",
        _ASYMMETRIC_LAWS,
        upper=None,
        description="R_miss: content missed, mean over units, in the unit of the run",
    ),
    Measure(
        "r_false_alarm",
        "(weight_leading_false_alarm * content_leading_false_alarm"
        " + weight_trailing_false_alarm * content_trailing_false_alarm) / content_size",
        f"{F07} eq 1; weights section 2",
        _ASYMMETRIC_LAWS,
        upper=None,
        description="R_fa: unwanted content heard, mean over units, in the unit of the run",
    ),
    Measure(
        "story_miss",
        f"story_miss_sum * 2**-{STORY_BITS} / stories",
        f"{F07} section 2 (macro)",
        _ASYMMETRIC_LAWS,
        description="mean over stories of the share missed",
    ),
    Measure(
        "story_false_alarm",
        f"story_false_alarm_sum * 2**-{STORY_BITS} / stories",
        f"{F07} section 2 (macro)",
        _ASYMMETRIC_LAWS,
        description="mean over stories of the share of the content heard that is not part of the "
        "story",
    ),
)
