"""Sums over documents: small tables of integers, added up by key.

Each table has the group-by columns (null in the rows over all documents), then keys of its own,
then sums. Sums of integers do not depend on how the documents were divided into parts.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from segscore.pipeline.arrays.document_ids import Hashes
from segscore.pipeline.arrays.ragged import Ints, numbers
from segscore.pipeline.statistics import resampling

KEYS = {
    "documents": ("unit", "coders"),
    "panels": ("unit", "panel"),
    "rates": ("unit", "coder"),
    "peers": ("fold", "coder", "peer"),
    "distances": ("fold", "coder", "peer", "distance"),
    "held_out": ("coder", "coders"),
    "segments": (),
    "supports": ("reach", "coders", "within"),
    "sample": ("document", "unit", "coder", "peer"),
    "lengths": ("document", "coder"),
    "again": ("unit", "coder"),
    "candidate": ("unit", "coder"),
    "types": ("unit", "type", "other_type"),
}
"""The keys of each table in addition to the group-by columns."""

SAMPLED = 65_536
"""Pairs of codings of which each group keeps the counts document by document."""

_UNIQUE = ("sample", "lengths")
"""Tables without two rows of the same keys, in which there is nothing to add up."""

_WHOLE = ("lengths",)
"""Tables that are kept over all documents alone; groups look up their documents in them."""


FOLDS = 20
"""Groups of documents, by hash, that a jackknife leaves out in turn."""


def folds(hashes: Hashes) -> Ints:
    """Return the group of documents, of ``FOLDS``, of each document by its hash."""
    return ((hashes >> np.uint64(32)) % np.uint64(FOLDS)).astype(np.int64)


@dataclass(frozen=True)
class Tallies:
    """Sums over some documents.

    Attributes:
        documents: sums by resampling unit and number of coders.
        panels: potential boundaries by resampling unit and the set of coders, as a JSON list.
        rates: codings, boundaries and potential boundaries by resampling unit and coder, and the
            counts of all pairs that the coder is in.
        peers: pair counts by coder and peer, and by one of ``FOLDS`` groups of documents.
        distances: how many boundaries of coder and peer are near each other, by their distance and
            likewise.
        held_out: what documents lose without a coder, by that coder and the number of coders.
        segments: numbers of segments and their sizes, and squares of both.
        supports: marked positions by reach, number of coders, and coders within reach.
        sample: counts of each pair of codings, by the hash of the document, beside its unit: those
            of all documents with several coders, or of ``SAMPLED`` pairs, in the documents with the
            smallest hashes.
        lengths: boundaries and potential boundaries of each coding, likewise of the documents with
            the smallest hashes.
        again: counts of pairs of codings by one coder of one document, by unit and coder.
        candidate: counts of pairs of a candidate and a coder likewise, and in how many documents
            each of both agrees with the other coders at least as well.
        types: counts of pairs of codings by unit and boundary type, and how often the boundaries of
            two coders are paired by both of their types.
    """

    documents: pa.Table
    panels: pa.Table
    rates: pa.Table
    peers: pa.Table
    distances: pa.Table
    held_out: pa.Table
    segments: pa.Table
    supports: pa.Table
    sample: pa.Table
    lengths: pa.Table
    again: pa.Table
    candidate: pa.Table
    types: pa.Table

    def __post_init__(self) -> None:
        """Refuse invalid tables, because tallies may come from a file.

        Raises:
            ValueError: columns are missing or have the wrong type, there are nulls, or a resampling
                unit belongs to no document.
        """
        for name, keys in KEYS.items():
            table = getattr(self, name)
            columns = [field for field in table.schema if not field.name.startswith(GROUP)]
            sums = [field for field in columns if field.name not in keys]
            if len(columns) - len(sums) != len(keys) or any(
                field.type != pa.int64() for field in sums
            ):
                raise ValueError(f"{name} has unexpected columns")
            if any(table.column(field.name).null_count for field in columns):
                raise ValueError(f"{name} has nulls")
        for table in (self.peers, self.distances):
            fold = table.column("fold")
            known = pc.and_(pc.greater_equal(fold, 0), pc.less(fold, FOLDS))
            if not pc.all(known, min_count=0).as_py():
                raise ValueError("a table has unexpected folds")
        known = self.documents.column("unit")
        for table in (
            *(self.panels, self.rates, self.sample),
            *(self.again, self.candidate, self.types),
        ):
            if not pc.all(pc.is_in(table.column("unit"), value_set=known), min_count=0).as_py():
                raise ValueError("some resampling units belong to no document")


GROUP = "by:"
"""Prefix of group-by columns, so that their names do not clash with the tables' own columns."""

