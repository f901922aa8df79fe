"""Changes of counts as each scored candidate boundary joins those with a higher score.

The change depends only on the candidate's neighbours and on the reference around it, so one walk
over a document's candidates, from the lowest score up, gives its counts at all of its thresholds.
"""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from segscore.pipeline.arrays.kernel import kernel
from segscore.pipeline.arrays.ragged import Floats, Ints, Positions, Ragged, numbers, row_values
from segscore.pipeline.measures.segmentation_pairs import SegmentationPairs, pair_rows
from segscore.pipeline.scoring.counting import Pairs
from segscore.pipeline.scoring.references import References

CHANGING = (
    "pk_misses",
    "pk_false_alarms",
    "content_leading_miss",
    "content_trailing_miss",
    "content_leading_false_alarm",
    "content_trailing_false_alarm",
    "hypothesis_segments",
    "matches",
)
"""Counts that depend on the threshold."""

(
    _PK_MISSES,
    _PK_FALSE_ALARMS,
    _LEADING_MISS,
    _TRAILING_MISS,
    _LEADING_FALSE_ALARM,
    _TRAILING_FALSE_ALARM,
    _SEGMENTS,
    _MATCHES,
) = range(8)
"""Columns of arrays of changes, in the order of ``CHANGING``."""


@dataclass(frozen=True)
class Candidates:
    """The scored candidate boundaries of some hypotheses.

    Attributes:
        row: hypothesis of each candidate, shape (candidates,).
        score: score of each candidate, in [0, 1], shape (candidates,).
        best: for each position of each hypothesis, the candidate with the highest score, by
            hypothesis and position; positions outside the text are left out, shape (positions,).
        boundaries: the positions of ``best``, in the unit of the run, one row per hypothesis.
    """

    row: Ints
    score: Floats
    best: Ints
    boundaries: Ragged


def find_candidates(hypotheses: pa.Table, document: Ints, references: References) -> Candidates:
    """Convert scored boundaries to the unit of the run.

    Several candidates at one position (boundary types, units without words) become one, with the
    highest score.
    """
    lists, scores = (
        hypotheses.column(name).combine_chunks() for name in ("boundaries", "boundary_scores")
    )
    row = np.repeat(np.arange(len(lists)), numbers(pc.list_value_length(lists)))
    position = numbers(pc.list_flatten(lists)).astype(np.int64)
    # Replace -0.0 by 0.0, so that equal thresholds have equal bytes.
    score = numbers(pc.list_flatten(scores)) + 0.0
    if references.words is not None:
        words = references.words
        position = words.totals[words.lengths.offsets[document[row]] + position - 1]
    size = references.size[references.first[document]]
    best = np.empty(len(row), np.int64)
    best = best[: _best(row, position, score, size[row], best)]
    offsets = np.searchsorted(row[best], np.arange(len(lists) + 1))
    return Candidates(row, score, best, Ragged(offsets, position[best].astype(np.int32)))


@kernel
def _best(row: Ints, position: Ints, score: Floats, size: Ints, best: Ints) -> int:
    """Write the best candidate of each position inside the document; return their number."""
    n = 0
    for c in range(len(row)):
        if position[c] <= 0 or position[c] >= size[c]:
            continue
        if n > 0 and row[best[n - 1]] == row[c] and position[best[n - 1]] == position[c]:
            if score[c] > score[best[n - 1]]:
                best[n - 1] = c
        else:
            best[n] = c
            n += 1
    return n


@kernel
def _add_windows(ref: Positions, before: int, p: int, after: int, k: int, change: Ints) -> None:
    """Count the windows in which p is the only boundary: one miss less, or one false alarm more."""
    first = max(p - k + 1, before + 1)
    last = min(p, after - k)
    if first > last:
        return
    missed = 0
    free = first
    j = np.searchsorted(ref, first)
    while j < len(ref) and ref[j] - k + 1 <= last:
        start = max(free, ref[j] - k + 1)
        end = min(last, ref[j])
        if start <= end:
            missed += end - start + 1
            free = end + 1
        j += 1
    change[_PK_MISSES] -= missed
    change[_PK_FALSE_ALARMS] += last - first + 1 - missed


@kernel
def _add_content(
    ref: Positions, before: int, p: int, after: int, n_units: int, change: Ints
) -> None:
    """Update content errors when a boundary at p splits the segment from ``before`` to ``after``.

    Only the reference segment around p contributes.
    """
    j = np.searchsorted(ref, p)
    story_start = ref[j - 1] if j > 0 else 0
    story_end = ref[j] if j < len(ref) else n_units
    left = p - max(before, story_start)
    right = min(after, story_end) - p
    left_of_story = p - left - before
    right_of_story = after - right - p
    change[_LEADING_MISS] += left * right
    change[_TRAILING_MISS] += left * right
    change[_LEADING_FALSE_ALARM] -= right_of_story * (p - before) + right * left_of_story
    change[_TRAILING_FALSE_ALARM] -= left_of_story * (after - p) + left * right_of_story


@kernel
def _walk(
    ref: Positions, positions: Positions, scores: Floats, n_units: int, k: int, changes: Ints
) -> None:
    """Remove the candidates in ascending order of score; add the change that each had made."""
    n = len(positions)
    left = np.arange(-1, n - 1)
    right = np.arange(1, n + 1)
    for c in np.argsort(scores, kind="mergesort"):
        before = positions[left[c]] if left[c] >= 0 else 0
        after = positions[right[c]] if right[c] < n else n_units
        _add_windows(ref, before, positions[c], after, k, changes[c])
        _add_content(ref, before, positions[c], after, n_units, changes[c])
        changes[c, _SEGMENTS] += 1
        place = np.searchsorted(ref, positions[c])
        if place < len(ref) and ref[place] == positions[c]:
            changes[c, _MATCHES] += 1
        if left[c] >= 0:
            right[left[c]] = right[c]
        if right[c] < n:
            left[right[c]] = left[c]


@kernel
def _walk_pairs(pairs: SegmentationPairs, scores: Floats, window: Ints, changes: Ints) -> None:
    hypotheses = pairs.hypotheses
    for i in range(len(pairs.ref_row)):
        ref = row_values(pairs.references, pairs.ref_row[i])
        first, end = hypotheses.offsets[pairs.hyp_row[i]], hypotheses.offsets[pairs.hyp_row[i] + 1]
        _walk(
            ref,
            hypotheses.values[first:end],
            scores[first:end],
            pairs.n_units[i],
            window[i],
            changes[first:end],
        )


def compute_changes(
    candidates: Candidates, references: Ragged, pairs: Pairs, n_units: Ints, window: Ints
) -> Ints:
    """Compute how the counts change when each candidate joins those with a higher score.

    Of candidates with equal scores or at one position, only the summed change has a meaning.
    Takes O(log boundaries) time per candidate and reference.

    Args:
        candidates: the candidates.
        references: boundary positions, one row per reference segmentation.
        pairs: pairs of references and hypotheses.
        n_units: units N of each pair's document (words in a run in words), shape (pairs,).
        window: window size k of each pair, shape (pairs,).

    Returns:
        Changes summed over the references of the document, shape (candidates, 8).
    """
    best_changes = np.zeros((len(candidates.best), len(CHANGING)), np.int64)
    rows = pair_rows(references, candidates.boundaries, pairs.ref_row, pairs.hyp_row, n_units)
    _walk_pairs(rows, candidates.score[candidates.best], window, best_changes)
    changes = np.zeros((len(candidates.row), len(CHANGING)), np.int64)
    changes[candidates.best] = best_changes
    return changes
