"""Coefficients of agreement, (actual - expected) / (1 - expected), as formulas over sums.

The sums may be over documents, over all but those of a unit, or of a single document. Fournier
2013, section 3.4, for similarities between boundaries; Artstein & Poesio 2008, Krippendorff 2004
and Gwet 2008 for the two categories `boundary` and `none` at every position.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from segscore.pipeline.arrays.ragged import Floats
from segscore.pipeline.measures.measure import Measure, divided_by, evaluate

PAIR_COUNTS = ("matches", "near_misses", "near_miss_span", "misses", "false_alarms", "pair_places")
"""Sums over coder pairs; ``pair_places`` are the potential boundaries of each pair's document."""

CODING_COUNTS = ("codings", "marks", "places")
"""Sums over codings: their number, their boundaries, their potential boundaries."""

SIMILARITIES = ("boundary_similarity", "segmentation_similarity", "exact", "two_category")
CERTAIN = 2.0**-33
"""Expected agreement this close to 1 counts as 1, because sums of rates are not more precise."""

_F13 = "Fournier 2013,"
POESIO = "Artstein & Poesio 2008,"
_DISAGREEMENTS = "misses + false_alarms + 2 * near_misses"
_COST = "(misses + false_alarms + near_miss_span / n_t)"

ACTUAL = {
    "boundary_similarity": Measure(
        "boundary_similarity",
        f"1 - {_COST} / (misses + false_alarms + near_misses + matches)",
        f"{_F13} eq 4, pooled over coder pairs",
    ),
    "segmentation_similarity": Measure(
        "segmentation_similarity", f"1 - {_COST} / pair_places", f"{_F13} eq 2, pooled"
    ),
    "exact": Measure(
        "exact", f"matches / (matches + {_DISAGREEMENTS})", f"{_F13} eq 4 at n_t 1, pooled"
    ),
    "two_category": Measure(
        "two_category",
        f"1 - ({_DISAGREEMENTS}) / pair_places",
        f"{POESIO} 2.5: share of agreeing positions",
    ),
}
"""Actual agreement by similarity."""

EXPECTED = {
    ("pi", "boundaries"): Measure("pi_boundaries", "rate * rate", f"{_F13} 3.4"),
    ("kappa", "boundaries"): Measure("kappa_boundaries", "product / pair_places", f"{_F13} 3.4"),
    ("pi", "two_category"): Measure(
        "pi_two_category",
        "(marks / places) * (marks / places) + (1 - marks / places) * (1 - marks / places)",
        "Fleiss 1971; of two coders Scott 1955",
    ),
    ("kappa", "two_category"): Measure(
        "kappa_two_category",
        "1 - (both - 2 * category_product) / pair_places",
        "Davies & Fleiss 1982; of two coders Cohen 1960",
    ),
    ("ac1", "two_category"): Measure(
        "ac1_two_category", "2 * (marks / places) * (1 - marks / places)", "Gwet 2008"
    ),
}
"""Agreement expected by chance, by coefficient and similarity."""

ALPHA = (
    Measure(
        "actual",
        "1 - 2 * disagreement / paired_places",
        "Krippendorff 2004, 11.3: 1 - D_o",
        upper=1,
    ),
    Measure(
        "expected",
        "1 - 2 * paired_marks * (paired_places - paired_marks)"
        " / (paired_places * (paired_places - 1))",
        "Krippendorff 2004, 11.3: 1 - D_e",
    ),
)


@dataclass(frozen=True)
class Agreement:
    """Values of one coefficient, shape (n,) each, NaN where undefined.

    Attributes:
        actual: observed agreement, in [0, 1]; all NaN for bias.
        expected: agreement expected by chance, in [0, 1]; all NaN for bias.
        value: (actual - expected) / (1 - expected), at most 1, undefined where expected is 1; for
            bias the difference between the expected agreements of pi and of kappa.

    Where chances are computed from segments, as published, a document of few units may have more
    segments than positions, and expected and value may exceed 1.
    """

    actual: Floats
    expected: Floats
    value: Floats


CoefficientKey = tuple[str, str]
"""A coefficient and a similarity."""


def coefficients(sums: Mapping[str, Floats], n_t: int) -> dict[CoefficientKey, Agreement]:
    """Compute every coefficient from sums.

    With two coders pi is Scott's pi and kappa is Cohen's kappa; bias is as in Artstein & Poesio
    (2008, 3.1), between pi and kappa.  AC1 is Gwet's, with the rate of pi.

    Args:
        sums: arrays of shape (n,) by name: ``PAIR_COUNTS`` and ``CODING_COUNTS``; ``rate``, the
            chance of a boundary at a position; ``product``, the sum over coder pairs of
            pair_places p_x p_y with the rates p of the boundary-only coefficients;
            ``category_product``, the same with the plain rates; ``both``, the sum of
            pair_places (p_x + p_y); ``paired_marks`` and ``paired_places``, marks and places in
            documents with two codings or more; ``disagreement``, the sum over documents of
            disagreeing pairs and positions / (codings - 1).
        n_t: near misses lie 1..n_t-1 positions apart.
    """
    parameters = {"n_t": n_t}
    actual = _agreed(evaluate(ACTUAL.values(), sums, parameters, rows=False), sums)
    chance = evaluate(EXPECTED.values(), sums, parameters, rows=False)
    results: dict[CoefficientKey, Agreement] = {}
    for similarity in SIMILARITIES:
        kind = similarity if similarity == "two_category" else "boundaries"
        pi, kappa = chance[f"pi_{kind}"], chance[f"kappa_{kind}"]
        results["pi", similarity] = _above_chance(actual[similarity], pi)
        results["kappa", similarity] = _above_chance(actual[similarity], kappa)
        undefined = np.full(len(pi), np.nan)
        results["bias", similarity] = Agreement(undefined, undefined, pi - kappa)
    alpha = evaluate(ALPHA, sums, {}, rows=False)
    results["alpha", "two_category"] = _above_chance(alpha["actual"], alpha["expected"])
    two_category = actual["two_category"]
    results["ac1", "two_category"] = _above_chance(two_category, chance["ac1_two_category"])
    return results


def coefficient_weights(sums: Mapping[str, Floats]) -> dict[str, Floats]:
    """Return what each unit weighs in the coefficients of each similarity: what it divides by."""
    counts = {name: values for name, values in sums.items() if name in PAIR_COUNTS}
    return {
        name: next(
            divided_by(code, counts, {})
            for code in measure.divisors
            if not counts.keys().isdisjoint(code.co_names)
        )
        for name, measure in ACTUAL.items()
    }


def _agreed(actual: dict[str, Floats], sums: Mapping[str, Floats]) -> dict[str, Floats]:
    """Set B and exact to 1, as in a row, where no paired coding has a boundary: coders agree.

    They are undefined where no document has two codings.
    """
    paired = sums["pair_places"] > 0
    return actual | {
        name: np.where(paired & np.isnan(actual[name]), 1.0, actual[name])
        for name in ("boundary_similarity", "exact")
    }


def _above_chance(actual: Floats, expected: Floats) -> Agreement:
    with np.errstate(divide="ignore", invalid="ignore"):
        value = (actual - expected) / (1 - expected)
    value = np.where(np.isfinite(value) & (np.abs(1 - expected) > CERTAIN), value, np.nan)
    return Agreement(actual, expected, value)
