"""Say in a sentence what stands out about a coder or a pair of coders."""

from collections.abc import Collection, Sequence
from typing import Any, Final

from segscore.pipeline.statistics.shown_numbers import (
    percent,
    shown_as,
    shown_attribute,
    shown_p,
)
from segscore.pipeline.tables.units import PER_SECOND
from segscore.schemas.rows import CoderRow, CoefficientRow, PeerRow, group_of

SHOWN: Final = "boundary_similarity"
"""The similarity that sentences are about."""

PEER_SHOWN: Final = "peer_boundary_similarity"
"""The column of `coders` with this similarity to the others."""

WITHOUT_SHOWN: Final = "without_pi_boundary_similarity"
"""The column of `coders` with the agreement by it of the others among themselves."""

_IN_WORDS = "boundary similarity"

_PAIR = 2

_T = 2.093
"""Quantile of t with 19 degrees of freedom for a 95 % interval from 20 groups of documents."""


def low_agreement(row: CoderRow) -> str:
    """Describe a coder who agrees less with the others."""
    without = row[WITHOUT_SHOWN]
    change = (
        "" if without is None else f"; without {row['coder']}, pi of {_IN_WORDS} is {without:.4f}"
    )
    effect, p = row["agreement_effect"], row.get("agreement_p")
    less = "" if effect is None else f": {-effect:.2f} below the median coder"
    limit = row.get("agreement_limit")
    return (
        f"{row['coder']} agrees less with the others than they do among themselves{less}"
        f"{'' if limit is None else f', where {limit:.2f} is the limit'}"
        f"{'' if p is None else f' (p {shown_p(p)})'}{change}."
    )


def readings(coders: Sequence[CoderRow], unit: str | None = None) -> str | None:
    """Describe two ways of reading; None if there are not two, or only a pair reads another way."""
    others = [row for row in coders if row.get("reading") == "other"]
    if len(others) <= _PAIR:
        return None
    names = [row["coder"] for row in others]
    known = sum(row.get("reading") is not None for row in coders)
    same, other = others[0]["same_reading_similarity"], others[0]["other_reading_similarity"]
    return (
        f"{', '.join(names[:-1])} and {names[-1]} seem to read the guidelines another way: "
        f"{_IN_WORDS} {shown_as(same, '.2f')} among themselves, {shown_as(other, '.2f')} with the "
        f"other {known - len(names)}{_example(others[0], unit)}."
    )


def _example(row: CoderRow, unit: str | None) -> str:
    """Return where the two ways of reading differ clearly, if it is known."""
    document, position = row.get("reading_document"), row.get("reading_position")
    if document is None or position is None:
        return ""
    per_second = PER_SECOND.get(unit or "")
    where = str(position) if per_second is None else f"{position / per_second:.1f} s"
    return f"; for example in {document} at {where}"


def weaker(row: CoderRow, by: Sequence[str], groups: Collection[tuple[Any, ...]]) -> str:
    """Describe a coder who agrees less in one group; ``groups`` are the values of all."""
    own = group_of(row, by)
    others = [" ".join(map(shown_attribute, values)) for values in groups if values != own]
    there = f"in {others[0]}" if len(others) == 1 else "elsewhere"
    old = any("guideline" in name.lower() for name in by)
    return (
        f"{row['coder']} agrees less in {' '.join(by)} {' '.join(map(shown_attribute, own))}: "
        f"{_IN_WORDS} {shown_as(row[PEER_SHOWN], '.2f')}, {there} "
        f"{shown_as(row.get('elsewhere_similarity'), '.2f')}"
        f"{'; perhaps by the guidelines of another version' * old}."
    )


def high_agreement(row: PeerRow) -> str:
    """Describe a pair of coders who agree too well.

    That one copied is only said where the boundaries that they share are exact more often than
    those of other pairs; people who read the guidelines in a way of their own agree as well.
    """
    pair = f"{row['coder']} and {row['peer']}"
    exact, others = row.get("exact_share"), row.get("exact_share_others")
    more = f"{pair} agree {shown_as(row['residual'], '.2f')} more than their agreement with the "
    if row.get("copied") and exact is not None and others is not None:
        return (
            f"{more}others predicts, over {row['documents']:,} documents, and "
            f"{percent(exact)} of their paired boundaries are at exactly the same position, "
            f"{percent(others)} of those of the other pairs. Find out whether they worked "
            "together, or one copied from the other."
        )
    return (
        f"{more}others predicts: they may read the guidelines in a way of their own, or have "
        "worked together."
    )


