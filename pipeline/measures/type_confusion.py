"""The confusion matrix of boundary types: which type was taken for which.

Fournier 2013, equation 7.  A pair of weight w is credited with 1 - w, as in docs/measures.md.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from segscore.pipeline.arrays.kernel import kernel
from segscore.pipeline.arrays.ragged import Ints, Positions
from segscore.pipeline.measures.pairing import Rules

if TYPE_CHECKING:
    import pyarrow as pa


class Decisions(NamedTuple):
    """Numbers of decisions by class of the reference and class of the hypothesis; additive.

    Attributes:
        types: the declared boundary types, ascending, as classes 1, 2, ...; class 0 is no boundary.
        cells: integers, shape (3, classes, classes): the decisions, the near misses among them, and
            the sum of the near misses' distances.
    """

    types: Ints
    cells: Ints


def no_decisions(types: Sequence[int]) -> Decisions:
    """Return an empty table of decisions, for ``edits.count`` to add to.

    Args:
        types: the declared boundary types, distinct.
    """
    classes = len(types) + 1
    return Decisions(np.array(sorted(types), np.int64), np.zeros((3, classes, classes), np.int64))


@kernel
def add_decisions(
    ref_types: Positions | None,
    boundaries: int,
    scratch: Ints,
    differences: int,
    rules: Rules,
    decided: Decisions,
) -> None:
    """Add the decisions that ``pair`` made about one pair of segmentations.

    Args:
        ref_types: types of the reference's boundaries, or None if there is one type.
        boundaries: number of boundaries of the reference.
        scratch: the array that ``pair`` wrote.
        differences: the number that ``pair`` returned.
        rules: the rules of the run.
        decided: the decisions to add to.
    """
    code, in_ref, partner = scratch[0], scratch[1], scratch[2]
    types, cells = decided.types, decided.cells
    if ref_types is None:
        cells[0, 1, 1] += boundaries
    else:
        for kind in ref_types:
            actual = np.searchsorted(types, kind) + 1
            cells[0, actual, actual] += 1
    for k in range(differences):
        actual = np.searchsorted(types, code[k] % rules.type_range + rules.lowest) + 1
        if in_ref[k]:
            cells[0, actual, actual] -= 1  # counted as a match above, but is not one
        partner_index = partner[k]
        if partner_index < 0:
            cells[0, actual * in_ref[k], actual * (1 - in_ref[k])] += 1
        elif in_ref[k]:
            predicted = (
                np.searchsorted(types, code[partner_index] % rules.type_range + rules.lowest) + 1
            )
            cells[0, actual, predicted] += 1
            if actual == predicted:
                cells[1, actual, actual] += 1
                cells[2, actual, actual] += abs(code[partner_index] - code[k]) // rules.type_range


def class_confusion(
    decided: Decisions,
    n_t: int = 2,
    *,
    constant_near_miss: float = 0.0,
    constant_substitution: float = 0.0,
) -> "pa.Table":
    """Sum the credit of the decisions by class: 1 - w for weight w, and 1 for a full miss.

    Args:
        decided: the decisions; for several runs, with the sum of their cells.
        n_t: the n_t with which near misses were counted.
        constant_near_miss: added to the weight of each near miss.
        constant_substitution: added to the weight of each substitution.

    Returns:
        Columns ``reference_type`` and ``hypothesis_type`` (int64, null: no boundary) and ``amount``
        (float64), with a row for each combination that occurs, sorted by types with null first.
    """
    import pyarrow as pa

    types = decided.types
    decisions, near_misses, near_span = decided.cells
    actual, predicted = nonzero = np.nonzero(decisions)
    confused = (actual > 0) & (predicted > 0) & (actual != predicted)
    # Class 0 has no type; the difference computed for it is not used.
    difference = abs(types[np.maximum(actual, 1) - 1] - types[np.maximum(predicted, 1) - 1])
    weight = difference / (types[-1] - types[0] + 1) + constant_substitution
    lost = near_span[nonzero] / n_t + constant_near_miss * near_misses[nonzero]
    names = pa.array([None, *types.tolist()], pa.int64())
    return pa.table(
        {
            "reference_type": names.take(pa.array(actual)),
            "hypothesis_type": names.take(pa.array(predicted)),
            "amount": decisions[nonzero] * (1 - weight * confused) - lost,
        }
    )
