"""VidChapters and Chapter-Llama: an object of videos by their names, each with its chapters."""

from collections.abc import Iterator, Mapping

from segscore.pipeline.importing.formats.asked import Asked, OpenedFile
from segscore.pipeline.importing.formats.chapters.chapters import chapter_list
from segscore.pipeline.importing.formats.json_fields import (
    array_of,
    brief,
    json_duration,
    json_time,
    named_id,
    object_of,
    required,
    whole_object,
)
from segscore.pipeline.importing.formats.shapes import Moment, Segment, Shape
from segscore.pipeline.importing.formats.times import Clock
from segscore.pipeline.tables.rows import RowPlace, shown

_CHAPTERS, _PAIRS = "chapters", "timestamps"


def read(file: OpenedFile, asked: Asked) -> Iterator[Shape]:
    """Yield the chapters of each video; `duration` is its length.

    `chapters` is a list of objects with `time`, or an object of titles by clock text; `timestamps`
    is a list of pairs of start and end, in seconds.
    Raises Refused for a field that is missing or has a wrong type, or a video without chapters.
    """
    place = file.place(1)
    videos = whole_object(file)
    if not videos:
        raise place.refusal("no video in it; expected an object of videos by their names")
    for document_id, value in videos.items():
        name = brief(document_id)
        video = object_of(value, f"the video {name}", place)
        times = _times(video, name, asked.clock, place)
        segments = [Segment(start, end, place.line) for start, end in times]
        length = json_duration(video.get("duration"), f"{name}.duration", asked.clock, place)
        yield chapter_list(segments, place, named_id(document_id, "the name", place), length)


def _times(
    video: Mapping[str, object], name: str, clock: Clock, place: RowPlace
) -> Iterator[tuple[Moment, Moment | None]]:
    """Yield the start, and the end if there is one, of each chapter."""
    if (_CHAPTERS in video) == (_PAIRS in video):
        raise place.refusal(
            f"the video {name} has {', '.join(map(shown, video)) or 'nothing'}; expected "
            f"either {_CHAPTERS} or {_PAIRS}"
        )
    if _PAIRS in video:
        for index, pair in enumerate(array_of(video[_PAIRS], f"{name}.{_PAIRS}", place)):
            label = f"{name}.{_PAIRS}[{index}]"
            ends = array_of(pair, label, place)
            if len(ends) != 2:
                raise place.wrong(label, pair, "a pair of start and end")
            start, end = (json_time(value, label, clock, place) for value in ends)
            yield start, end
    elif isinstance(titles := video[_CHAPTERS], dict):
        for text in titles:
            yield json_time(text, f"{name}.{_CHAPTERS}", clock, place), None
    else:
        for index, chapter in enumerate(array_of(titles, f"{name}.{_CHAPTERS}", place)):
            label = f"{name}.{_CHAPTERS}[{index}]"
            time = required(object_of(chapter, label, place), "time", label, place)
            yield json_time(time, f"{label}.time", clock, place), None
