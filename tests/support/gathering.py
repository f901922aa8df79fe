"""The tables of an import, built from rows in memory by the functions that imports use."""

from collections.abc import Iterable
from dataclasses import dataclass

import pyarrow as pa

from segscore.pipeline.tables.describe_documents import describe_documents
from segscore.pipeline.tables.parsed_table import (
    attribute_names,
    parsed_table,
    rows_of_role,
    segmentations_of,
)
from segscore.pipeline.tables.rows import ParsedRow
from segscore.schemas.input_columns import ROLES


@dataclass(frozen=True, slots=True)
class Gathered:
    """The tables of an import, and the (source, line) of each row of each table."""

    references: pa.Table
    hypotheses: pa.Table
    documents: pa.Table
    reference_places: list[tuple[str, int]]
    hypothesis_places: list[tuple[str, int]]
    document_places: list[tuple[str, int]]


def gather_tables(rows: Iterable[ParsedRow]) -> Gathered:
    """Build three tables from rows of any files; references and hypotheses keep the order of rows.

    An attribute is a column of documents if no document has two values of it, otherwise of the
    segmentation tables that have it. documents has a row for each document with unit_lengths,
    unit_weights or such an attribute, by ascending document_id. The order and range of boundaries
    are not checked.
    Raises Refused, with file and line, for a missing document_id, a value that does not fit its
    column's type, an attribute with a reserved name, or different unit_lengths or unit_weights of
    one document.
    """
    stated = list(rows)
    table = parsed_table(stated)
    places = [(row.source, row.line) for row in stated]
    described = describe_documents(table, attribute_names(table), places)
    references, hypotheses = (rows_of_role(table, role) for role in ROLES)
    return Gathered(
        segmentations_of(table.take(pa.array(references)), described.shared),
        segmentations_of(table.take(pa.array(hypotheses)), described.shared),
        described.table,
        *([places[i] for i in rows] for rows in (references, hypotheses, described.rows)),
    )
