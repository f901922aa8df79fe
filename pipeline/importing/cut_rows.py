"""Cut segmentations to regions: each region becomes a document of its own.

A boundary is kept if the units before and after it are both in a region.  The edges of a region are
the start and the end of its document, which are not boundaries.
"""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from segscore.pipeline.arrays.ragged import Ints
from segscore.pipeline.errors import Refused
from segscore.pipeline.importing.parts import PartReceipt, accepted, refusable
from segscore.pipeline.importing.read_files import ImportedRows
from segscore.pipeline.importing.scored_regions import OPTION, Regions, StatedRegions, digest_of
from segscore.pipeline.importing.shards import Shard, read_shard, write_shard
from segscore.pipeline.plain_text import named_list
from segscore.pipeline.runs.tasks import TaskRun
from segscore.pipeline.statistics.formatted_numbers import counted
from segscore.pipeline.tables.read import with_column
from segscore.pipeline.tables.rows import RowPlace
from segscore.pipeline.tables.units import REGIONS_KEY
from segscore.schemas.input_columns import (
    BOUNDARY_KINDS,
    BY_BOUNDARY,
    BY_SEGMENT,
    BY_UNIT,
    CUT_FROM,
)

_COLLAPSED = "collapsed_boundaries"
_NAMED = 3


@dataclass(frozen=True)
class CutJob:
    """What all tasks that cut segmentations share."""

    folder: str
    regions: Regions
    several: bool


@dataclass(frozen=True)
class CutReceipt(PartReceipt):
    """The rows that a task has cut.

    Attributes:
        shard: the regions; None if there are none.
        rows: number of segmentations that were cut.
        units: their units, in regions and altogether.
        left_out: document without a region -> number of its segmentations.
    """

    shard: Shard | None = None
    rows: int = 0
    units: tuple[int, int] = (0, 0)
    left_out: dict[str, int] = field(default_factory=dict)


def cut_to_regions(
    run: TaskRun, rows: ImportedRows, stated: StatedRegions, unit: str | None
) -> ImportedRows:
    """Return the rows of an import cut to their regions, and say what was cut.

    Raises:
        Refused: no document has a region, a region ends after its document, or regions are not in
            the unit of the segmentations.
    """
    regions = stated.in_units(unit)
    several = any(len(each) > 1 for each in regions.values())
    job = CutJob(run.folder, regions, several)
    receipts = [*accepted(run.tasks(cut_part, rows.shards, job, stage="regions")).values()]
    shards = [receipt.shard for receipt in receipts if receipt.shard is not None]
    if not shards:
        raise Refused(
            f"{OPTION} {stated.location}: no document of the files has a region there; it names "
            f"{named_list([*stated.documents][:_NAMED])}"
        )
    lines = [_describe(receipts, stated.location)]
    if several:
        lines.append(
            f"of several regions, each is a document, NAME#1 and so on; {CUT_FROM} is NAME: score "
            f"with --resample-by {CUT_FROM}"
        )
    return replace(
        rows,
        shards=shards,
        counted=[*rows.counted, *lines],
        own=(*rows.own, CUT_FROM),
        stated={**rows.stated, REGIONS_KEY: digest_of(regions)},
    )


def _describe(receipts: Iterable[CutReceipt], location: str) -> str:
    left_out: Counter[str] = Counter()
    rows = inside = units = 0
    for receipt in receipts:
        left_out.update(receipt.left_out)
        rows += receipt.rows
        inside += receipt.units[0]
        units += receipt.units[1]
    line = f"{location}: {counted(rows, 'segmentation')} cut to {inside:,} of {units:,} units"
    if left_out:
        first = named_list([*left_out][:_NAMED])
        line += f"; {left_out.total():,} without a region left out, such as of {first}"
    return line


@refusable
def cut_part(job: CutJob, part: Shard) -> CutReceipt:
    """Cut the rows of a part."""
    rows = read_shard(job.folder, part)

    def place(row: int) -> RowPlace:
        return RowPlace(rows.urls[int(rows.file[row])], int(rows.row[row]) + 1)

    cut = cut_table(rows.table, job.regions, place, several=job.several)
    pieces = rows.take(cut.chosen)
    table = cut.applied(pieces.table)
    shard = write_shard(job.folder, f"regions-{part.name}", [replace(pieces, table=table)])
    inside = int(pc.sum(table.column("n_units")).as_py() or 0)
    units = int(pc.sum(rows.table.column("n_units")).as_py() or 0) - cut.units_left_out
    return CutReceipt(None, shard, len({*cut.chosen.tolist()}), (inside, units), cut.left_out)


