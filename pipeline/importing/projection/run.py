"""Run `segscore project` from its settings to published tables."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import pyarrow as pa

from segscore.pipeline import storage
from segscore.pipeline.errors import Refused
from segscore.pipeline.importing.account import Imported, require_few
from segscore.pipeline.importing.answers.alignment_rows import ALIGNMENT_FOLDER
from segscore.pipeline.importing.answers.gathering import cut_parts, number_of_buckets
from segscore.pipeline.importing.answers.part import chosen_buckets
from segscore.pipeline.importing.answers.stage import gather_files
from segscore.pipeline.importing.folders import Folders
from segscore.pipeline.importing.parts import accepted
from segscore.pipeline.importing.projection.part import ProjectJob, project_part
from segscore.pipeline.importing.projection.settings import FROM, TO, ProjectSettings
from segscore.pipeline.importing.projection.tally import (
    ProjectionTally,
    add_projections,
    describe_problems,
)
from segscore.pipeline.importing.read_files import READ, ImportedRows, cut_input, read_files
from segscore.pipeline.importing.reading import Reading
from segscore.pipeline.importing.shards import Shard, spread_shard
from segscore.pipeline.importing.write_tables import write_tables
from segscore.pipeline.runs.executor import Executor
from segscore.pipeline.runs.packets import Divided
from segscore.pipeline.runs.publish_tables import publish_tables, removing
from segscore.pipeline.runs.tasks import Progress, TaskRun
from segscore.pipeline.storage import InputFile
from segscore.pipeline.storage.placement import require_apart
from segscore.pipeline.tables.answer_accounts import ACCOUNTS_KEY, write_accounts
from segscore.pipeline.tables.columns import SEGMENTATIONS
from segscore.pipeline.tables.find import InputTable, find_table
from segscore.pipeline.tables.units import ANSWERS_KEY, CHARACTER, PROJECTED_KEY


@dataclass(frozen=True)
class ProjectFiles:
    """The segmentations, and the units of each transcript, by ``FROM`` and ``TO``."""

    segmentations: InputTable
    units: Mapping[str, Sequence[InputFile]]

    @property
    def size(self) -> int:
        """Bytes of all files."""
        groups = (self.segmentations.files, *self.units.values())
        return sum(file.size for group in groups for file in group)


@dataclass(frozen=True)
class Projected:
    """The tables that a projection wrote, messages about them, and what it did."""

    imported: Imported
    tally: ProjectionTally


def find_projected(settings: ProjectSettings) -> ProjectFiles:
    """Find the files of a projection.

    Raises:
        Refused: a file does not exist, the segmentations are not a table, or the output overlaps
            with the input.
    """
    require_apart(settings.output, settings.inputs)
    table = find_table(
        SEGMENTATIONS.name, settings.segmentations, SEGMENTATIONS, settings.memory_limit
    )
    found = {FROM: settings.source, TO: settings.target}
    units = {what: storage.find(where, any_kind=True) for what, where in found.items()}
    return ProjectFiles(table, units)


def run_projection(
    settings: ProjectSettings,
    files: ProjectFiles,
    executor: Executor,
    progress: Progress,
    *,
    resumable: bool,
) -> Projected:
    """Carry segmentations to the units of another transcript, and write them as tables.

    If it is resumable and fails, what it has done is kept for the same command.

    Raises:
        Refused: a file is malformed, a segmentation cannot be projected, or a table exists already.
            Nothing was written.
        Failed: parts failed; nothing was published.
    """
    run = TaskRun("project", settings, executor, progress)
    units = [InputTable(f"--{what}", (*f,), (), pa.schema([])) for what, f in files.units.items()]
    run.prepare([files.segmentations, *units])
    with removing(run.attempt, resumable=resumable), run.work():
        rows, tally = _read(run, settings, files)
        imported = write_tables(run, settings.importing, rows)
        publish_tables(run.attempt, [*imported.rows])
    return Projected(replace(imported, unused=[*files.segmentations.warnings]), tally)


def _read(
    run: TaskRun, settings: ProjectSettings, files: ProjectFiles
) -> tuple[ImportedRows, ProjectionTally]:
    """Read the segmentations and the units, and project all segmentations."""
    size, importing = run.limits.bytes_per_part, settings.importing
    urls = [file.url for file in files.segmentations.files]
    folders = Folders.of(importing.files, {}, urls)
    reading = Reading(urls, importing, "jsonl", files.segmentations, folders)
    parts = cut_input(files.segmentations.files, reading, size)
    cut = {what: cut_parts(found, settings.units, size) for what, found in files.units.items()}
    run.claim({READ: parts, **cut})
    read = read_files(run, parts, reading, {})
    require_few(run.folder, read.rejects, read.number + read.rejects, 0)
    if not read.shards:
        raise Refused(f"{settings.segmentations}: no segmentation found")
    buckets = number_of_buckets(files.size, size)
    spread = run.tasks(spread_part, read.shards, SpreadJob(run.folder, buckets), stage="spread")
    units = gather_files(run, cut, settings.units, importing, buckets)
    segmentations = [(shard, spread[shard.name].edges) for shard in read.shards]
    in_characters = files.segmentations.unit == CHARACTER
    job = ProjectJob(run.folder, settings, units, segmentations, in_characters)
    chosen = chosen_buckets((receipt.edges for receipt in spread.values()), buckets)
    receipts = accepted(run.tasks(project_part, chosen, job, stage="projected")).values()
    number = sum(receipt.rows for receipt in receipts)
    if unusable := sum(receipt.unusable for receipt in receipts):
        problems = [problem for receipt in receipts for problem in receipt.problems]
        raise Refused(describe_problems(problems, unusable, number))
    rows = replace(
        read,
        shards=[receipt.shard for receipt in receipts if receipt.shard is not None],
        tables={ALIGNMENT_FOLDER: number},
        stated={
            ANSWERS_KEY: files.segmentations.answers,
            PROJECTED_KEY: f"{settings.tokens},{settings.ties}",
            ACCOUNTS_KEY: write_accounts(files.segmentations.accounts),
        },
    )
    return rows, add_projections(receipt.tally for receipt in receipts)


@dataclass(frozen=True)
class SpreadJob:
    """What all tasks that write segmentations by document share."""

    folder: str
    buckets: int


def spread_part(job: SpreadJob, part: Shard) -> Divided:
    """Write the segmentations of a part by document."""
    return Divided(spread_shard(job.folder, part, job.buckets))