Groups = Mapping[str, pa.DataType]
"""Group-by columns, prefixed with ``GROUP``, and their types."""


def tally(name: str, table: pa.Table, group_by: Groups) -> pa.Table:
    """Sum all other columns by the keys of a table, over all rows and each group without nulls."""
    keys = KEYS[name]
    names = [column for column in table.column_names if column not in group_by]
    add = _plain if name in _UNIQUE else _sum
    whole = add(table.select(names), keys)
    for column, kind in group_by.items():
        whole = whole.append_column(column, pa.nulls(len(whole), kind))
    if not group_by or not table.num_rows or name in _WHOLE:
        return whole
    in_group = np.logical_and.reduce([_is_valid(table.column(column)) for column in group_by])
    grouped = add(table.filter(pa.array(in_group)), [*group_by, *keys])
    return pa.concat_tables([whole, grouped.select(whole.column_names)])


def tally_documents(
    name: str,
    columns: Mapping[str, object],
    document: Ints,
    attributes: Mapping[str, pa.ChunkedArray],
    group_by: Groups,
) -> pa.Table:
    """Sum columns by the keys of a table, over all documents and over each group of them.

    Args:
        name: name of the table, in ``KEYS``.
        columns: its keys and sums, before they are added up.
        document: number of the document of each row.
        attributes: attributes of the documents, by name.
        group_by: the group-by columns and their types.
    """
    whole = pa.table(dict(columns))
    for column, kind in group_by.items():
        values = attributes[column.removeprefix(GROUP)].take(pa.array(document)).cast(kind)
        whole = whole.append_column(column, values)
    return tally(name, whole, group_by)


def _is_valid(column: pa.ChunkedArray) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    return numbers(column.is_valid().cast(pa.int8()).combine_chunks()).astype(bool)


def _sum(table: pa.Table, keys: Sequence[str]) -> pa.Table:
    summed = [name for name in table.column_names if name not in keys]
    sums = table.group_by(list(keys), use_threads=False).aggregate([(n, "sum") for n in summed])
    return _plain(sums.rename_columns([*keys, *summed]), keys)


def _plain(table: pa.Table, keys: Sequence[str]) -> pa.Table:
    """Return a table without dictionaries, as those of parts are concatenated; the keys first."""
    table = table.select([*keys, *(name for name in table.column_names if name not in keys)])
    plain = [
        field.with_type(field.type.value_type) if pa.types.is_dictionary(field.type) else field
        for field in table.schema
    ]
    return table.cast(pa.schema(plain))


def without_folds(peers: pa.Table) -> pa.Table:
    """Add up the table ``peers`` of one group over the groups of documents of a jackknife."""
    keys = KEYS["peers"][1:]
    summed = _sum(peers.drop_columns(["fold"]), keys)
    return summed.sort_by([(key, "ascending") for key in keys]).combine_chunks()


def merge_tallies(parts: Iterable[Tallies], group_by: Groups) -> Tallies:
    """Add up the tallies of disjoint documents, with resampling units as buckets if they are many.

    The result does not depend on the order, or on which are added up first.
    """
    settled = _settle(parts)
    names = [field.name for field in fields(Tallies)]
    return Tallies(
        **{
            name: add_tables(name, [getattr(part, name) for part in settled], group_by)
            for name in names
        }
    )


