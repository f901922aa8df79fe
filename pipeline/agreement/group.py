"""Coefficients of a group of documents, with intervals, from the group's sums."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from segscore.pipeline.agreement.block import Reach, disagreements
from segscore.pipeline.agreement.coefficients import (
    CODING_COUNTS,
    PAIR_COUNTS,
    Agreement,
    CoefficientKey,
    coefficients,
)
from segscore.pipeline.agreement.judging.judge import Judgement, judge_coders
from segscore.pipeline.agreement.judging.limits import Judging
from segscore.pipeline.agreement.judging.pair_counts import (
    CoderPairCounts,
    coder_numbers,
    pair_counts,
)
from segscore.pipeline.agreement.tally import ITEM_UNIT
from segscore.pipeline.arrays.kernel import kernel
from segscore.pipeline.arrays.ragged import Floats, Ints, numbers
from segscore.pipeline.statistics.bootstrap import interval, replicate_sums

SUMMED = (*PAIR_COUNTS, *CODING_COUNTS, "item_rate", "item_documents")
ONCE = np.ones((1, 1), np.uint8)


@dataclass(frozen=True)
class Choices:
    """How coefficients are computed.

    Attributes:
        n_t: near misses lie 1..n_t-1 positions apart.
        item: pi's chance of a boundary is the mean of the documents' rates, not the pooled rate.
        segments: compute chances from segments instead of boundaries, except for the two-category
            coefficients.
        judging: how coders are judged.
    """

    n_t: int
    item: bool
    segments: bool
    judging: Judging = field(default_factory=Judging)

    @property
    def reach(self) -> Reach:
        """How far apart the boundaries of two coders may be that are compared."""
        return Reach(self.n_t, round(self.judging.limits.within))


@dataclass(frozen=True)
class Group:
    """Sums over the documents of a group (``tallies.Tallies`` of this group alone).

    Attributes:
        tables: tables by name.
        drawn: bootstrap weights of the resampling units, shape (units, replicates); None without
            replicates.
        units: names of the resampling units, ascending, shape (units,).
        choices: how coefficients are computed.
    """

    tables: Mapping[str, pa.Table]
    drawn: NDArray[np.uint8] | None
    units: NDArray[np.int64] | NDArray[np.uint64]
    choices: Choices

    def column(self, table: str, name: str) -> Ints:
        """Return an integer column of one of the tables."""
        return numbers(self.tables[table].column(name).combine_chunks())

    @cached_property
    def pair_counts(self) -> CoderPairCounts:
        """Counts of each pair of coders, by groups of documents for a jackknife."""
        return self.pair_counts_among(self.coders, None)

    def pair_counts_among(self, coders: Sequence[str], folds: Ints | None) -> CoderPairCounts:
        """Count each pair of coders; ``coders`` and ``folds`` may be those of a larger group."""
        held_out = self.tables["held_out"]
        held_out = held_out.filter(pc.greater(held_out.column("coders"), 1))
        shared = np.zeros(len(coders), np.int64)
        documents = numbers(held_out.column("documents").combine_chunks())
        np.add.at(shared, coder_numbers(held_out, "coder", coders), documents)
        by_fold, distances = self.tables["by_fold"], self.tables["distances"]
        return pair_counts(by_fold, distances, coders, shared, folds)

    @cached_property
    def judgement(self) -> Judgement | None:
        """What is said of each coder and each pair; None if there are too few."""
        return judge_coders(self.pair_counts, self.choices.judging)

    def total(self, table: str, name: str) -> int:
        """Return the sum of an integer column."""
        return int(self.column(table, name).sum())

    @cached_property
    def coders(self) -> list[str]:
        """Names of the coders, ascending."""
        return sorted(set(self.tables["held_out"].column("coder").to_pylist()))

    def coder_indices(self, table: str, name: str) -> Ints:
        """Return the numbers of the coders in a column, as indices into ``coders``."""
        return coder_numbers(self.tables[table], name, self.coders)

    @cached_property
    def agreement(self) -> dict[CoefficientKey, Agreement]:
        """Every coefficient of the group, shape (1,) each."""
        return coefficients(self._sums(None), self.choices.n_t)

    @cached_property
    def intervals(self) -> dict[CoefficientKey, tuple[float, float]]:
        """The 95 % bootstrap interval of each coefficient; empty without replicates."""
        return {key: interval(values) for key, values in self.replicates.items()}

    @cached_property
    def replicates(self) -> dict[CoefficientKey, Floats]:
        """Bootstrap replicates of each coefficient, shape (replicates,) each.

        Empty without replicates, or with fewer than two documents with two coders.
        """
        paired = self.column("documents", "coders") > 1
        if self.drawn is None or self.column("documents", "documents")[paired].sum() < 2:
            return {}
        resampled = coefficients(self._sums(self.drawn), self.choices.n_t)
        return {key: replicates.value for key, replicates in resampled.items()}

    def _sums(self, drawn: NDArray[np.uint8] | None) -> dict[str, Floats]:
        """Sum over documents, or under each replicate's weights: arrays of shape (replicates,)."""
        coders = self.column("documents", "coders")
        cells = {name: self.column("documents", name).astype(np.float64) for name in SUMMED}
        together = coders > 1
        cells["disagreement"] = disagreements(cells) / np.maximum(1, coders - 1)
        cells["paired_marks"] = cells["marks"] * together
        cells["paired_places"] = cells["places"] * together
        summed = _sum_weighted(np.stack([*cells.values()], axis=1), self._unit("documents"), drawn)
        sums = dict(zip(cells, summed.T, strict=True))
        sums["rate"] = rate(sums, self.choices)
        plain, chosen = self.rates(drawn)
        sums["category_product"], sums["both"] = self._chance(plain, drawn)
        sums["product"] = sums["category_product"]
        if self.choices.segments:
            sums["product"] = self._chance(chosen, drawn)[0]
        return sums

    def rates(self, drawn: NDArray[np.uint8] | None = None) -> tuple[Floats, Floats]:
        """Return coders' chances of a boundary, plain and as chosen, shape (replicates, coders)."""
        coder, unit = self.coder_indices("rates", "coder"), self._unit("rates")
        names = ("codings", "marks", "places")
        cells = np.stack([self.column("rates", name) for name in names], axis=1).astype(np.float64)
        sums = np.stack(
            [
                _sum_weighted(cells[rows], unit[rows], drawn)
                for rows in _by_number(coder, len(self.coders))
            ]
        )
        codings, marks, places = sums.transpose(2, 1, 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            # The rate of a coder whom a replicate omits is not used.
            plain = np.where(places > 0, marks / places, 0.0)
            segments = np.where(places > 0, (marks + codings) / places, 0.0)
        return plain, segments if self.choices.segments else plain

    def _chance(self, p: Floats, drawn: NDArray[np.uint8] | None) -> tuple[Floats, Floats]:
        """Sum pair_places p_x p_y, and pair_places (p_x + p_y), over coder pairs and documents."""
        table = self.tables["panels"].column("panel").combine_chunks().dictionary_encode()
        number = {coder: i for i, coder in enumerate(self.coders)}
        panel_members = [
            [number[x] for x in json.loads(names)] for names in table.dictionary.to_pylist()
        ]
        offsets = np.cumsum([0, *(len(names) for names in panel_members)])
        members = np.array([x for names in panel_members for x in names], np.int64)
        panel, places = numbers(table.indices).astype(np.int64), self.column("panels", "places")
        order = np.argsort(panel, kind="stable")
        weights = ONCE if drawn is None else drawn
        unit = self._unit("panels") if drawn is not None else np.zeros(len(panel), np.int64)
        product, both = np.zeros((2, len(p)))
        panels = _Panels(panel[order], unit[order], places[order], offsets, members)
        _add_chance(panels, p, weights, product, both)
        return product, both

    def _unit(self, table: str) -> Ints:
        """Return the numbers of the resampling units in a table's rows."""
        return np.searchsorted(self.units, self.column(table, "unit"))

    def rows(self) -> Iterator[dict[str, object]]:
        """Yield the rows of `agreement` (schemas/agreement.py), without the group-by columns."""
        counted = {
            "codings": self.total("documents", "codings"),
            "coders": len(self.coders),
            "documents": self.total("documents", "documents"),
            "pairs": self.total("documents", "pairs"),
        }
        for (coefficient, similarity), agreement in self.agreement.items():
            value = float(agreement.value[0])
            limits = self.intervals.get((coefficient, similarity))
            low, high = limits if limits and not np.isnan(value) else (float("nan"),) * 2
            yield {
                "coefficient": coefficient,
                "similarity": similarity,
                "actual": float(agreement.actual[0]),
                "expected": float(agreement.expected[0]),
                "value": value,
                "ci_low": low,
                "ci_high": high,
                **counted,
            }


def rate(sums: Mapping[str, Floats], choices: Choices) -> Floats:
    """Return pi's chance of a boundary at a position."""
    with np.errstate(divide="ignore", invalid="ignore"):
        if choices.item:
            return sums["item_rate"] * ITEM_UNIT / sums["item_documents"]
        marks = sums["marks"] + (sums["codings"] if choices.segments else 0)
        return np.asarray(marks / sums["places"])


def _sum_weighted(cells: Floats, unit: Ints, drawn: NDArray[np.uint8] | None) -> Floats:
    if drawn is None:
        return cells.sum(axis=0, keepdims=True)
    return replicate_sums(cells, drawn[unit])


def _by_number(number: Ints, count: int) -> list[Ints]:
    order = np.argsort(number, kind="stable")
    return np.split(order, np.searchsorted(number[order], np.arange(1, count)))


class _Panels(NamedTuple):
    """Potential boundaries by panel, a panel being the set of coders of a document.

    Attributes:
        panel: panel of each entry, ascending, shape (entries,).
        unit: resampling unit of each entry, shape (entries,).
        places: potential boundaries of each entry, shape (entries,).
        offsets: panel i has the members offsets[i]..offsets[i+1]-1, shape (panels + 1,).
        members: numbers of the coders, panel after panel.
    """

    panel: Ints
    unit: Ints
    places: Ints
    offsets: Ints
    members: Ints


@kernel
def _add_chance(
    panels: _Panels, p: Floats, weights: NDArray[np.uint8], product: Floats, both: Floats
) -> None:
    """Sum p_x p_y and p_x + p_y over the pairs of each panel once, then weight its documents."""
    panel, unit, places = panels.panel, panels.unit, panels.places
    panel_product, panel_both = np.zeros(len(p)), np.zeros(len(p))
    for i in range(len(panel)):
        if i == 0 or panel[i] != panel[i - 1]:
            members = panels.members[panels.offsets[panel[i]] : panels.offsets[panel[i] + 1]]
            for r in range(len(p)):
                total = 0.0
                panel_product[r] = 0.0
                for x in members:
                    panel_product[r] += total * p[r, x]
                    total += p[r, x]
                panel_both[r] = (len(members) - 1) * total
        for r in range(len(p)):
            weight = np.int64(weights[unit[i], r]) * places[i]
            product[r] += weight * panel_product[r]
            both[r] += weight * panel_both[r]
