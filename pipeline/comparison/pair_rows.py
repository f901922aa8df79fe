"""Order rows of the table comparisons for people."""

from collections.abc import Mapping
from typing import Any


def better_first(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a pair with its better system first, and the signs of its differences accordingly."""
    if row["better"] != row["other"]:
        return dict(row)
    turned = {name: row[name] for name in ("difference", "ci_high", "ci_low", "effect_d")}
    negative = [None if value is None else -value for value in turned.values()]
    swapped = dict(zip(("difference", "ci_low", "ci_high", "effect_d"), negative, strict=True))
    return dict(row) | swapped | {"system": row["other"], "other": row["system"]}
