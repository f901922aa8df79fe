"""Make the tables of a comparison (schemas/comparisons.py) from its samples."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pyarrow as pa

from segscore.pipeline.arrays.ragged import Floats
from segscore.pipeline.comparison.averages import AVERAGES, Averages
from segscore.pipeline.comparison.pair_power import UNKNOWN, pair_power
from segscore.pipeline.comparison.pair_rows import SIGNIFICANT
from segscore.pipeline.comparison.samples import GroupSamples, Sample
from segscore.pipeline.comparison.settings import CompareSettings
from segscore.pipeline.measures.measure import Measure
from segscore.pipeline.results.names import explain_command
from segscore.pipeline.scoring.finished_scoring import FinishedScoring
from segscore.pipeline.statistics import rank_tests
from segscore.pipeline.statistics.jackknife import (
    Estimate,
    cautious,
    difference,
    rests_on_few,
)
from segscore.pipeline.statistics.multiple_tests import holm_by_family, holm_levels
from segscore.pipeline.statistics.power import PairedTest
from segscore.schemas.rows import PairRow

if TYPE_CHECKING:
    import pandera.pyarrow as pap

ComparisonRow = dict[str, Any]
_WORST = 10
"""Number of documents listed for each system, and for each system against each other one."""

_UNDEFINED = float("nan")


def table_of(
    rows: Sequence[ComparisonRow], model: "pap.DataFrameSchema", group_by: Mapping[str, pa.DataType]
) -> pa.Table:
    """Make a table from rows, with null in place of NaN; the group-by columns come first."""
    from segscore.schemas.columns import arrow_type  # imports Pandera

    kinds = {name: arrow_type(column) for name, column in model.columns.items()}
    return pa.table(
        {
            name: pa.array([row[name] for row in rows], kind, from_pandas=True)
            for name, kind in {**group_by, **kinds}.items()
        }
    )


@dataclass(frozen=True)
class ComparedPair:
    """The comparison of two systems by one measure and average, before p values are adjusted.

    Attributes:
        row: the columns of comparisons that do not depend on the other pairs.
        difference: the first system's average less the second's.
        of_points: whether one of the two is a reference point.
        directed: whether one of the two can be better.
    """

    row: ComparisonRow
    difference: Estimate
    of_points: bool
    directed: bool


@dataclass(frozen=True)
class ComparedSample:
    """The comparison of the systems of a sample: rows of systems, and the pairs."""

    systems: list[ComparisonRow]
    pairs: list[ComparedPair]


def compare_group(
    group: GroupSamples, runs: Sequence[FinishedScoring], settings: CompareSettings
) -> dict[str, list[ComparisonRow]]:
    """Compare the systems of a group by every chosen measure: together, or two by two.

    Returns:
        The rows of comparisons and systems, without the group-by columns.
    """
    systems: list[ComparisonRow] = []
    pairs: list[ComparedPair] = []
    labels = [system.label for system in group.systems]
    for sample in (*group.single, *group.pairs):
        found = compare_sample(Averages(sample), runs)
        if sample in group.single:
            apart = {} if sample is group.together else _not_ranked(group)
            systems += [row | apart for row in found.systems]
        if sample in group.paired:
            pairs += found.pairs
    comparisons = adjusted_rows(pairs, settings, power=True)
    if group.alone:
        names = [measure.name for measure in group.single[0].measures]

        def order(row: ComparisonRow) -> tuple[int, ...]:
            place = (labels.index(row[name]) for name in ("system", "other") if name in row)
            return names.index(row["measure"]), AVERAGES.index(row["average"]), *place

        systems.sort(key=order)
        comparisons.sort(key=order)
    return {"comparisons": comparisons, "systems": systems}


def _not_ranked(group: GroupSamples) -> ComparisonRow:
    """Return what the rows of systems that are not ranked have in common."""
    return {"rank": _UNDEFINED, "shared_documents": group.coverage.shared}


def compare_sample(averages: Averages, runs: Sequence[FinishedScoring]) -> ComparedSample:
    """Compare the systems of one sample by every chosen measure."""
    sample = averages.sample
    compared = ComparedSample([], [])
    for measure in sample.measures:
        compared.systems.extend(_systems(averages, runs, measure))
        for kind in AVERAGES:
            pairs = range(len(averages.pairs))
            compared.pairs.extend(compare_pair(averages, measure, kind, pair) for pair in pairs)
    return compared


def adjusted_rows(
    pairs: Sequence[ComparedPair], settings: CompareSettings, *, power: bool
) -> list[ComparisonRow]:
    """Return the rows of comparisons, with p values adjusted for the pairs of a group.

    Those of each measure and average are adjusted together.  Reference points leave those of pairs
    of two systems unchanged.  The interval of a pair is at the level that its test has, so that it
    contains 0 exactly where the test does not find a difference.
    """
    families: dict[tuple[str, str], list[ComparedPair]] = {}
    for pair in pairs:
        families.setdefault((pair.row["measure"], pair.row["average"]), []).append(pair)
    rows = {id(pair): pair.row for pair in pairs}
    for members in families.values():
        of_points = [pair.of_points for pair in members]
        adjusted = holm_by_family([pair.row["p"] for pair in members], of_points)
        for pair, p in zip(members, adjusted.tolist(), strict=True):
            rows[id(pair)] = rows[id(pair)] | {"p_holm": p}
        levels = holm_levels([pair.row["p"] for pair in members], of_points, SIGNIFICANT)
        # Each of these pairs gets the level of Holm's first test.
        number = max(1, len(of_points) - sum(of_points))
        test = PairedTest(settings.alpha / number, settings.power)
        for pair, level in zip(members, levels.tolist(), strict=True):
            rows[id(pair)] |= at_level(pair, level, settings.margin)
            if power:
                shown = pair_power(pair.difference, test, settings.difference)
                rows[id(pair)] |= shown if pair.directed else UNKNOWN
    return [*rows.values()]


def as_in_table(rows: Iterable[ComparisonRow]) -> list[PairRow]:
    """Return rows of comparisons as the table has them: with None in place of NaN."""
    known = (
        {name: None if isinstance(x, float) and isnan(x) else x for name, x in row.items()}
        for row in rows
    )
    return cast("list[PairRow]", [*known])


def at_level(pair: ComparedPair, level: float, margin: float | None) -> ComparisonRow:
    """Return the columns of a pair that depend on the number of pairs."""
    confidence = 1 - (SIGNIFICANT if np.isnan(level) else level)
    low, high = pair.difference.interval(confidence)
    equal = None if margin is None else is_equal(pair.difference, margin)
    return {"ci_low": low, "ci_high": high, "confidence": confidence, "equal": equal}


def is_equal(difference: Estimate, margin: float) -> bool | None:
    """Return whether two systems are equal within a margin; None if that cannot be tested.

    Both one-sided tests at the level are an interval at 1 less twice the level (Schuirmann 1987).
    """
    low, high = difference.interval(1 - 2 * SIGNIFICANT)
    return None if np.isnan(low) else bool(max(-low, high) <= margin)


def _systems(
    averages: Averages, runs: Sequence[FinishedScoring], measure: Measure
) -> Iterator[ComparisonRow]:
    sample = averages.sample
    for kind in AVERAGES:
        estimates = averages.systems[measure.name, kind]
        value = np.array([estimate.value for estimate in estimates])
        ranks = np.full(len(sample.systems), _UNDEFINED)
        if measure.better != "neither":
            ranked = [s for s, system in enumerate(sample.systems) if not system.is_point]
            higher = measure.better == "higher"
            ranks[ranked] = rank_tests.rank_systems(value[ranked], higher=higher)
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
                "rank": ranks[s],
                "documents": len(sample.documents),
                "defined": int(np.count_nonzero(averages.defined[measure.name][s])),
                "effective": estimates[s].effective,
                "document_set": sample.document_set,
                "shared_documents": None,
            }


def compare_pair(averages: Averages, measure: Measure, kind: str, pair: int) -> ComparedPair:
    """Compare a pair of systems, the index of which is given, by one average."""
    sample = averages.sample
    values, systems = sample.values[measure.name], averages.pairs[pair]
    first, second = averages.sides(measure.name, kind, pair)
    apart = difference(first, second)
    if kind == "micro" and rests_on_few(apart.effective, apart.number):
        apart = cautious(apart, averages.difference(measure.name, "macro", pair))
    higher, lower = rank_tests.count_signs(values[systems[0]], values[systems[1]])
    row = {
        "measure": measure.name,
        "average": kind,
        "system": sample.systems[systems[0]].label,
        "other": sample.systems[systems[1]].label,
        "value": first.value,
        "other_value": second.value,
        "difference": apart.value,
        "p": apart.p,
        "better": _better(sample, measure, apart.value, systems),
        "documents": len(sample.documents),
        "defined": averages.both(measure.name, pair),
        "units": apart.number,
        "effective": apart.effective,
        "higher": higher,
        "lower": lower,
    }
    of_points = any(sample.systems[index].is_point for index in systems)
    return ComparedPair(row, apart, of_points, measure.better != "neither")


def _better(
    sample: Sample, measure: Measure, difference: float, pair: tuple[int, int]
) -> str | None:
    rounded = np.round(difference, rank_tests.DECIMALS)
    if measure.better == "neither" or np.isnan(difference) or rounded == 0:
        return None
    first = (difference > 0) == (measure.better == "higher")
    return sample.systems[pair[0] if first else pair[1]].label


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
    return explain_command(runs[system.run].url, document_id, system.hypothesis)
