"""Find pairs of coders who agree too well, and say of whom one may have copied.

Independent people who mean the same boundary are often a unit apart; copies are not.  So of two
coders who agree too well, only those whose shared boundaries are exact far more often than those of
other pairs may have copied; others may read the guidelines in a way of their own.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segscore.pipeline.agreement.judging.limits import FEWEST_COPYING, FEWEST_DOCUMENTS
from segscore.pipeline.agreement.judging.pair_counts import CoderPairCounts
from segscore.pipeline.agreement.judging.step import AuditRows, Kind, Limit, Part, Step, StepColumn
from segscore.pipeline.agreement.judging.view import Columns, View
from segscore.pipeline.arrays.ragged import Flags, Floats
from segscore.pipeline.statistics.formatted_numbers import percent, shown_as

_FEWEST_OTHERS = 5
"""With fewer other pairs to compare with, no deviation is defined."""


class Copies(Step):
    """Pairs whose similarity is far beyond what the effects of both explain."""

    pair_columns = (
        StepColumn(
            "residual",
            Kind.NUMBER,
            "similarity beyond what the agreement_effect of both explains, once offsets are taken "
            "away. Of two who alone read in the less common way, how much more they agree who read "
            "alike; null if either is not judged",
        ),
        StepColumn(
            "high_agreement",
            Kind.MARK,
            "the pair agrees far better than their other agreement explains",
        ),
        StepColumn(
            "exact_share",
            Kind.SHARE,
            "share of exact ones among their paired boundaries: matches / (matches + near_misses); "
            "null without either, or with fewer than 4 judged coders",
        ),
        StepColumn(
            "exact_share_others",
            Kind.SHARE,
            "the same share, pooled over the other pairs of coders of the standard; null with "
            "fewer than 5",
        ),
        StepColumn(
            "exact_share_deviation",
            Kind.NUMBER,
            "exact_share less that of the others, in standard errors: of both shares, and the "
            "spread between the other pairs",
        ),
        StepColumn(
            "copied",
            Kind.MARK,
            "one of the pair may have copied: high_agreement, exact_share_deviation above 4, and "
            "at least 6 judged coders",
        ),
    )
    limits = (
        Limit("copies_residual", 0.1),
        Limit("exact_errors", 4.0),
    )
    mark, order = "high_agreement", "residual"
    of_pairs = True
    part = Part.PAIRS

    def judge(self, view: View) -> Columns:
        """Take the pairs that the search for readings found, as far as they still agree so well."""
        pairs, judged, readings = view.evidence.pairs, view.evidence.judged, view.readings
        _, fit = view.effects
        residual = fit.residual[pairs.first, pairs.second]
        residual = np.where(fit.weight[pairs.first, pairs.second] > 0, residual, np.nan)
        known = pairs.counts["documents"][0] >= FEWEST_DOCUMENTS
        known &= judged[pairs.first] & judged[pairs.second] & ~np.isnan(residual)
        apart = pairs.among(readings.pair_apart)
        residual = np.where(apart & ~np.isnan(residual), readings.excess, residual)
        # With other pairs left out since, a pair that was found may agree as its effects predict.
        with np.errstate(invalid="ignore"):
            copies = pairs.among(readings.pairs) & (residual >= view.limits["copies_residual"])
        share, others, deviation = exactness(pairs, view.standard)
        copied = copies & (deviation > view.limits["exact_errors"])
        copied &= np.count_nonzero(judged) >= FEWEST_COPYING
        return {
            "residual": residual,
            "high_agreement": _of_known(copies | apart, known),
            "exact_share": share,
            "exact_share_others": others,
            "exact_share_deviation": deviation,
            "copied": _of_known(copied, known),
        }

    def sentence(self, row: Mapping[str, Any], audit: AuditRows) -> str:
        """Describe a pair of coders who agree too well.

        That one copied is only said where the boundaries that they share are exact more often than
        those of other pairs; people who read the guidelines in a way of their own agree as well.
        """
        exact, others = row.get("exact_share"), row.get("exact_share_others")
        both = f"{row['coder']} and {row['peer']}"
        if row.get("copied") and exact is not None and others is not None:
            return (
                f"{both} mark the same places to the unit ({percent(exact)}, other pairs "
                f"{percent(others)}, {row['documents']:,} documents). The same tool or "
                "pre-annotation, joint work, or a copy looks like this: ask both before anything "
                "else."
            )
        return (
            f"{both} agree {shown_as(row['residual'], '.2f')} more than their agreement with the "
            "others predicts: they may read the guidelines in a way of their own, have worked "
            "together, or have had the same tool."
        )


def _of_known(marks: Flags, known: Flags) -> NDArray[Any]:
    """Return marks, None for pairs that are not judged."""
    values = marks.astype(object)
    values[~known] = None
    return values


def exactness(pairs: CoderPairCounts, standard: Flags) -> tuple[Floats, Floats, Floats]:
    """Compare each pair of coders with the other pairs of the standard.

    The variance of the difference is that of both shares, as of independent boundaries, and that
    between the other pairs (DerSimonian & Laird 1986), so that where some pairs are more exact
    than others for reasons of their own, one more is nothing special.

    Args:
        pairs: the counts of each pair of coders.
        standard: coders by whom all are judged, shape (coders,).

    Returns:
        Shape (pairs,) each: the share of exact ones among the paired boundaries of a pair, NaN
        without any; the same share, pooled over the other pairs; and by how many standard errors
        it exceeds theirs, NaN with fewer than five other pairs.
    """
    exact = pairs.counts["matches"][0].astype(np.float64)
    paired = exact + pairs.counts["near_misses"][0]
    compared = standard[pairs.first] & standard[pairs.second] & (paired > 0)

    def of_others(values: Floats) -> Floats:
        counted = np.where(compared, values, 0.0)
        return np.asarray(counted.sum() - counted)

    with np.errstate(divide="ignore", invalid="ignore"):
        share = exact / paired
        number, all_exact = of_others(np.ones(len(paired))), of_others(exact)
        all_paired = of_others(paired)
        others = np.where(number >= _FEWEST_OTHERS, all_exact / all_paired, np.nan)
        # Half a boundary more of either kind, so that no variance is 0.
        smooth = (all_exact + 0.5) / (all_paired + 1)
        of_one = smooth * (1 - smooth)
        apart = of_others(exact**2 / paired) - all_exact**2 / all_paired
        scale = all_paired - of_others(paired**2) / all_paired
        between = np.maximum(0.0, (apart - (number - 1) * of_one) / scale)
        error = np.sqrt(of_one * (1 / paired + 1 / all_paired) + between)
        return share, others, np.asarray((share - others) / error)
