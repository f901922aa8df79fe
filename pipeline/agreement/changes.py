"""Compare the coefficients of each group with those of the group before it, such as guidelines."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from segscore.pipeline.agreement.coefficients import CoefficientKey
from segscore.pipeline.agreement.group import Group
from segscore.pipeline.statistics.bootstrap import interval
from segscore.pipeline.statistics.multiple_tests import holm

_Row = dict[str, Any]
_CHANGES = ("change", "change_low", "change_high", "change_p")


def add_changes(
    rows: Sequence[_Row], by: Sequence[str], groups: Mapping[tuple[Any, ...], Group]
) -> None:
    """Add the columns about changes to the rows of `agreement`.

    The groups are of different documents, so their bootstrap replicates are independent.

    Args:
        rows: rows of `agreement`.
        by: the group-by attributes; without effect unless there is one.
        groups: the groups by their values.
    """
    ordered = sorted(value for (value,) in groups if value is not None) if len(by) == 1 else []
    found: dict[tuple[object, CoefficientKey], tuple[float, ...]] = {}
    for key in groups[(None,) * len(by)].agreement if ordered else ():
        changes = [
            (value, _change(groups[(before,)], groups[(value,)], key))
            for before, value in pairwise(ordered)
        ]
        p = holm([change[-1] for _, change in changes])
        for (value, change), adjusted in zip(changes, p.tolist(), strict=True):
            found[value, key] = (*change[:-1], adjusted)
    for row in rows:
        at = row[by[0]] if ordered else None
        key = row["coefficient"], row["similarity"]
        row.update(zip(_CHANGES, found.get((at, key), (float("nan"),) * 4), strict=True))


def _change(before: Group, after: Group, key: CoefficientKey) -> tuple[float, ...]:
    """Return the change, both ends of its 95 % interval, and the p value; NaN where undefined."""
    from scipy.special import ndtr

    change = float(after.agreement[key].value[0] - before.agreement[key].value[0])
    replicates = [group.replicates.get(key) for group in (before, after)]
    if np.isnan(change) or replicates[0] is None or replicates[1] is None:
        return change, float("nan"), float("nan"), float("nan")
    changes = replicates[1] - replicates[0]
    spread = float(np.nanstd(changes, ddof=1))
    p = float(2 * ndtr(-abs(change) / spread)) if spread > 0 else float("nan")
    return change, *interval(changes), p
