"""Say in a sentence what stands out about a coder or a pair of coders."""

from typing import Any

from segscore.pipeline.statistics.shown_numbers import shown_p
from segscore.pipeline.tables.units import PER_SECOND

_Row = dict[str, Any]
SHOWN, _IN_WORDS = "boundary_similarity", "boundary similarity"
"""The similarity that sentences are about."""

_T = 2.093
"""Quantile of t with 19 degrees of freedom for a 95 % interval from 20 groups of documents."""


def low_agreement(row: _Row) -> str:
    """Describe a coder who agrees less with the others."""
    without = row[f"without_pi_{SHOWN}"]
    change = (
        "" if without is None else f"; without {row['coder']}, pi of {_IN_WORDS} is {without:.4f}"
    )
    p = row.get("agreement_p")
    return (
        f"{row['coder']} agrees less with the others than they do among themselves: "
        f"{_IN_WORDS} {row[f'peer_{SHOWN}']:.4f}, median coder {row['peer_median']:.4f}"
        f"{'' if p is None else f' (p {shown_p(p)})'}{change}."
    )


def high_agreement(row: _Row) -> str:
    """Describe a pair of coders who agree too well.

    That one copied is only said where the boundaries that they share are exact more often than
    those of other pairs; people who read the guidelines in a way of their own agree as well.
    """
    pair = f"{row['coder']} and {row['peer']}"
    if row.get("copied"):
        exact, others = 100 * row["exact_share"], 100 * row["exact_share_others"]
        return (
            f"{pair} agree far more than other pairs: {_IN_WORDS} {row[SHOWN]:.4f} over "
            f"{row['documents']} documents, median pair {row['pair_median']:.4f}; and "
            f"{exact:.0f} % of their paired boundaries are at exactly the same position, "
            f"{others:.0f} % of those of the other pairs. Find out whether they worked together, "
            "or one copied from the other."
        )
    return (
        f"{pair} agree {row['residual']:.2f} more than their agreement with the others predicts: "
        "they may read the guidelines in a way of their own, or have worked together."
    )


def offset(row: _Row, unit: str | None) -> str:
    """Describe a coder who marks boundaries later or earlier than the others."""
    per_second = PER_SECOND.get(unit or "")
    scale, noun = (1, " units") if per_second is None else (per_second, " s")
    value, error = abs(row["boundary_offset"]) / scale, row["boundary_offset_error"] / scale
    side = "later" if row["boundary_offset"] > 0 else "earlier"
    low, high = value - _T * error, value + _T * error
    return (
        f"{row['coder']} marks {value:.1f}{noun} {side} than the others ({low:.1f} to {high:.1f})."
    )


def outlying_rate(row: _Row, unit: str | None) -> str:
    """Describe a coder who marks far more or far fewer boundaries than the others."""
    rate, middle = row["rate"], row["rate_median"]
    factor = row.get("rate_ratio") or rate / middle
    return (
        f"{row['coder']} marks {_times(factor)} boundaries as the others: "
        f"{shown_rate(rate, unit)}, the median coder {shown_rate(middle, unit, bare=True)}."
    )


def _times(factor: float) -> str:
    if abs(factor - 2) < 0.15:
        return "about twice as many"
    if abs(factor - 0.5) < 0.05:
        return "about half as many"
    return f"{factor:.1f} times as many"


def shown_rate(rate: float, unit: str | None, *, bare: bool = False) -> str:
    """Write a rate of boundaries per position: a minute if the unit is a time, or per 100 units."""
    minute = a_minute(unit)
    if minute is None:
        return f"{100 * rate:.1f}" + ("" if bare else " per 100 units")
    return f"{minute * rate:.2f}" + ("" if bare else " a minute")


def drift(row: _Row) -> str:
    """Describe a coder who agrees less and less with the others."""
    start, end = row["drift_start"], row["drift_start"] + row["peer_drift"]
    return (
        f"{row['coder']} agrees less and less with the others: {start:.0%} as much as they "
        f"do among themselves in {row['drift_from']}, {end:.0%} in {row['drift_to']} "
        f"(p {shown_p(row['peer_drift_p'])})."
    )


def a_minute(unit: str | None) -> float | None:
    """Return how many positions a minute has; None if the unit is not a time."""
    return None if unit not in PER_SECOND else 60.0 * PER_SECOND[unit]
