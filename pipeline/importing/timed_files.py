"""Read files with the times of units, for `--unit-times`: subtitles, STM, CTM, SegLST."""

from segscore.pipeline import storage
from segscore.pipeline.errors import Absent, Refused
from segscore.pipeline.importing.conversion.names import ReadFile, without_endings
from segscore.pipeline.importing.formats.label_records import field_path
from segscore.pipeline.importing.import_blocks import Reading, read_input
from segscore.pipeline.importing.settings import ImportSettings
from segscore.pipeline.importing.shapes import Intervals
from segscore.pipeline.importing.unit_times import OPTION, UnitTimes, times_of_segments
from segscore.pipeline.storage import InputFile
from segscore.pipeline.tables.units import MILLISECOND


def find_times(settings: ImportSettings) -> list[InputFile]:
    """Find the files that `--unit-times` names; none if it is a path in records.

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
        return []


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
        read = read_input(file.url, reading)
        if not isinstance(read, ReadFile):
            raise Refused(f"{OPTION} {file.url}: has positions, not times")
        own = settings.document_id or without_endings(read.file.name, read.endings)
        for shape in read.shapes:
            if shape.unit != MILLISECOND or not isinstance(shape, Intervals):
                raise shape.place.refusal(
                    f"has no starts and ends of {shape.unit}s in seconds, which {OPTION} needs"
                )
            document = shape.document_id or own
            if document in found:
                first = found[document].place
                raise shape.place.refusal(
                    f"the times of {document} are given twice; the first are at "
                    f"{first.source}:{first.line}"
                )
            found[document] = times_of_segments(shape.segments, file.url, shape.place)
    return found
