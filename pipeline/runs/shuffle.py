"""Bring the rows of each document together, whichever files they are in.

Documents are divided into partitions, by ranges of ids or by hash.  With ranges, rows are read from
the input files when they are needed.  With hashes, rows are shuffled first: each batch of slices of
the input becomes one file, with a packet of rows for each partition, and a partition reads its
range of every file.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from segscore.pipeline import storage
from segscore.pipeline.arrays.ragged import Ints, flags, numbers
from segscore.pipeline.runs import receipts
from segscore.pipeline.runs.packets import Divided, read_packets, write_packets
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
FOLDER = "met"
"""Folder of shuffled rows, and name of the stage that writes them."""


@dataclass(frozen=True)
class Batch:
    """Rows of one table that a task divides by partition."""

    name: str
    slices: Sequence[Slice]


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
        shuffled: the files of a table's batches, with the edges of their packets, by table.
    """

    tables: Mapping[str, InputTable]
    folder: str
    partitions: int
    cuts: tuple[str, ...] = ()
    rows_at_once: int = 1
    bytes_at_once: int = BYTES_AT_ONCE
    shuffled: Mapping[str, Mapping[str, Ints]] = field(default_factory=dict)

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


def gather_by_document(
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
        Refused, Failed: as for ``read_slice``.
    """
    if not run.claim({stage: parts}):
        return None
    partitioning = Partitioning.of(plan, tables, run.folder)
    is_finished = len(receipts.finished_parts(run.folder, stage)) == len(parts)
    return partitioning if is_finished else _shuffle(run, partitioning)


def remove_shuffled(partitioning: Partitioning) -> None:
    """Remove the shuffled rows of a run, once its parts are finished."""
    if partitioning.is_shuffled:
        receipts.remove(partitioning.folder, FOLDER)
        storage.remove(storage.join(partitioning.folder, FOLDER))


def _shuffle(run: TaskRun, partitioning: Partitioning) -> Partitioning:
    """Divide all batches that are not yet divided, and return where their packets are."""
    if not partitioning.is_shuffled:
        return partitioning
    batches = [
        Batch(f"{name}-{number:06d}", slices)
        for name, table in partitioning.tables.items()
        for number, slices in enumerate(
            batches_of(table.slices, partitioning.rows_at_once, partitioning.bytes_at_once)
        )
    ]
    divided = run.tasks(_divide, batches, partitioning, stage=FOLDER)
    shuffled: dict[str, dict[str, Ints]] = {name: {} for name in partitioning.tables}
    for batch in batches:
        url = _url(partitioning, batch)
        shuffled[batch.slices[0].table][url] = divided[batch.name].edges
    return replace(partitioning, shuffled=shuffled)


def _divide(partitioning: Partitioning, batch: Batch) -> Divided:
    """Read slices of a table, and write their rows as one file with a packet for each partition."""
    table = partitioning.tables[batch.slices[0].table]
    rows = join_rows([read_slice(piece, table.further) for piece in batch.slices])
    files = [file.url for file in table.files]
    file = pa.array([files.index(url) for url in rows.urls], pa.int32()).take(pa.array(rows.file))
    with_source = rows.table.append_column(_FILE, file).append_column(_ROW, pa.array(rows.row))
    # A row without a document id has to be rejected in some partition.
    ids, url = rows.ids.fill_null(""), _url(partitioning, batch)
    return Divided(write_packets(url, with_source, ids, partitioning.partitions))


def _url(partitioning: Partitioning, batch: Batch) -> str:
    return storage.join(partitioning.folder, FOLDER, f"{batch.name}.arrows")


def read_partition(partitioning: Partitioning, name: str, number: int) -> list[Rows]:
    """Read a table's rows of one partition, as if from the input; empty if there are none.

    Partitions are numbered from 0.

    Raises:
        Failed: the shuffled rows no longer exist.
    """
    table = partitioning.tables[name]
    if not partitioning.is_shuffled:
        cuts = partitioning.cuts
        pieces = [piece for piece in table.slices if number in ranges_of(piece, cuts)]
        return [_in_range(rows, cuts, number) for rows in read_slices(pieces, table.further)]
    packets = read_packets(partitioning.shuffled[name], number)
    if not packets:
        return []
    shuffled = in_one_chunk(pa.concat_tables(packets.values()))
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
