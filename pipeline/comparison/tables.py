"""Make the tables of a comparison (schemas/comparisons.py) from its samples."""

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from segscore.pipeline.arrays.ragged import Floats
from segscore.pipeline.comparison.averages import AVERAGES, Averages
from segscore.pipeline.comparison.pair_power import (
    DifferenceSearch,
    PairPower,
    pair_power,
    simulate_pairs,
)
from segscore.pipeline.comparison.pair_rows import SIGNIFICANT
from segscore.pipeline.comparison.paired_tests import permutation_tests
from segscore.pipeline.comparison.samples import Sample
from segscore.pipeline.comparison.settings import CompareSettings
from segscore.pipeline.measures.measure import Measure
from segscore.pipeline.scoring.finished_scoring import FinishedScoring
from segscore.pipeline.statistics import rank_tests
from segscore.pipeline.statistics.jackknife import Estimate
from segscore.pipeline.statistics.multiple_tests import holm_by_family, holm_levels
from segscore.pipeline.statistics.power import PairedTest
from segscore.pipeline.statistics.rank_tests import signed_ranks

if TYPE_CHECKING:
    import pandera.pyarrow as pap

ComparisonRow = dict[str, Any]
_KINDS = {"String": pa.string(), "Int64": pa.int64(), "Float64": pa.float64()}
_WORST = 10
"""Number of documents listed for each system, and for each system against each other one."""

_SAMPLES = 2000
"""Number of samples from which the intervals of ranks are taken."""

_UNDEFINED = float("nan")


def table_of(
    rows: Sequence[ComparisonRow], model: "pap.DataFrameSchema", group_by: Mapping[str, pa.DataType]
) -> pa.Table:
    """Make a table from rows, with null in place of NaN; the group-by columns come first."""
    kinds = {name: _KINDS[str(column.dtype)] for name, column in model.columns.items()}
    return pa.table(
        {
            name: pa.array([row[name] for row in rows], kind, from_pandas=True)
            for name, kind in {**group_by, **kinds}.items()
        }
    )


def compare_sample(
    averages: Averages, runs: Sequence[FinishedScoring], settings: CompareSettings
) -> dict[str, list[ComparisonRow]]:
    """Compare the systems of one sample by every chosen measure.

    Returns:
        Rows of comparisons, systems and omnibus, without the group-by columns.
    """
    sample = averages.sample
    tables: dict[str, list[ComparisonRow]] = {"comparisons": [], "systems": [], "omnibus": []}
    for measure in sample.measures:
        friedman = rank_tests.friedman(sample.values[measure.name])
        kruskal = rank_tests.kruskal(sample.values[measure.name])
        tables["systems"] += _systems(averages, runs, measure, friedman.mean_rank, settings.seed)
        ranked = _ranked(averages, measure)
        for kind in AVERAGES:
            omnibus = (friedman, kruskal) if kind == "macro" else None
            tables["comparisons"] += _pairs(averages, measure, kind, settings, ranked, omnibus)
        if len(sample.systems) >= rank_tests.LEAST:
            tables["omnibus"] += [_omnibus(sample, measure, each) for each in (friedman, kruskal)]
    return tables


def simulate_power(averages: Averages, settings: CompareSettings) -> Iterator[ComparisonRow]:
    """Yield the rows of the table `power`: every measure, average and pair of systems.

    Raises:
        Refused: a measure has no direction, or there are too few documents.
    """
    search = _search(averages, settings)
    for measure in averages.sample.measures:
        for kind in AVERAGES:
            yield from simulate_pairs(averages, measure, kind, search)


def _search(averages: Averages, settings: CompareSettings) -> DifferenceSearch:
    """Return the test that one of the pairs of systems gets, as Holm's first one does."""
    systems = sum(not system.is_point for system in averages.sample.systems)
    test = PairedTest(settings.alpha / max(1, comb(systems, 2)), settings.power)
    return DifferenceSearch(test, settings.difference, settings.seed)


