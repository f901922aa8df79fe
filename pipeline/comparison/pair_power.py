"""What a comparison could have shown: the smallest difference, and the documents that it needs."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from segscore.pipeline.arrays.ragged import Floats, Ints
from segscore.pipeline.comparison.averages import Averages
from segscore.pipeline.comparison.samples import Sample
from segscore.pipeline.comparison.spread import shares
from segscore.pipeline.errors import Refused
from segscore.pipeline.measures.measure import Measure
from segscore.pipeline.statistics.power import (
    LEAST_DOCUMENTS,
    PairedTest,
    documents_needed,
    smallest_effect,
)
from segscore.pipeline.statistics.simulated_power import power_curve


@dataclass(frozen=True)
class DifferenceSearch:
    """A difference that a comparison is to find: see ``CompareSettings``.

    Attributes:
        test: level and power of the test.
        difference: a difference to find, of either sign; None for the observed one alone.
        seed: seed of simulations.
    """

    test: PairedTest
    difference: float | None = None
    seed: int = 0


@dataclass(frozen=True)
class PairPower:
    """What the documents of each pair can show, NaN where unknown, shape (pairs,) each.

    Attributes:
        smallest_difference: the difference that the test finds with its power.
        documents_needed: the documents that the observed difference needs.
        documents_for_difference: the documents that the difference asked for needs.
    """

    smallest_difference: Floats
    documents_needed: Floats
    documents_for_difference: Floats


def pair_power(
    sample: Sample, averages: Averages, measure: Measure, average: str, search: DifferenceSearch
) -> PairPower:
    """Compute what the documents of each pair can show.

    Unknown with fewer than ``LEAST_DOCUMENTS`` documents, for a measure without a direction, and
    where all documents differ alike.
    """
    spread, documents = _spread(sample, averages, measure, average)
    observed = averages.difference[measure.name, average]
    smallest = np.full(len(spread), np.nan)
    for pair in np.flatnonzero(spread > 0):
        smallest[pair] = spread[pair] * smallest_effect(int(documents[pair]), search.test)
    wanted = np.full(len(spread), search.difference or np.nan)
    return PairPower(
        smallest_difference=smallest,
        documents_needed=_needed(observed, spread, search.test),
        documents_for_difference=_needed(wanted, spread, search.test),
    )


def simulate_pairs(
    sample: Sample, averages: Averages, measure: Measure, average: str, search: DifferenceSearch
) -> Iterator[dict[str, Any]]:
    """Yield the power of each pair on growing numbers of documents (schemas/comparisons.py).

    Pairs of two reference points are left out, and pairs without a difference to find.

    Raises:
        Refused: the measure has no direction, or there are too few documents.
    """
    if measure.better == "neither":
        raise Refused(
            f"--simulate-power: {measure.name} has no better direction, so that no system is better"
        )
    by_system = shares(sample, measure, average)
    for pair, (a, b) in enumerate(averages.pairs):
        observed = float(averages.difference[measure.name, average][pair])
        sought = search.difference or observed
        systems = sample.systems[a], sample.systems[b]
        if not sought or np.isnan(sought) or all(system.is_point for system in systems):
            continue
        differences = by_system[a] - by_system[b]
        differences = differences[~np.isnan(differences)]
        if len(differences) < LEAST_DOCUMENTS:
            raise Refused(
                f"--simulate-power: {systems[0].label} and {systems[1].label} share "
                f"{len(differences)} documents by {measure.name}, too few to estimate the spread; "
                f"at least {LEAST_DOCUMENTS} are needed"
            )
        names = {"system": systems[0].label, "other": systems[1].label, "sought": sought}
        for point in power_curve(differences, sought, search.test, search.seed):
            yield {"measure": measure.name, "average": average, **names, **asdict(point)}


def _spread(
    sample: Sample, averages: Averages, measure: Measure, average: str
) -> tuple[Floats, Ints]:
    """Return the spread of each pair's differences, NaN if unknown, and their number."""
    spread = np.full(len(averages.pairs), np.nan)
    documents = np.zeros(len(averages.pairs), np.int64)
    if measure.better == "neither":
        return spread, documents
    by_system = shares(sample, measure, average)
    for pair, (a, b) in enumerate(averages.pairs):
        differences = by_system[a] - by_system[b]
        differences = differences[~np.isnan(differences)]
        documents[pair] = len(differences)
        if len(differences) >= LEAST_DOCUMENTS:
            spread[pair] = differences.std(ddof=1)
    return spread, documents


def _needed(difference: Floats, spread: Floats, test: PairedTest) -> Floats:
    needed = np.full(len(spread), np.nan)
    known = (spread > 0) & (np.abs(difference) > 0)
    needed[known] = documents_needed(np.abs(difference[known]) / spread[known], test)
    return needed