def copying_pairs(peers: Sequence[PeerRow]) -> list[tuple[str, str]]:
    """Return the pairs of coders of whom one may have copied from the other."""
    return [(row["coder"], row["peer"]) for row in peers if row.get("copied")]


def offset(row: CoderRow, unit: str | None) -> str:
    """Describe a coder who marks boundaries later or earlier than the others."""
    per_second = PER_SECOND.get(unit or "")
    scale, noun = (1, " units") if per_second is None else (per_second, " s")
    later, error = row["boundary_offset"], row["boundary_offset_error"]
    if later is None or error is None:
        return f"{row['coder']} marks boundaries later or earlier than the others."
    value, error = abs(later) / scale, error / scale
    side = "later" if later > 0 else "earlier"
    low, high = value - _T * error, value + _T * error
    return (
        f"{row['coder']} marks {value:.1f}{noun} {side} than the others ({low:.1f} to {high:.1f})."
    )


def outlying_rate(row: CoderRow, unit: str | None) -> str:
    """Describe a coder who marks far more or far fewer boundaries than the others.

    The rate of the others is what they would mark in the documents of this coder.
    """
    rate, factor = row["rate"], row["rate_ratio"]
    if not rate or not factor:
        return f"{row['coder']} marks no boundaries, where the others do."
    alike = " who read alike" * (row.get("reading") is not None)
    return (
        f"{row['coder']} marks {_times(factor)} boundaries as the others{alike}: "
        f"{shown_rate(rate, unit)}, where they would mark "
        f"{shown_rate(rate / factor, unit, bare=True)}."
    )


def _times(factor: float) -> str:
    if abs(factor - 2) < 0.15:
        return "about twice as many"
    if abs(factor - 0.5) < 0.05:
        return "about half as many"
    return f"{factor:.{1 if factor > 1 else 2}f} times as many"


def shown_rate(rate: float, unit: str | None, *, bare: bool = False) -> str:
    """Write a rate of boundaries per position: a minute if the unit is a time, or per 100 units."""
    minute = a_minute(unit)
    if minute is None:
        return f"{100 * rate:.1f}" + ("" if bare else " per 100 units")
    return f"{minute * rate:.2f}" + ("" if bare else " a minute")


def drift(row: CoderRow) -> str:
    """Describe a coder who agrees less and less with the others."""
    start, change = row["drift_start"], row["peer_drift"]
    if start is None or change is None:
        return f"{row['coder']} agrees less and less with the others."
    end = start + change
    return (
        f"{row['coder']} agrees less and less with the others: {percent(start)} as much as they "
        f"do among themselves in {row['drift_from']}, {percent(end)} in {row['drift_to']} "
        f"(p {shown_p(row['peer_drift_p'])})."
    )


def a_minute(unit: str | None) -> float | None:
    """Return how many positions a minute has; None if the unit is not a time."""
    return None if unit not in PER_SECOND else 60.0 * PER_SECOND[unit]


def peer_ends(row: CoderRow) -> tuple[float | None, float | None]:
    """Return the interval of a coder's similarity to the others, which earlier runs lack."""
    return row.get("peer_boundary_similarity_low"), row.get("peer_boundary_similarity_high")


def meaningful(rows: Sequence[CoefficientRow], unit: str | None) -> list[CoefficientRow]:
    """Return the rows of `agreement` that mean something if the unit is a time.

    Hardly any of the milliseconds of a recording is a boundary, so that coefficients that count
    all of them are 0 or 1 by construction.
    """
    if unit not in PER_SECOND:
        return list(rows)
    kept = [
        row
        for row in rows
        if row["similarity"] in (SHOWN, "exact") and row["coefficient"] != "bias"
    ]
    return kept or list(rows)
