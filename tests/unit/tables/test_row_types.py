"""The types of rows say which columns of their tables can be null."""

from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import pandera.pyarrow as pap
import pyarrow as pa
import pytest

from segscore.pipeline.agreement.tables import CODERS, PEERS
from segscore.schemas import rows
from segscore.schemas.agreement import AGREEMENT, DOCUMENTS
from segscore.schemas.columns import arrow_type
from segscore.schemas.comparisons import COMPARISONS, OMNIBUS, SYSTEMS
from segscore.schemas.scores import SUMMARY

NAMED_HERE = {"group", "name", "contested", "reference"}
"""Keys that are no columns of a schema: names of groups, a group-by column, a computed share."""

TYPES = [
    (rows.AverageRow, SUMMARY),
    (rows.SystemRow, SYSTEMS),
    (rows.PairRow, COMPARISONS),
    (rows.OmnibusRow, OMNIBUS),
    (rows.CoefficientRow, AGREEMENT),
    (rows.CoderRow, CODERS),
    (rows.PeerRow, PEERS),
    (rows.DocumentRow, DOCUMENTS),
]

PARTLY = (rows.CoderRow, rows.PeerRow, rows.DocumentRow)
"""Types of tables of which only some columns are read by name."""

KINDS = {
    pa.string(): str,
    pa.int64(): int,
    pa.float64(): float,
    pa.bool_(): bool,
    pa.list_(pa.string()): list[str],
    pa.list_(pa.int32()): list[int],
}


def without_none(kind: Any) -> tuple[Any, bool]:
    """Return a type without None, and whether it had None."""
    if get_origin(kind) not in (Union, UnionType):
        return kind, False
    (known,) = (part for part in get_args(kind) if part is not type(None))
    return known, True


def expected(column: pap.Column) -> tuple[Any, bool]:
    """Return the type of a value of a column, and whether it can be null."""
    return KINDS[arrow_type(column)], column.nullable


@pytest.mark.parametrize(("row", "schema"), TYPES, ids=lambda each: getattr(each, "__name__", ""))
def test_a_value_can_be_none_exactly_where_its_column_can_be_null(
    row: type, schema: pap.DataFrameSchema
) -> None:
    own = {name: without_none(kind) for name, kind in get_type_hints(row).items()}
    if row is rows.SystemRow:
        own = {name: kind for name, kind in own.items() if name in schema.columns}
    columns = {name: expected(column) for name, column in schema.columns.items()}
    assert {*own} - {*columns} <= NAMED_HERE
    assert {name: columns[name] for name in own if name in columns} == {
        name: kind for name, kind in own.items() if name in columns
    }
    if row not in PARTLY:
        assert {*columns} <= {*own}