class Cut(NamedTuple):
    """Segmentations that were cut to regions.

    Attributes:
        chosen: the row of the whole segmentation of each region, shape (rows,).
        columns: the columns that cutting changes, or adds as the last.
        left_out: document without a region -> number of its segmentations.
        units_left_out: the units of these.
    """

    chosen: Ints
    columns: dict[str, pa.Array]
    left_out: dict[str, int]
    units_left_out: int

    def applied(self, taken: pa.Table) -> pa.Table:
        """Return the chosen rows, which were taken, with the columns of their regions."""
        for name, values in self.columns.items():
            taken = with_column(taken, name, values)
        return taken


def cut_table(
    table: pa.Table, regions: Regions, place: Callable[[int], RowPlace], *, several: bool
) -> Cut:
    """Cut segmentations to the regions of their documents.

    Args:
        table: the segmentations.
        regions: the regions of each document.
        place: names the place of a row, for messages.
        several: whether any document has several regions, so that rows say what they were cut from.

    Raises:
        Refused: a region ends after its document, or the table has a column of the name of ours.
    """
    if several and CUT_FROM in table.column_names:
        raise Refused(f"{place(0).source}: has a column {CUT_FROM}, which {OPTION} adds; rename it")
    given = [name for name in table.column_names if name in _CHANGED]
    chosen: list[int] = []
    pieces: list[dict[str, object]] = []
    left_out: Counter[str] = Counter()
    units = 0
    for row, values in enumerate(table.select(given).to_pylist()):
        of_document = regions.get(values["document_id"], ())
        if not of_document:
            left_out[values["document_id"]] += 1
            units += values["n_units"]
            continue
        _require_inside(values, of_document[-1][1], place, row)
        pieces += _pieces(values, of_document)
        chosen += [row] * len(of_document)
    kinds = {name: table.schema.field(name).type for name in given}
    kinds |= {CUT_FROM: pa.string()} if several else {}
    columns = {
        name: pa.array([piece[name] for piece in pieces], kind) for name, kind in kinds.items()
    }
    return Cut(np.array(chosen, np.int64), columns, dict(left_out), units)


def _pieces(
    values: Mapping[str, object], regions: Sequence[tuple[int, int]]
) -> Iterator[dict[str, object]]:
    """Yield a segmentation in each of its regions; the first has its collapsed boundaries."""
    for number, (start, end) in enumerate(regions, start=1):
        piece = {**cut_row(values, start, end), CUT_FROM: values["document_id"]}
        if len(regions) > 1:
            piece["document_id"] = f"{values['document_id']}#{number}"
        if number > 1:
            piece[_COLLAPSED] = 0
        yield piece


def _require_inside(
    values: Mapping[str, object], end: int, place: Callable[[int], RowPlace], row: int
) -> None:
    n_units = values["n_units"]
    assert isinstance(n_units, int)
    if end > n_units:
        raise place(row).refusal(
            f"{values['document_id']} has {n_units:,} units, and {OPTION} names a region that ends "
            f"at {end:,}; expected regions within the document"
        )


_CHANGED = (
    *("document_id", "n_units", "boundaries", _COLLAPSED, BY_SEGMENT),
    *BY_BOUNDARY,
    *BY_UNIT,
    BOUNDARY_KINDS,
)
"""Columns of which cutting writes new values."""


def cut_row(values: Mapping[str, object], start: int, end: int) -> dict[str, object]:
    """Return the values of a segmentation in a region; see the module for what is kept.

    Examples:
        >>> row = {"boundaries": [2, 5, 9], "segment_labels": ["a", "b", "c", "d"], "n_units": 12}
        >>> cut_row(row, 2, 7)
        {'boundaries': [3], 'segment_labels': ['b', 'c'], 'n_units': 5}
    """
    positions: Sequence[int] = values["boundaries"]  # type: ignore[assignment]
    first, last = bisect_right(positions, start), bisect_left(positions, end)
    kept = positions[first:last]
    cut = dict(values) | {"n_units": end - start, "boundaries": [p - start for p in kept]}
    segment = len({*positions[:first]})
    parts = {name: slice(first, last) for name in (*BY_BOUNDARY, BOUNDARY_KINDS)}
    parts |= {name: slice(start, end) for name in BY_UNIT}
    parts[BY_SEGMENT] = slice(segment, segment + len({*kept}) + 1)
    for name, part in parts.items():
        if (given := values.get(name)) is not None:
            cut[name] = given[part]  # type: ignore[index]
    return cut
