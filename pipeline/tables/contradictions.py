"""Rows that contradict each other: several by one coder for a document, different n_units."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from segscore.pipeline.arrays.document_ids import Documents
from segscore.pipeline.arrays.ragged import Flags, Ints, numbers
from segscore.pipeline.tables.read import Rows, refuse

UNIQUE_CODER = "unique_document_coder"


UNIQUE_DOCUMENT = "unique_document"


SAME_UNITS = "n_units_agree"


DUPLICATE_ROW = "this coder has more than one row for this document"


OTHER_UNITS = "n_units differs from that of another row of this document"


def units_of_references(units: int, expected: int) -> str:
    """Return why a hypothesis with a wrong number of units is rejected."""
    return f"n_units is {units}; the accepted references of this document have {expected}"


@dataclass(frozen=True)
class Described:
    """A documents table without its duplicates.

    Attributes:
        rows: one row per document.
        documents: finds the row of a document by its id.
        rejects: the rejected rows.
    """

    rows: Rows
    documents: Documents
    rejects: pa.Table


def describe(rows: Rows) -> Described:
    """Reject all rows of each document that has several in a validated documents table."""
    twice = _repeated(rows.numbered.document)
    unique, rejects = refuse(
        rows, twice, UNIQUE_DOCUMENT, "the document has more than one row in this table"
    )
    return Described(unique, unique.numbered.documents, rejects)


def _ids(rows: Rows) -> pa.StringArray:
    return rows.table.column("document_id").chunk(0)


def _repeated(keys: Ints) -> Flags:
    """Return which keys occur more than once, shape (rows,)."""
    _, inverse, counts = np.unique(keys, return_inverse=True, return_counts=True)
    return np.asarray(counts[inverse] > 1)


def without_contradictions(rows: Rows, described: Described | None) -> tuple[Rows, list[pa.Table]]:
    """Reject all segmentations that contradict each other; return the others, and the rejects."""
    rows, twice = refuse(rows, _repeated_coders(rows), UNIQUE_CODER, DUPLICATE_ROW)
    rows, disagreeing = refuse(rows, _disagreeing(rows, described), SAME_UNITS, OTHER_UNITS)
    return rows, [twice, disagreeing]


def _repeated_coders(rows: Rows) -> Flags:
    if rows.numbered.are_distinct:
        return np.zeros(len(rows), bool)
    return _repeated(rows.numbered.document << 32 | rows.coders.code)


def _disagreeing(rows: Rows, described: Described | None) -> Flags:
    """Return which rows have a wrong n_units, shape (rows,).

    The documents table decides; the rows of a document that is not in it must all agree.
    """
    stated = numbers(rows.table.column("n_units").chunk(0)).astype(np.int64)
    documents, document = rows.numbered.documents, rows.numbered.document
    largest = np.zeros(len(documents), np.int64)
    np.maximum.at(largest, document, stated)
    smallest = largest.copy()
    np.minimum.at(smallest, document, stated)
    wrong = (smallest != largest)[document]
    if described is not None:
        row = described.documents.find(_ids(rows))
        units = numbers(described.rows.table.column("n_units").chunk(0)).astype(np.int64)
        wrong = np.where(row >= 0, stated != units[row] if len(units) else False, wrong)
    return wrong
