"""Make the tables of a comparison (schemas/comparisons.py) from its samples."""

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from segscore.pipeline.arrays.ragged import Floats
from segscore.pipeline.comparison.averages import AVERAGES, Averages, average
from segscore.pipeline.comparison.pair_power import DifferenceSearch, pair_power, simulate_pairs
from segscore.pipeline.comparison.paired_tests import permutation_tests
from segscore.pipeline.comparison.samples import GroupSamples, Sample
from segscore.pipeline.comparison.settings import CompareSettings
from segscore.pipeline.measures.measure import Measure
from segscore.pipeline.scoring.finished_scoring import FinishedScoring
from segscore.pipeline.scoring.names import is_point
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


@dataclass(frozen=True)
class ComparedGroup:
    """The comparison of a group.

    Attributes:
        tables: the rows of comparisons, systems and omnibus, without the group-by columns.
        pairs: the samples of the pairs that were compared, with their averages.
    """

    tables: dict[str, list[ComparisonRow]]
    pairs: list[tuple[Sample, Averages]]


def compare_group(
    group: GroupSamples, runs: Sequence[FinishedScoring], settings: CompareSettings
) -> ComparedGroup:
    """Compare the systems of a group by every chosen measure: together, or two by two."""
    compared = ComparedGroup({"comparisons": [], "systems": [], "omnibus": []}, [])
    tables, labels = compared.tables, [system.label for system in group.systems]
    for sample in (*group.single, *group.pairs):
        averages = average(sample, settings.seed, settings.replicates)
        permutations = settings.permutations if averages.pairs else 0
        chosen = replace(settings, permutations=permutations)
        rows = compare_sample(sample, averages, runs, chosen)
        if sample is group.together:
            tables["omnibus"] += rows["omnibus"]
        if sample in group.single:
            apart = {} if sample is group.together else _not_ranked(group)
            tables["systems"] += [row | apart for row in rows["systems"]]
        if sample in group.paired:
            tables["comparisons"] += rows["comparisons"]
            compared.pairs.append((sample, averages))
    if group.alone:
        names = [measure.name for measure in group.single[0].measures]

        def order(row: ComparisonRow) -> tuple[int, ...]:
            place = (labels.index(row[name]) for name in ("system", "other") if name in row)
            return names.index(row["measure"]), AVERAGES.index(row["average"]), *place

        tables["systems"].sort(key=order)
        tables["comparisons"].sort(key=order)
        _adjust(tables["comparisons"])
    return compared


def _not_ranked(group: GroupSamples) -> ComparisonRow:
    """Return what the rows of systems that are not ranked have in common."""
    ranks = dict.fromkeys(("rank", "rank_low", "rank_high", "mean_rank"), _UNDEFINED)
    return {**ranks, "shared_documents": group.coverage.shared}


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
    _adjust(tables["comparisons"])
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
                "document_set": sample.document_set,
                "shared_documents": None,
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


def _adjust(rows: Sequence[ComparisonRow]) -> None:
    """Adjust the p values of the pairs of a group, those of each measure and average together.

    Reference points leave those of pairs of two systems unchanged.
    """
    families: dict[tuple[str, str], list[ComparisonRow]] = {}
    for row in rows:
        families.setdefault((row["measure"], row["average"]), []).append(row)
    for pairs in families.values():
        of_points = [is_point(row["system"]) or is_point(row["other"]) for row in pairs]
        for name in ("p_permutation", "p_wilcoxon"):
            adjusted = holm_by_family([row[name] for row in pairs], of_points)
            for row, p in zip(pairs, adjusted.tolist(), strict=True):
                row[f"{name}_holm"] = p


def _better(
    sample: Sample, measure: Measure, difference: float, pair: tuple[int, int]
) -> str | None:
    if measure.better == "neither" or np.isnan(difference) or difference == 0:
        return None
    first = (difference > 0) == (measure.better == "higher")
    return sample.systems[pair[0] if first else pair[1]].label


_DOCUMENT_TESTS = ("p_wilcoxon", "effect_d", "effect_rank")
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
    permuted = tests[measure.name, "micro"]
    for pair, by_document in enumerate(ranked):
        row = _pair(sample, averages, measure, "micro", pair)
        yield row | {"p_permutation": permuted[pair]} | by_document | undefined
    permuted = tests[measure.name, "macro"]
    for pair, by_document in enumerate(ranked):
        systems = averages.pairs[pair]
        of_macro = {
            "p_nemenyi": omnibus[0].pairwise[systems],
            "p_kruskal": omnibus[1].pairwise[systems],
        }
        row = _pair(sample, averages, measure, "macro", pair)
        yield row | {"p_permutation": permuted[pair]} | by_document | of_macro


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
    ranked = (signed_ranks(values[a], values[b]) for a, b in averages.pairs)
    return [
        {
            "p_wilcoxon": ranks.p,
            "effect_d": ranks.effect_d,
            "effect_rank": ranks.effect_rank,
            "higher": ranks.higher,
            "lower": ranks.lower,
        }
        for ranks in ranked
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


def worst_documents(
    group: GroupSamples, runs: Sequence[FinishedScoring]
) -> Iterator[ComparisonRow]:
    """List each system's worst documents, and those where it is furthest behind each other one.

    Ties are in document order.  Measures of which neither direction is better are skipped.
    """
    for sample in (*group.single, *group.pairs):
        yield from _worst_of(sample, runs, alone=sample in group.single)


def _worst_of(
    sample: Sample, runs: Sequence[FinishedScoring], *, alone: bool
) -> Iterator[ComparisonRow]:
    for measure in (m for m in sample.measures if m.better != "neither"):
        values = sample.values[measure.name]
        badness = values if measure.better == "lower" else -values
        for s in range(len(sample.systems)):
            if alone:
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
