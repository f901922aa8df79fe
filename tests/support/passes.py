"""The compiled passes on one pair, with the interface of the slow twin."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, Literal, NamedTuple

import numpy as np

from segscore.pipeline.arrays.ragged import Ints, from_lists
from segscore.pipeline.measures import PAIR_FAMILIES, PAIRS, sliding, windows, words
from segscore.pipeline.measures.compared import ComparedPairs
from segscore.pipeline.measures.measure import evaluate, evaluate_one
from segscore.pipeline.measures.pairing import ONE_TYPE, TypedSides
from segscore.pipeline.measures.segmentation_pairs import pair_rows
from segscore.pipeline.scoring.settings import ScoreSettings
from tests.oracles import families
from tests.oracles.families import Counting, Pair

ONE = np.zeros(1, np.int64)
SETTINGS = ScoreSettings("references", "hypotheses", "run")


class Near(NamedTuple):
    """How near boundaries and segments must be: --tolerance, --edges and --tiou."""

    tolerance: int = 0
    edges: int = 0
    tiou: Fraction = Fraction(1, 2)
    reached: bool = False


PLAIN = Near()
"""The defaults."""


def family_counts(family: str, pair: Pair, counting: Counting) -> dict[str, int]:
    """The counts of one pair by the pass of a family."""
    n_units, reference, hypothesis = pair
    both = from_lists([reference]), from_lists([hypothesis])
    rows = pair_rows(*both, ONE, ONE, np.array([n_units]))
    compared = ComparedPairs(rows, rows, ONE_TYPE, np.array([counting.k]), counting)
    counted = PAIR_FAMILIES[family].count_compared(compared)
    return dict(zip(PAIR_FAMILIES[family].COUNTS, counted[:, 0].tolist(), strict=True))


def window_counts(
    n_units: int, reference: Sequence[int], hypothesis: Sequence[int], k: int
) -> dict[str, int]:
    """The window counts of one pair."""
    return family_counts("window", (n_units, reference, hypothesis), Counting(k=k))


Sliding = Literal["boundary", "unit", "word"]
"""What the windows of a pair are counted by."""


def sliding_counts(
    n_units: int, reference: Sequence[int], hypothesis: Sequence[int], k: int, by: Sliding
) -> dict[str, int]:
    """The window counts of one pair by one of the three algorithms, whatever its density."""
    ref, hyp = from_lists([reference]).values, from_lists([hypothesis]).values
    out = np.zeros(len(windows.COUNTS), np.int64)
    if by == "unit":
        sliding.slide_by_unit(ref, hyp, n_units, k, np.empty(sliding.LONGEST, np.int32), out)
    elif by == "word":
        words.slide_by_word(ref, hyp, n_units, k, np.empty((2, words.BIT_WORDS), np.uint64), out)
    else:
        sliding.slide_by_boundary(ref, hyp, n_units, k, out)
    return dict(zip(windows.COUNTS, out.tolist(), strict=True))


def edit_counts(
    n_units: int, reference: Sequence[int], hypothesis: Sequence[int], n_t: int
) -> dict[str, int]:
    """The edit counts of one pair."""
    return family_counts("edit", (n_units, reference, hypothesis), Counting(n_t=n_t))


def content_counts(
    n_units: int, reference: Sequence[int], hypothesis: Sequence[int]
) -> dict[str, int]:
    """The content counts of one pair."""
    return family_counts("content", (n_units, reference, hypothesis), Counting())


def tolerance_counts(
    n_units: int, reference: Sequence[int], hypothesis: Sequence[int], near: Near = PLAIN
) -> dict[str, int]:
    """The tolerance counts of one pair."""
    return family_counts("tolerance", (n_units, reference, hypothesis), Counting(**near._asdict()))


def winpr_counts(
    n_units: int, reference: Sequence[int], hypothesis: Sequence[int], k: int
) -> dict[str, int]:
    """The WinPR counts of one pair."""
    return family_counts("winpr", (n_units, reference, hypothesis), Counting(k=k))


def overlap_counts(
    n_units: int, reference: Sequence[int], hypothesis: Sequence[int], near: Near = PLAIN
) -> dict[str, int]:
    """The overlap counts of one pair."""
    return family_counts("overlap", (n_units, reference, hypothesis), Counting(**near._asdict()))


def counts(
    n_units: int,
    reference: Sequence[int],
    hypothesis: Sequence[int],
    k: int,
    n_t: int,
    near: Near = PLAIN,
) -> dict[str, int]:
    """All counts of one pair."""
    counting = Counting(k=k, n_t=n_t, **near._asdict())
    return {
        name: count
        for family in PAIR_FAMILIES
        for name, count in family_counts(family, (n_units, reference, hypothesis), counting).items()
    }


def values(
    counted: Mapping[str, int],
    *,
    n_t: int = 2,
    p_seg: Fraction | None = None,
    rows: bool = True,
    **settings: Any,
) -> dict[str, float | None]:
    """All values of one row, the same from numbers as from arrays; None where undefined."""
    numbers = {name: np.int64(count) for name, count in counted.items()}
    arrays: dict[str, Ints] = {name: np.array([count]) for name, count in counted.items()}
    prior = float("nan") if p_seg is None else float(p_seg)
    parameters = replace(SETTINGS, n_t=n_t, **settings).parameters(prior)
    measures = PAIRS.measures.values()
    arrays_of_values = evaluate(measures, arrays, parameters, rows=rows)
    values_of_one = evaluate_one(measures, numbers, parameters, rows=rows)
    assert [*values_of_one] == [*arrays_of_values]
    for name, value in values_of_one.items():
        np.testing.assert_array_equal(value, arrays_of_values[name][0], name)
    return {
        name: None if np.isnan(value[0]) else float(value[0])
        for name, value in arrays_of_values.items()
    }


def typed_sides(
    declared: Sequence[int], reference: Sequence[int] | None, hypothesis: Sequence[int]
) -> TypedSides:
    """The boundary types of one pair."""
    return TypedSides(
        declared,
        None if reference is None else np.array(reference, np.int32),
        np.array(hypothesis, np.int32),
    )


def twin_values(
    counted: Mapping[str, int],
    *,
    n_t: int = 2,
    p_seg: Fraction | None = None,
    rows: bool = True,
    edges: int = 0,
    **costs: Any,
) -> dict[str, Fraction | None]:
    """The same values by the slow twin."""
    return families.values(counted, n_t=n_t, p_seg=p_seg, per_row=rows, edges=edges, **costs)


def close(value: float | None, exact: Fraction | None) -> bool:
    """Whether a value equals the exact one but for the last bits, and is undefined where it is."""
    if value is None or exact is None:
        return value is None and exact is None
    return abs(value - float(exact)) <= 1e-12 * max(1.0, abs(float(exact)))
