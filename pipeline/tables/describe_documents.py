"""Describe the documents of an import from its rows: attributes, lists by unit."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from segscore.pipeline.arrays.document_ids import index_documents
from segscore.pipeline.arrays.ragged import Flags, Ints
from segscore.pipeline.tables.columns import DOCUMENTS
from segscore.pipeline.tables.rows import RowPlace, is_given
from segscore.schemas.input_columns import BY_UNIT

_NO_ELEMENT = -(2**31)
"""Stands for null in a list that is compared with another."""

_LAST = 2**62
"""Stands for no row where the least row number is taken."""


class _Places(Protocol):
    """The (source, line) of each row."""

    def __getitem__(self, row: int, /) -> tuple[str, int]:
        """Return the source and the line of a row."""


@dataclass(frozen=True, slots=True)
class DescribedDocuments:
    """The documents that some rows describe.

    Attributes:
        table: the table documents, by ascending document_id.
        rows: for each document, the number of the row that says its n_units.
        shared: the attributes that are columns of documents.
    """

    table: pa.Table
    rows: Ints
    shared: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Present:
    """The rows that have a value in one column.

    Attributes:
        rows: their numbers, ascending.
        document: the document of each of them.
        first: for each document, its first such row; -1 if it has none.
    """

    rows: Ints
    document: Ints
    first: Ints


def describe_documents(
    stated: pa.Table, attributes: Sequence[str], places: _Places
) -> DescribedDocuments:
    """Build the table documents from the rows of an import, given the places of the rows.

    Only document_id, n_units, lists by unit and the named attributes are read.

    Raises:
        Refused: a row has no document_id, or a document has different lists by unit.
    """
    ids = stated.column("document_id").combine_chunks()
    if ids.null_count:
        row = int(np.flatnonzero(ids.is_null().to_numpy(zero_copy_only=False))[0])
        is_given(None, "document_id", RowPlace(*places[row]))
    numbered = index_documents(ids)
    document, count = numbered.document, len(numbered.documents)
    columns = {name: stated.column(name).combine_chunks() for name in stated.column_names}
    lists = [name for name in BY_UNIT if name in columns]
    given = {n: _given(columns[n], document, count) for n in (*lists, *attributes)}
    shared = frozenset(n for n in attributes if not _differs(columns[n], given[n]).any())
    for name in lists:
        _require_agreement(columns[name], given[name], (name, ids, places))
    stating = [*lists, *(name for name in attributes if name in shared)]
    measured = _coalesce([given[name].first for name in lists], count)
    earliest = np.min(
        [_or_last(given[n].first) for n in stating] or [np.full(count, _LAST)], axis=0
    )
    order = _by_id(numbered.documents.ids, np.flatnonzero(earliest < _LAST))
    rows = np.where(measured < 0, earliest, measured)[order]
    table = {name: columns[name].take(pa.array(rows)) for name in DOCUMENTS.required}
    for name in stating:
        first = given[name].first[order]
        table[name] = columns[name].take(pa.array(first, mask=first < 0))
    return DescribedDocuments(pa.table(table), rows, shared)


def _given(column: pa.Array, document: Ints, count: int) -> _Present:
    rows = np.flatnonzero(pc.is_valid(column).to_numpy(zero_copy_only=False))
    first = np.full(count, -1)
    first[document[rows[::-1]]] = rows[::-1]
    return _Present(rows, document[rows], first)


def _coalesce(firsts: Sequence[Ints], count: int) -> Ints:
    """Return for each document the first of several rows that is not -1."""
    chosen = np.full(count, -1)
    for first in firsts:
        chosen = np.where(chosen < 0, first, chosen)
    return chosen


def _or_last(first: Ints) -> Ints:
    return np.where(first < 0, _LAST, first)


def _differs(column: pa.Array, given: _Present) -> Flags:
    """Return which rows with a value have another than the first row of their document."""
    first = given.first[given.document]
    if pa.types.is_list(column.type):
        return _lists_differ(column, given.rows, first)
    if pa.types.is_floating(column.type):
        values = column.fill_null(0).to_numpy(zero_copy_only=False)
    else:
        codes = column.dictionary_encode().indices
        values = codes.fill_null(0).to_numpy(zero_copy_only=False)
    return np.asarray(values[given.rows] != values[first])


def _lists_differ(column: pa.Array, rows: Ints, first: Ints) -> Flags:
    ours, theirs = column.take(pa.array(rows)), column.take(pa.array(first))
    lengths = pc.list_value_length(ours).to_numpy()
    differing = np.asarray(lengths != pc.list_value_length(theirs).to_numpy())
    comparable = pa.array(np.flatnonzero(~differing))
    our_values, their_values = (pc.list_flatten(lists.take(comparable)) for lists in (ours, theirs))
    parents = np.repeat(comparable.to_numpy(), lengths[comparable.to_numpy()])
    differing[parents[_values_differ(our_values, their_values)]] = True
    return differing


def _values_differ(ours: pa.Array, theirs: pa.Array) -> Flags:
    if ours.type == pa.int32():
        values = [each.fill_null(_NO_ELEMENT).to_numpy() for each in (ours, theirs)]
    else:
        codes = pa.concat_arrays([ours, theirs]).dictionary_encode().indices
        values = np.split(codes.fill_null(-1).to_numpy(), 2)
    return np.asarray(values[0] != values[1])


def _require_agreement(
    column: pa.Array, given: _Present, named: tuple[str, pa.Array, _Places]
) -> None:
    """Refuse lists by unit of one document that differ."""
    name, ids, places = named
    differing = np.flatnonzero(_differs(column, given))
    if len(differing):
        documents = given.document[differing]
        at = differing[0]
        if len(set(documents.tolist())) > 1:  # the message names the first by document_id
            at = min(differing.tolist(), key=lambda i: ids[int(given.rows[i])].as_py())
        row, first = int(given.rows[at]), int(given.first[given.document[at]])
        source, line = places[first]
        raise RowPlace(*places[row]).refusal(
            f"{name} of {ids[row].as_py()} differ from those at {source}:{line}; a document has "
            "one list of them"
        )


def _by_id(ids: pa.StringArray, documents: Ints) -> Ints:
    order = pc.sort_indices(ids.take(pa.array(documents))).to_numpy()
    return np.asarray(documents[order])
