"""Order rows of the table comparisons for people, and tell which systems beat which."""

from collections.abc import Iterable, Mapping
from string import ascii_lowercase
from typing import Any

SIGNIFICANT = 0.05
"""Level below which the adjusted p says that a system beats another one."""


def better_first(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a pair with its better system first, and the signs of its differences accordingly."""
    if row["better"] != row["other"]:
        return dict(row)
    turned = {name: row[name] for name in ("difference", "ci_high", "ci_low", "effect_d")}
    negative = [None if value is None else -value for value in turned.values()]
    swapped = dict(zip(("difference", "ci_low", "ci_high", "effect_d"), negative, strict=True))
    return dict(row) | swapped | {"system": row["other"], "other": row["system"]}


def by_difference(row: Mapping[str, Any]) -> tuple[bool, float]:
    """Return a sort key for pairs: the largest difference first, undefined ones last."""
    return row["difference"] is None, -abs(row["difference"] or 0)


def beaten_systems(pairs: Iterable[Mapping[str, Any]]) -> dict[str, set[str]]:
    """Return the systems that each system beats significantly; all rows are of one measure."""
    beaten: dict[str, set[str]] = {}
    for pair in pairs:
        p, better = pair["p_holm"], pair["better"]
        if better is not None and p is not None and p < SIGNIFICANT:
            other = pair["other"] if better == pair["system"] else pair["system"]
            beaten.setdefault(better, set()).add(other)
    return beaten


def letter(number: int) -> str:
    """Return the letter that marks a system in a table: a to z, then aa, ab and so on."""
    more, last = divmod(number, len(ascii_lowercase))
    return (letter(more - 1) if more else "") + ascii_lowercase[last]
