"""Which boundary type was taken for which: the confusion matrix over classes.

Fournier 2013, equation 7, with the credit 1 - w that docs/measures.md gives a pair of weight w.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from segscore.pipeline.arrays.kernel import kernel
from segscore.pipeline.arrays.ragged import Ints, Positions
from segscore.pipeline.measures.pairing import Rules


class Decisions(NamedTuple):
    """Decisions by class of the reference and class of the hypothesis; may be summed.

    Attributes:
        types: the boundary types declared, ascending: classes 1, 2, ...; class 0 is no boundary.
        cells: whole numbers: decisions, near misses of these, and the sum of their distances,
            shape (3, classes, classes).
    """

    types: Ints
    cells: Ints


def no_decisions(types: Sequence[int]) -> Decisions:
    """An empty table of decisions, to be added to by ``edits.count``.

    Args:
        types: the boundary types declared, distinct.
    """
    classes = len(types) + 1
    return Decisions(np.array(sorted(types), np.int64), np.zeros((3, classes, classes), np.int64))


@kernel
def add_decisions(
    ref_types: Positions | None,
    boundaries: int,
    room: Ints,
    found: int,
    rules: Rules,
    decided: Decisions,
) -> None:
    """Add what ``pair`` decided about one pair of segmentations.

    Args:
        ref_types: types of the reference's boundaries; None where there is one type.
        boundaries: how many the reference has.
        room: as ``pair`` left it.
        found: what ``pair`` returned.
        rules: of the run.
        decided: is added to.
    """
    code, in_ref, partner = room[0], room[1], room[2]
    types, cells = decided.types, decided.cells
    if ref_types is None:
        cells[0, 1, 1] += boundaries
    else:
        for kind in ref_types:
            actual = np.searchsorted(types, kind) + 1
            cells[0, actual, actual] += 1
    for k in range(found):
        actual = np.searchsorted(types, code[k] % rules.type_range + rules.lowest) + 1
        if in_ref[k]:
            cells[0, actual, actual] -= 1  # it is no match
        other = partner[k]
        if other < 0:
            cells[0, actual * in_ref[k], actual * (1 - in_ref[k])] += 1
        elif in_ref[k]:
            predicted = np.searchsorted(types, code[other] % rules.type_range + rules.lowest) + 1
            cells[0, actual, predicted] += 1
            if actual == predicted:
                cells[1, actual, actual] += 1
                cells[2, actual, actual] += abs(code[other] - code[k]) // rules.type_range


def class_confusion(
    decided: Decisions,
    n_t: int = 2,
    *,
    constant_near_miss: float = 0.0,
    constant_substitution: float = 0.0,
) -> pa.Table:
    """Credit the decisions by class: 1 - w each, and a full miss 1.

    Args:
        decided: what was counted; for several runs the sum of their cells.
        n_t: the one that near misses were counted with.
        constant_near_miss: added to the weight of each near miss.
        constant_substitution: added to the weight of each substitution.

    Returns:
        ``reference_type`` and ``hypothesis_type`` (int64, null: no boundary) and ``amount``
        (float64), a row for each combination that occurs, by the two types with null first.
    """
    types = decided.types
    decisions, near_misses, near_span = decided.cells
    actual, predicted = at = np.nonzero(decisions)
    confused = (actual > 0) & (predicted > 0) & (actual != predicted)
    # Class 0 has no type; what stands in for it is not looked at.
    difference = abs(types[np.maximum(actual, 1) - 1] - types[np.maximum(predicted, 1) - 1])
    weight = difference / (types[-1] - types[0] + 1) + constant_substitution
    lost = near_span[at] / n_t + constant_near_miss * near_misses[at]
    names = pa.array([None, *types.tolist()], pa.int64())
    return pa.table(
        {
            "reference_type": names.take(pa.array(actual)),
            "hypothesis_type": names.take(pa.array(predicted)),
            "amount": decisions[at] * (1 - weight * confused) - lost,
        }
    )
