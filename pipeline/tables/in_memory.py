"""Take tables that are in memory as input tables, with the same checks as files."""

import numpy as np
import pyarrow as pa

from segscore.pipeline.errors import Refused
from segscore.pipeline.tables.columns import Contract
from segscore.pipeline.tables.find import InputTable, canonical_schema, further_columns
from segscore.pipeline.tables.read import Rows, conform, in_one_chunk, rows_of_role, wanted_columns
from segscore.pipeline.tables.validate import schema_problems


def describe_table(name: str, table: pa.Table, model: Contract) -> InputTable:
    """Check the columns of a table in memory, as ``find_table`` checks those of files.

    Raises:
        Refused: a column is missing, repeated or of a wrong type.
    """
    schema = canonical_schema(table.schema)
    if problems := schema_problems(schema, model):
        raise Refused(f"{name}: {'; '.join(problems)}")
    return InputTable(name, (), (), further_columns(name, [schema], model), name)


def rows_of_table(table: InputTable, content: pa.Table) -> Rows:
    """Read the rows of a table in memory, as ``read_slice`` reads those of a file.

    Raises:
        Refused: a value does not fit its column's type.
    """
    wanted = content.select(wanted_columns(table.name, content.column_names, table.further))
    conformed = conform(wanted, table.further, table.name)
    return rows_of_role(numbered_rows(table.name, conformed), wanted)


def numbered_rows(name: str, table: pa.Table) -> Rows:
    """Number the rows of a table, whose source is the table's name."""
    order = np.arange(table.num_rows)
    return Rows(name, in_one_chunk(table), (name,), np.zeros_like(order), order)
