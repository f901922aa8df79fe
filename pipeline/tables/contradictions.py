"""Rows that contradict each other: several by one coder for a document, different lengths."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from segscore.pipeline.arrays.document_ids import Documents
from segscore.pipeline.arrays.ragged import Flags, Ints, numbers
from segscore.pipeline.tables.document_lengths import adopt_document_lengths
from segscore.pipeline.tables.read import Rows, refuse
from segscore.pipeline.tables.trial_numbers import are_repeated, trial_numbers
from segscore.schemas.input_columns import ROLES, TABLE_ROLES

UNIQUE_CODER = "unique_document_coder"
UNIQUE_DOCUMENT = "unique_document"

DUPLICATE_ROW = "this coder has more than one row for this document"

DUPLICATE_TRIAL = f"{DUPLICATE_ROW} and trial; number its answers differently in the column trial"


@dataclass(frozen=True)
class Described:
    """A documents table without its duplicates, which finds the row of a document by its id."""

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


def _repeated(keys: Ints) -> Flags:
    """Return which keys occur more than once, shape (rows,)."""
    _, inverse, counts = np.unique(keys, return_inverse=True, return_counts=True)
    return np.asarray(counts[inverse] > 1)


def without_contradictions(
    rows: Rows, described: Described | None, tolerance: int
) -> tuple[Rows, list[pa.Table]]:
    """Reject all segmentations that contradict each other, and give the others one length.

    The segmentations are valid row by row. Their lengths may differ by ``tolerance`` units from
    that of their document.
    """
    # One coder's trials are answers of a system; a reference has no trials.
    trial = trial_numbers(rows.table) if TABLE_ROLES.get(rows.name) != ROLES[0] else None
    if trial is None:
        rows, twice = refuse(rows, _repeated_coders(rows), UNIQUE_CODER, DUPLICATE_ROW)
    else:
        repeated = are_repeated(rows.coders.code, rows.numbered.document, trial)
        rows, twice = refuse(rows, repeated, UNIQUE_CODER, DUPLICATE_TRIAL)
    rows, rejects = adopt_document_lengths(rows, _described_lengths(rows, described), tolerance)
    return rows, [twice, *rejects]


def _repeated_coders(rows: Rows) -> Flags:
    if rows.numbered.are_distinct:
        return np.zeros(len(rows), bool)
    return _repeated(rows.numbered.document << 32 | rows.coders.code)


def _described_lengths(rows: Rows, described: Described | None) -> Ints:
    """Return n_units of each row's document in the documents table, -1 if it is not there."""
    if described is None or not len(described.rows):
        return np.full(len(rows), -1)
    row = described.documents.find(rows.ids)
    units = numbers(described.rows.table.column("n_units").chunk(0)).astype(np.int64)
    return np.where(row >= 0, units[row], -1)
