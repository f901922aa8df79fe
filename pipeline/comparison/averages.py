"""Averages of systems over the documents they share, and the differences of each pair."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segscore.pipeline.arrays.ragged import Flags, add_up
from segscore.pipeline.comparison.samples import Sample
from segscore.pipeline.measures import Table
from segscore.pipeline.statistics.averages import exact_mean_of
from segscore.pipeline.statistics.jackknife import (
    Estimate,
    UnitSums,
    difference,
    macro_estimates,
    micro_estimates,
)

AVERAGES = ("micro", "macro")


@dataclass(frozen=True)
class Averages:
    """Averages of systems and differences between them.

    Attributes:
        sample: the systems, and their counts and values by document.
    """

    sample: Sample

    @cached_property
    def pairs(self) -> list[tuple[int, int]]:
        """Indices of the systems of each pair, the earlier one first."""
        return list(combinations(range(len(self.sample.systems)), 2))

    @cached_property
    def table(self) -> Table:
        """The chosen measures and their counts."""
        return self.sample.table.only([measure.name for measure in self.sample.measures])

    @cached_property
    def defined(self) -> Mapping[str, Flags]:
        """Measure -> whether it is defined, shape (systems, documents)."""
        return {name: ~np.isnan(values) for name, values in self.sample.values.items()}

    @cached_property
    def systems(self) -> Mapping[tuple[str, str], list[Estimate]]:
        """(measure, average) -> the average of each system."""
        found: dict[tuple[str, str], list[Estimate]] = {}
        for s in range(len(self.sample.systems)):
            sums = self.sums(s)
            sample = self.sample
            by_measure = micro_estimates(
                self.table, sums, sample.parameters[s], sample.p_seg_of[s], sample.draws[s]
            )
            means = {name: exact_mean_of(values[s]) for name, values in sample.values.items()}
            for kind, estimates in (
                ("micro", by_measure),
                ("macro", macro_estimates(self.table, sums, means)),
            ):
                for name, estimate in estimates.items():
                    found.setdefault((name, kind), []).append(estimate)
        return found

    def sides(self, measure: str, average: str, pair: int) -> tuple[Estimate, Estimate]:
        """Return the averages of a pair, macro ones over the documents where both are defined."""
        a, b = self.pairs[pair]
        defined = self.defined[measure]
        if average == "micro" or (defined[a] == defined[b]).all():
            first, second = (self.systems[measure, average][s] for s in (a, b))
            return first, second
        table, both = self.table.only([measure]), defined[a] & defined[b]
        first, second = (macro_estimates(table, self.sums(s, both))[measure] for s in (a, b))
        return first, second

    def difference(self, measure: str, average: str, pair: int) -> Estimate:
        """Return the first system's average less the second's."""
        return difference(*self.sides(measure, average, pair))

    def both(self, measure: str, pair: int) -> int:
        """Return the number of documents on which both systems of a pair are defined."""
        a, b = self.pairs[pair]
        return int(np.count_nonzero(self.defined[measure][a] & self.defined[measure][b]))

    def sums(self, system: int, chosen: Flags | None = None) -> UnitSums:
        """Sum a system's counts and values over each resampling unit."""
        sample = self.sample
        units = sample.units
        n = len(units.hashes)
        order = np.argsort(units.hashes, kind="stable")

        def added(values: NDArray[Any]) -> NDArray[Any]:
            return add_up(values, units.index, n)[order]

        defined = {
            name: flags[system] if chosen is None else flags[system] & chosen
            for name, flags in self.defined.items()
        }
        return UnitSums(
            units.hashes[order],
            {name: added(counts[system]) for name, counts in sample.counts.items()},
            {
                name: added(np.where(defined[name], values[system], 0.0))
                for name, values in sample.values.items()
            },
            {name: added(flags.astype(np.int64)) for name, flags in defined.items()},
        )
