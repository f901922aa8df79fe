"""Averages of systems over the documents they share, and their bootstrap replicates.

All systems share one set of Poisson weights, so a replicate shows how they would have compared on
another sample of documents.
"""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from segscore.pipeline.arrays.ragged import Floats, Ints
from segscore.pipeline.comparison.samples import Sample
from segscore.pipeline.statistics import bootstrap
from segscore.pipeline.statistics.averages import exact_mean_of

AVERAGES = ("micro", "macro")
_AT_ONCE = 1000
"""Replicates summed at a time; the weights of more would take too much memory."""


@dataclass(frozen=True)
class Averages:
    """Averages of systems and differences between them; NaN where undefined.

    Attributes:
        pairs: indices of the systems of each pair, the earlier one first.
        value: (measure, average) -> averages, shape (systems,).
        defined: measure -> number of documents on which it is defined, shape (systems,).
        replicates: (measure, average) -> replicates of ``value``, shape (replicates, systems);
            empty without replicates.
        difference: (measure, average) -> the first system's average less the second's, shape
            (pairs,); macro averages are over the documents on which both systems are defined.
        sides: (measure, average) -> the two averages of each difference, shape (2, pairs).
        both: measure -> number of documents on which both systems are defined, shape (pairs,).
        differences: (measure, average) -> replicates of ``difference``, shape
            (replicates, pairs).
    """

    pairs: list[tuple[int, int]]
    value: dict[tuple[str, str], Floats]
    defined: dict[str, Ints]
    replicates: dict[tuple[str, str], Floats]
    difference: dict[tuple[str, str], Floats]
    sides: dict[tuple[str, str], Floats]
    both: dict[str, Ints]
    differences: dict[tuple[str, str], Floats]


def formula(sample: Sample, system: int, counts: Floats) -> dict[str, Floats]:
    """Compute the chosen measures of a system from sums of counts.

    Args:
        sample: the measures, and the parameters of each system's run.
        system: index of the system.
        counts: sums of counts, shape (rows, counts), in the order of ``sample.counts``.

    Returns:
        Measure -> values, shape (rows,), NaN where undefined.
    """
    table = sample.table.only([measure.name for measure in sample.measures])
    by_name = dict(zip(sample.counts, counts.T, strict=True))
    values = table.values(by_name, sample.parameters[system], rows=False)
    return {name: np.broadcast_to(value, len(counts)) for name, value in values.items()}


def unit_counts(sample: Sample, unit: Ints, units: int) -> Floats:
    """Sum the counts over each resampling unit (whole numbers), shape (systems, units, counts)."""
    sums = np.zeros((len(sample.systems), units, len(sample.counts)), np.int64)
    for c, counts in enumerate(sample.counts.values()):
        for s, row in enumerate(counts):
            np.add.at(sums[s, :, c], unit, row)
    return sums.astype(np.float64)


def total(sums: Floats) -> Floats:
    """Sum over units exactly, then round; whole numbers that may exceed 2^63, shape (counts,)."""
    columns = [sum(map(int, column.tolist())) for column in sums.T]
    return np.array(columns, np.float64)


