"""Threshold sweeps: the counts of hypotheses at every threshold over their candidates' scores.

At threshold t a hypothesis consists of the candidate boundaries whose score is at least t (Franz,
McCarley & Xu 2007, section 3). Each document is swept over its own thresholds. The changes at each
threshold are integers, so their sums by threshold give the curve of the run, however it was divided
into parts.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from math import fsum
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from segscore.pipeline.arrays.ragged import Floats, Ints, Ragged, column, flags, from_lists, numbers
from segscore.pipeline.errors import Failed
from segscore.pipeline.measures import PAIRS, content, windows
from segscore.pipeline.measures.segmentation_pairs import pair_rows
from segscore.pipeline.scoring.counting import Pairs, pair_up
from segscore.pipeline.scoring.references import References
from segscore.pipeline.scoring.sweep.candidates import CHANGING, compute_changes, find_candidates

POOLED = (*CHANGING, "windows", "reference_windows", "content_size", "reference_segments")
VALUES = ("pk_miss_rate", "pk_false_alarm_rate", "pk_prior", "r_miss", "r_false_alarm")


@dataclass(frozen=True)
class Steps:
    """Sums over the rows of one coder of hypotheses.

    Attributes:
        thresholds: distinct scores, ascending, shape (thresholds,).
        changes: change of the ``CHANGING`` counts when the threshold falls to each score, summed
            over pairs, shape (thresholds, 8).
        without: the ``POOLED`` counts without any boundary, shape (12,).
        largest: upper limit of every count.
    """

    thresholds: Floats
    changes: Ints
    without: Ints
    largest: int

    def __post_init__(self) -> None:
        """Refuse shapes that do not match, because steps may come from a file."""
        shapes = self.thresholds.shape, self.changes.shape, self.without.shape
        many = len(self.thresholds)
        if shapes != ((many,), (many, len(CHANGING)), (len(POOLED),)):
            raise ValueError("the shapes of thresholds, changes and counts do not match")


def without_boundaries(references: Ragged, pairs: Pairs, n_units: Ints, window: Ints) -> Ints:
    """Count each pair as if the hypothesis had no boundary, shape (12, pairs).

    Args:
        references: boundary positions, one row per reference segmentation.
        pairs: pairs of references and hypotheses.
        n_units: units N of each pair's document (words in a run in words), shape (pairs,).
        window: window size k of each pair, shape (pairs,).
    """
    rows = pairs.ref_row, np.zeros_like(pairs.ref_row)
    empty = pair_rows(references, from_lists([[]]), *rows, n_units)
    by_window = windows.count(empty, window)
    by_content = content.count(empty)
    counted = {
        **dict(zip(windows.COUNTS, by_window, strict=True)),
        **dict(zip(content.COUNTS, by_content, strict=True)),
        "hypothesis_segments": np.ones_like(n_units),
        "matches": np.zeros_like(n_units),
        "reference_segments": references.lengths[pairs.ref_row] + 1,
    }
    return np.stack([counted[name] for name in POOLED])


def sweep_pairs(hypotheses: pa.Table, document: Ints, references: References) -> dict[str, Steps]:
    """Sweep hypotheses over all their thresholds, against all references of their documents.

    Returns:
        The steps of each coder.
    """
    candidates = find_candidates(hypotheses, document, references)
    pairs = pair_up(document, references.first)
    size, window = references.size[pairs.ref_row], references.window[pairs.ref_row]
    changes = compute_changes(candidates, references.side.boundaries, pairs, size, window)
    without = without_boundaries(references.side.boundaries, pairs, size, window)
    coders = hypotheses.column("coder").combine_chunks().dictionary_encode()
    coder = numbers(coders.indices)
    steps_by_coder = {}
    for number, name in enumerate(coders.dictionary.to_pylist()):
        of_coder = coder[candidates.row] == number
        coder_pairs = coder[pairs.hyp_row] == number
        thresholds, summed = _by_threshold(candidates.score[of_coder], changes[of_coder])
        largest = sum(n * n for n in size[coder_pairs].tolist())
        steps_by_coder[name] = Steps(
            thresholds, summed, without[:, coder_pairs].sum(axis=1), largest
        )
    return steps_by_coder


def _by_threshold(scores: Floats, changes: Ints) -> tuple[Floats, Ints]:
    order = np.argsort(scores, kind="stable")
    thresholds, first = np.unique(scores[order], return_index=True)
    return thresholds, np.add.reduceat(changes[order], first) if len(first) else changes


def merge_steps(parts: Iterable[Mapping[str, Steps]]) -> dict[str, Steps]:
    """Add up the steps of several parts, in any order; the result is sorted by coder.

    Raises:
        Failed: the content counts of a hypothesis could exceed 2^63.
    """
    by_coder: dict[str, list[Steps]] = {}
    for part in parts:
        for coder, steps in part.items():
            by_coder.setdefault(coder, []).append(steps)
    merged = {}
    for coder, coder_steps in sorted(by_coder.items()):
        largest = sum(steps.largest for steps in coder_steps)
        if largest >= 2**63:
            raise Failed(
                f"{coder}: the squared lengths of its documents add up to 2^63 or more, too much "
                "to count content exactly; sweep fewer documents at a time"
            )
        scores = np.concatenate([steps.thresholds for steps in coder_steps])
        thresholds, changes = _by_threshold(
            scores, np.concatenate([s.changes for s in coder_steps])
        )
        without = np.sum([steps.without for steps in coder_steps], axis=0)
        merged[coder] = Steps(thresholds, changes, without, largest)
    return merged


def curve(steps: Steps) -> Ints:
    """Return the POOLED counts at each threshold, last without a boundary, shape (points, 12)."""
    points = np.tile(steps.without, (len(steps.thresholds) + 1, 1))
    points[:-1, : len(CHANGING)] += np.cumsum(steps.changes[::-1], axis=0)[::-1]
    return points


def operating_point(produced: Ints, wanted: int) -> int:
    """Find the point whose mean segment length is closest to the reference's.

    Lengths over the same text are as close as |1/produced - 1/wanted| is small, compared exactly.
    If several points are equally close, the one with the highest threshold is returned.

    Args:
        produced: segments at each point, descending, the last without any boundary and at most
            ``wanted``, shape (points,).
        wanted: segments of the references.
    """
    ascending = produced[::-1]
    more = int(np.searchsorted(ascending, wanted, side="right"))
    fewer = int(np.searchsorted(ascending, ascending[more - 1]))
    last = len(produced) - 1
    if more > last:
        return last - fewer
    # Python's integers, because the products may exceed 2^63.
    a, b = int(ascending[fewer]), int(ascending[more])
    return last - (fewer if (wanted - a) * b <= (b - wanted) * a else more)


def average_precision(points: Ints) -> float | None:
    """Return the area below precision over recall of a curve, as a step function.

    From each threshold to the next lower one, recall rises by the share of the boundaries of the
    references that then match; each such step counts the precision at the lower threshold.

    Args:
        points: the POOLED counts at each threshold, ascending, last without any boundary.

    Returns:
        A share; None if the references have no boundaries.
    """
    segments, matches, wanted = (
        points[:, POOLED.index(name)].tolist()
        for name in ("hypothesis_segments", "matches", "reference_segments")
    )
    pairs = segments[-1]
    boundaries = wanted[-1] - pairs
    if not boundaries:
        return None
    steps = zip(pairwise(matches), segments, strict=False)
    return fsum(
        (found - before) * found / ((placed - pairs) * boundaries)
        for (found, before), placed in steps
        if found > before
    )


def tabulate_curves(
    steps_by_coder: Mapping[str, Steps], parameters: Mapping[str, float]
) -> tuple[pa.Table, pa.Table]:
    """Build the tables curves and operating_points (schemas/curves.py).

    Curves are by hypothesis, thresholds ascending, null last.
    """
    curves = [curve(steps) for steps in steps_by_coder.values()]
    points = np.array([len(rows) for rows in curves])
    counts = dict(zip(POOLED, np.concatenate(curves).T, strict=True))
    values = PAIRS.only(VALUES).values(counts, parameters, rows=False)
    thresholds = np.concatenate(
        [np.append(steps.thresholds, np.nan) for steps in steps_by_coder.values()]
    )
    size = counts["content_size"]
    lengths = {
        "mean_segment_length": size / counts["hypothesis_segments"],
        "reference_mean_segment_length": size / counts["reference_segments"],
    }
    names = np.repeat(np.arange(len(points)), points)
    table = pa.table(
        {
            "hypothesis": pa.array([*steps_by_coder], pa.string()).take(pa.array(names)),
            "threshold": column(thresholds),
            **{name: column(array) for name, array in (counts | values | lengths).items()},
        }
    )
    chosen = [
        operating_point(rows[:, POOLED.index("hypothesis_segments")], int(rows[0, -1]))
        for rows in curves
    ]
    operating = table.take(pa.array(np.cumsum(points) - points + np.array(chosen)))
    areas = pa.array([average_precision(rows) for rows in curves], pa.float64())
    return table, operating.append_column("average_precision", areas)


def excerpt(curves: pa.Table, operating: pa.Table, points: int) -> list[dict[str, Any]]:
    """Select points of each curve, evenly spaced over its thresholds, and its operating point.

    Args:
        curves: table as returned by ``tabulate_curves``.
        operating: the rows of the operating points.
        points: how many points of each curve, at least 2, in addition to the operating point.

    Returns:
        Rows of curves; the key ``operating`` marks the operating points.
    """
    ends = np.flatnonzero(flags(curves.column("threshold").combine_chunks().is_null()))
    starts = np.append(0, ends[:-1] + 1)
    spread = np.linspace(starts, ends, points).astype(np.int64)
    chosen = [_row_of(curves, point) for point in operating.select(_POINT).to_pylist()]
    selected = np.union1d(spread, chosen)
    rows = curves.take(pa.array(selected)).to_pylist()
    marks = np.isin(selected, chosen).tolist()
    return [row | {"operating": mark} for row, mark in zip(rows, marks, strict=True)]


_POINT = ["hypothesis", "threshold"]
"""Columns that name a point of the curves."""


def _row_of(curves: pa.Table, point: Mapping[str, Any]) -> int:
    """Return the row of a point of the curves."""
    hypothesis, threshold = (curves.column(name) for name in _POINT)
    at = point["threshold"]
    is_there = pc.is_null(threshold) if at is None else pc.equal(threshold, at)
    is_point = pc.and_(pc.fill_null(is_there, False), pc.equal(hypothesis, point["hypothesis"]))
    return int(pc.index(is_point, True).as_py())
