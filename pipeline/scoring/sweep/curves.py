"""Threshold sweeps: what hypotheses get at every threshold over their candidates' scores.

At threshold t a hypothesis is made of the candidate boundaries whose score is at least t (Franz,
McCarley & Xu 2007, section 3).  Documents are swept each over its own thresholds; what changes at
each is whole numbers, so added up by threshold they give the curve of the run, however it was cut.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from segscore.pipeline.arrays.ragged import Floats, Ints, Ragged, column, flags, from_lists, numbers
from segscore.pipeline.errors import Failed
from segscore.pipeline.measures import MEASURES, content, windows
from segscore.pipeline.measures.measure import evaluate
from segscore.pipeline.measures.segmentation_pairs import pair_rows
from segscore.pipeline.scoring.pairs import Pairs, pair_up
from segscore.pipeline.scoring.references import References
from segscore.pipeline.scoring.sweep.candidates import CHANGING, candidates, changes_of

POOLED = (*CHANGING, "windows", "reference_windows", "content_size", "reference_segments")
VALUES = ("pk_miss_rate", "pk_false_alarm_rate", "pk_prior", "r_miss", "r_false_alarm")


@dataclass(frozen=True)
class Steps:
    """What the rows of one hypothesis coder add up to.

    Attributes:
        thresholds: distinct scores, ascending, shape (thresholds,).
        changes: what the counts of ``CHANGING`` change by when the threshold falls to this one,
            summed over pairs, shape (thresholds, 7).
        without: the counts of ``POOLED`` without any boundary, shape (11,).
        largest: what no count exceeds.
    """

    thresholds: Floats
    changes: Ints
    without: Ints
    largest: int

    def __post_init__(self) -> None:
        """Refuse shapes that do not fit each other: steps may come from a file.

        Raises:
            ValueError: they do not.
        """
        shapes = self.thresholds.shape, self.changes.shape, self.without.shape
        many = len(self.thresholds)
        if shapes != ((many,), (many, len(CHANGING)), (len(POOLED),)):
            raise ValueError("steps whose shapes do not fit each other")


def without_boundaries(references: Ragged, pairs: Pairs, n_units: Ints, window: Ints) -> Ints:
    """Count each pair as if the hypothesis had no boundary, shape (11, pairs).

    Args:
        references: boundary positions, one row a reference segmentation.
        pairs: who meets whom.
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
        "reference_segments": references.lengths[pairs.ref_row] + 1,
    }
    return np.stack([counted[name] for name in POOLED])


def sweep_pairs(hypotheses: pa.Table, document: Ints, references: References) -> dict[str, Steps]:
    """Sweep hypotheses over all their thresholds, against all references of their documents.

    Args:
        hypotheses: valid rows of segmentations, all with boundary_scores.
        document: of each row, shape (rows,).
        references: the accepted ones.

    Returns:
        The steps of each coder.
    """
    found = candidates(hypotheses, document, references)
    pairs = pair_up(document, references.first)
    size, window = references.size[pairs.ref_row], references.window[pairs.ref_row]
    changes = changes_of(found, references.side.boundaries, pairs, size, window)
    without = without_boundaries(references.side.boundaries, pairs, size, window)
    coders = hypotheses.column("coder").combine_chunks().dictionary_encode()
    coder = numbers(coders.indices)
    swept = {}
    for number, name in enumerate(coders.dictionary.to_pylist()):
        own = coder[found.row] == number
        its_pairs = coder[pairs.hyp_row] == number
        thresholds, summed = _by_threshold(found.score[own], changes[own])
        largest = sum(n * n for n in size[its_pairs].tolist())
        swept[name] = Steps(thresholds, summed, without[:, its_pairs].sum(axis=1), largest)
    return swept


def _by_threshold(scores: Floats, changes: Ints) -> tuple[Floats, Ints]:
    order = np.argsort(scores, kind="stable")
    thresholds, first = np.unique(scores[order], return_index=True)
    return thresholds, np.add.reduceat(changes[order], first) if len(first) else changes


