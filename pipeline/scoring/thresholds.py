"""Choose the candidate boundaries of hypotheses whose score reaches a threshold."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from segscore.pipeline.arrays.ragged import Flags, Floats, flags, numbers
from segscore.pipeline.scoring.settings import ScoreSettings
from segscore.pipeline.settings.measuring import MeasuringSettings
from segscore.pipeline.settings.reading import EVERY_SYSTEM, parse_thresholds
from segscore.pipeline.tables.read import Rows, in_one_chunk, refuse, with_column
from segscore.pipeline.tables.validate import REJECT_COLUMNS
from segscore.schemas.input_columns import BY_SEGMENT

SCORE_COLUMN = "boundary_scores"
"""The column whose values are the thresholds."""

SCORES_GIVEN = "boundary_scores_given"
WITHOUT_SCORES = "boundary_scores is null; it needs one score per boundary, [] without boundaries"
_LISTS = ("boundaries", "boundary_types")
"""Columns with one value per candidate, besides its score."""


def thresholds_of(settings: MeasuringSettings) -> dict[str, float]:
    """Return the threshold by system, or that of ``EVERY_SYSTEM``; empty if there is none."""
    if not isinstance(settings, ScoreSettings) or settings.threshold is None:
        return {}
    return parse_thresholds(settings.threshold)


def at_thresholds(rows: Rows, thresholds: Mapping[str, float]) -> tuple[Rows, Flags, pa.Table]:
    """Keep the boundaries of valid rows whose score reaches the threshold of their system.

    Args:
        rows: valid hypotheses.
        thresholds: those of systems, or that of ``EVERY_SYSTEM``; without any, nothing changes.

    Returns:
        The rows; which of those given they are, shape (rows,); and rejects: rows of a system with a
        threshold that have no scores.
    """
    if not thresholds:
        return rows, np.ones(len(rows), bool), REJECT_COLUMNS.empty_table()
    coders = rows.coders
    every = thresholds.get(EVERY_SYSTEM, np.nan)
    of_coder = np.array([thresholds.get(name, every) for name in coders.names], np.float64)
    least = of_coder[coders.code]
    missing = ~np.isnan(least) & ~_have_scores(rows)
    remaining, rejects = refuse(rows, missing, SCORES_GIVEN, WITHOUT_SCORES)
    return reaching(remaining, least[~missing]), ~missing, rejects


def _have_scores(rows: Rows) -> Flags:
    return flags(rows.table.column(SCORE_COLUMN).combine_chunks().is_valid())


def reaching(rows: Rows, least: Floats) -> Rows:
    """Keep the candidates of rows whose score is at least that of the row, shape (rows,).

    Rows whose number is NaN keep all boundaries; others have scores.
    """
    scores = rows.table.column(SCORE_COLUMN).combine_chunks()
    sizes = numbers(pc.list_value_length(rows.table.column("boundaries").combine_chunks()))
    row = np.repeat(np.arange(len(rows)), sizes)
    kept = np.isnan(least)[row]
    has_score = _have_scores(rows)[row]
    kept[has_score] |= numbers(pc.list_flatten(scores)) >= least[row[has_score]]
    offsets = np.zeros(len(rows) + 1, np.int32)
    np.cumsum(np.bincount(row[kept], minlength=len(rows)), out=offsets[1:])
    unused = [name for name in (SCORE_COLUMN, BY_SEGMENT) if name in rows.table.column_names]
    table = rows.table.drop_columns(unused)
    for name in _LISTS:
        if name in table.column_names:
            values = pc.list_flatten(table.column(name).combine_chunks()).filter(pa.array(kept))
            lists = pa.ListArray.from_arrays(pa.array(offsets), values)
            table = with_column(table, name, lists.cast(table.schema.field(name).type))
    return replace(rows, table=in_one_chunk(table))
