"""Chapters of Podcasting 2.0 (JSON chapters 1.2): chapters[] with startTime and perhaps endTime."""

from collections.abc import Iterator

from segscore.pipeline.importing.formats.asked import Asked, OpenedFile
from segscore.pipeline.importing.formats.chapters.chapters import chapter_list
from segscore.pipeline.importing.formats.json_fields import (
    array_of,
    document_of_path,
    json_time,
    object_of,
    required,
    whole_object,
)
from segscore.pipeline.importing.formats.shapes import Segment, Shape


def read(file: OpenedFile, asked: Asked) -> Iterator[Shape]:
    """Yield the chapters; those with `toc: false` are none, and counted as not_in_contents.

    Raises Refused for a field that is missing or has a wrong type, or a file without chapters.
    """
    place = file.place(1)
    document = whole_object(file)
    chapters = array_of(required(document, "chapters", "the file", place), "chapters", place)
    segments = []
    for index, chapter in enumerate(chapters):
        name = f"chapters[{index}]"
        record = object_of(chapter, name, place)
        listed = record.get("toc")
        if listed is not None and not isinstance(listed, bool):
            raise place.wrong(f"{name}.toc", listed, "true or false")
        start = json_time(
            required(record, "startTime", name, place), f"{name}.startTime", asked.clock, place
        )
        end = record.get("endTime")
        until = None if end is None else json_time(end, f"{name}.endTime", asked.clock, place)
        if listed is False:
            file.notes.add("not_in_contents", 1)
        else:
            segments.append(Segment(start, until, place.line))
    yield chapter_list(
        segments, place, document_of_path(document.get("fileName"), "fileName", place)
    )
