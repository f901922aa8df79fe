"""Find coders who mark far more or far fewer boundaries than the others."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from segscore.pipeline.agreement.judging.fits import median
from segscore.pipeline.agreement.judging.step import AuditRows, Kind, Limit, Step, StepColumn
from segscore.pipeline.agreement.judging.view import CoderEffect, Columns, View
from segscore.pipeline.agreement.sentences import shown_rate
from segscore.pipeline.arrays.ragged import Flags, Floats

_SD_PER_MAD = 1.4826
"""Standard deviation of a normal distribution, divided by its median absolute deviation."""


class Rate(Step):
    """Coders whose number of boundaries is far from the others' in the same documents."""

    columns = (
        StepColumn(
            "rate_ratio",
            Kind.NUMBER,
            "boundaries of the coder / boundaries of the others in the same documents",
        ),
        StepColumn(
            "rate_ratio_deviation",
            Kind.NUMBER,
            "logarithm of rate_ratio less its median, in units of the spread of the other coders "
            "and the standard error",
        ),
        StepColumn(
            "outlying_rate",
            Kind.MARK,
            "the coder marks far more or far fewer boundaries than the others",
        ),
    )
    limits = (
        Limit("rate", 1.25),
        Limit("rate_deviation", 3.5),
    )
    mark, order = "outlying_rate", "rate_ratio_deviation"
    leaves_standard = True

    def judge(self, view: View) -> Columns:
        """Compare the logarithm of the ratio of each coder with its limit and the others."""
        limits, rate = view.limits, view.differences(view.evidence.log_ratios)
        deviation = _deviation(rate, view.standard)
        large = np.abs(rate.value) >= np.log(limits["rate"])
        far = np.abs(deviation) >= limits["rate_deviation"]
        return {
            "rate_ratio": np.exp(rate.value),
            "rate_ratio_deviation": deviation,
            "outlying_rate": np.asarray(large & far & view.may_differ),
        }

    def sentence(self, row: Mapping[str, Any], audit: AuditRows) -> str:
        """Describe a coder who marks far more or far fewer boundaries than the others.

        The rate of the others is what they would mark in the documents of this coder.
        """
        rate, factor = row["rate"], row["rate_ratio"]
        if not rate or not factor:
            return f"{row['coder']} marks no boundaries, where the others do."
        alike = " who read alike" * (row.get("reading") is not None)
        return (
            f"{row['coder']} marks {times(factor)} boundaries as the others{alike}: "
            f"{shown_rate(rate, audit.unit)}, where they would mark "
            f"{shown_rate(rate / factor, audit.unit, bare=True)}"
            f"{', and therefore agrees less' * bool(row.get('low_agreement'))}."
        )


def _deviation(rate: CoderEffect, standard: Flags) -> Floats:
    """Return log rates in units of the spread: that of the standard, and sampling error."""
    value, error = rate.value, rate.error
    middle = median(value[standard])
    mad = median(np.abs(value[standard] - middle))
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = np.sqrt((_SD_PER_MAD * mad) ** 2 + error**2)
        return np.asarray(np.where(spread > 0, (value - middle) / spread, np.nan))


def times(factor: float) -> str:
    """Write a factor in words."""
    if abs(factor - 2) < 0.15:
        return "about twice as many"
    if abs(factor - 0.5) < 0.05:
        return "about half as many"
    return f"{factor:.{1 if factor > 1 else 2}f} times as many"
