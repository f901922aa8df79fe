"""Bring the rows of each document together, whichever files they are in.

Documents are divided into partitions, by ranges of ids or by hash.  With ranges, rows are read from
the input files when they are needed.  With hashes, rows are shuffled first, in packets: one for
each slice of the input and each partition that it has rows of.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from segscore.pipeline import storage
from segscore.pipeline.arrays.document_ids import hash_names
from segscore.pipeline.arrays.ragged import flags, numbers
from segscore.pipeline.errors import Failed, Refused
from segscore.pipeline.runs import cluster
from segscore.pipeline.runs.planning import ranges_of
from segscore.pipeline.tables.find import InputTable, Slice
from segscore.pipeline.tables.read import Rows, in_one_chunk, read_slice

_FILE, _ROW = "_file", "_row"
FOLDER, _LIST = "met", "met.txt"


@dataclass(frozen=True)
class Meeting:
    """How to bring the rows of each document together.

    Attributes:
        tables: the tables whose rows to bring together, by name.
        folder: folder to store shuffled rows in until the run is published.
        buckets: number of document partitions; 1 if no rows have to be moved.
        cuts: first ids of the second and later partitions; empty if partitions are by hash.
    """

    tables: Mapping[str, InputTable]
    folder: str
    buckets: int
    cuts: tuple[str, ...] = ()

    @property
    def travels(self) -> bool:
        """Whether rows have to be shuffled."""
        return self.buckets > 1 and not self.cuts


def shuffle_rows(client: cluster.Client, meeting: Meeting) -> None:
    """Write the rows of each partition and table to one file, if that is needed and not yet done.

    A list of the files is written last and shows that all of them exist, so that a resumed run need
    not repeat the shuffle.

    Raises:
        Refused: as for ``read_slice``.
        Failed: as for ``read_slice``, or the cluster lost rows.
    """
    if not meeting.travels or _listed_files(meeting) == _existing_files(meeting):
        return
    slices = [piece for table in meeting.tables.values() for piece in table.slices]
    places = meeting.buckets * len(meeting.tables)
    cluster.exchange(client, _pack, slices, places, _unpack, meeting)
    storage.write_text(storage.join(meeting.folder, _LIST), "\n".join(_existing_files(meeting)))


def _existing_files(meeting: Meeting) -> list[str]:
    """Return the files of shuffled rows that exist."""
    folder = storage.join(meeting.folder, FOLDER)
    return [
        storage.join(name, file)
        for name in meeting.tables
        for file in storage.names(storage.join(folder, name))
        if file.endswith(storage.PARQUET)
    ]


def _listed_files(meeting: Meeting) -> list[str] | None:
    """Return the list of all files of shuffled rows; None before the shuffle has finished."""
    text = storage.read_text(storage.join(meeting.folder, _LIST))
    return None if text is None else text.split("\n")


def _pack(meeting: Meeting, piece: Slice) -> list[tuple[int, bytes]]:
    """Read a slice and divide its rows by partition; return pairs of (place, packet)."""
    table = meeting.tables[piece.table]
    rows = read_slice(piece, table.further)
    files = [file.url for file in table.files]
    file = pa.array([files.index(url) for url in rows.urls], pa.int32()).take(pa.array(rows.file))
    with_source = rows.table.append_column(_FILE, file).append_column(_ROW, pa.array(rows.row))
    # A row without a document id has to be rejected in some partition.
    ids = rows.table.column("document_id").chunk(0).fill_null("")
    bucket = (hash_names(ids).hashes >> np.uint64(32)) % np.uint64(meeting.buckets)
    order = np.argsort(bucket, kind="stable")
    sorted_rows = in_one_chunk(with_source.take(pa.array(order)))
    edges = np.searchsorted(bucket[order], np.arange(meeting.buckets + 1))
    table_number = list(meeting.tables).index(piece.table)
    return [
        (b * len(meeting.tables) + table_number, _serialized(sorted_rows.slice(start, end - start)))
        for b, (start, end) in enumerate(pairwise(edges.tolist()))
        if end > start
    ]


def _serialized(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression="lz4")
    with pa.ipc.new_stream(sink, table.schema, options=options) as stream:
        stream.write_table(table)
    return bytes(sink.getvalue())


def _unpack(meeting: Meeting, place: int, packets: Sequence[bytes]) -> int:
    """Write the packets of a place, in the order of slices, as one file; return its row count."""
    bucket, table_number = divmod(place, len(meeting.tables))
    table = pa.concat_tables([pa.ipc.open_stream(packet).read_all() for packet in packets])
    name = list(meeting.tables)[table_number]
    storage.write_table(storage.join(meeting.folder, FOLDER, name, _file_name(bucket)), table)
    return int(table.num_rows)


def _file_name(bucket: int) -> str:
    return f"bucket-{bucket:05d}.parquet"


def met(meeting: Meeting, name: str, bucket: int) -> list[Rows]:
    """Read a table's rows of one partition, as if from the input; empty if there are none.

    Args:
        meeting: a description for which ``shuffle_rows`` has been called.
        name: name of the table.
        bucket: number of the partition, 0..buckets-1.

    Raises:
        Failed: the shuffled rows no longer exist.
    """
    table = meeting.tables[name]
    if not meeting.travels:
        return [
            _in_range(read_slice(piece, table.further), meeting.cuts, bucket)
            for piece in table.slices
            if bucket in ranges_of(piece, meeting.cuts)
        ]
    file_name = storage.join(name, _file_name(bucket))
    listed = _listed_files(meeting)
    if listed is not None and file_name not in listed:
        return []
    url = storage.join(meeting.folder, FOLDER, file_name)
    try:
        table_of_bucket = in_one_chunk(storage.open_parquet(url).read())
    except Refused as problem:
        raise Failed(f"{problem}; another job has finished or claimed this run") from problem
    file = numbers(table_of_bucket.column(_FILE).chunk(0)).astype(np.int64)
    row = numbers(table_of_bucket.column(_ROW).chunk(0))
    urls = tuple(input_file.url for input_file in table.files)
    return [Rows(name, table_of_bucket.drop_columns([_FILE, _ROW]), urls, file, row)]


def _in_range(rows: Rows, cuts: tuple[str, ...], group: int) -> Rows:
    """Select the rows whose documents are in a range; a missing id counts as the empty id."""
    ids = rows.table.column("document_id").chunk(0).fill_null("")
    if group > 0:
        after = flags(pc.greater_equal(ids, cuts[group - 1]))
        rows, ids = rows.keep(after), ids.filter(pa.array(after))
    if group < len(cuts):
        rows = rows.keep(flags(pc.less(ids, cuts[group])))
    return rows
