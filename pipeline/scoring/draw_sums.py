"""Add up each draw of random boundaries over the documents of a run."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segscore.pipeline.arrays.ragged import Categorical, Ints
from segscore.pipeline.statistics.sums import add_counts

DrawSums = dict[str, NDArray[Any]]
"""For each system with random boundaries, sums of each count over all documents by draw: Python
integers, shape (draws, counts)."""


def sum_draw(counts: Mapping[str, Ints], system: Categorical) -> NDArray[Any]:
    """Add up the counts of one draw by system: shape (systems, counts)."""
    zeros = np.zeros((len(counts), len(system.names)), np.int64)
    return add_counts(system.code, [*counts.values()], zeros).T


def draw_sums(draws: Sequence[NDArray[Any]], names: Sequence[object]) -> DrawSums:
    """Return the sums of draws, as ``sum_draw`` returns them, by system; empty without draws."""
    if not draws:
        return {}
    by_system = np.stack(draws, axis=1).astype(object)
    return {str(name): rows for name, rows in zip(names, by_system, strict=True)}


def add_draws(parts: Iterable[DrawSums]) -> DrawSums:
    """Add up the sums of draws over disjoint sets of documents."""
    total: DrawSums = {}
    for part in parts:
        for name, sums in part.items():
            total[name] = total[name] + sums if name in total else sums
    return total
