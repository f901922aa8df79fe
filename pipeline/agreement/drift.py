"""Find coders who drift: whose agreement with their peers changes over a series of dates."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import combinations
from statistics import median

from segscore.pipeline.agreement.outliers import FEWEST_CODERS
from segscore.pipeline.statistics.multiple_tests import holm

_SHOWN = "peer_boundary_similarity"
_FEWEST_DATES = 5
_ALPHA = 0.05

_Row = Mapping[str, object]
_Series = dict[str, list[tuple[int, float]]]


@dataclass(frozen=True)
class Drift:
    """The drift of a coder.

    Attributes:
        change: change of the agreement with peers over all dates, beyond that of the other coders:
            the median of the slopes between any two dates (Theil 1950, Sen 1968), multiplied by
            their span.
        p: p-value of Kendall's rank correlation with the date, adjusted by Holm for all coders.
    """

    change: float
    p: float

    @property
    def marked(self) -> bool:
        """Whether the drift is more than chance."""
        return self.p <= _ALPHA


def drifts(rows: Iterable[_Row], attribute: str) -> dict[str, Drift]:
    """Return the drift of each coder who coded on at least 5 dates on which 5 coders did.

    The agreement of a coder on a date is compared with the median of all coders on that date, so
    that documents that are harder for all do not count as drift.

    Args:
        rows: rows of `coders` by group.
        attribute: the group-by column; without effect unless all its values are dates.
    """
    by_date: dict[int, dict[str, float]] = defaultdict(dict)
    for row in rows:
        day, similarity = _day(row[attribute]), row[_SHOWN]
        if day is None:
            return {}
        if isinstance(similarity, float) and similarity == similarity:
            by_date[day][str(row["coder"])] = similarity
    series: _Series = defaultdict(list)
    for day, similarities in sorted(by_date.items()):
        if len(similarities) >= FEWEST_CODERS:
            middle = median(similarities.values())
            for coder, similarity in similarities.items():
                series[coder].append((day, similarity - middle))
    tested = {
        coder: (points, p)
        for coder, points in sorted(series.items())
        if len(points) >= _FEWEST_DATES and (p := _p_value(points)) is not None
    }
    adjusted = holm([p for _, p in tested.values()]).tolist() if tested else []
    return {
        coder: Drift(_change(points), p)
        for (coder, (points, _)), p in zip(tested.items(), adjusted, strict=True)
    }


def _day(value: object) -> int | None:
    """Return the number of the first day of a date such as 2026, 2026-01 or 2026-01-31."""
    if not isinstance(value, str | date):
        return None
    try:
        text = str(value)
        return date.fromisoformat(text + "-01-01"[len(text) - 4 :]).toordinal()
    except ValueError:
        return None


def _change(points: Sequence[tuple[int, float]]) -> float:
    slopes = [
        (later - earlier) / (end - start)
        for (start, earlier), (end, later) in combinations(points, 2)
    ]
    return median(slopes) * (points[-1][0] - points[0][0])


def _p_value(points: Sequence[tuple[int, float]]) -> float | None:
    from scipy.stats import kendalltau

    days, values = zip(*points, strict=True)
    p = float(kendalltau(days, values).pvalue)
    return p if p == p else None
