"""An input table together with the way to read all its rows."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from segscore.pipeline.tables.columns import contract_of
from segscore.pipeline.tables.find import InputTable, find_table
from segscore.pipeline.tables.read import Rows, join_rows, read_slice


@dataclass(frozen=True)
class TableSource:
    """An input table, and how to read all its rows."""

    table: InputTable
    read: Callable[[], Rows]


Sources = Mapping[str, TableSource]
"""Input tables by name: references, hypotheses, codings or documents."""


def find_source(name: str, location: str) -> TableSource:
    """Find an input table by its name, such as references, and its location.

    Raises:
        Refused: the table does not exist, or a column is missing or of a wrong type.
    """
    table = find_table(name, location, contract_of(name))
    return TableSource(
        table, lambda: join_rows([read_slice(piece, table.further) for piece in table.slices])
    )
