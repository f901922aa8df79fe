"""Tasks that read the files of a part: rows as stated, or shapes that are converted to rows."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import pyarrow as pa

from segscore.pipeline import storage
from segscore.pipeline.errors import Refused
from segscore.pipeline.importing.answers.timing import Timing
from segscore.pipeline.importing.conversion.convert import Survey, convert_shapes
from segscore.pipeline.importing.conversion.counts import Converted, describe_counts
from segscore.pipeline.importing.conversion.names import NamedShape, ReadFile, name_shapes
from segscore.pipeline.importing.conversion.surveyed import SurveyedShape, survey_shapes
from segscore.pipeline.importing.import_blocks import (
    FileRows,
    Reading,
    read_input,
    read_json_block,
    rows_of,
)
from segscore.pipeline.importing.import_tables import check_block, list_bad_lines
from segscore.pipeline.importing.parts import FilePart, PartReceipt, count_lines
from segscore.pipeline.importing.shapes import Extent
from segscore.pipeline.importing.shards import Shard, write_shard
from segscore.pipeline.importing.timed_rows import time_rows
from segscore.pipeline.importing.unit_times import timed
from segscore.pipeline.tables.read import Rows
from segscore.pipeline.tables.rows import ParsedRow
from segscore.pipeline.tables.validate import REJECT_COLUMNS

BAD_ROWS = "bad"
"""Folder of the files with rejects of a part."""


@dataclass(frozen=True)
class ReadJob:
    """What all tasks that read files share; one that is `alone` converts its shapes at once."""

    folder: str
    reading: Reading
    extents: Mapping[str, Extent]
    alone: bool


@dataclass(frozen=True)
class ConvertJob:
    """The values that all tasks that convert shapes share."""

    folder: str
    reading: Reading
    survey: Survey


@dataclass(frozen=True)
class ReadReceipt(PartReceipt):
    """The receipt of a task that read files.

    Attributes:
        shard: the rows of files that give positions of boundaries as they are; None if none.
        converted: the rows of shapes that were converted; None if there are none.
        shapes: whether it has files of shapes that are not converted yet.
        surveyed: what other parts need to know of its shapes.
        rejects: number of bad rows and lines, which are in a file of ``BAD_ROWS``.
        lines: number of lines, if the part is a range of a file.
        counted: what was left out of shapes or read in another way.
        adapted: a clause about each column that was converted.
        doubts: a warning of what may have been meant in another way.
    """

    shard: Shard | None = None
    converted: Shard | None = None
    shapes: bool = False
    surveyed: list[SurveyedShape] = field(default_factory=list)
    rejects: int = 0
    lines: int = 0
    counted: list[str] = field(default_factory=list)
    adapted: list[str] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)


def read_part(job: ReadJob, part: FilePart) -> ReadReceipt:
    """Read the files of a part, and write their rows.

    Raises:
        Failed: a file was replaced since it was found.
    """
    try:
        read = _read_files(job, part) if part.end is None else _read_range(job, part, part.end)
    except Refused as refusal:
        return ReadReceipt(str(refusal))
    part.require_versions()
    return read


def convert_part(job: ConvertJob, part: FilePart) -> ReadReceipt:
    """Read the files of a part again, and convert the shapes to rows; raises as ``read_part``."""
    part.require_versions()
    try:
        files = [read_input(url, job.reading) for url in part.urls]
        return _convert(job, part, [file for file in files if isinstance(file, ReadFile)])
    except Refused as refusal:
        return ReadReceipt(str(refusal))


def _read_files(job: ReadJob, part: FilePart) -> ReadReceipt:
    shapes: list[ReadFile] = []
    blocks: list[Rows] = []
    rejects: list[pa.Table] = []
    adapted: set[str] = set()
    noted: list[str] = []
    for url in part.urls:
        file = read_input(url, job.reading)
        if isinstance(file, ReadFile):
            shapes.append(file)
        else:
            checked, bad = _check(job, url, file)
            blocks += checked
            rejects += bad
            adapted |= {*file.adapted}
            noted += file.noted
    number = write_rejects(job.folder, f"{part.name}-read", rejects)
    shard = write_shard(job.folder, part.name, blocks)
    surveyed = survey_shapes(_named(shapes, job.reading))
    read = ReadReceipt(
        shard=shard,
        shapes=bool(shapes),
        surveyed=surveyed,
        rejects=number,
        counted=noted,
        adapted=sorted(adapted),
    )
    if not (job.alone and shapes):
        return read
    survey = Survey.of(surveyed, job.extents, stated_lengths(blocks))
    converted = _convert(ConvertJob(job.folder, job.reading, survey), part, shapes)
    return replace(
        read,
        shapes=False,
        converted=converted.converted,
        rejects=number + converted.rejects,
        counted=[*noted, *converted.counted],
        doubts=converted.doubts,
    )


def _read_range(job: ReadJob, part: FilePart, end: int) -> ReadReceipt:
    """Read a range of JSON Lines; where it begins is counted only if a message needs it."""
    (url,) = part.urls
    content = storage.read_lines(url, part.start, end)
    first = 2 if part.start else 1  # no line but the first of a file has a byte order mark
    try:
        read = read_json_block(url, content, first, job.reading)
        blocks, rejects = _check(job, url, read)
        sound = not any(table.num_rows for table in rejects)
    except Refused:
        if not part.start:
            raise
        sound = False
    if part.start and not sound:
        first = part.first_line()
        read = read_json_block(url, content, first, job.reading)
        blocks, rejects = _check(job, url, read)
    number = write_rejects(job.folder, f"{part.name}-read", rejects)
    shard = write_shard(job.folder, part.name, blocks, skipped=first - 1)
    adapted = sorted(read.adapted)
    return ReadReceipt(shard=shard, rejects=number, lines=count_lines(content), adapted=adapted)


def _check(job: ReadJob, url: str, read: FileRows) -> tuple[list[Rows], list[pa.Table]]:
    """Return the valid rows of a file, timed if asked to, and its rejects: lines, then rows."""
    checked = [check_block(block) for block in read.blocks]
    rejects = [list_bad_lines(url, read.bad_lines), *(bad for _, bad in checked)]
    blocks, times = [block for block, _ in checked], job.reading.times
    if times is not None:
        timing = Timing(times, job.extents, job.reading.settings.clock)
        blocks = [time_rows(block, timing) for block in blocks]
    return blocks, rejects


def _convert(job: ConvertJob, part: FilePart, shapes: Sequence[ReadFile]) -> ReadReceipt:
    settings = job.reading.settings
    converted = convert_shapes(_named(shapes, job.reading), settings, job.survey)
    by_file: dict[str, list[Converted]] = {}
    for one in converted:
        by_file.setdefault(one.row.source, []).append(one)
    counted = [
        f"{read.file.url}: {line}"
        for read in shapes
        for line in describe_counts(read.file, by_file.get(read.file.url, ()), settings)
    ]
    checked = [check_block(rows_of([one.row for one in rows])) for rows in by_file.values()]
    name = f"{part.name}-shapes"
    number = write_rejects(job.folder, name, [bad for _, bad in checked])
    shard = write_shard(job.folder, name, [block for block, _ in checked])
    doubts = [f"{read.file.url}: {text}" for read in shapes for text in read.file.notes.doubts][:1]
    return ReadReceipt(converted=shard, rejects=number, counted=counted, doubts=doubts)


def _named(files: Sequence[ReadFile], reading: Reading) -> list[NamedShape]:
    """Name all shapes, and give those in units the times of `--unit-times`."""
    named = name_shapes(files, reading.settings, reading.folders)
    if reading.settings.unit_times is None:
        return named
    return [replace(one, shape=timed(one.shape, one.document_id, reading.times)) for one in named]


def stated_lengths(blocks: Iterable[Rows]) -> list[ParsedRow]:
    """Return rows with the documents, roles and lengths of blocks, and nothing else."""
    return [
        ParsedRow(row["document_id"], None, row["role"], row["n_units"], None)
        for block in blocks
        for row in block.table.select(["document_id", "role", "n_units"]).to_pylist()
    ]


def write_rejects(folder: str, name: str, rejects: Sequence[pa.Table]) -> int:
    """Write the rejects of a part, if there are any, and return their number."""
    table = pa.concat_tables([REJECT_COLUMNS.empty_table(), *rejects])
    if table.num_rows:
        storage.write_table(storage.join(folder, BAD_ROWS, f"{name}.parquet"), table)
    return table.num_rows
