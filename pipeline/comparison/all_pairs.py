"""Test all pairs of systems at once, and make the rows of those that somebody asks for.

The best of n systems is compared with n - 1 others, but Holm's method needs the p values of all
pairs. These are computed in arrays; the row of a pair has its interval and counts besides.
"""

from collections.abc import Iterator, Mapping

import numpy as np

from segscore.pipeline.arrays.ragged import Floats
from segscore.pipeline.comparison.averages import Averages
from segscore.pipeline.comparison.pair_rows import SIGNIFICANT
from segscore.pipeline.comparison.samples import GroupSamples
from segscore.pipeline.comparison.tables import as_in_table, at_level, compare_pair
from segscore.pipeline.measures.measure import Measure
from segscore.pipeline.statistics.jackknife import UNDECIDED, rests_on_few
from segscore.pipeline.statistics.multiple_tests import holm_by_family, holm_levels
from segscore.pipeline.statistics.pair_tests import PairTests, pair_tests
from segscore.schemas.rows import PairRow


class AllPairs(Mapping[tuple[str, str], PairRow]):
    """Names of two systems -> their comparison by a measure and average, without power."""

    def __init__(self, group: GroupSamples, measure: Measure, kind: str) -> None:
        """Test all pairs of systems of a group."""
        self._measure, self._kind = measure, kind
        self._at: dict[tuple[str, str], tuple[Averages, int, int]] = {}
        p_values, of_points = [np.zeros(0)], []
        for sample in group.paired:
            averages = Averages(sample)
            p_values.append(_p_values(averages, measure, kind))
            for pair, (a, b) in enumerate(averages.pairs):
                system, other = sample.systems[a], sample.systems[b]
                self._at[system.label, other.label] = averages, pair, len(self._at)
                of_points.append(system.is_point or other.is_point)
        p = np.concatenate(p_values)
        self._p_holm = holm_by_family(p, of_points)
        self._levels = holm_levels(p, of_points, SIGNIFICANT)

    def __getitem__(self, names: tuple[str, str]) -> PairRow:
        """Compare a pair of systems."""
        averages, pair, index = self._at[names]
        compared = compare_pair(averages, self._measure, self._kind, pair)
        adjusted = {"p_holm": float(self._p_holm[index])}
        ends = at_level(compared, float(self._levels[index]), None)
        (row,) = as_in_table([compared.row | adjusted | ends])
        return row

    def __len__(self) -> int:
        """Return the number of pairs."""
        return len(self._at)

    def __iter__(self) -> Iterator[tuple[str, str]]:
        """Yield the names of each pair."""
        return iter(self._at)


def _p_values(averages: Averages, measure: Measure, kind: str) -> Floats:
    """Return the p values of all pairs, as ``compare_pair`` has them."""
    estimates = averages.systems[measure.name, kind]
    few = [rests_on_few(estimate.effective, estimate.number) for estimate in estimates]
    cautious = kind == "micro" and any(few)
    defined = averages.defined[measure.name]
    if (kind == "macro" or cautious) and not (defined == defined[0]).all():
        pairs = range(len(averages.pairs))
        return np.array([compare_pair(averages, measure, kind, pair).row["p"] for pair in pairs])
    tests = pair_tests(estimates)
    return _not_surer(tests, averages, measure.name) if cautious else tests.p


def _not_surer(tests: PairTests, averages: Averages, measure: str) -> Floats:
    """Return the p values of micro averages, raised as ``cautious`` does."""
    first, second = np.triu_indices(len(averages.sample.systems), 1)
    micro, macro = (averages.systems[measure, kind] for kind in ("micro", "macro"))
    micro_values, macro_values = (
        np.array([estimate.value for estimate in estimates]) for estimates in (micro, macro)
    )
    opposed = (micro_values[first] - micro_values[second]) * (
        macro_values[first] - macro_values[second]
    ) < 0
    effective = np.array([estimate.effective for estimate in micro])
    few = np.array([rests_on_few(estimate.effective, estimate.number) for estimate in micro])
    fewer = np.where(effective[second] < effective[first], second, first)
    least = np.minimum(np.where(opposed, 1.0, pair_tests(macro).p), UNDECIDED)
    return np.where(few[fewer] & ~tests.alike & (tests.p < least), least, tests.p)
