"""How well each coder agrees with the others, without each resampling unit in turn."""

from collections.abc import Iterator, Mapping

import numpy as np

from segscore.pipeline.agreement.coefficients import ACTUAL, PAIR_COUNTS, coefficient_weights
from segscore.pipeline.agreement.group import Group
from segscore.pipeline.arrays.document_ids import Hashes
from segscore.pipeline.arrays.ragged import Flags, Floats, Ints
from segscore.pipeline.measures.measure import evaluate
from segscore.pipeline.statistics.jackknife import Estimate


def peer_estimates(group: Group) -> Iterator[dict[str, Estimate]]:
    """Yield the similarity of each coder to the others, by the name of the similarity."""
    counts = {name: group.column("rates", name) for name in PAIR_COUNTS}
    unit, coder = group.unit_numbers("rates"), group.coder_indices("rates", "coder")
    order = np.argsort(coder, kind="stable")
    ends = np.searchsorted(coder[order], np.arange(len(group.coders) + 1))
    for x in range(len(group.coders)):
        chosen = order[ends[x] : ends[x + 1]]
        own = {name: values[chosen] for name, values in counts.items()}
        yield pooled_estimates(own, group.units[unit[chosen]].astype(np.uint64), group.choices.n_t)


def pooled_estimates(counts: Mapping[str, Ints], units: Hashes, n_t: int) -> dict[str, Estimate]:
    """Return every similarity of some pairs of codings, pooled, and without each unit.

    Args:
        counts: ``PAIR_COUNTS``, sums over the pairs of each unit, shape (units,) each.
        units: names of the units, ascending, likewise.
        n_t: near misses lie 1..n_t-1 positions apart.
    """
    known: Flags = counts["pair_places"] > 0
    sums = {name: counts[name][known].astype(np.float64) for name in PAIR_COUNTS}
    pooled: dict[str, Floats] = {
        name: np.append(values.sum() - values, values.sum()) for name, values in sums.items()
    }
    values = evaluate(ACTUAL.values(), pooled, {"n_t": n_t}, rows=False)
    weights = coefficient_weights(sums)
    return {
        name: Estimate(float(value[-1]), units[known], value[:-1], weights[name], (0, 1))
        for name, value in values.items()
    }
