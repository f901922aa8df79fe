"""Words and numbers that sentences and tables about coders have in common."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from segscore.pipeline.tables.units import PER_SECOND
from segscore.schemas.rows import CoderRow, CoefficientRow

SHOWN: Final = "boundary_similarity"
"""The similarity that sentences are about."""

PEER_SHOWN: Final = "peer_boundary_similarity"
"""The column of `coders` with this similarity to the others."""

OTHERS_SHOWN: Final = "others_boundary_similarity"
"""The column of `coders` with how well the others agree among themselves by it."""

WITHOUT_SHOWN: Final = "without_pi_boundary_similarity"
"""The column of `coders` with the agreement by it of the others among themselves."""

IN_WORDS = "boundary similarity"
"""That similarity in words."""


def copying_pairs(peers: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """Return the pairs of coders of whom one may have copied from the other."""
    return [(row["coder"], row["peer"]) for row in peers if row.get("copied")]


def shown_rate(rate: float, unit: str | None, *, bare: bool = False) -> str:
    """Write a rate of boundaries per position: a minute if the unit is a time, or per 100 units."""
    minute = a_minute(unit)
    if minute is None:
        return f"{100 * rate:.1f}" + ("" if bare else " per 100 units")
    return f"{minute * rate:.2f}" + ("" if bare else " a minute")


def a_minute(unit: str | None) -> float | None:
    """Return how many positions a minute has; None if the unit is not a time."""
    return None if unit not in PER_SECOND else 60.0 * PER_SECOND[unit]


def peer_ends(row: CoderRow | Mapping[str, Any]) -> tuple[float | None, float | None]:
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
