"""Make the tables of a comparison (schemas/comparisons.py) from its samples."""

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from segscore.pipeline.arrays.ragged import Floats
from segscore.pipeline.comparison.averages import AVERAGES, Averages
from segscore.pipeline.comparison.pair_power import DifferenceSearch, pair_power, simulate_pairs
from segscore.pipeline.comparison.paired_tests import permutation_tests
from segscore.pipeline.comparison.samples import Sample
from segscore.pipeline.comparison.settings import CompareSettings
from segscore.pipeline.measures.measure import Measure
from segscore.pipeline.scoring.finished_scoring import FinishedScoring
from segscore.pipeline.statistics import rank_tests
from segscore.pipeline.statistics.bootstrap import interval
from segscore.pipeline.statistics.multiple_tests import holm_by_family
from segscore.pipeline.statistics.power import PairedTest
from segscore.pipeline.statistics.rank_tests import signed_ranks

if TYPE_CHECKING:
    import pandera.pyarrow as pap

ComparisonRow = dict[str, Any]
_KINDS = {"String": pa.string(), "Int64": pa.int64(), "Float64": pa.float64()}
_WORST = 10
"""Number of documents listed for each system, and for each system against each other one."""

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
    sample: Sample, averages: Averages, runs: Sequence[FinishedScoring], settings: CompareSettings
) -> dict[str, list[ComparisonRow]]:
    """Compare the systems of one sample by every chosen measure.

    Returns:
        Rows of comparisons, systems and omnibus, without the group-by columns.
    """
    tests = permutation_tests(sample, averages, settings.seed, settings.permutations)
    test = PairedTest(settings.alpha, settings.power)
    search = DifferenceSearch(test, settings.difference, settings.seed)
    tables: dict[str, list[ComparisonRow]] = {"comparisons": [], "systems": [], "omnibus": []}
    for measure in sample.measures:
        friedman = rank_tests.friedman(sample.values[measure.name])
        kruskal = rank_tests.kruskal(sample.values[measure.name])
        tables["systems"] += _systems(sample, runs, averages, measure, friedman.mean_rank)
        pairs = _pairs(sample, averages, measure, tests, (friedman, kruskal))
        power = _power(sample, averages, measure, search)
        tables["comparisons"] += [row | more for row, more in zip(pairs, power, strict=True)]
        if len(sample.systems) >= rank_tests.LEAST:
            tables["omnibus"] += [_omnibus(sample, measure, each) for each in (friedman, kruskal)]
    return tables


def simulate_power(
    sample: Sample, averages: Averages, settings: CompareSettings
) -> Iterator[ComparisonRow]:
    """Yield the rows of the table `power`: every measure, average and pair of systems.

    Raises:
        Refused: a measure has no direction, or there are too few documents.
    """
    test = PairedTest(settings.alpha, settings.power)
    search = DifferenceSearch(test, settings.difference, settings.seed)
    for measure in sample.measures:
        for kind in AVERAGES:
            yield from simulate_pairs(sample, averages, measure, kind, search)


def _limits(replicates: Floats, value: float, defined: int) -> tuple[float, float]:
    """Return a 95 % interval, NaN with fewer than two documents, as in a run's summary."""
    if np.isnan(value) or defined < 2:
        return _UNDEFINED, _UNDEFINED
    return interval(replicates)


def _systems(
    sample: Sample,
    runs: Sequence[FinishedScoring],
    averages: Averages,
    measure: Measure,
    mean_rank: Floats,
) -> Iterator[ComparisonRow]:
    systems = len(sample.systems)
    directed = measure.better != "neither"
    higher = measure.better == "higher"
    document_rank = systems + 1 - mean_rank if higher else mean_rank
    for kind in AVERAGES:
        key = measure.name, kind
        value, replicates = averages.value[key], averages.replicates[key]
        place = rank_tests.rank_systems(value, higher=higher)
        drawn = rank_tests.rank_systems(replicates, higher=higher)
        for s, system in enumerate(sample.systems):
            defined = int(averages.defined[measure.name][s])
            low, high = _limits(replicates[:, s], value[s], defined)
            first, last = _limits(drawn[:, s], value[s], defined)
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
                "rank_low": first if directed else _UNDEFINED,
                "rank_high": last if directed else _UNDEFINED,
                "mean_rank": document_rank[s] if directed and kind == "macro" else _UNDEFINED,
                "documents": len(sample.documents),
                "defined": defined,
            }


