"""info.json of yt-dlp (--write-info-json): chapters[] with start_time and end_time."""

from collections.abc import Iterator

from segscore.pipeline.importing.formats.asked import Asked, OpenedFile
from segscore.pipeline.importing.formats.chapters.chapters import chapter_list
from segscore.pipeline.importing.formats.json_fields import (
    array_of,
    json_duration,
    json_time,
    named_id,
    object_of,
    required,
    whole_object,
)
from segscore.pipeline.importing.formats.shapes import Segment, Shape
from segscore.pipeline.importing.formats.times import Clock
from segscore.pipeline.tables.rows import RowPlace


def read(file: OpenedFile, asked: Asked) -> Iterator[Shape]:
    """Yield the chapters of a video; `duration` is its length, `id` its name.

    Raises Refused for a field that is missing or has a wrong type, or a video without chapters.
    """
    place = file.place(1)
    video = whole_object(file)
    if not video.get("chapters"):
        raise place.wrong("chapters", video.get("chapters"), "a list; this video has no chapter")
    chapters = array_of(video["chapters"], "chapters", place)
    yield chapter_list(
        [_segment(chapter, i, asked.clock, place) for i, chapter in enumerate(chapters)],
        place,
        named_id(video.get("id"), "id", place),
        json_duration(video.get("duration"), "duration", asked.clock, place),
    )


def _segment(chapter: object, index: int, clock: Clock, place: RowPlace) -> Segment:
    name = f"chapters[{index}]"
    record = object_of(chapter, name, place)
    start = required(record, "start_time", name, place)
    end = record.get("end_time")
    return Segment(
        json_time(start, f"{name}.start_time", clock, place),
        None if end is None else json_time(end, f"{name}.end_time", clock, place),
        place.line,
    )
