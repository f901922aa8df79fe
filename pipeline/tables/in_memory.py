"""Take tables that are in memory as input tables, with the same checks as files."""

import numpy as np
import pyarrow as pa

from segscore.pipeline.arrays.ragged import Ints
from segscore.pipeline.errors import Absent, Refused
from segscore.pipeline.tables.answer_accounts import add_accounts, recorded_accounts
from segscore.pipeline.tables.column_types import canonical_schema, describe_conversions
from segscore.pipeline.tables.columns import DOCUMENTS, Contract, contract_of, extra_columns
from segscore.pipeline.tables.find import InputTable, Slice
from segscore.pipeline.tables.plain_attributes import attributes_table
from segscore.pipeline.tables.read import (
    Rows,
    conform,
    in_one_chunk,
    needed_columns,
    other_role_error,
)
from segscore.pipeline.tables.sources import TableSource, plain_source
from segscore.pipeline.tables.units import (
    recorded_answers,
    recorded_projection,
    recorded_regions,
    recorded_unit,
)
from segscore.pipeline.tables.validate import schema_problems


def source_in_memory(name: str, content: pa.Table, row: Ints | None = None) -> TableSource:
    """Return a table in memory as an input table.

    Args:
        name: name of the table: references, hypotheses, codings or documents.
        content: the table.
        row: the numbers of its rows where they were given, shape (rows,); None for 0, 1, 2...

    Raises:
        Absent: the table has no rows.
        Refused: a column is missing, repeated or of a wrong type.
    """
    if name == DOCUMENTS.name and "n_units" not in content.column_names:
        return plain_source(attributes_table(name, content))
    table = _describe_table(name, content, contract_of(name))
    return TableSource(table, lambda: _rows_of_table(table, content, row))


def _describe_table(name: str, table: pa.Table, model: Contract) -> InputTable:
    """Check the columns of a table in memory, as ``find_table`` checks those of files.

    Raises:
        Absent: the table has no rows.
        Refused: a column is missing, repeated or of a wrong type.
    """
    if not table.num_rows:
        raise Absent(f"{name}: the table has no rows")
    schema = canonical_schema(table.schema)
    if problems := schema_problems(schema, model):
        raise Refused(f"{name}: {'; '.join(problems)}")
    adapted = sorted(describe_conversions(model, table.schema))
    return InputTable(
        name=name,
        files=(),
        slices=(),
        further=extra_columns(name, [name], [schema], model),
        location=name,
        unit=recorded_unit(table.schema),
        answers=recorded_answers(table.schema),
        projected=recorded_projection(table.schema),
        regions=recorded_regions(table.schema),
        accounts=add_accounts([("", recorded_accounts(table.schema))]),
        warnings=(f"{name}: {'; '.join(adapted)}",) if adapted else (),
    )


def _rows_of_table(table: InputTable, content: pa.Table, row: Ints | None = None) -> Rows:
    """Read the rows of a table in memory, as ``read_slice`` reads those of a file.

    The numbers of the rows where they were given, shape (rows,), are 0, 1, 2... by default.

    Raises:
        OtherRole: all rows have the role of another table.
        Refused: a value does not fit its column's type.
    """
    chosen = content.select(needed_columns(table.name, content.column_names, table.further))
    whole = Slice(
        table.name, table.name, (), 0, content.num_rows, content.get_total_buffer_size(), ""
    )
    conformed, other = conform(chosen, whole, table.further)
    rows = numbered_rows(table.name, conformed, row)
    if other is None:
        return rows
    if other.all():
        raise other_role_error(table.name, table.location, len(rows))
    return rows.keep(~other)


def numbered_rows(name: str, table: pa.Table, row: Ints | None = None) -> Rows:
    """Return the rows of a table whose source is the table's name."""
    row = np.arange(table.num_rows) if row is None else row
    return Rows(name, in_one_chunk(table), (name,), np.zeros_like(row), row)
