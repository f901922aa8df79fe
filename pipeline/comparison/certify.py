"""Measure how often the intervals and tests of a run are right, on corpora like its own.

Each simulated corpus has as many resampling units as the run, drawn from them with replacement, so
the average of the run itself is the truth that an interval should contain. Two systems are made
equal by subtracting the difference that they have in the run; a test of these should find a
difference as often as its level says.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import isnan, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segscore.pipeline.arrays.ragged import Ints
from segscore.pipeline.comparison.averages import Averages
from segscore.pipeline.comparison.certify_settings import CertifySettings
from segscore.pipeline.comparison.pair_rows import SIGNIFICANT
from segscore.pipeline.comparison.runs import chosen_measures, find_systems, first_measure
from segscore.pipeline.comparison.samples import Sample, read_samples
from segscore.pipeline.errors import Refused
from segscore.pipeline.measures import Table
from segscore.pipeline.results.names import is_point
from segscore.pipeline.scoring.finished_scoring import FinishedScoring
from segscore.pipeline.statistics.formatted_numbers import counted, percent
from segscore.pipeline.statistics.jackknife import (
    FEWEST,
    P_SEG_COUNTS,
    Estimate,
    UnitSums,
    difference,
    macro_estimates,
    micro_estimates,
)

SIMULATED = 1000
"""Number of simulated corpora."""

DOCUMENT = "document"
"""Name of a resampling unit that is one document."""


@dataclass(frozen=True)
class MeasuredShare:
    """How often a statement about simulated corpora is true.

    Attributes:
        share: share of the corpora about which the statement is made where it is true.
        corpora: number of the corpora about which it is made.
    """

    share: float
    corpora: int

    @property
    def error(self) -> float:
        """The standard error of the share, which comes from the number of corpora."""
        return sqrt(max(self.share * (1 - self.share), 1 / self.corpora) / self.corpora)

    def __str__(self) -> str:
        """Write the share in percent with its error."""
        return f"{percent(self.share, '.1f')} (± {100 * self.error:.1f})"


@dataclass(frozen=True)
class Certificate:
    """How often the intervals and tests of a run are right.

    Attributes:
        measure: the measure.
        average: micro or macro.
        unit: what the resampling units are: `document`, or the attribute that they have in common.
        units: number of units.
        systems: the best system, and the next, if there is another.
        coverage: how often the 95 % interval contains the truth; None if there is no interval.
        level: how often equal systems differ by p < .05; None without a second system or a test.
    """

    measure: str
    average: str
    unit: str
    units: int
    systems: tuple[str, ...]
    coverage: MeasuredShare | None
    level: MeasuredShare | None

    @property
    def drawn(self) -> str:
        """What is drawn: `42 documents`, or `6 values of show`."""
        if self.unit == DOCUMENT:
            return counted(self.units, DOCUMENT)
        return f"{counted(self.units, 'value')} of {self.unit}"

    @property
    def row(self) -> dict[str, str | int | float | None]:
        """The certificate as a row of a table; shares are null where there is nothing to say."""
        shares = {"coverage": self.coverage, "level": self.level}
        names = {"system": 0, "other": 1}
        return {
            "measure": self.measure,
            "average": self.average,
            "unit": self.unit,
            "units": self.units,
            **{
                name: self.systems[at] if at < len(self.systems) else None
                for name, at in names.items()
            },
            **{name: None if each is None else each.share for name, each in shares.items()},
            **{
                f"{name}_error": None if each is None else each.error
                for name, each in shares.items()
            },
        }

    def __str__(self) -> str:
        """Return the certificate in one sentence."""
        drawn = f"On {SIMULATED:,} corpora drawn from the {self.drawn} of this run"
        what = f"of {self.measure} ({self.average} average)"
        if self.coverage is None:
            return f"{drawn}, there are no intervals {what}."
        covered = f"95 % intervals {what} contain the truth in {self.coverage}"
        if self.level is None:
            return f"{drawn}, {covered}."
        return (
            f"{drawn}, {covered}, and p < 0.05 is false in {self.level} where the two best systems "
            "are made equal. ± is of the simulation; other runs of the kind differ by up to 10 "
            "points."
        )


def certify(run: FinishedScoring, settings: CertifySettings) -> Certificate:
    """Measure how often the intervals and tests of a run are right.

    Args:
        run: the open run.
        settings: what to certify; ``settings.run`` is not read.

    Raises:
        Refused: the run has no such measure or attribute, or fewer units than an interval needs.
    """
    names = (settings.measure or first_measure([run]),)
    ((table, measures),) = chosen_measures(names)
    run.require(names)
    resample_by = settings.resample_by or run.score_settings().resample_by
    systems = [each for each in find_systems([run], ()) if not is_point(each.hypothesis)]
    samples = read_samples([run], systems, table, measures, (), resample_by).groups[0]
    sample = _best_two(samples.single[0], settings.average)
    labels = tuple(system.label for system in sample.systems)
    units = len(sample.units.hashes)
    nothing = Certificate(
        names[0], settings.average, resample_by or DOCUMENT, units, labels, None, None
    )
    if units < FEWEST:
        raise Refused(f"{run.url}: has {nothing.drawn}; intervals and tests need {FEWEST}")
    coverage, level = _measure(sample, settings)
    return replace(nothing, coverage=coverage, level=level)


def _best_two(sample: Sample, average: str) -> Sample:
    """Return the sample of the best system and the next, or of the only one."""
    (measure,) = sample.measures
    values = [each.value for each in Averages(sample).systems[measure.name, average]]
    sign = -1 if measure.better == "higher" else 1
    order = sorted(range(len(values)), key=lambda s: (isnan(values[s]), sign * values[s], s))
    return sample.select(order[:2])


def _measure(
    sample: Sample, settings: CertifySettings
) -> tuple[MeasuredShare | None, MeasuredShare | None]:
    """Return how often the interval contains the truth, and p < 0.05 is false."""
    averages, (measure,) = Averages(sample), sample.measures
    truth = [each.value for each in averages.systems[measure.name, settings.average]]
    within, found = list[bool](), list[bool]()
    for own, *other in _corpora(averages, settings):
        low, high = own.interval()
        if not isnan(low):
            within.append(low <= truth[0] <= high)
        if other:
            equal = difference(own, other[0]).less(truth[0] - truth[1])
            if not isnan(p := equal.p):
                found.append(p < SIGNIFICANT)
    return _share(within), _share(found)


def _share(true: list[bool]) -> MeasuredShare | None:
    return MeasuredShare(sum(true) / len(true), len(true)) if true else None


def _corpora(averages: Averages, settings: CertifySettings) -> Iterator[list[Estimate]]:
    """Yield the averages of the systems on each corpus."""
    sample, draw = averages.sample, np.random.default_rng(settings.seed)
    of_systems = [averages.sums(s) for s in range(len(sample.systems))]
    n = len(of_systems[0].units)
    for _ in range(SIMULATED):
        drawn = draw.integers(0, n, n)
        corpora = (_drawn(sums, drawn) for sums in of_systems)
        yield [_estimate(averages.table, sums, sample, settings.average) for sums in corpora]


def _drawn(sums: UnitSums, drawn: Ints) -> UnitSums:
    """Return the sums of the drawn units, each of them a unit of its own."""

    def chosen(columns: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
        return {name: column[drawn] for name, column in columns.items()}

    return UnitSums(
        np.arange(len(drawn), dtype=np.uint64),
        chosen(sums.counts),
        chosen(sums.values),
        chosen(sums.defined),
    )


def _estimate(table: Table, sums: UnitSums, sample: Sample, average: str) -> Estimate:
    """Average a simulated corpus as a run would, with its own P_seg if the run estimated it."""
    (measure,) = sample.measures
    if average == "macro":
        return macro_estimates(table, sums)[measure.name]
    parameters, p_seg_of = dict(sample.parameters[0]), None
    if sample.p_seg_of[0] is not None and "p_seg" in table.parameters:
        windows, with_boundary = (int(sums.counts[name].sum()) for name in P_SEG_COUNTS)
        parameters["p_seg"], p_seg_of = with_boundary / windows, sums
    return micro_estimates(table, sums, parameters, p_seg_of)[measure.name]