def _pair(
    sample: Sample, averages: Averages, measure: Measure, kind: str, pair: int
) -> ComparisonRow:
    """Return the columns that micro and macro rows have in common, but for those of tests."""
    key = measure.name, kind
    a, b = averages.pairs[pair]
    difference = float(averages.difference[key][pair])
    defined = int(averages.both[measure.name][pair])
    low, high = _limits(averages.differences[key][:, pair], difference, defined)
    return {
        "measure": measure.name,
        "average": kind,
        "system": sample.systems[a].label,
        "other": sample.systems[b].label,
        "value": averages.sides[key][0, pair],
        "other_value": averages.sides[key][1, pair],
        "difference": difference,
        "ci_low": low,
        "ci_high": high,
        "better": _better(sample, measure, difference, (a, b)),
        "documents": len(sample.documents),
        "defined": defined,
    }


def _permuted(sample: Sample, averages: Averages, p: Floats) -> list[ComparisonRow]:
    """Return the columns of the permutation tests of each pair."""
    adjusted = _adjusted(sample, averages, p)
    return [
        {"p_permutation": p[pair], "p_permutation_holm": adjusted[pair]} for pair in range(len(p))
    ]


def _adjusted(sample: Sample, averages: Averages, p: Sequence[float] | Floats) -> Floats:
    """Adjust p values of pairs; reference points leave those of pairs of two systems unchanged."""
    of_points = [any(sample.systems[index].is_point for index in pair) for pair in averages.pairs]
    return holm_by_family(p, of_points)


def _better(
    sample: Sample, measure: Measure, difference: float, pair: tuple[int, int]
) -> str | None:
    if measure.better == "neither" or np.isnan(difference) or difference == 0:
        return None
    first = (difference > 0) == (measure.better == "higher")
    return sample.systems[pair[0] if first else pair[1]].label


_DOCUMENT_TESTS = ("p_wilcoxon", "p_wilcoxon_holm", "effect_d", "effect_rank")
"""Columns computed document by document, so only macro rows have them."""


def _pairs(
    sample: Sample,
    averages: Averages,
    measure: Measure,
    tests: Mapping[tuple[str, str], Floats],
    omnibus: tuple[rank_tests.Omnibus, rank_tests.Omnibus],
) -> Iterator[ComparisonRow]:
    """Yield one row per pair for the micro averages, then one per pair for the macro averages."""
    ranked = _ranked(sample, averages, measure)
    undefined = dict.fromkeys((*_DOCUMENT_TESTS, "p_nemenyi", "p_kruskal"), _UNDEFINED)
    permuted = _permuted(sample, averages, tests[measure.name, "micro"])
    for pair, by_document in enumerate(ranked):
        row = _pair(sample, averages, measure, "micro", pair)
        yield row | permuted[pair] | by_document | undefined
    permuted = _permuted(sample, averages, tests[measure.name, "macro"])
    for pair, by_document in enumerate(ranked):
        systems = averages.pairs[pair]
        of_macro = {
            "p_nemenyi": omnibus[0].pairwise[systems],
            "p_kruskal": omnibus[1].pairwise[systems],
        }
        row = _pair(sample, averages, measure, "macro", pair)
        yield row | permuted[pair] | by_document | of_macro


def _power(
    sample: Sample, averages: Averages, measure: Measure, search: DifferenceSearch
) -> Iterator[ComparisonRow]:
    """Yield the columns about power of each row of ``_pairs``."""
    for kind in AVERAGES:
        of_pairs = asdict(pair_power(sample, averages, measure, kind, search))
        for pair in range(len(averages.pairs)):
            yield {name: values[pair] for name, values in of_pairs.items()}


def _ranked(sample: Sample, averages: Averages, measure: Measure) -> list[ComparisonRow]:
    """Compare each pair of systems document by document."""
    values = sample.values[measure.name]
    ranked = [signed_ranks(values[a], values[b]) for a, b in averages.pairs]
    adjusted = _adjusted(sample, averages, [ranks.p for ranks in ranked])
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
