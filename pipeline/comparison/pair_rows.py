"""Order rows of the table comparisons for people, and tell which systems beat which."""

from collections.abc import Iterable, Sequence
from string import ascii_lowercase

from segscore.pipeline.measures.several_references import COMPARED
from segscore.pipeline.results.names import is_point
from segscore.schemas.rows import PairRow

SIGNIFICANT = 0.05
"""Level below which the adjusted p says that a system beats another one."""

PAIRS_SHOWN = 10
"""Number of pairs that a terminal shows."""


def is_significant(row: PairRow) -> bool:
    """Return whether a pair differs more than by chance, after Holm's adjustment."""
    p = row["p_holm"]
    return p is not None and p < SIGNIFICANT


def has_point(row: PairRow) -> bool:
    """Return whether one of a pair is a reference point."""
    return is_point(row["system"]) or is_point(row["other"])


def is_directed(row: PairRow) -> bool:
    """Return whether a higher or a lower value of the measure of a pair is better."""
    return COMPARED[row["measure"]].better != "neither"


def better_first(row: PairRow) -> PairRow:
    """Return a pair with its better system first, and the signs of its differences accordingly."""
    return row.copy() if row["better"] != row["other"] else turned(row)


def turned(row: PairRow) -> PairRow:
    """Return a pair with its second system first, and the signs of its differences accordingly."""
    return {
        **row,
        "system": row["other"],
        "other": row["system"],
        "difference": _negative(row["difference"]),
        "ci_low": _negative(row["ci_high"]),
        "ci_high": _negative(row["ci_low"]),
    }


def _negative(value: float | None) -> float | None:
    return None if value is None else -value


def by_difference(row: PairRow) -> tuple[bool, float]:
    """Return a sort key for pairs: the largest difference first, undefined ones last."""
    return row["difference"] is None, -abs(row["difference"] or 0)


def neighbours_first(rows: Iterable[PairRow], ranked: Sequence[str]) -> list[PairRow]:
    """Order pairs: each system and the next best one first, then those two places apart, and so on.

    Args:
        rows: pairs of one measure and average.
        ranked: the systems, best first.
    """
    place = {name: number for number, name in enumerate(ranked)}

    def distance(row: PairRow) -> tuple[int, int]:
        ends = sorted(place.get(row[name], len(place)) for name in ("system", "other"))
        return ends[1] - ends[0], ends[0]

    return sorted(rows, key=distance)


def beaten_systems(pairs: Iterable[PairRow]) -> dict[str, set[str]]:
    """Return the systems that each system beats significantly; all rows are of one measure."""
    beaten: dict[str, set[str]] = {}
    for pair in pairs:
        better = pair["better"]
        if better is not None and is_significant(pair):
            other = pair["other"] if better == pair["system"] else pair["system"]
            beaten.setdefault(better, set()).add(other)
    return beaten


def letter(number: int) -> str:
    """Return the letter that marks a system in a table: a to z, then aa, ab and so on."""
    more, last = divmod(number, len(ascii_lowercase))
    return (letter(more - 1) if more else "") + ascii_lowercase[last]
