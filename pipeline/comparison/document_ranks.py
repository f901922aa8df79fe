"""Tests of ranks on single documents, and by permutation, for papers that report them.

They depend on which other systems are there (Benavoli, Corani & Mangili 2016), so that only
``--layout ranks`` computes them, and no sentence rests on them.
"""

from collections.abc import Iterator

import numpy as np

from segscore.pipeline.comparison.averages import Averages
from segscore.pipeline.comparison.paired_tests import permutation_tests
from segscore.pipeline.comparison.samples import GroupSamples, Sample
from segscore.pipeline.comparison.settings import CompareSettings
from segscore.pipeline.comparison.tables import ComparisonRow
from segscore.pipeline.measures.measure import Measure
from segscore.pipeline.statistics.multiple_tests import holm_by_family
from segscore.pipeline.statistics.rank_tests import LEAST, Friedman, friedman, wilcoxon


def rank_tables(group: GroupSamples, settings: CompareSettings) -> dict[str, list[ComparisonRow]]:
    """Return the rows of rank_tests and omnibus of a group, without the group-by columns.

    There are none if the systems share too few documents.
    """
    rows: dict[str, list[ComparisonRow]] = {"rank_tests": [], "omnibus": []}
    if group.together is None:
        return rows
    averages = Averages(group.together)
    for measure in group.together.measures:
        test = friedman(group.together.values[measure.name])
        rows["rank_tests"] += _of_pairs(averages, measure, test, settings)
        if len(group.together.systems) >= LEAST:
            rows["omnibus"].append(_over_all(group.together, measure, test))
    return rows


def _of_pairs(
    averages: Averages, measure: Measure, test: Friedman, settings: CompareSettings
) -> Iterator[ComparisonRow]:
    """Yield the tests of each pair of systems by a measure."""
    sample = averages.sample
    systems, values = sample.systems, sample.values[measure.name]
    mean_rank = test.mean_rank * (1 if measure.better != "neither" else float("nan"))
    if measure.better == "higher":
        mean_rank = len(systems) + 1 - mean_rank
    differences = [
        averages.difference(measure.name, "micro", pair) for pair in range(len(averages.pairs))
    ]
    of_points = [systems[a].is_point or systems[b].is_point for a, b in averages.pairs]
    p = {
        "p_wilcoxon": np.array([wilcoxon(values[a], values[b]) for a, b in averages.pairs]),
        "p_permutation": permutation_tests(differences, settings.seed, settings.permutations),
    }
    p |= {f"{name}_holm": holm_by_family(found, of_points) for name, found in p.items()}
    for pair, (a, b) in enumerate(averages.pairs):
        yield {
            "measure": measure.name,
            "system": systems[a].label,
            "other": systems[b].label,
            "mean_rank": mean_rank[a],
            "other_mean_rank": mean_rank[b],
            "p_nemenyi": test.pairwise[a, b],
            **{name: float(found[pair]) for name, found in p.items()},
        }


def _over_all(sample: Sample, measure: Measure, test: Friedman) -> ComparisonRow:
    return {
        "measure": measure.name,
        "statistic": test.statistic,
        "degrees": len(sample.systems) - 1,
        "p": test.p,
        "effect": test.effect,
        "systems": len(sample.systems),
        "documents": test.documents,
    }
