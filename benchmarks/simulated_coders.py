"""Simulated coders of the same documents, and how often intervals of coefficients are right."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

import segscore
from benchmarks.simulated_documents import DOCUMENTS
from benchmarks.statements import counted_shares
from segscore.pipeline.comparison.certify import MeasuredShare

PROJECTS = 200
"""Simulated projects of a cell."""

COEFFICIENTS = ("pi", "kappa")

PRINTED = ("actual", "chance", "value", "corrected")
"""Columns of the table of coefficients: agreement, that by chance, pi, and what is left."""


def audits(documents: int, number: int = PROJECTS) -> dict[str, MeasuredShare]:
    """Return how often intervals of coefficients contain the value of the same coders' pool."""
    draw = np.random.default_rng(11)
    pooled = [_codings(draw) for _ in range(DOCUMENTS // 10)]
    truth = _coefficients(pooled)

    def contain() -> Iterator[dict[str, bool]]:
        for _ in range(number):
            found = _coefficients([pooled[d] for d in draw.integers(0, len(pooled), documents)])
            yield {
                name: bool(row["ci_low"] <= truth[name]["value"] <= row["ci_high"])
                for name, row in found.items()
            }

    return counted_shares(contain())


def at_random(documents: int, number: int = PROJECTS // 4) -> dict[str, float]:
    """Return the mean over projects of what is printed of coders who mark random positions."""
    draw = np.random.default_rng(12)
    rows = [
        _coefficients([_random_codings(draw) for _ in range(documents)])["pi"]
        for _ in range(number)
    ]
    return {name: float(np.mean([row[name] for row in rows])) for name in PRINTED}


def _random_codings(draw: np.random.Generator) -> tuple[int, list[list[int]]]:
    """Return the length of a document, and random boundaries of each of three coders."""
    n = int(np.clip(60 * np.exp(0.4 * draw.normal()), 8, 500))
    numbers = np.maximum(1, draw.binomial(n - 1, 0.2, 3))
    return n, [sorted((draw.permutation(n - 1)[:each] + 1).tolist()) for each in numbers]


def _codings(draw: np.random.Generator) -> tuple[int, list[list[int]]]:
    """Return the length of a document, and the boundaries of each of three coders."""
    n = int(np.clip(60 * np.exp(0.4 * draw.normal()), 8, 500))
    truth = np.flatnonzero(draw.random(n - 1) < 0.1) + 1
    codings = []
    for missed, added in ((0.2, 0.1), (0.3, 0.2), (0.2, 0.5)):
        kept = truth[draw.random(len(truth)) >= missed]
        kept = kept + draw.choice([-1, 0, 0, 1], len(kept))
        more = draw.integers(1, n, draw.poisson(added * len(truth)))
        both = np.unique(np.concatenate([kept, more]))
        codings.append(both[(both >= 1) & (both < n)].tolist())
    return n, codings


def _coefficients(documents: Sequence[tuple[int, list[list[int]]]]) -> dict[str, dict[str, Any]]:
    """Return the rows of the coefficients of boundary similarity."""
    codings = {
        f"coder {c}": {
            f"d{number:05d}": segscore.Segmentation(coded[c], n)
            for number, (n, coded) in enumerate(documents)
        }
        for c in range(len(documents[0][1]))
    }
    rows = segscore.agree(codings, similarity="boundary_similarity").agreement.to_pylist()
    return {row["coefficient"]: row for row in rows if row["coefficient"] in COEFFICIENTS}
