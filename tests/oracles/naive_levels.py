"""Levels of a hierarchy, slowly: each level is a segmentation of its own.

docs/measures.md, Levels: a level has the boundaries of all types up to its own, or of its own type
alone. Averages over levels: of a document, the mean over levels; of counts, their sum.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import lcm
from typing import Any

from tests.oracles import naive

Typed = Sequence[tuple[int, int]]
"""Pairs of a position and a type."""


def types_of_level(level: int, types: Sequence[int], kind: str) -> list[int]:
    """Return the types of the boundaries of a level."""
    return [each for each in types if (each == level if kind == "only" else each <= level)]


def at_level(boundaries: Typed, kept: Sequence[int]) -> list[tuple[int, int]]:
    """Return the boundaries of some types."""
    return [(position, kind) for position, kind in boundaries if kind in kept]


def row_at_level(row: Mapping[str, Any], kept: Sequence[int]) -> dict[str, Any]:
    """Return a row of the segmentations table with the boundaries of some types."""
    pairs = at_level(list(zip(row["boundaries"], row["boundary_types"], strict=True)), kept)
    lists = {"boundaries": [p for p, _ in pairs], "boundary_types": [kind for _, kind in pairs]}
    return {**row, **lists}


def mean(values: Sequence[Fraction | float | None]) -> Any:
    """Return the mean of the known values; None without any."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def macro(rows: Sequence[Mapping[str, Any]], measure: str) -> tuple[Any, int]:
    """Average a system's rows over references, then levels, then documents.

    Returns:
        The average, and the number of documents on which it is defined.
    """
    of_documents = []
    for document in sorted({row["document_id"] for row in rows}):
        of_levels = []
        for level in sorted({row["level"] for row in rows}):
            chosen = [
                row[measure]
                for row in rows
                if (row["document_id"], row["level"]) == (document, level)
            ]
            of_levels.append(mean(chosen))
        of_documents.append(mean(of_levels))
    return mean(of_documents), sum(value is not None for value in of_documents)


def pooled(
    rows: Sequence[Mapping[str, Any]], counts: Sequence[str], types: Sequence[int], kind: str
) -> tuple[dict[str, Fraction], int]:
    """Add up the counts of all levels, and return the range that type differences are part of.

    A substitution weighs the type difference in the range of its own level, so that differences are
    first written as parts of a range that all levels have in common.
    """
    ranges = {}
    for level in types:
        kept = types_of_level(level, types, kind)
        ranges[level] = max(kept) - min(kept) + 1
    common = lcm(*ranges.values())
    sums = {name: Fraction(sum(row[name] for row in rows)) for name in counts}
    if "substitution_span" in sums:
        sums["substitution_span"] = Fraction(
            sum(row["substitution_span"] * common // ranges[row["level"]] for row in rows)
        )
    return sums, common


def micro_similarity(sums: Mapping[str, Fraction], n_t: int, common: int) -> Fraction | None:
    """Return boundary similarity from counts that were added up over levels."""
    near, substituted = sums["near_miss_span"] / n_t, sums["substitution_span"] / common
    wrong = sums["misses"] + sums["false_alarms"]
    pairs = sums["near_misses"] + sums["substitutions"] + sums["matches"]
    part = naive.ratio(wrong + near + substituted, wrong + pairs)
    return None if part is None else 1 - part
