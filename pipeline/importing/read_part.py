"""Tasks that read the files of a part: rows as stated, or shapes that are converted to rows."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import pyarrow as pa

from segscore.pipeline import storage
from segscore.pipeline.errors import Refused
from segscore.pipeline.importing.answers.timing import Timing
from segscore.pipeline.importing.conversion.convert import Survey, convert_shapes
from segscore.pipeline.importing.conversion.counts import Converted, describe_counts
from segscore.pipeline.importing.conversion.names import NamedShape, ReadFile, name_shapes
from segscore.pipeline.importing.conversion.surveyed import SurveyedShape, survey_shapes
from segscore.pipeline.importing.import_tables import check_block, list_bad_lines
from segscore.pipeline.importing.parts import FilePart, PartReceipt, count_lines, refusable
from segscore.pipeline.importing.reading import Reading, read_input, read_json_range
from segscore.pipeline.importing.shapes import Extent, positions_of
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
    """What all tasks that read files share.

    Attributes:
        folder: folder of the run.
        reading: the files and how they are read.
        extents: the lengths of `--documents`.
        alone: whether there is one part only, whose task converts its shapes at once.
        survey: what is known of all shapes, for tasks that convert them.
    """

    folder: str
    reading: Reading
    extents: Mapping[str, Extent]
    alone: bool = False
    survey: Survey | None = None


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
        formats: name of each format of the files -> the first file of it.
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
    formats: dict[str, str] = field(default_factory=dict)


@refusable
def read_part(job: ReadJob, part: FilePart) -> ReadReceipt:
    """Read the files of a part, and write their rows.

    Raises:
        Failed: a file was replaced since it was found.
    """
    read = _read_files(job, part) if part.end is None else _read_range(job, part, part.end)
    part.require_versions()
    return read


@refusable
def convert_part(job: ReadJob, part: FilePart) -> ReadReceipt:
    """Read the files of a part again, and convert the shapes to rows; raises as ``read_part``."""
    part.require_versions()
    return _convert(job, part, [read_input(url, job.reading) for url in part.urls])


def _read_files(job: ReadJob, part: FilePart) -> ReadReceipt:
    files = [read_input(url, job.reading) for url in part.urls]
    checked = _check(job, files)
    shapes = [read for read in files if not read.positions]
    surveyed = survey_shapes(_named(shapes, job.reading))
    read = replace(_write(job, part, files, checked), shapes=bool(shapes), surveyed=surveyed)
    if not (job.alone and shapes):
        return read
    survey = Survey.of(surveyed, job.extents, stated_lengths(checked.blocks))
    converted = _convert(replace(job, survey=survey), part, shapes)
    return replace(
        read,
        shapes=False,
        converted=converted.converted,
        rejects=read.rejects + converted.rejects,
        counted=[*read.counted, *converted.counted],
        doubts=converted.doubts,
    )


def _read_range(job: ReadJob, part: FilePart, end: int) -> ReadReceipt:
    """Read a range of JSON Lines; where it begins is counted only if a message needs it."""
    (url,) = part.urls
    content = storage.read_lines(url, part.start, end)

    def read(first: int) -> tuple[list[ReadFile], _Checked]:
        files = [read_json_range(url, content, first, job.reading)]
        return files, _check(job, files)

    first = 2 if part.start else 1  # no line but the first of a file has a byte order mark
    try:
        files, checked = read(first)
        sound = not any(table.num_rows for table in checked.rejects)
    except Refused:
        if not part.start:
            raise
        sound = False
    if part.start and not sound:
        first = part.first_line()
        files, checked = read(first)
    receipt = _write(job, part, files, checked, skipped=first - 1)
    return replace(receipt, lines=count_lines(content))


class _Checked(NamedTuple):
    """The valid rows of files that give positions, and the rejects: of each file, lines first."""

    blocks: list[Rows]
    rejects: list[pa.Table]


def _check(job: ReadJob, files: Sequence[ReadFile]) -> _Checked:
    """Check the positions of files, and give them times if asked to."""
    blocks: list[Rows] = []
    rejects: list[pa.Table] = []
    for read in files:
        checked = [check_block(one) for one in read.positions]
        blocks += [block for block, _ in checked]
        rejects.append(list_bad_lines(read.file.url, read.file.notes.bad_lines))
        rejects += [bad for _, bad in checked]
    if (times := job.reading.times) is not None:
        timing = Timing(times, job.extents, job.reading.settings.clock)
        blocks = [time_rows(block, timing) for block in blocks]
    return _Checked(blocks, rejects)


def _write(
    job: ReadJob, part: FilePart, files: Sequence[ReadFile], checked: _Checked, skipped: int = 0
) -> ReadReceipt:
    """Write rows and rejects; from the lines of the rows, the number of skipped ones is taken."""
    notes = {read.file.url: read.file.notes for read in files}
    formats: dict[str, str] = {}
    for read in files:
        formats.setdefault(read.format_name, read.file.url)
    return ReadReceipt(
        shard=write_shard(job.folder, part.name, checked.blocks, skipped),
        rejects=write_rejects(job.folder, f"{part.name}-read", checked.rejects),
        counted=[f"{url}: {remark}" for url, note in notes.items() for remark in note.remarks],
        adapted=sorted({clause for note in notes.values() for clause in note.adapted}),
        formats=formats,
    )


def _convert(job: ReadJob, part: FilePart, shapes: Sequence[ReadFile]) -> ReadReceipt:
    assert job.survey is not None
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
    checked = [check_block(positions_of([one.row for one in rows])) for rows in by_file.values()]
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
