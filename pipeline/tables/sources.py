"""Input tables with the way to read all their rows at once, in files or in memory."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from segscore.pipeline.tables.columns import DOCUMENTS, contract_of
from segscore.pipeline.tables.find import InputTable, find_table
from segscore.pipeline.tables.plain_attributes import find_documents
from segscore.pipeline.tables.read import Rows, join_rows, no_rows, read_slices


@dataclass(frozen=True)
class TableSource:
    """An input table, and how to read all its rows; a plain table of attributes has none."""

    table: InputTable
    read: Callable[[], Rows]


Sources = Mapping[str, TableSource]
"""Input tables by name: references, hypotheses, codings or documents."""


def find_source(name: str, location: str) -> TableSource:
    """Find an input table by its name, such as references, and its location.

    Raises:
        Refused: the table does not exist, or a column is missing or of a wrong type.
    """
    if name == DOCUMENTS.name:
        table = find_documents(location)
    else:
        table = find_table(name, location, contract_of(name))
    if table.plain is not None:
        return plain_source(table)
    return TableSource(table, lambda: join_rows([*read_slices(table.slices, table.further)]))


def plain_source(table: InputTable) -> TableSource:
    """Return a plain table of attributes as a source."""
    return TableSource(table, lambda: no_rows(table, DOCUMENTS))


def read_sources(sources: Sources) -> dict[str, Rows]:
    """Read all rows of each table but a plain table of attributes."""
    return {name: each.read() for name, each in sources.items() if each.table.plain is None}
