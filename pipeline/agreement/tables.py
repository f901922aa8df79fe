"""The tables `coders` and `peers`; the steps of judging add their last columns."""

from collections.abc import Iterable

import pandera.pyarrow as pap

from segscore.pipeline.agreement.judging.step import Kind, StepColumn
from segscore.pipeline.agreement.judging.steps import STEPS
from segscore.schemas import agreement
from segscore.schemas.columns import (
    any_of,
    name_or_null,
    number_or_null,
    true_or_null,
    value,
    whole,
)


def _column(column: StepColumn) -> pap.Column:
    """Return the column of a schema."""
    meaning = column.meaning
    if column.names:
        return any_of(column.names, meaning, nullable=True)
    if column.kind is Kind.MARK:
        return true_or_null(f"whether {meaning}; null if undefined")
    if column.kind is Kind.SHARE:
        return value(meaning, 1)
    simple = {
        Kind.NUMBER: number_or_null,
        Kind.SIZE: value,
        Kind.NAME: name_or_null,
        Kind.WHOLE: whole,
    }
    return simple[column.kind](meaning)


def _with(schema: pap.DataFrameSchema, columns: Iterable[StepColumn]) -> pap.DataFrameSchema:
    """Return a schema with the columns of steps after its own."""
    return schema.add_columns({column.name: _column(column) for column in columns})


CODERS = _with(agreement.CODERS, (column for step in STEPS for column in step.columns))
PEERS = _with(agreement.PEERS, (column for step in STEPS for column in step.pair_columns))

AGREEMENT_TABLES = (
    agreement.PAIRS,
    agreement.DOCUMENTS,
    agreement.AGREEMENT,
    CODERS,
    PEERS,
    agreement.CORPUS,
    agreement.PROMINENCE,
    agreement.AGREEMENT_INDEX,
    agreement.TYPES,
)
