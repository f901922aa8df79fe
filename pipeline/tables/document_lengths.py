"""Give all segmentations of a document the same length, within a tolerance (docs/times.md).

The length N of a document is that of the documents table or, without one, the largest n_units of
its references.  The other rows adopt N if they state no length, or one that differs from it by at
most the tolerance.  What such a row has at the end of the document or just after it is dropped.
"""

from dataclasses import replace

import numpy as np
import pyarrow as pa

from segscore.pipeline.arrays.ragged import Flags, Ints, Ragged, flags, numbers, offsets_of, ragged
from segscore.pipeline.tables.faults import IN_RANGE, SAME_UNITS
from segscore.pipeline.tables.read import Rows, in_one_chunk, refuse, with_column
from segscore.schemas.input_columns import BOUNDARY_KINDS, BY_BOUNDARY, BY_SEGMENT

_GIVEN = "n_units_given"
COLLAPSED = "collapsed_boundaries"


def adopt_document_lengths(
    rows: Rows, described: Ints, tolerance: int
) -> tuple[Rows, list[pa.Table]]:
    """Give each reference the length of its document; reject those whose length differs too much.

    Args:
        rows: references, valid row by row.
        described: length of each row's document in the documents table, -1 if it is not there,
            shape (rows,).
        tolerance: units by which lengths may differ.

    Returns:
        The other rows, all with the length of their document, and tables of rejects.
    """
    length, differing = _lengths(rows, described, tolerance)
    reason = "n_units differs from that of another row of this document"
    if tolerance:
        reason += f" by more than --length-tolerance {tolerance}"
    rows, disagreeing = refuse(rows, differing, SAME_UNITS, reason)
    length = length[~differing]
    unknown = length == 0
    reason = "n_units is null in all references of this document, and no documents table has it"
    rows, without_length = refuse(rows, unknown, _GIVEN, reason)
    length = length[~unknown]
    outside = beyond_end(rows, length, tolerance)
    rows, beyond = refuse(rows, outside, IN_RANGE, beyond_reason(tolerance))
    return adopt(rows, length[~outside]), [disagreeing, without_length, beyond]


def _lengths(rows: Rows, described: Ints, tolerance: int) -> tuple[Ints, Flags]:
    """Return the length of each row's document, 0 if unknown, and which rows contradict it.

    The rows of a document that the documents table lacks are all wrong if two of them differ.
    """
    stated, states = _stated_lengths(rows)
    documents, document = rows.numbered.documents, rows.numbered.document
    largest = np.zeros(len(documents), np.int64)
    np.maximum.at(largest, document[states], stated[states])
    smallest = largest.copy()
    np.minimum.at(smallest, document[states], stated[states])
    wrong = (largest - smallest > tolerance)[document]
    in_table = described >= 0
    length = np.where(in_table, described, largest[document])
    return length, np.where(in_table, states & (np.abs(stated - length) > tolerance), wrong)


def _stated_lengths(rows: Rows) -> tuple[Ints, Flags]:
    """Return n_units of each row, and whether the row states it, shape (rows,) each."""
    column = rows.table.column("n_units").chunk(0)
    return numbers(column).astype(np.int64), flags(column.is_valid())


def differing_lengths(rows: Rows, length: Ints, tolerance: int | Ints) -> Flags:
    """Return which rows state a length too far from that of their document, shape (rows,)."""
    stated, states = _stated_lengths(rows)
    return np.asarray(states & (np.abs(stated - length) > tolerance))


