"""How well each coder agrees with the others and with themselves, without each unit in turn."""

from collections.abc import Iterator, Mapping

import numpy as np

from segscore.pipeline.agreement.aside_tally import COUNTS
from segscore.pipeline.agreement.coefficients import (
    ACTUAL,
    PAIR_COUNTS,
    SIMILARITIES,
    coefficient_weights,
)
from segscore.pipeline.agreement.group import Group
from segscore.pipeline.arrays.document_ids import Hashes
from segscore.pipeline.arrays.ragged import Flags, Floats, Ints
from segscore.pipeline.measures.measure import evaluate
from segscore.pipeline.statistics.jackknife import Estimate


def person_columns(group: Group) -> Iterator[dict[str, object]]:
    """Yield the intervals of each coder's agreement with the others, and with themselves."""
    peers = by_coder(group, "rates", PAIR_COUNTS)
    again = by_coder(group, "again", COUNTS["again"])
    for (of_peers, units), (of_own, own_units) in zip(peers, again, strict=True):
        with_peers = pooled_estimates(of_peers, units, group.choices.n_t)
        with_own = pooled_estimates(of_own, own_units, group.choices.n_t)
        yield {
            **{
                f"peer_{similarity}_{end}": value
                for similarity in SIMILARITIES
                for end, value in _ends(with_peers[similarity])
            },
            "self_pairs": int(of_own["pairs"].sum()),
            **{
                f"self_{name}": value
                for similarity in SIMILARITIES
                for name, value in (
                    (similarity, with_own[similarity].value),
                    *((f"{similarity}_{end}", at) for end, at in _ends(with_own[similarity])),
                )
            },
        }


def _ends(estimate: Estimate) -> list[tuple[str, float]]:
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
