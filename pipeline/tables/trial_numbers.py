"""Read the trials of hypotheses, and find rows of the same system, document and trial."""

import numpy as np
import pyarrow as pa

from segscore.pipeline.arrays.ragged import Flags, Ints
from segscore.pipeline.tables.path_columns import TRIAL

NO_TRIAL = np.iinfo(np.int64).min
"""Stands for the trial of a row that states none."""


def trial_numbers(table: pa.Table) -> Ints | None:
    """Return the trial of each row of a table of hypotheses; None if it has no such column."""
    if TRIAL not in table.column_names:
        return None
    column = table.column(TRIAL).combine_chunks().cast(pa.int64())
    return np.asarray(column.fill_null(NO_TRIAL).to_numpy(zero_copy_only=False))


def are_repeated(coder: Ints, document: Ints, trial: Ints) -> Flags:
    """Return which rows are not the only one of their coder, document and trial, shape (rows,)."""
    order = np.lexsort((trial, document, coder))
    keys = np.stack([coder[order], document[order], trial[order]])
    same = (np.diff(keys) == 0).all(axis=0)
    repeated = np.zeros(len(order), bool)
    repeated[order] = np.append(same, False) | np.append(False, same)
    return repeated
