"""Similarities of random panels of coders."""

import numpy as np

from segscore.pipeline.agreement.judging.by_document import CodedPairs


def random_pairs(seed: int, documents: int = 60, coders: int = 6) -> CodedPairs:
    """Return similarities of random panels of two to four coders."""
    draw = np.random.default_rng(seed)
    rows, start = [], [0]
    for _ in range(documents):
        panel = sorted(draw.permutation(coders)[: draw.integers(2, 5)].tolist())
        rows += [(i, j) for i in panel for j in panel if i < j]
        start.append(len(rows))
    first, second = np.array(rows).T
    values = draw.random(len(rows))
    shared = draw.integers(0, 2, documents)
    weights = draw.integers(1, 20, len(rows)).astype(np.float64)
    return CodedPairs(np.array(start), first, second, values, weights, shared)
