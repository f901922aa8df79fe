"""JSON of ffprobe -print_format json -show_chapters -show_format: the chapters of a media file."""

from collections.abc import Iterator

from segscore.pipeline.importing.formats.asked import Asked, OpenedFile
from segscore.pipeline.importing.formats.chapters.chapters import chapter_list, time_base
from segscore.pipeline.importing.formats.json_fields import (
    array_of,
    document_of_path,
    json_duration,
    object_of,
    required,
    whole_object,
)
from segscore.pipeline.importing.formats.shapes import Moment, Segment, Shape
from segscore.pipeline.importing.formats.times import Clock
from segscore.pipeline.tables.rows import RowPlace, integer_of


def read(file: OpenedFile, asked: Asked) -> Iterator[Shape]:
    """Yield the chapters, at start * time_base; format.duration is the length of the recording.

    Raises Refused for a field that is missing or has a wrong type, or a file without chapters.
    """
    place = file.place(1)
    document = whole_object(file)
    stated = document.get("format")
    about = {} if stated is None else object_of(stated, "format", place)
    chapters = array_of(required(document, "chapters", "the file", place), "chapters", place)
    yield chapter_list(
        [
            _segment(chapter, f"chapters[{index}]", asked.clock, place)
            for index, chapter in enumerate(chapters)
        ],
        place,
        document_of_path(about.get("filename"), "format.filename", place),
        json_duration(about.get("duration"), "format.duration", asked.clock, place),
    )


def _segment(chapter: object, name: str, clock: Clock, place: RowPlace) -> Segment:
    record = object_of(chapter, name, place)
    unit = time_base(required(record, "time_base", name, place), place)

    def moment(key: str) -> Moment:
        count = integer_of(required(record, key, name, place), f"{name}.{key}", place)
        if count < 0:
            raise place.wrong(f"{name}.{key}", count, "0 or more; a recording starts at 0")
        return clock.since_start(count * unit, str(count), place)

    end = moment("end") if record.get("end") is not None else None
    return Segment(moment("start"), end, place.line)