def merge_steps(parts: Iterable[Mapping[str, Steps]]) -> dict[str, Steps]:
    """Add up the steps of several parts, whatever their order; coders by name.

    Raises:
        Failed: a hypothesis's content could add up beyond 2^63.
    """
    by_coder: dict[str, list[Steps]] = {}
    for part in parts:
        for coder, steps in part.items():
            by_coder.setdefault(coder, []).append(steps)
    merged = {}
    for coder, each in sorted(by_coder.items()):
        largest = sum(steps.largest for steps in each)
        if largest >= 2**63:
            raise Failed(
                f"{coder}: the squares of its documents' lengths add up to 2^63 or more, which "
                "content counted exactly cannot hold; sweep parts of the documents"
            )
        scores = np.concatenate([steps.thresholds for steps in each])
        thresholds, changes = _by_threshold(scores, np.concatenate([s.changes for s in each]))
        without = np.sum([steps.without for steps in each], axis=0)
        merged[coder] = Steps(thresholds, changes, without, largest)
    return merged


def curve(steps: Steps) -> Ints:
    """Take the counts of POOLED at each threshold, the last without a boundary, (points, 11)."""
    points = np.tile(steps.without, (len(steps.thresholds) + 1, 1))
    points[:-1, : len(CHANGING)] += np.cumsum(steps.changes[::-1], axis=0)[::-1]
    return points


def operating_point(produced: Ints, wanted: int) -> int:
    """Find the point whose mean segment length is closest to the reference's.

    Lengths over the same text are as close as |1/produced - 1/wanted| is small, compared exactly.
    Of equally close points the one with the highest threshold is taken.

    Args:
        produced: segments at each point, descending, the last without any boundary: at most
            ``wanted``, shape (points,).
        wanted: segments of the references.
    """
    ascending = produced[::-1]
    more = int(np.searchsorted(ascending, wanted, side="right"))
    fewer = int(np.searchsorted(ascending, ascending[more - 1]))
    last = len(produced) - 1
    if more > last:
        return last - fewer
    # Python's integers: the products may pass 2^63.
    a, b = int(ascending[fewer]), int(ascending[more])
    return last - (fewer if (wanted - a) * b <= (b - wanted) * a else more)


def tabulate_curves(
    swept: Mapping[str, Steps], parameters: Mapping[str, float]
) -> tuple[pa.Table, Ints]:
    """Write the curves (schemas/curves.py): hypotheses by name, thresholds ascending, null last.

    Args:
        swept: merged over the whole run, at least one coder.
        parameters: as ``evaluate`` takes them.

    Returns:
        The table, and in it the row of each hypothesis's operating point, shape (hypotheses,).
    """
    curves = [curve(steps) for steps in swept.values()]
    points = np.array([len(each) for each in curves])
    counts = dict(zip(POOLED, np.concatenate(curves).T, strict=True))
    values = evaluate([MEASURES[name] for name in VALUES], counts, parameters, rows=False)
    thresholds = np.concatenate([np.append(each.thresholds, np.nan) for each in swept.values()])
    size = counts["content_size"]
    lengths = {
        "mean_segment_length": size / counts["hypothesis_segments"],
        "reference_mean_segment_length": size / counts["reference_segments"],
    }
    names = np.repeat(np.arange(len(points)), points)
    table = pa.table(
        {
            "hypothesis": pa.array([*swept], pa.string()).take(pa.array(names)),
            "threshold": column(thresholds),
            **{name: column(of) for name, of in (counts | values | lengths).items()},
        }
    )
    chosen = [
        operating_point(each[:, POOLED.index("hypothesis_segments")], int(each[0, -1]))
        for each in curves
    ]
    return table, np.cumsum(points) - points + np.array(chosen)


def excerpt(curves: pa.Table, chosen: Ints, points: int) -> list[dict[str, Any]]:
    """Pick points of each curve, evenly over its thresholds, and its operating point.

    Args:
        curves: as ``tabulate_curves`` writes them.
        chosen: rows of the operating points, shape (hypotheses,).
        points: how many of each curve, at least 2, the operating point aside.

    Returns:
        Rows of curves; the key ``operating`` marks the operating points.
    """
    ends = np.flatnonzero(flags(curves.column("threshold").combine_chunks().is_null()))
    starts = np.append(0, ends[:-1] + 1)
    spread = np.linspace(starts, ends, points).astype(np.int64)
    picked = np.union1d(spread, chosen)
    rows = curves.take(pa.array(picked)).to_pylist()
    operating = np.isin(picked, chosen).tolist()
    return [row | {"operating": is_one} for row, is_one in zip(rows, operating, strict=True)]
