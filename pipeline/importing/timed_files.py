"""Read files with the times of units, for `--unit-times`: subtitles, STM, CTM, SegLST."""

from collections.abc import Iterable, Iterator

from segscore.pipeline import storage
from segscore.pipeline.errors import Absent, Refused
from segscore.pipeline.importing.answers.options import ANSWER_FORMATS
from segscore.pipeline.importing.answers.units import has_json_lines_name, name_at
from segscore.pipeline.importing.conversion.names import ReadFile, without_endings
from segscore.pipeline.importing.field_paths import field_path
from segscore.pipeline.importing.formats.values import array_of, line_objects
from segscore.pipeline.importing.import_blocks import Reading, read_input
from segscore.pipeline.importing.open_input import open_input
from segscore.pipeline.importing.opened_file import OpenedFile
from segscore.pipeline.importing.settings import ImportSettings
from segscore.pipeline.importing.shapes import Intervals
from segscore.pipeline.importing.unit_times import (
    OPTION,
    UnitTimes,
    times_of_list,
    times_of_segments,
)
from segscore.pipeline.storage import InputFile
from segscore.pipeline.tables.units import MILLISECOND


def find_times(settings: ImportSettings) -> list[InputFile]:
    """Find the files with the times of units; none if those are in the records of segmentations.

    They are the files that `--unit-times` names, or else those of `--source`.

    Raises:
        Refused: it is neither.
    """
    named = settings.unit_times
    if named is None:
        return []
    try:
        return storage.find(named, any_kind=True)
    except Absent as absent:
        if "/" in named or "*" in named:
            raise Refused(f"{OPTION}: {absent}") from absent
        field_path(OPTION, named)
    if settings.source is None:
        return []
    found = storage.find(settings.source, any_kind=True)
    of_answers = settings.format_name in ANSWER_FORMATS
    # Times in records of the source of answers are read with the units.
    return [file for file in found if not (of_answers and has_json_lines_name(file.url))]


def read_times(files: list[InputFile], settings: ImportSettings) -> dict[str, UnitTimes] | None:
    """Return document -> times of its units, from all files; None if there are no files.

    Raises:
        Refused: a file has no times, or a document has them twice.
    """
    if not files:
        return None
    own_settings = ImportSettings(
        (),
        settings.output,
        time_unit=settings.time_unit,
        frame_rate=settings.frame_rate,
        start_timecode=settings.start_timecode,
        encoding=settings.encoding,
        memory_limit=settings.memory_limit,
    )
    reading = Reading([file.url for file in files], own_settings)
    found: dict[str, UnitTimes] = {}
    for file in files:
        if has_json_lines_name(file.url):
            _add(_of_records(open_input(file.url, own_settings), settings), found)
            continue
        read = read_input(file.url, reading)
        if not isinstance(read, ReadFile):
            raise Refused(f"{OPTION} {file.url}: has positions, not times")
        own = settings.document_id or without_endings(read.file.name, read.endings)
        for shape in read.shapes:
            if shape.unit != MILLISECOND or not isinstance(shape, Intervals):
                raise shape.place.refusal(
                    f"has no starts and ends of {shape.unit}s in seconds, which {OPTION} needs"
                )
            times = times_of_segments(shape.segments, file.url, shape.place)
            _add([(shape.document_id or own, times)], found)
    return found


def _of_records(file: OpenedFile, settings: ImportSettings) -> Iterator[tuple[str, UnitTimes]]:
    """Yield the times in records of the source."""
    document = field_path("--document-field", settings.document_field or "document_id")
    starts = field_path(OPTION, settings.unit_times or "")
    for place, record in line_objects(file):
        values = array_of(starts.value(record, "", place), starts.text, place)
        name = settings.document_id or name_at(document, record, place)
        yield name, times_of_list(values, starts.text, settings.clock, place)


def _add(times: Iterable[tuple[str, UnitTimes]], found: dict[str, UnitTimes]) -> None:
    """Add the times of documents to those that were found before."""
    for document, one in times:
        if document in found:
            first = found[document].place
            raise one.place.refusal(
                f"the times of {document} are given twice; the first are at "
                f"{first.source}:{first.line}"
            )
        found[document] = one
