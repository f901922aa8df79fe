"""Number the groups that rows are in."""

import numpy as np

from segscore.pipeline.arrays.ragged import Categorical, Ints
from segscore.pipeline.statistics.sums import GroupKey, distinct


def number_groups(columns: list[Categorical]) -> tuple[Ints, list[GroupKey]]:
    """Number the combinations of values that occur; -1 where a value is null."""
    code = np.zeros(len(columns[0].code), np.int64)
    for coded in columns:
        code = np.where((code < 0) | (coded.code < 0), -1, code * len(coded.names) + coded.code)
    known = code >= 0
    number = np.full(len(code), -1, np.int64)
    combinations, _, number[known] = distinct(code[known])
    keys, remainder = [], combinations
    for coded in reversed(columns):
        remainder, digit = np.divmod(remainder, max(1, len(coded.names)))
        keys.append([coded.names[i] for i in digit.tolist()])
    return number, [*zip(*reversed(keys), strict=True)]