def average(sample: Sample, seed: int, replicates: int) -> Averages:
    """Average each chosen measure over the shared documents, for each system and pair."""
    units = sample.units
    pairs = list(combinations(range(len(sample.systems)), 2))
    counts = unit_counts(sample, units.index, len(units.hashes))
    by_system, both = _value_sums(sample, pairs, units.index, len(units.hashes))
    weights = bootstrap.weights(units.hashes, seed, replicates)
    averages = Averages(pairs, {}, {}, {}, {}, {}, {}, {})
    _micro(averages, sample, counts, weights)
    for m, measure in enumerate(sample.measures):
        name = measure.name
        sums = by_system[:, m].sum(axis=1)
        pair_sums = both[:, m].sum(axis=1)
        averages.defined[name] = sums[:, 1].astype(np.int64)
        averages.both[name] = pair_sums[:, 2].astype(np.int64)
        drawn_systems, drawn_pairs = (
            _replicate_sums(by_system[:, m], weights),
            _replicate_sums(both[:, m], weights),
        )
        averages.value[name, "macro"] = np.array(
            [exact_mean_of(row) for row in sample.values[name]]
        )
        with np.errstate(invalid="ignore"):
            averages.sides[name, "macro"] = (pair_sums[:, :2] / pair_sums[:, 2:]).T
            averages.difference[name, "macro"] = (pair_sums[:, 0] - pair_sums[:, 1]) / pair_sums[
                :, 2
            ]
            averages.replicates[name, "macro"] = drawn_systems[..., 0] / drawn_systems[..., 1]
            averages.differences[name, "macro"] = (
                drawn_pairs[..., 0] - drawn_pairs[..., 1]
            ) / drawn_pairs[..., 2]
    return averages


def _micro(averages: Averages, sample: Sample, counts: Floats, weights: NDArray[np.uint8]) -> None:
    first, second = np.array(averages.pairs, np.int64).reshape(-1, 2).T
    resampled = _replicate_sums(counts, weights)
    values = [
        (formula(sample, s, total(counts[s])[None]), formula(sample, s, resampled[:, s]))
        for s in range(len(sample.systems))
    ]
    for measure in sample.measures:
        key = measure.name, "micro"
        averages.value[key] = np.array([once[measure.name][0] for once, _ in values])
        averages.replicates[key] = np.stack([many[measure.name] for _, many in values], axis=1)
        averages.sides[key] = np.stack([averages.value[key][first], averages.value[key][second]])
        averages.difference[key] = averages.sides[key][0] - averages.sides[key][1]
        averages.differences[key] = (
            averages.replicates[key][:, first] - averages.replicates[key][:, second]
        )


def _value_sums(
    sample: Sample, pairs: list[tuple[int, int]], unit: Ints, units: int
) -> tuple[Floats, Floats]:
    """Sum the values of each measure over each resampling unit.

    Returns:
        For each system, the sum and the number of defined values, shape
        (systems, measures, units, 2); for each pair, the two sums and the number of documents on
        which both systems are defined, shape (pairs, measures, units, 3).
    """
    measures = [sample.values[measure.name] for measure in sample.measures]
    by_system = np.zeros((len(sample.systems), len(measures), units, 2))
    both = np.zeros((len(pairs), len(measures), units, 3))
    for m, values in enumerate(measures):
        defined = ~np.isnan(values)
        known = np.where(defined, values, 0.0)
        for s in range(len(values)):
            by_system[s, m, :, 0] = np.bincount(unit, known[s], units)
            by_system[s, m, :, 1] = np.bincount(unit, defined[s], units)
        all_defined = bool(defined.all())
        for p, (a, b) in enumerate(pairs):
            if all_defined:
                both[p, m] = np.stack(
                    [by_system[a, m, :, 0], by_system[b, m, :, 0], by_system[a, m, :, 1]], axis=1
                )
                continue
            shared = defined[a] & defined[b]
            both[p, m, :, 0] = np.bincount(unit, known[a] * shared, units)
            both[p, m, :, 1] = np.bincount(unit, known[b] * shared, units)
            both[p, m, :, 2] = np.bincount(unit, shared, units)
    return by_system, both


def _replicate_sums(sums: Floats, weights: NDArray[np.uint8]) -> Floats:
    """Sum with each replicate's weights: (n, units, columns) -> (replicates, n, columns)."""
    n, units, columns = sums.shape
    flat = sums.transpose(1, 0, 2).reshape(units, n * columns)
    blocks = [
        bootstrap.replicate_sums(flat, weights[:, start : start + _AT_ONCE])
        for start in range(0, weights.shape[1], _AT_ONCE)
    ]
    summed = np.concatenate(blocks or [np.empty((0, n * columns))])
    return summed.reshape(weights.shape[1], n, columns)
