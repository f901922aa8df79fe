"""Read all files of an import in tasks: rows first; the conversion of shapes needs all files."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from segscore.pipeline.importing.account import of_many_files
from segscore.pipeline.importing.conversion.coders import FolderNames
from segscore.pipeline.importing.conversion.convert import Survey
from segscore.pipeline.importing.conversion.surveyed import SurveyedShape
from segscore.pipeline.importing.parts import FilePart, accepted, cut_files, lines_before
from segscore.pipeline.importing.read_part import (
    ReadJob,
    ReadReceipt,
    convert_part,
    read_part,
    stated_lengths,
)
from segscore.pipeline.importing.reading import Reading, is_plain_json_lines
from segscore.pipeline.importing.shapes import Extent
from segscore.pipeline.importing.shards import Shard, read_shard
from segscore.pipeline.runs.tasks import TaskRun
from segscore.pipeline.storage import InputFile
from segscore.pipeline.tables.units import MILLISECOND

READ = "read"


@dataclass(frozen=True)
class ImportedRows:
    """All rows of an import, in files.

    Attributes:
        shards: the rows, in the order of their files.
        surveyed: the shapes that some of them were converted from.
        others: whether there are rows that were not converted from shapes.
        rejects: number of bad rows and lines.
        counted: what was left out or read in another way, by file.
        adapted: a clause about each column that was converted.
        left_out: number of further rejects, which are not bad rows.
        tables: number of rows of further tables, which are written already.
        stated: what the metadata of the files state besides the unit.
        own: attributes of segmentations, even if they do not differ within documents.
        unit: unit of rows that were not converted from shapes; None if it is not known.
        doubts: warnings of what may have been meant in another way, to be said last.
        formats: name of each format of the files -> the first file of it.
    """

    shards: list[Shard]
    rejects: int
    counted: list[str]
    surveyed: list[SurveyedShape] = field(default_factory=list)
    others: bool = True
    adapted: list[str] = field(default_factory=list)
    left_out: int = 0
    tables: Mapping[str, int] = field(default_factory=dict)
    stated: Mapping[str, str | None] = field(default_factory=dict)
    own: tuple[str, ...] = ()
    unit: str | None = None
    doubts: tuple[str, ...] = ()
    formats: Mapping[str, str] = field(default_factory=dict)

    @property
    def number(self) -> int:
        """Number of rows."""
        return sum(rows for shard in self.shards for rows, _ in shard.tables.values())

    def total(self, table: str) -> tuple[int, int]:
        """Return the numbers of rows and segments of a table."""
        rows, segments = zip(*(shard.tables[table] for shard in self.shards), strict=True)
        return sum(rows), sum(segments)


def cut_input(files: Sequence[InputFile], reading: Reading, size: int) -> list[FilePart]:
    """Cut files into parts of about a size in bytes; segmentations in JSON Lines also within."""
    return cut_files(files, size, lambda url: is_plain_json_lines(url, reading))


def read_files(
    run: TaskRun, parts: Sequence[FilePart], reading: Reading, extents: Mapping[str, Extent]
) -> ImportedRows:
    """Read all parts.

    Raises:
        Refused: a part is refused; the message is that of the first.
    """
    job = ReadJob(run.folder, reading, extents, alone=len(parts) == 1)
    receipts = accepted(run.tasks(read_part, parts, job, stage=READ))
    before = lines_before(parts, {name: receipt.lines for name, receipt in receipts.items()})
    receipts = {
        name: replace(receipt, shard=receipt.shard and replace(receipt.shard, before=before[name]))
        for name, receipt in receipts.items()
    }
    surveyed = [one for receipt in receipts.values() for one in receipt.surveyed]
    read = [receipt.shard for receipt in receipts.values() if receipt.shard is not None]
    converted: Mapping[str, ReadReceipt] = {}
    shapes = [part for part in parts if receipts[part.name].shapes]
    if shapes:
        columns = ["document_id", "role", "n_units"]
        lengths = (
            row
            for shard in read
            for row in stated_lengths([read_shard(run.folder, shard, lambda _: columns)])
        )
        job = replace(job, survey=Survey.of(surveyed, extents, lengths))
        converted = accepted(run.tasks(convert_part, shapes, job, stage="converted"))
    both = [*receipts.values(), *converted.values()]
    formats: dict[str, str] = {}
    for receipt in receipts.values():
        for name, url in receipt.formats.items():
            formats.setdefault(name, url)
    return ImportedRows(
        shards=[*_in_order(parts, receipts, converted)],
        surveyed=surveyed,
        others=bool(read),
        rejects=sum(receipt.rejects for receipt in both),
        counted=[
            *of_many_files([line for receipt in both for line in receipt.counted]),
            *FolderNames.of(surveyed).describe(surveyed),
        ],
        unit=None if reading.times is None else MILLISECOND,
        adapted=sorted({clause for receipt in both for clause in receipt.adapted}),
        doubts=tuple([line for receipt in both for line in receipt.doubts][:1]),
        formats=formats,
    )


def _in_order(
    parts: Sequence[FilePart],
    receipts: Mapping[str, ReadReceipt],
    converted: Mapping[str, ReadReceipt],
) -> Iterator[Shard]:
    """Yield the shards in the order of the parts."""
    for part in parts:
        for receipt in (receipts[part.name], converted.get(part.name, ReadReceipt())):
            yield from (s for s in (receipt.shard, receipt.converted) if s is not None)
