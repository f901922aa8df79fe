"""Rows that contradict each other: several by one coder for a document, different lengths.

Of several rows that are the same in every column, one is used, and the others are listed as copies.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from segscore.pipeline.arrays.document_ids import Documents
from segscore.pipeline.arrays.ragged import Flags, Ints, numbers
from segscore.pipeline.tables.document_lengths import adopt_document_lengths
from segscore.pipeline.tables.faults import EXACT_COPY
from segscore.pipeline.tables.path_columns import TRIAL
from segscore.pipeline.tables.read import Rows
from segscore.pipeline.tables.trial_numbers import are_repeated, trial_numbers
from segscore.schemas.input_columns import ROLES, TABLE_ROLES

UNIQUE_CODER = "unique_document_coder"
UNIQUE_DOCUMENT = "unique_document"

DUPLICATE_ROW = "this coder has more than one row for this document"

_COPY = "the same row is given more than once; the first one is used"

_ROWS_AT_ONCE = 65_536
"""Number of rows that are compared as Python objects at a time."""


class Unique(NamedTuple):
    """A rule that no two rows have the same values of some columns.

    Attributes:
        key: the columns.
        rule: its name.
        reason: what is wrong with rows that break it.
    """

    key: tuple[str, ...]
    rule: str
    reason: str


ONE_ROW = Unique(("document_id", "coder"), UNIQUE_CODER, DUPLICATE_ROW)

ONE_TRIAL = Unique(
    ("document_id", "coder", TRIAL),
    UNIQUE_CODER,
    f"{DUPLICATE_ROW} and trial; number its answers differently in the column trial",
)

_ONE_DOCUMENT = Unique(
    ("document_id",), UNIQUE_DOCUMENT, "the document has more than one row in this table"
)


@dataclass(frozen=True)
class Described:
    """A documents table without its duplicates, which finds the row of a document by its id."""

    rows: Rows
    documents: Documents
    rejects: pa.Table


def describe(rows: Rows) -> Described:
    """Reject all rows of each document that has several in a validated documents table."""
    repeated = _repeated(rows.numbered.document)
    remain, rejects = set_repeated_apart(rows, repeated, _ONE_DOCUMENT)
    unique = rows.keep(remain)
    return Described(unique, unique.numbered.documents, rejects)


def set_repeated_apart(rows: Rows, repeated: Flags, unique: Unique) -> tuple[Flags, pa.Table]:
    """Reject rows that are not the only one of their key, and all exact copies but the first.

    Args:
        rows: valid rows.
        repeated: which of them share a key with another one, shape (rows,).
        unique: the key, and the rule that rows with the same key and other values break.

    Returns:
        Which rows remain, shape (rows,), and the rejects.
    """
    distinct: dict[tuple[object, ...], dict[bytes, int]] = {}
    broken: dict[int, tuple[str, str]] = {}
    for number, row in _by_place(rows, np.flatnonzero(repeated)):
        numbers_of_key = distinct.setdefault(tuple(row[name] for name in unique.key), {})
        digest = blake2b(repr(row).encode(), digest_size=16).digest()
        if numbers_of_key.setdefault(digest, number) != number:
            broken[number] = EXACT_COPY, _COPY
    for numbers_of_key in distinct.values():
        if len(numbers_of_key) > 1:
            broken |= dict.fromkeys(numbers_of_key.values(), (unique.rule, unique.reason))
    remain = np.ones(len(rows), bool)
    remain[[*broken]] = False
    return remain, rows.rejects(broken)


def _by_place(rows: Rows, chosen: Ints) -> Iterator[tuple[int, dict[str, object]]]:
    """Yield the number and the values of some rows, in the order of their files and rows."""
    rank = np.argsort(np.argsort(rows.urls))[rows.file[chosen]]
    ordered = chosen[np.lexsort((rows.row[chosen], rank))]
    for start in range(0, len(ordered), _ROWS_AT_ONCE):
        portion = ordered[start : start + _ROWS_AT_ONCE]
        yield from zip(
            portion.tolist(), rows.table.take(pa.array(portion)).to_pylist(), strict=True
        )


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
        repeated, unique = _repeated_coders(rows), ONE_ROW
    else:
        repeated = are_repeated(rows.coders.code, rows.numbered.document, trial)
        unique = ONE_TRIAL
    remain, twice = set_repeated_apart(rows, repeated, unique)
    rows = rows.keep(remain)
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
