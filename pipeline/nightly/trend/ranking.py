"""Rank systems over nights by the documents that each two of them share on each night."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from segscore.pipeline.arrays.ragged import Floats
from segscore.pipeline.measures import ALL
from segscore.pipeline.nightly.gate.rule import RULE_TABLES, measured_table
from segscore.pipeline.nightly.gate.tallies import run_parameters, sum_table, tables
from segscore.pipeline.nightly.nights import Night, Nights, aliases_on
from segscore.pipeline.nightly.trend.series import NightlySeries
from segscore.pipeline.nightly.trend.settings import TrendSettings
from segscore.pipeline.results.coverage import Coverage
from segscore.pipeline.statistics.averages import averages
from segscore.pipeline.statistics.multiple_tests import holm
from segscore.pipeline.statistics.rank_tests import count_signs, wilcoxon

_Pair = tuple[str, str]
_Values = tuple[float, float]


@dataclass(frozen=True)
class PairOverNights:
    """Two systems on the nights that both have.

    Attributes:
        system, other: the systems, the better one first.
        nights: number of nights.
        value, other_value: mean over nights of each one's average over the shared documents.
        difference: value - other_value.
        higher, lower: number of nights on which the first has the higher or lower average.
        p: p of Wilcoxon's signed-rank test over nights; NaN if all differences are 0.
        p_holm: p adjusted for all pairs.
        wins: number of nights on which the first is better.
    """

    system: str
    other: str
    nights: int
    value: float
    other_value: float
    difference: float
    higher: int
    lower: int
    p: float
    p_holm: float
    wins: int


def rank_over_nights(nightly: NightlySeries, settings: TrendSettings) -> list[PairOverNights]:
    """Compare each two systems over the nights of a folder that still have their scores.

    Returns:
        The pairs, those of the best systems first; empty if neither direction is better.
    """
    better = ALL[settings.measure].better
    if better == "neither":
        return []
    last = nightly.dates[-1]
    folder = Nights(settings.runs, aliases=aliases_on(settings.runs, last))
    systems = sorted({each.system for each in nightly.series if each.system is not None})
    by_pair: dict[_Pair, list[_Values]] = {pair: [] for pair in combinations(systems, 2)}
    for day in nightly.dates:
        night = folder.find(day)
        for pair, values in (_shared_averages(night, settings) if night else {}).items():
            by_pair[pair].append(values)
    arrays = {pair: np.array(values) for pair, values in by_pair.items() if values}
    tests = {pair: wilcoxon(each[:, 0], each[:, 1]) for pair, each in arrays.items()}
    adjusted = dict(zip(tests, holm([*tests.values()]).tolist(), strict=True))
    order = _order(systems, arrays, higher=better == "higher")
    pairs = []
    for (first, second), each in arrays.items():
        ahead = order.index(first) < order.index(second)
        system, other = (first, second) if ahead else (second, first)
        both: Floats = each if ahead else each[:, ::-1]
        nights_higher, nights_lower = count_signs(both[:, 0], both[:, 1])
        mean, other_mean = both.mean(axis=0).tolist()
        pairs.append(
            PairOverNights(
                system,
                other,
                len(both),
                mean,
                other_mean,
                mean - other_mean,
                nights_higher,
                nights_lower,
                tests[first, second],
                adjusted[first, second],
                nights_higher if better == "higher" else nights_lower,
            )
        )
    return sorted(pairs, key=lambda pair: (order.index(pair.system), order.index(pair.other)))


def _order(systems: Sequence[str], arrays: Mapping[_Pair, Floats], *, higher: bool) -> list[str]:
    """Return the systems, the best first, by the mean of their mean differences from the others."""
    sign = 1 if higher else -1
    gains: dict[str, list[float]] = {system: [] for system in systems}
    for (first, second), each in arrays.items():
        gain = sign * float((each[:, 0] - each[:, 1]).mean())
        gains[first].append(gain)
        gains[second].append(-gain)
    return sorted(systems, key=lambda name: (-float(np.mean(gains[name] or [-np.inf])), name))


def _shared_averages(night: Night, settings: TrendSettings) -> dict[_Pair, _Values]:
    """Return the averages of each two systems over the documents that a night has for both.

    Two that share too few to be ranked are left out.
    """
    table = measured_table(settings.measure)
    kind = RULE_TABLES[table].only([settings.measure])
    columns = ["document_id", "hypothesis", *kind.counts, *kind.measures]
    parts = [*tables(night, table, columns)]
    if not parts:
        return {}
    rows = pa.concat_tables(parts)
    names = sorted(pc.unique(rows.column("hypothesis")).to_pylist())
    of_system = {name: rows.filter(pc.equal(rows.column("hypothesis"), name)) for name in names}
    documents = {name: pc.unique(part.column("document_id")) for name, part in of_system.items()}
    whole: dict[str, float] = {}

    def average(name: str, shared: pa.Array) -> float:
        part = of_system[name]
        if len(shared) == len(documents[name]):
            if name not in whole:
                whole[name] = _average(night, part, settings)
            return whole[name]
        return _average(night, part.filter(pc.is_in(part.column("document_id"), shared)), settings)

    found: dict[_Pair, _Values] = {}
    for first, second in combinations(names, 2):
        both = documents[first].filter(pc.is_in(documents[first], documents[second]))
        sizes = [len(documents[first]), len(documents[second])]
        same = sizes == [len(both)] * 2
        if Coverage(sizes, same, len(both)).ranks:
            values = average(first, both), average(second, both)
            if not np.isnan(values).any():
                found[first, second] = values
    return found


def _average(night: Night, rows: pa.Table, settings: TrendSettings) -> float:
    """Return the average of rows of one system."""
    kind = RULE_TABLES[measured_table(settings.measure)].only([settings.measure])
    sums = sum_table(kind, rows, 0)
    found = averages(kind, sums, 0, run_parameters(night))
    return found.rows[settings.measure, settings.average].value