def _systems(
    averages: Averages,
    runs: Sequence[FinishedScoring],
    measure: Measure,
    mean_rank: Floats,
    seed: int,
) -> Iterator[ComparisonRow]:
    sample = averages.sample
    systems = len(sample.systems)
    directed = measure.better != "neither"
    higher = measure.better == "higher"
    document_rank = systems + 1 - mean_rank if higher else mean_rank
    for kind in AVERAGES:
        estimates = averages.systems[measure.name, kind]
        value = np.array([estimate.value for estimate in estimates])
        place = rank_tests.rank_systems(value, higher=higher)
        ranks = _rank_intervals(estimates, seed, higher=higher)
        for s, system in enumerate(sample.systems):
            low, high = estimates[s].interval()
            yield {
                "measure": measure.name,
                "average": kind,
                "system": system.label,
                "run": runs[system.run].name,
                "hypothesis": system.hypothesis,
                "value": value[s],
                "ci_low": low,
                "ci_high": high,
                "rank": place[s] if directed else _UNDEFINED,
                "rank_low": ranks[0, s] if directed else _UNDEFINED,
                "rank_high": ranks[1, s] if directed else _UNDEFINED,
                "mean_rank": document_rank[s] if directed and kind == "macro" else _UNDEFINED,
                "documents": len(sample.documents),
                "defined": int(np.count_nonzero(averages.defined[measure.name][s])),
                "effective": estimates[s].effective,
            }


def _rank_intervals(estimates: Sequence[Estimate], seed: int, *, higher: bool) -> Floats:
    """Return the central 95 % of the ranks that systems have in other samples of the units.

    The samples have normal averages, with the covariance of the pseudo-values.

    Returns:
        The lower and the upper ends, NaN where there is no interval, shape (2, systems).
    """
    known = [s for s, estimate in enumerate(estimates) if not np.isnan(estimate.error)]
    ranks = np.full((2, len(estimates)), _UNDEFINED)
    if not known:
        return ranks
    units = np.unique(np.concatenate([estimates[s].units for s in known]))
    deviations = np.zeros((len(known), len(units)))
    for row, s in enumerate(known):
        deviations[row, np.searchsorted(units, estimates[s].units)] = estimates[s].deviations
    normal = np.random.Generator(np.random.PCG64(seed)).standard_normal((len(units), _SAMPLES))
    values = np.array([estimates[s].value for s in known]) + (deviations @ normal).T
    drawn = rank_tests.rank_systems(values, higher=higher)
    ranks[:, known] = np.quantile(drawn, (0.025, 0.975), axis=0, method="nearest")
    return ranks


def _pairs(
    averages: Averages,
    measure: Measure,
    kind: str,
    settings: CompareSettings,
    ranked: Sequence[ComparisonRow],
    omnibus: tuple[rank_tests.Omnibus, rank_tests.Omnibus] | None,
) -> Iterator[ComparisonRow]:
    """Yield one row per pair of systems, for one average."""
    sample, search = averages.sample, _search(averages, settings)
    differences = [
        averages.difference(measure.name, kind, pair) for pair in range(len(averages.pairs))
    ]
    p = [difference.p for difference in differences]
    adjusted = _adjusted(averages, p)
    levels = holm_levels(p, _families(averages), SIGNIFICANT)
    permuted = permutation_tests(differences, settings.seed, settings.permutations)
    permuted_adjusted = _adjusted(averages, permuted)
    for pair, (systems, difference) in enumerate(zip(averages.pairs, differences, strict=True)):
        level = 1 - (SIGNIFICANT if np.isnan(levels[pair]) else float(levels[pair]))
        interval = difference.interval(level)
        directed = measure.better != "neither"
        power = pair_power(difference, interval, search) if directed else PairPower()
        first, second = averages.sides(measure.name, kind, pair)
        ranks = dict(ranked[pair])
        if kind == "micro":
            ranks |= dict.fromkeys(_DOCUMENT_TESTS, _UNDEFINED)
        yield {
            "measure": measure.name,
            "average": kind,
            "system": sample.systems[systems[0]].label,
            "other": sample.systems[systems[1]].label,
            "value": first.value,
            "other_value": second.value,
            "difference": difference.value,
            "ci_low": interval[0],
            "ci_high": interval[1],
            "confidence": level,
            "p": p[pair],
            "p_holm": adjusted[pair],
            "better": _better(sample, measure, difference.value, systems),
            "documents": len(sample.documents),
            "defined": averages.both(measure.name, pair),
            "effective": difference.effective,
            "p_permutation": permuted[pair],
            "p_permutation_holm": permuted_adjusted[pair],
            **ranks,
            "p_nemenyi": omnibus[0].pairwise[systems] if omnibus else _UNDEFINED,
            "p_kruskal": omnibus[1].pairwise[systems] if omnibus else _UNDEFINED,
            **asdict(power),
        }