def add_tables(name: str, tables: Sequence[pa.Table], group_by: Groups) -> pa.Table:
    """Add up one of the tables of disjoint documents, and sort it by group and key."""
    keys = [*group_by, *KEYS[name]]
    table = pa.concat_tables(tables)
    if name in _UNIQUE:
        summed = _first_documents(_plain(table, keys), [*group_by])
    else:
        summed = _sum(table, keys)
    order = [(key, "ascending") for key in keys]
    return summed.sort_by(order).combine_chunks() if keys else summed


def _first_documents(sample: pa.Table, group_by: Sequence[str]) -> pa.Table:
    """Leave out the documents of each group whose pairs would be more than ``SAMPLED``.

    Which are kept does not depend on how the documents were divided into parts, because each part
    keeps at least those that are among the first of all.

    The order of the rows is lost.
    """
    if len(sample) <= SAMPLED:
        return sample
    document = numbers(sample.column("document").combine_chunks())
    groups = [_codes(sample.column(name)) for name in group_by]
    order = np.lexsort([document, *groups])
    new_group = np.zeros(len(sample), bool)
    new_group[0] = True
    for codes in groups:
        new_group[1:] |= np.diff(codes[order]) != 0
    new_document = new_group.copy()
    new_document[1:] |= np.diff(document[order]) != 0
    row = np.arange(len(sample))
    start = np.maximum.accumulate(np.where(new_group, row, 0))
    ends = np.append(np.flatnonzero(new_document)[1:], len(sample))
    end = ends[np.cumsum(new_document) - 1]
    return sample.take(pa.array(order[end - start <= SAMPLED]))


def _codes(column: pa.ChunkedArray) -> Ints:
    """Number the values of a column, null among them."""
    encoded = column.combine_chunks().dictionary_encode(null_encoding="encode")
    return numbers(encoded.indices)


def split(table: pa.Table, group_by: Groups) -> dict[tuple[object, ...], pa.Table]:
    """Split a merged table by group: its rows by the values of the group-by columns."""
    if not table.num_rows:
        return {}
    if not group_by:
        return {(): table}
    changes = np.zeros(len(table) - 1, bool)
    for name in group_by:
        changes |= np.diff(_codes(table.column(name))) != 0
    starts = [0, *(np.flatnonzero(changes) + 1).tolist()]
    keys = table.select(list(group_by)).take(pa.array(starts)).to_pylist()
    tallied = table.drop_columns(list(group_by))
    return {
        tuple(key.values()): tallied.slice(start, end - start)
        for key, start, end in zip(keys, starts, [*starts[1:], len(table)], strict=True)
    }


def _settle(parts: Iterable[Tallies]) -> list[Tallies]:
    """Resample by hash bucket if there are more units than ``resampling.BUCKETS``.

    A part with few units identifies them by hashes; a part with more has already assigned them to
    buckets.
    """
    parts = list(parts)
    if all(not is_bucketed(part) for part in parts):
        units = pa.chunked_array(
            [pc.unique(part.documents.column("unit")) for part in parts], pa.uint64()
        )
        if len(pc.unique(units)) <= resampling.BUCKETS:
            return parts
    return [part if is_bucketed(part) else _in_buckets(part) for part in parts]


def is_bucketed(part: Tallies) -> bool:
    """Return whether a part's resampling units are hash buckets."""
    return not pa.types.is_uint64(part.documents.schema.field("unit").type)


def _in_buckets(part: Tallies) -> Tallies:
    tables = {field.name: getattr(part, field.name) for field in fields(Tallies)}
    for name, table in tables.items():
        if "unit" in table.column_names:
            hashes = numbers(table.column("unit").combine_chunks())
            index = table.column_names.index("unit")
            tables[name] = table.set_column(index, "unit", pa.array(resampling.buckets(hashes)))
    return Tallies(**tables)
