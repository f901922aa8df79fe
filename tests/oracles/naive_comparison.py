"""Comparisons again, slow and obvious, written from the definitions in docs/jobs/compare.md."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product
from statistics import NormalDist
from typing import Any

Row = Mapping[str, Any]
Cells = dict[str, dict[str, list[Row]]]
"""System -> document -> rows."""

Formula = Callable[[Mapping[str, int]], float | None]
NEARLY = 1 - 1e-9


def shared(rows: Iterable[Row], system: Callable[[Row], str]) -> Cells:
    """Rows by system and document, of the documents that all systems have."""
    cells: Cells = defaultdict(lambda: defaultdict(list))
    for row in rows:
        cells[system(row)][row["document_id"]].append(row)
    common = set.intersection(*(set(documents) for documents in cells.values()))
    return {
        name: {document: documents[document] for document in sorted(common)}
        for name, documents in cells.items()
    }


def value_of(rows: Sequence[Row], measure: str) -> float | None:
    """A document's value: the mean over its references."""
    values = [row[measure] for row in rows if row[measure] is not None]
    return sum(values) / len(values) if values else None


def macro(cells: Mapping[str, Sequence[Row]], measure: str) -> float | None:
    """Mean over documents of each document's value."""
    values = [value_of(rows, measure) for rows in cells.values()]
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def micro(
    cells: Mapping[str, Sequence[Row]], counts: Sequence[str], formula: Formula
) -> float | None:
    """The formula over sums of counts."""
    rows = [row for document_rows in cells.values() for row in document_rows]
    return formula({name: sum(row[name] for row in rows) for name in counts})


def both_defined(
    first: Mapping[str, Sequence[Row]], second: Mapping[str, Sequence[Row]], measure: str
) -> list[str]:
    """Documents on which two systems have a value."""
    return [
        document
        for document in first
        if value_of(first[document], measure) is not None
        and value_of(second[document], measure) is not None
    ]


def wilcoxon_p(differences: Sequence[float]) -> float:
    """P of signed ranks over every pattern of signs; for differences without ties and zeros."""
    ranks = {d: i + 1 for i, d in enumerate(sorted(map(abs, differences)))}
    observed = sum(ranks[abs(d)] for d in differences if d > 0)
    middle = sum(ranks.values()) / 2
    patterns = list(product((0, 1), repeat=len(differences)))
    sums = [
        sum(rank for rank, sign in zip(ranks.values(), signs, strict=True) if sign)
        for signs in patterns
    ]
    return sum(abs(s - middle) >= abs(observed - middle) for s in sums) / len(patterns)


def holm(p: Sequence[float]) -> list[float]:
    """Each p times the number of tests not yet rejected, never below the one before."""
    adjusted = {}
    largest = 0.0
    for step, index in enumerate(sorted(range(len(p)), key=lambda i: p[i])):
        largest = max(largest, min(1.0, p[index] * (len(p) - step)))
        adjusted[index] = largest
    return [adjusted[i] for i in range(len(p))]


def holm_of_pairs(rows: Sequence[Mapping[str, Any]], column: str) -> list[float]:
    """P adjusted among the pairs of two systems, and among those with a reference point."""
    adjusted: dict[int, float] = {}
    for with_point in (False, True):
        family = [
            i
            for i, row in enumerate(rows)
            if any(row[side].startswith("point:") for side in ("system", "other")) == with_point
        ]
        of_family = holm([rows[i][column] for i in family])
        adjusted |= dict(zip(family, of_family, strict=True))
    return [adjusted[i] for i in range(len(rows))]


def mid_ranks(values: Sequence[float]) -> list[float]:
    """Ranks from 1 for the smallest; equal values share their mean rank."""
    return [
        sum(other < value for other in values) + (sum(other == value for other in values) + 1) / 2
        for value in values
    ]


def friedman(values: Sequence[Sequence[float]]) -> float:
    """Chi-squared of ranks within documents, corrected for ties; values by system."""
    systems, documents = len(values), len(values[0])
    ranks = [mid_ranks(column) for column in zip(*values, strict=True)]
    sums = [sum(column) for column in zip(*ranks, strict=True)]
    between = sum((total - documents * (systems + 1) / 2) ** 2 for total in sums)
    within = sum((rank - (systems + 1) / 2) ** 2 for row in ranks for rank in row)
    return between * (systems - 1) / within


def nemenyi(values: Sequence[Sequence[float]], a: int, b: int) -> float:
    """P that a range of independent normal variables exceeds that of two mean ranks."""
    systems, documents = len(values), len(values[0])
    ranks = [mid_ranks(column) for column in zip(*values, strict=True)]
    apart = abs(sum(row[a] - row[b] for row in ranks)) / documents
    q = apart / (systems * (systems + 1) / (12 * documents)) ** 0.5
    normal, step = NormalDist(), 0.002
    lowest = [-8 + step * i for i in range(8001)]
    within = sum(
        normal.pdf(x) * (normal.cdf(x + q) - normal.cdf(x)) ** (systems - 1) * step for x in lowest
    )
    return 1 - systems * within
