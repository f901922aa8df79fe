"""Bring the rows of each document together, whichever files they are in.

Documents are divided into partitions, by ranges of ids or by hash.  With ranges, rows are read from
the input files when they are needed.  With hashes, rows are shuffled first, in packets: one for
each batch of slices of the input and each partition that it has rows of.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from segscore.pipeline import storage
from segscore.pipeline.arrays.document_ids import hash_names
from segscore.pipeline.arrays.ragged import flags, numbers
from segscore.pipeline.errors import Failed, StartOver
from segscore.pipeline.runs import receipts
from segscore.pipeline.runs.executor import Executor
from segscore.pipeline.runs.planning import Plan, ranges_of, shuffled_at_once
from segscore.pipeline.runs.run import NamedPart
from segscore.pipeline.runs.tasks import TaskRun
from segscore.pipeline.tables.find import InputTable, Slice
from segscore.pipeline.tables.read import (
    BYTES_AT_ONCE,
    Rows,
    batches_of,
    in_one_chunk,
    join_rows,
    read_slice,
    read_slices,
)

_FILE, _ROW = "_file", "_row"
FOLDER, _LIST = "met", "met.txt"
_PACKETS = ".arrows"
"""Ending of files of packets: streams of Arrow, one after another, and a digest of them."""

_DIGEST_SIZE = 16


@dataclass(frozen=True)
class Partitioning:
    """How to bring the rows of each document together.

    Attributes:
        tables: the tables whose rows to bring together, by name.
        folder: folder to store shuffled rows in until the run is published.
        partitions: number of document partitions; 1 if no rows have to be moved.
        cuts: first ids of the second and later partitions; empty if partitions are by hash.
        rows_at_once: the most rows that a task reads before it divides them into packets.
        bytes_at_once: the most bytes of these rows in memory.
    """

    tables: Mapping[str, InputTable]
    folder: str
    partitions: int
    cuts: tuple[str, ...] = ()
    rows_at_once: int = 1
    bytes_at_once: int = BYTES_AT_ONCE

    @classmethod
    def of(cls, plan: Plan, tables: Mapping[str, InputTable], folder: str) -> "Partitioning":
        """Return the partitioning that a plan has chosen for the tables of a run."""
        rows = shuffled_at_once(plan.rows_per_part, plan.groups)
        return cls(tables, folder, plan.groups, plan.cuts, rows, plan.bytes_at_once)

    @property
    def is_shuffled(self) -> bool:
        """Whether rows have to be shuffled."""
        return self.partitions > 1 and not self.cuts


NOWHERE = Partitioning({}, "", 1)
"""The partitioning of rows that are in memory."""


def meet(
    run: TaskRun,
    plan: Plan,
    tables: Mapping[str, InputTable],
    stage: str,
    parts: Sequence[NamedPart],
) -> Partitioning | None:
    """Claim the folder of a run, and bring the rows of each document together.

    Rows are not shuffled again for a run whose parts are all finished.

    Args:
        run: the run.
        plan: how its documents are divided.
        tables: the tables whose rows to bring together, by name.
        stage: name of the stage that reads the rows.
        parts: its parts.

    Returns:
        Where the rows are; None if another job finished the same run first.

    Raises:
        Refused, Failed: as for ``shuffle_rows``.
    """
    if not run.claim({stage: parts}):
        return None
    partitioning = Partitioning.of(plan, tables, run.folder)
    if len(receipts.finished_parts(run.folder, stage)) < len(parts):
        shuffle_rows(run.executor, partitioning)
    return partitioning


def remove_shuffled(partitioning: Partitioning) -> None:
    """Remove the shuffled rows of a run, once its parts are finished."""
    storage.remove(storage.join(partitioning.folder, FOLDER))


def shuffle_rows(executor: Executor, partitioning: Partitioning) -> None:
    """Write the rows of each partition and table to one file, if that is needed and not yet done.

    A list of the files is written last and shows that all of them exist, so that a resumed run need
    not repeat the shuffle.

    Raises:
        Refused: as for ``read_slice``.
        Failed: as for ``read_slice``, or rows were lost on the way.
    """
    if not partitioning.is_shuffled or _listed_files(partitioning) == _existing_files(partitioning):
        return
    batches = [
        batch
        for table in partitioning.tables.values()
        for batch in batches_of(table.slices, partitioning.rows_at_once, partitioning.bytes_at_once)
    ]
    places = partitioning.partitions * len(partitioning.tables)
    executor.exchange(_pack, batches, places, _unpack, partitioning)
    storage.write_text(
        storage.join(partitioning.folder, _LIST), "\n".join(_existing_files(partitioning))
    )


def _existing_files(partitioning: Partitioning) -> list[str]:
    """Return the files of shuffled rows that exist."""
    folder = storage.join(partitioning.folder, FOLDER)
    return [
        storage.join(name, file)
        for name in partitioning.tables
        for file in storage.names(storage.join(folder, name))
        if file.endswith(_PACKETS)
    ]


def _listed_files(partitioning: Partitioning) -> list[str] | None:
    """Return the list of all files of shuffled rows; None before the shuffle has finished."""
    text = storage.read_text(storage.join(partitioning.folder, _LIST))
    return None if text is None else text.split("\n")


def _pack(partitioning: Partitioning, batch: Sequence[Slice]) -> list[tuple[int, bytes]]:
    """Read slices of a table and divide their rows by partition; return (place, packet) pairs."""
    table = partitioning.tables[batch[0].table]
    rows = join_rows([read_slice(piece, table.further) for piece in batch])
    files = [file.url for file in table.files]
    file = pa.array([files.index(url) for url in rows.urls], pa.int32()).take(pa.array(rows.file))
    with_source = rows.table.append_column(_FILE, file).append_column(_ROW, pa.array(rows.row))
    # A row without a document id has to be rejected in some partition.
    ids = rows.ids.fill_null("")
    count = partitioning.partitions
    hashed = (hash_names(ids).hashes >> np.uint64(32)) % np.uint64(count)
    partition_of_row = hashed.astype(np.min_scalar_type(count))  # small numbers sort faster
    order = np.argsort(partition_of_row, kind="stable")
    sorted_rows = in_one_chunk(with_source.take(pa.array(order)))
    edges = np.searchsorted(partition_of_row[order], np.arange(count + 1))
    table_number = list(partitioning.tables).index(batch[0].table)
    return [
        (
            number * len(partitioning.tables) + table_number,
            _serialized(sorted_rows.slice(start, end - start)),
        )
        for number, (start, end) in enumerate(pairwise(edges.tolist()))
        if end > start
    ]


def _serialized(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression="lz4")
    with pa.ipc.new_stream(sink, table.schema, options=options) as stream:
        stream.write_table(table)
    return bytes(sink.getvalue())


def _unpack(partitioning: Partitioning, place: int, packets: Sequence[bytes]) -> int:
    """Write the packets of a place, in the order of slices, as one file; return its row count."""
    number, table_number = divmod(place, len(partitioning.tables))
    name = list(partitioning.tables)[table_number]
    url = storage.join(partitioning.folder, FOLDER, name, _file_name(number))
    content = b"".join(packets)
    storage.write_bytes(url, content + _digest(content))
    first_column = pa.ipc.IpcReadOptions(included_fields=[0])
    return sum(
        batch.num_rows
        for packet in packets
        for batch in pa.ipc.open_stream(packet, options=first_column)
    )


def _read_packets(url: str) -> pa.Table:
    """Read the rows of a file of packets.

    Raises:
        Failed: the file does not exist any more, or is not whole.
    """
    try:
        file = storage.read_bytes(url)
    except Failed as problem:
        raise Failed(f"{problem}; another job has finished or claimed this run") from problem
    content, digest = file[:-_DIGEST_SIZE], file[-_DIGEST_SIZE:]
    if digest != _digest(content):
        raise StartOver(f"{url}: is not as it was written; run again with --fresh")
    source, packets = pa.BufferReader(content), []
    while source.tell() < len(content):
        packets.append(pa.ipc.open_stream(source).read_all())
    return in_one_chunk(pa.concat_tables(packets))


def _digest(content: bytes) -> bytes:
    return blake2b(content, digest_size=_DIGEST_SIZE).digest()


def _file_name(number: int) -> str:
    return f"bucket-{number:05d}{_PACKETS}"


def read_partition(partitioning: Partitioning, name: str, number: int) -> list[Rows]:
    """Read a table's rows of one partition, as if from the input; empty if there are none.

    Partitions are numbered from 0. If they are shuffled, ``shuffle_rows`` has been called.

    Raises:
        Failed: the shuffled rows no longer exist.
    """
    table = partitioning.tables[name]
    if not partitioning.is_shuffled:
        cuts = partitioning.cuts
        pieces = [piece for piece in table.slices if number in ranges_of(piece, cuts)]
        return [_in_range(rows, cuts, number) for rows in read_slices(pieces, table.further)]
    file_name = storage.join(name, _file_name(number))
    listed = _listed_files(partitioning)
    if listed is not None and file_name not in listed:
        return []
    url = storage.join(partitioning.folder, FOLDER, file_name)
    shuffled = _read_packets(url)
    file = numbers(shuffled.column(_FILE).chunk(0)).astype(np.int64)
    row = numbers(shuffled.column(_ROW).chunk(0))
    urls = tuple(input_file.url for input_file in table.files)
    return [Rows(name, shuffled.drop_columns([_FILE, _ROW]), urls, file, row)]


def _in_range(rows: Rows, cuts: tuple[str, ...], number: int) -> Rows:
    """Select the rows whose documents are in a range; a missing id counts as the empty id."""
    ids = rows.ids.fill_null("")
    if number > 0:
        after = flags(pc.greater_equal(ids, cuts[number - 1]))
        rows, ids = rows.keep(after), ids.filter(pa.array(after))
    if number < len(cuts):
        rows = rows.keep(flags(pc.less(ids, cuts[number])))
    return rows
