"""Rows divided by document: each task writes one file, with a packet for each partition.

A document belongs to the partition of its hash, whichever task has read it.  A file is the packets
of partitions 0, 1, 2 ... one after the other, and ``edges`` are the offsets between them: with the
edges [0, 70, 70, 95], partition 1 has no rows, and partition 2 has bytes 70 to 94.  A later task
reads its range of every file.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import accumulate, pairwise

import numpy as np
import pyarrow as pa

from segscore.pipeline import storage
from segscore.pipeline.arrays.document_ids import hash_names
from segscore.pipeline.arrays.ragged import Ints
from segscore.pipeline.errors import Failed
from segscore.pipeline.tables.read import in_one_chunk


@dataclass(frozen=True)
class Divided:
    """The receipt of a task that has divided rows.

    Attributes:
        edges: the offsets in its file between which the packets of the partitions are; there is one
            more than there are partitions.
    """

    edges: Ints = field(default_factory=lambda: np.zeros(1, np.int64))


def write_packets(url: str, rows: pa.Table, ids: pa.Array, partitions: int) -> Ints:
    """Write rows to a file with a packet for each partition, and return the edges of the packets.

    Args:
        url: the file.
        rows: the rows; those of a partition keep their order.
        ids: the document of each row.
        partitions: number of partitions.
    """
    if partitions > 1:
        hashed = (hash_names(ids).hashes >> np.uint64(32)) % np.uint64(partitions)
        partition_of_row = hashed.astype(np.min_scalar_type(partitions))  # small ones sort faster
        order = np.argsort(partition_of_row, kind="stable")
        rows = in_one_chunk(rows.take(pa.array(order)))
        starts = np.searchsorted(partition_of_row[order], np.arange(partitions + 1)).tolist()
    else:
        starts = [0, len(rows)]
    packets = [_packet(rows.slice(start, end - start)) for start, end in pairwise(starts)]
    storage.write_bytes(url, b"".join(packets))
    return np.array([*accumulate(map(len, packets), initial=0)], np.int64)


def _packet(rows: pa.Table) -> bytes:
    """Return rows as a stream of Arrow; nothing for no rows."""
    if not len(rows):
        return b""
    sink = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression="lz4")
    with pa.ipc.new_stream(sink, rows.schema, options=options) as stream:
        stream.write_table(rows)
    return bytes(sink.getvalue())


def read_packets(files: Mapping[str, Ints], number: int) -> dict[str, pa.Table]:
    """Read the packets of a partition by the files that have one, in the order of the files.

    Args:
        files: the edges of each file.
        number: number of the partition, from 0.

    Raises:
        Failed: a file no longer exists, is shorter, or cannot be read.
    """
    ranges = {url: (int(edges[number]), int(edges[number + 1])) for url, edges in files.items()}
    filled = {url: ends for url, ends in ranges.items() if ends[1] > ends[0]}
    try:
        contents = storage.read_ranges(filled)
    except FileNotFoundError as problem:
        raise Failed(f"{problem}: gone; another job has finished or claimed this run") from problem
    packets = (pa.ipc.open_stream(content).read_all() for content in contents)
    return dict(zip(filled, packets, strict=True))
