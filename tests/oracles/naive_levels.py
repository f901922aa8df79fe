"""Levels of a hierarchy, slowly: each level is a segmentation of its own.

docs/measures.md, Levels: a level has the boundaries of all types up to its own, or of its own type
alone. Averages over levels: of a document, the mean over levels; of counts, their sum.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from tests.oracles import naive

Typed = Sequence[tuple[int, int]]
"""Pairs of a position and a type."""


def types_of_level(level: int, types: Sequence[int], kind: str) -> list[int]:
    """Return the types of the boundaries of a level."""
    return [each for each in types if (each == level if kind == "only" else each <= level)]


def at_level(boundaries: Typed, kept: Sequence[int], level: int) -> list[tuple[int, int]]:
    """Return the boundaries of some types, each position once, with the type of the level."""
    return [(place, level) for place in sorted({p for p, kind in boundaries if kind in kept})]


def row_at_level(row: Mapping[str, Any], kept: Sequence[int], level: int) -> dict[str, Any]:
    """Return a row of the segmentations table with the boundaries of a level."""
    given = list(zip(row["boundaries"], row["boundary_types"], strict=True))
    pairs = at_level(given, kept, level)
    lists = {"boundaries": [p for p, _ in pairs], "boundary_types": [kind for _, kind in pairs]}
    return {**row, **lists}


def without_types(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row of the segmentations table without boundary types."""
    return {name: value for name, value in row.items() if name != "boundary_types"}


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


def pooled(rows: Sequence[Mapping[str, Any]], counts: Sequence[str]) -> dict[str, Fraction]:
    """Add up the counts of all levels."""
    return {name: Fraction(sum(row[name] for row in rows)) for name in counts}


def micro_similarity(sums: Mapping[str, Fraction], n_t: int) -> Fraction | None:
    """Return boundary similarity from counts that were added up over levels."""
    near, wrong = sums["near_miss_span"] / n_t, sums["misses"] + sums["false_alarms"]
    part = naive.ratio(wrong + near, wrong + sums["near_misses"] + sums["matches"])
    return None if part is None else 1 - part
