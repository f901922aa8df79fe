"""Coefficients of a group of documents, with intervals, from the group's sums."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
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
    coefficient_weights,
    coefficients,
)
from segscore.pipeline.agreement.judging.by_document import ByDocument, by_document
from segscore.pipeline.agreement.judging.limits import Judging
from segscore.pipeline.agreement.judging.pair_counts import (
    CoderPairCounts,
    coder_numbers,
    pair_counts,
)
from segscore.pipeline.agreement.tally import ITEM_UNIT
from segscore.pipeline.arrays.kernel import kernel_of_steps
from segscore.pipeline.arrays.ragged import Floats, Ints, numbers
from segscore.pipeline.statistics.jackknife import Estimate

SUMMED = (*PAIR_COUNTS, *CODING_COUNTS, "item_rate", "item_documents")


@dataclass(frozen=True)
class Choices:
    """How coefficients are computed.

    Attributes:
        n_t: near misses lie 1..n_t-1 positions apart.
        item: pi's chance of a boundary is the mean of the documents' rates, not the pooled rate.
        segments: compute chances from segments instead of boundaries, except for the two-category
            coefficients.
        judging: how coders are judged.
        margin: how much less often a candidate may agree at least as well as a coder does.
        bin_size: size of the bins of the agreement index, in units.
        grouped: whether a resampling unit is several documents, such as a show.
    """

    n_t: int
    item: bool
    segments: bool
    judging: Judging
    margin: float = 0.0
    bin_size: int = 1
    grouped: bool = False

    @property
    def reach(self) -> Reach:
        """How far apart the boundaries of two coders may be that are compared."""
        return Reach(self.n_t, round(self.judging.limits["within"]), self.bin_size)


@dataclass(frozen=True)
class Group:
    """Sums over the documents of a group (``tallies.Tallies`` of this group alone).

    Attributes:
        tables: tables by name.
        choices: how coefficients are computed.
        strata: hash of each document and the number of its group, if these are all groups.
    """

    tables: Mapping[str, pa.Table]
    choices: Choices
    strata: pa.Table | None = None

    @cached_property
    def units(self) -> NDArray[np.int64] | NDArray[np.uint64]:
        """Names of the resampling units, ascending, shape (units,)."""
        return np.unique(numbers(self.tables["documents"].column("unit").combine_chunks()))

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
    def by_document(self) -> ByDocument:
        """Counts of each pair of codings."""
        sample = self.tables["sample"]
        names = [coder_numbers(sample, name, self.coders) for name in ("coder", "peer")]
        return by_document(sample, (names[0], names[1]), len(self.coders), self.strata)

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
        return coefficients(self._sums(), self.choices.n_t)

    @cached_property
    def estimates(self) -> dict[CoefficientKey, Estimate]:
        """Every coefficient without each resampling unit; the groups' documents are distinct."""
        without = coefficients(self._sums(without=True), self.choices.n_t)
        weights = coefficient_weights(self._by_unit)
        return {
            key: Estimate(
                float(self.agreement[key].value[0]),
                self.units.astype(np.uint64),
                np.broadcast_to(agreement.value, len(self.units)),
                weights[key[1]],
                (None, 1),
                self.choices.grouped,
            )
            for key, agreement in without.items()
        }

    def _cells(self) -> dict[str, Floats]:
        """Return the sums of each row of the table ``documents``."""
        coders = self.column("documents", "coders")
        cells = {name: self.column("documents", name).astype(np.float64) for name in SUMMED}
        together = coders > 1
        cells["disagreement"] = disagreements(cells) / np.maximum(1, coders - 1)
        cells["paired_marks"] = cells["marks"] * together
        cells["paired_places"] = cells["places"] * together
        return cells

    @cached_property
    def _by_unit(self) -> dict[str, Floats]:
        """Return the sums over each resampling unit, shape (units,)."""
        unit, n = self.unit_numbers("documents"), len(self.units)
        return {
            name: np.bincount(unit, cells, n).astype(np.float64)
            for name, cells in self._cells().items()
        }

    def _sums(self, *, without: bool = False) -> dict[str, Floats]:
        """Sum over documents, shape (1,), or over those of all units but one, shape (units,)."""
        sums = {
            name: values.sum() - values if without else values.sum(keepdims=True)
            for name, values in self._by_unit.items()
        }
        sums["rate"] = rate(sums, self.choices)
        plain, chosen = self.rates(without=without)
        sums["category_product"], sums["both"] = self._chance(plain, without=without)
        sums["product"] = sums["category_product"]
        if self.choices.segments:
            sums["product"] = self._chance(chosen, without=without)[0]
        return sums

    def rates(self, *, without: bool = False) -> tuple[Floats, Floats]:
        """Return coders' chances of a boundary, plain and as chosen, shape (n, coders).

        There is one row, or with ``without`` one for each unit, of the chances without it.
        """
        shape = len(self.units), len(self.coders)
        cell = self.unit_numbers("rates") * shape[1] + self.coder_indices("rates", "coder")
        sums = []
        for name in ("codings", "marks", "places"):
            values = self.column("rates", name).astype(np.float64)
            by_unit = np.bincount(cell, values, shape[0] * shape[1]).reshape(shape)
            whole = by_unit.sum(axis=0, keepdims=True)
            sums.append(whole - by_unit if without else whole)
        codings, marks, places = sums
        with np.errstate(divide="ignore", invalid="ignore"):
            # The rate of a coder of one unit alone is not used without it.
            plain = np.where(places > 0, marks / places, 0.0)
            segments = np.where(places > 0, (marks + codings) / places, 0.0)
        return plain, segments if self.choices.segments else plain

    def _chance(self, p: Floats, *, without: bool) -> tuple[Floats, Floats]:
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
        unit = self.unit_numbers("panels")[order]
        product, both = np.zeros((2, len(p)))
        panels = _Panels(panel[order], unit, places[order], offsets, members)
        _add_chance(panels, np.ascontiguousarray(p.T), without, product, both)
        return product, both

    def unit_numbers(self, table: str) -> Ints:
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
            low, high = self.estimates[coefficient, similarity].interval()
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


@kernel_of_steps(lambda panels, p, *_: len(panels.members) * p.shape[1])
def _add_chance(panels: _Panels, p: Floats, without: bool, product: Floats, both: Floats) -> None:
    """Sum p_x p_y and p_x + p_y over the pairs of coders of each panel, times its places.

    With ``without``, place r of the chances and of the sums is without the places of unit r.

    Args:
        panels: the panels.
        p: chance of a boundary of each coder, a row each, so that a loop over units is fast.
        without: whether there is a place for each unit.
        product: receives the first sum.
        both: receives the second sum.
    """
    panel, unit, places = panels.panel, panels.unit, panels.places
    total, panel_product = np.zeros(len(product)), np.zeros(len(product))
    first = 0
    while first < len(panel):
        end, total_places = first, np.int64(0)
        while end < len(panel) and panel[end] == panel[first]:
            total_places += places[end]
            end += 1
        members = panels.members[panels.offsets[panel[first]] : panels.offsets[panel[first] + 1]]
        total[:] = 0.0
        panel_product[:] = 0.0
        for x in members:
            for r in range(len(product)):
                panel_product[r] += total[r] * p[x, r]
                total[r] += p[x, r]
        pairs_of_each = len(members) - 1
        for r in range(len(product)):
            product[r] += total_places * panel_product[r]
            both[r] += total_places * (pairs_of_each * total[r])
        if without:
            for entry in range(first, end):
                r = unit[entry]
                product[r] -= places[entry] * panel_product[r]
                both[r] -= places[entry] * (pairs_of_each * total[r])
        first = end
