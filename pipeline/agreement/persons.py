"""How well each coder agrees with the others, with intervals: without each unit in turn."""

from collections.abc import Iterator, Mapping

import numpy as np

from segscore.pipeline.agreement.coefficients import (
    ACTUAL,
    PAIR_COUNTS,
    coefficient_weights,
)
from segscore.pipeline.agreement.group import Choices, Group
from segscore.pipeline.agreement.sentences import PEER_SHOWN, SHOWN
from segscore.pipeline.arrays.document_ids import Hashes
from segscore.pipeline.arrays.ragged import Flags, Floats, Ints
from segscore.pipeline.measures.measure import evaluate
from segscore.pipeline.statistics.jackknife import Estimate


def peer_intervals(group: Group) -> Iterator[dict[str, object]]:
    """Yield the intervals of each coder's agreement with the others."""
    for counts, units in by_coder(group, "rates", PAIR_COUNTS):
        with_peers = pooled_estimates(counts, units, group.choices)
        yield {f"{PEER_SHOWN}_{end}": value for end, value in ends_of(with_peers[SHOWN])}


def ends_of(estimate: Estimate) -> list[tuple[str, float]]:
    """Return the ends of the interval of an estimate, by name."""
    return list(zip(("low", "high"), estimate.interval(), strict=True))


def by_coder(
    group: Group, table: str, names: tuple[str, ...]
) -> Iterator[tuple[dict[str, Ints], Hashes]]:
    """Yield counts of each coder by resampling unit, and the names of these units."""
    counts = {name: group.column(table, name) for name in names}
    unit, coder = group.unit_numbers(table), group.coder_indices(table, "coder")
    order = np.argsort(coder, kind="stable")
    ends = np.searchsorted(coder[order], np.arange(len(group.coders) + 1))
    for x in range(len(group.coders)):
        chosen = order[ends[x] : ends[x + 1]]
        own = {name: values[chosen] for name, values in counts.items()}
        yield own, group.units[unit[chosen]].astype(np.uint64)


def pooled_estimates(
    counts: Mapping[str, Ints], units: Hashes, choices: Choices
) -> dict[str, Estimate]:
    """Return every similarity of some pairs of codings, pooled, and without each unit.

    Args:
        counts: ``PAIR_COUNTS``, sums over the pairs of each unit, shape (units,) each.
        units: names of the units, ascending, likewise.
        choices: how coefficients are computed.
    """
    known: Flags = counts["pair_places"] > 0
    sums = {name: counts[name][known].astype(np.float64) for name in PAIR_COUNTS}
    pooled: dict[str, Floats] = {
        name: np.append(values.sum() - values, values.sum()) for name, values in sums.items()
    }
    values = evaluate(ACTUAL.values(), pooled, {"n_t": choices.n_t}, rows=False)
    weights = coefficient_weights(sums)
    return {
        name: Estimate(
            float(value[-1]), units[known], value[:-1], weights[name], (0, 1), choices.grouped
        )
        for name, value in values.items()
    }
