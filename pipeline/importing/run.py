"""Run `segscore import` from its settings to published tables."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice

import pyarrow as pa

from segscore.pipeline import storage
from segscore.pipeline.errors import Refused
from segscore.pipeline.importing.account import Imported, common_unit, require_few
from segscore.pipeline.importing.answers.from_settings import answer_options, find_units
from segscore.pipeline.importing.answers.gathering import ANSWERS, SOURCE
from segscore.pipeline.importing.answers.stage import read_answers
from segscore.pipeline.importing.answers.timing import Timing
from segscore.pipeline.importing.cut_rows import cut_to_regions
from segscore.pipeline.importing.folders import Folders
from segscore.pipeline.importing.formats.known import FORMATS, SPECIFIC_OPTIONS, format_named
from segscore.pipeline.importing.further_files import find_times, read_lengths, read_times
from segscore.pipeline.importing.open_input import naming_fitting_files
from segscore.pipeline.importing.read_files import READ, cut_input, read_files
from segscore.pipeline.importing.reading import Reading
from segscore.pipeline.importing.recipe import recognise_imported
from segscore.pipeline.importing.scored_regions import read_scored_regions
from segscore.pipeline.importing.settings import ImportSettings
from segscore.pipeline.importing.shapes import Extent
from segscore.pipeline.importing.write_tables import write_tables
from segscore.pipeline.runs.executor import Executor
from segscore.pipeline.runs.publish_tables import publish_tables, removing
from segscore.pipeline.runs.run_folder import REJECTS
from segscore.pipeline.runs.tasks import Progress, TaskRun
from segscore.pipeline.storage import InputFile
from segscore.pipeline.storage.placement import require_apart
from segscore.pipeline.tables.find import InputTable

REFERENCES = "references"

SMALL = 2**26
"""Bytes of input up to which an import shows no progress, and starts again if it was killed."""
_FORMATS_SHOWN = 3


def find_imported(settings: ImportSettings) -> list[InputFile]:
    """Find the files of an import, in the order in which they are named.

    Raises:
        Refused: a file does not exist, or the output overlaps with the input.
    """
    require_apart(settings.output, settings.inputs)
    found = (storage.find(pattern, any_kind=True) for pattern in settings.files)
    return [*chain.from_iterable(found)]


def run_import(
    settings: ImportSettings,
    files: Sequence[InputFile],
    executor: Executor,
    progress: Progress,
    *,
    resumable: bool,
) -> Imported:
    """Read files of any known format and write references/, hypotheses/ and documents/.

    If it is resumable and fails, what it has done is kept for the same command.

    Raises:
        Refused: a file is unreadable or malformed (the message gives file and line), breaks a rule
            of its format, or a table exists already. Nothing was written.
        Failed: parts failed; nothing was published.
    """
    times = find_times(settings)
    reading = replace(_reading(settings, files), times=read_times(times, settings))
    source = find_units(settings)
    asked = replace(settings, unit_times=None) if times else settings
    options = answer_options(asked) if source else None
    extents, left_out = _lengths(settings)
    regions = read_scored_regions(settings)
    extents = {**(regions.extents() if regions else {}), **extents}
    run = TaskRun("import", settings, executor, progress)
    run.prepare(_inputs(settings, files, {"--source": source, "--unit-times": times}))
    with (
        naming_fitting_files(settings.files),
        removing(run.attempt, resumable=resumable),
        run.work(),
    ):
        if options is not None:
            found = {SOURCE: source, ANSWERS: files}
            rows = read_answers(run, found, settings, options, _timing(reading, extents))
        else:
            parts = cut_input(files, reading, run.limits.bytes_per_part)
            run.claim({READ: parts})
            rows = read_files(run, parts, reading, extents)
        require_few(run.folder, rows.rejects, rows.number + rows.rejects, settings.max_rejects)
        if not rows.shards:
            raise Refused(f"{', '.join(settings.files)}: no segmentation found")
        if regions is not None:
            unit = common_unit(rows.surveyed, rows.unit or settings.unit, others=rows.others)
            rows = cut_to_regions(run, rows, regions, unit)
        imported = _with_test_set(write_tables(run, settings, rows), settings, run.folder)
        publish_tables(run.attempt, [*imported.rows])
    rejected = imported.rows.pop(REJECTS, 0)
    unused = [*left_out, *warn_of_unused(settings, rows.formats, times)]
    return replace(imported, rejected=rejected, unused=unused)


def _lengths(settings: ImportSettings) -> tuple[Mapping[str, Extent], list[str]]:
    """Return the lengths of `--documents`, and warnings of files and columns that are not read."""
    if settings.documents is None:
        return {}, []
    found = storage.find_counted(settings.documents)
    warnings = storage.describe_left_out("--documents", found)
    extents, unread = read_lengths(settings.documents, settings)
    if unread:
        verb = "is" if len(unread) == 1 else "are"
        warnings.append(
            f"--documents {settings.documents}: {', '.join(unread)} {verb} not imported; with "
            "--documents, `segscore score` reads attributes from CSV, Parquet and JSON Lines files"
        )
    return extents, warnings


def _timing(reading: Reading, extents: Mapping[str, Extent]) -> Timing | None:
    """Return what gives boundaries of answers times; None if they remain in units."""
    settings = reading.settings
    if settings.unit_times is None:
        return None
    return Timing(reading.times, extents, settings.clock)


def _with_test_set(imported: Imported, settings: ImportSettings, folder: str) -> Imported:
    """Return what was imported with the test set of its references.

    Raises:
        Refused: the settings name a test set, and the references are another.
    """
    if REFERENCES not in imported.rows:
        if settings.testset is not None:
            raise Refused(f"--testset {settings.testset}: the files have no references")
        return imported
    found = recognise_imported(settings, storage.join(folder, REFERENCES))
    return replace(imported, test_set=found.sentence, warnings=found.warnings)


def _reading(settings: ImportSettings, files: Sequence[InputFile]) -> Reading:
    _ = settings.clock  # refuses a frame rate or a timecode that cannot be read
    format_name = None if settings.format_name is None else format_named(settings.format_name)
    urls = [file.url for file in files]
    patterns = {"reference": settings.references, "hypothesis": settings.hypotheses}
    folders = Folders.of(settings.files, patterns, urls)
    return Reading(urls, settings, format_name, folders=folders)


def _inputs(
    settings: ImportSettings, files: Sequence[InputFile], others: Mapping[str, Sequence[InputFile]]
) -> list[InputTable]:
    """Return what the fingerprint of an import contains of its files."""
    lengths = [] if settings.documents is None else storage.find(settings.documents)
    regions = [] if settings.regions is None else storage.find(settings.regions, any_kind=True)
    found = {"files": files, "--documents": lengths, "--regions": regions, **others}
    return [InputTable(name, tuple(table), (), pa.schema([])) for name, table in found.items()]


def warn_of_unused(
    settings: ImportSettings, formats: Mapping[str, str], times: Sequence[InputFile] = ()
) -> Iterator[str]:
    """Yield a warning for each option that no reader of the imported files uses.

    Args:
        settings: the settings.
        formats: name of each format of the files -> the first file of it.
        times: files with the times of units.
    """
    unused = [name for name in SPECIFIC_OPTIONS if getattr(settings, name) not in (None, 0, ())]
    others = (settings.start_timecode, settings.documents, settings.unit_times, settings.regions)
    if any(given is not None for given in others):  # they may have frames
        unused = [name for name in unused if name != "frame_rate"]
    for known in map(FORMATS.__getitem__, formats):
        used = {*known.options}
        if times and (known.in_units or "unit_times" in used):
            used |= {"unit_times", "source"}
        unused = [name for name in unused if name not in used]
    shown = [f"{url} ({name})" for name, url in islice(formats.items(), _FORMATS_SHOWN)]
    for name in unused:
        yield f"--{name.replace('_', '-')} has no effect on {', '.join(shown)}"