def beyond_end(rows: Rows, length: Ints, tolerance: int) -> Flags:
    """Return which rows have a boundary that lies too far behind the document, shape (rows,).

    A row that states the document's length has boundaries in 1..N-1, any other row in 1..N+L.

    Args:
        rows: segmentations, valid row by row.
        length: length N of each row's document, shape (rows,).
        tolerance: L; 0 if rows were validated with their own length, which is N.
    """
    if not tolerance:
        return np.zeros(len(rows), bool)
    stated, states = _stated_lengths(rows)
    lists = ragged(rows.table.column("boundaries").chunk(0))
    last = np.zeros(len(rows), np.int64)
    filled = lists.lengths > 0
    last[filled] = lists.values[lists.offsets[1:][filled] - 1]
    limit = np.where(states & (stated == length), length - 1, length + tolerance)
    return np.asarray(last > limit)


def beyond_reason(tolerance: int) -> str:
    """Return why a row with a boundary too far behind the document is rejected."""
    return (
        "a boundary lies at or beyond the end of the document that the row states, or more than "
        f"--length-tolerance {tolerance} beyond the end of a document of another length; it is in "
        "another unit or of another recording"
    )


def adopt(rows: Rows, length: Ints) -> Rows:
    """Give rows the length of their document, and drop and count boundaries that are not in it.

    No row is ``beyond_end``; each has the length of its document, shape (rows,).
    """
    stated, states = _stated_lengths(rows)
    if (states & (stated == length)).all():
        return rows
    lists = ragged(rows.table.column("boundaries").chunk(0))
    row = np.repeat(np.arange(len(rows)), lists.lengths)
    inside = lists.values[lists.offsets[0] : lists.offsets[-1]] < length[row]
    kept = np.bincount(row[inside], minlength=len(rows))
    table = with_column(rows.table, "n_units", pa.array(length, pa.int32()))
    dropped = collapsed(rows) + lists.lengths - kept
    table = with_column(table, COLLAPSED, pa.array(dropped, pa.int32()))
    lists_by_length = dict.fromkeys(("boundaries", *BY_BOUNDARY, BOUNDARY_KINDS), kept)
    if BY_SEGMENT in table.column_names:
        lists_by_length[BY_SEGMENT] = _segments_left(lists, kept)
    for name, number in lists_by_length.items():
        if name in table.column_names and not inside.all():
            table = with_column(table, name, _first_elements(table.column(name).chunk(0), number))
    return replace(rows, table=in_one_chunk(table))


def _segments_left(lists: Ragged, kept: Ints) -> Ints:
    """Return the number of segments before the end, shape (rows,): those that labels are left of.

    A boundary that is listed once for each of its types divides a document once.
    """
    row = np.repeat(np.arange(len(lists)), lists.lengths)
    values = lists.values[lists.offsets[0] : lists.offsets[-1]]
    first = np.repeat(lists.offsets[:-1] - lists.offsets[0], lists.lengths)
    new = np.ones(len(values), bool)
    new[1:] = (values[1:] != values[:-1]) | (row[1:] != row[:-1])
    left = new & (np.arange(len(values)) - first < kept[row])
    return 1 + np.bincount(row[left], minlength=len(lists))


def collapsed(rows: Rows) -> Ints:
    """Return how many boundaries each row has lost so far, as it states, shape (rows,)."""
    if COLLAPSED not in rows.table.column_names:
        return np.zeros(len(rows), np.int64)
    return numbers(rows.table.column(COLLAPSED).chunk(0).fill_null(0)).astype(np.int64)


def _first_elements(lists: pa.ListArray, kept: Ints) -> pa.ListArray:
    """Return the first elements of each list, as many as ``kept`` says; null stays null."""
    offsets = numbers(lists.offsets).astype(np.int64)
    lengths = np.where(flags(lists.is_valid()), np.diff(offsets), 0)
    remaining = np.minimum(lengths, kept)
    new_offsets = offsets_of(remaining)
    shift = np.repeat(offsets[:-1] - new_offsets[:-1], remaining)
    elements = lists.values.take(pa.array(np.arange(new_offsets[-1]) + shift))
    return pa.ListArray.from_arrays(
        pa.array(new_offsets, pa.int32()), elements, type=lists.type, mask=lists.is_null()
    )