def _families(averages: Averages) -> list[bool]:
    """Return the family of each pair: reference points leave pairs of two systems unchanged."""
    systems = averages.sample.systems
    return [any(systems[index].is_point for index in pair) for pair in averages.pairs]


def _adjusted(averages: Averages, p: Sequence[float] | Floats) -> Floats:
    """Adjust p values of pairs for their number."""
    return holm_by_family(p, _families(averages))


def _better(
    sample: Sample, measure: Measure, difference: float, pair: tuple[int, int]
) -> str | None:
    if measure.better == "neither" or np.isnan(difference) or difference == 0:
        return None
    first = (difference > 0) == (measure.better == "higher")
    return sample.systems[pair[0] if first else pair[1]].label


_DOCUMENT_TESTS = ("p_wilcoxon", "p_wilcoxon_holm", "effect_d", "effect_rank")
"""Columns computed document by document, so only macro rows have them."""


def _ranked(averages: Averages, measure: Measure) -> list[ComparisonRow]:
    """Compare each pair of systems document by document."""
    values = averages.sample.values[measure.name]
    ranked = [signed_ranks(values[a], values[b]) for a, b in averages.pairs]
    adjusted = _adjusted(averages, [ranks.p for ranks in ranked])
    return [
        {
            "p_wilcoxon": ranks.p,
            "p_wilcoxon_holm": adjusted[pair],
            "effect_d": ranks.effect_d,
            "effect_rank": ranks.effect_rank,
            "higher": ranks.higher,
            "lower": ranks.lower,
        }
        for pair, ranks in enumerate(ranked)
    ]


def _omnibus(sample: Sample, measure: Measure, test: rank_tests.Omnibus) -> ComparisonRow:
    return {
        "measure": measure.name,
        "test": test.test,
        "statistic": test.statistic,
        "degrees": len(sample.systems) - 1,
        "p": test.p,
        "effect": test.effect,
        "systems": len(sample.systems),
        "documents": test.documents,
    }


def worst_documents(sample: Sample, runs: Sequence[FinishedScoring]) -> Iterator[ComparisonRow]:
    """List each system's worst documents, and those where it is furthest behind each other one.

    Ties are in document order.  Measures of which neither direction is better are skipped.
    """
    for measure in (m for m in sample.measures if m.better != "neither"):
        values = sample.values[measure.name]
        badness = values if measure.better == "lower" else -values
        for s in range(len(sample.systems)):
            yield from _worst_rows(sample, runs, measure, (s, None), badness[s])
            for other in (o for o in range(len(sample.systems)) if o != s):
                behind = badness[s] - badness[other]
                behind = np.where(behind > 0, behind, _UNDEFINED)
                yield from _worst_rows(sample, runs, measure, (s, other), behind)


def _worst_rows(
    sample: Sample,
    runs: Sequence[FinishedScoring],
    measure: Measure,
    systems: tuple[int, int | None],
    badness: Floats,
) -> Iterator[ComparisonRow]:
    values, (s, other) = sample.values[measure.name], systems
    for place, document in enumerate(_largest(badness, _WORST), start=1):
        document_id = sample.documents[document].as_py()
        yield {
            "measure": measure.name,
            "system": sample.systems[s].label,
            "other": None if other is None else sample.systems[other].label,
            "place": place,
            "document_id": document_id,
            "value": values[s, document],
            "other_value": _UNDEFINED if other is None else values[other, document],
            "command": _command(sample, runs, s, document_id),
        }


def _largest(badness: Floats, number: int) -> Iterable[int]:
    """Return the documents with the largest values, without NaN; ties are in document order."""
    known = np.flatnonzero(~np.isnan(badness))
    if len(known) > number:
        least = np.partition(badness[known], -number)[-number]
        known = known[badness[known] >= least]
    order: list[int] = known[np.argsort(-badness[known], kind="stable")].tolist()
    return order[:number]


def _command(
    sample: Sample, runs: Sequence[FinishedScoring], s: int, document_id: str
) -> str | None:
    system = sample.systems[s]
    if system.is_point or runs[system.run].tables is not None:
        return None
    arguments = ["--document", document_id, "--hypothesis", system.hypothesis]
    return shlex.join(["segscore", "explain", runs[system.run].url, *arguments])
