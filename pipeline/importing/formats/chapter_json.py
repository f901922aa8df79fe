"""Chapters in JSON: Podcasting 2.0, yt-dlp, ffprobe, VidChapters and chunkseg."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from segscore.pipeline.importing.formats.chapter_texts import chapter_list, time_base
from segscore.pipeline.importing.formats.format import FRAMES, JSON_LINES_ENDINGS, Format, Head
from segscore.pipeline.importing.formats.values import (
    array_of,
    brief,
    document_of_path,
    json_duration,
    json_time,
    line_objects,
    named_id,
    object_of,
    required,
    whole_object,
)
from segscore.pipeline.importing.opened_file import OpenedFile
from segscore.pipeline.importing.settings import ImportSettings
from segscore.pipeline.importing.shapes import Mark, Marks, Moment, Segment, Shape
from segscore.pipeline.importing.times import Clock
from segscore.pipeline.tables.rows import RowPlace, integer_of, shown, stem
from segscore.pipeline.tables.units import MILLISECOND


def _in_seconds(
    record: Mapping[str, object], key: str, name: str, clock: Clock, place: RowPlace
) -> Moment:
    return json_time(required(record, key, name, place), f"{name}.{key}", clock, place)


def _in_time_base(
    record: Mapping[str, object], key: str, name: str, clock: Clock, place: RowPlace
) -> Moment:
    """Return a time that is an integer, in multiples of the chapter's time_base in seconds."""
    unit = time_base(required(record, "time_base", name, place), place)
    count = integer_of(required(record, key, name, place), f"{name}.{key}", place)
    if count < 0:
        raise place.wrong(f"{name}.{key}", count, "0 or more; a recording starts at 0")
    return clock.since_start(count * unit, str(count), place)


@dataclass(frozen=True)
class _ChapterObject:
    """A JSON object of one recording, whose chapters are a list of objects, `chapters`.

    Attributes:
        start: field of a chapter with its start.
        end: field of a chapter with its end, which may be absent.
        document: field with the document's name.
        document_of: reads this name, such as that of a media file without folders and ending.
        time: reads the start or the end of a chapter: seconds or clock text by default.
        about: field of an object with the name and the duration; empty if the whole object has
            them.
        listed: field of a chapter that is false if it is not a chapter; empty for none.
    """

    start: str
    end: str
    document: str
    document_of: Callable[[object, str, RowPlace], str | None] = named_id
    time: Callable[[Mapping[str, object], str, str, Clock, RowPlace], Moment] = _in_seconds
    about: str = ""
    listed: str = ""

    def read(self, file: OpenedFile, settings: ImportSettings) -> Iterator[Shape]:
        """Yield the chapters of a recording; `duration` is its length.

        Raises Refused for a field that is missing or has a wrong type, or no chapters.
        """
        place, clock = file.place(1), settings.clock
        whole = about = whole_object(file)
        prefix = ""
        if self.about:
            stated = whole.get(self.about)
            about = {} if stated is None else object_of(stated, self.about, place)
            prefix = f"{self.about}."
        if "chapters" in whole and whole["chapters"] is None:
            raise place.refusal("chapters is null: the recording has no chapters")
        chapters = array_of(required(whole, "chapters", "the file", place), "chapters", place)
        segments = []
        for index, chapter in enumerate(chapters):
            name = f"chapters[{index}]"
            record = object_of(chapter, name, place)
            listed = self._is_listed(record, name, place)
            segment = self._segment(record, name, clock, place)
            if listed:
                segments.append(segment)
            else:
                file.notes.add("not_in_contents", 1)
        yield chapter_list(
            segments,
            place,
            self.document_of(about.get(self.document), prefix + self.document, place),
            json_duration(about.get("duration"), f"{prefix}duration", clock, place),
        )

    def _segment(
        self, record: Mapping[str, object], name: str, clock: Clock, place: RowPlace
    ) -> Segment:
        start = self.time(record, self.start, name, clock, place)
        given = record.get(self.end) is not None
        end = self.time(record, self.end, name, clock, place) if given else None
        title = record.get("title")
        return Segment(start, end, place.line, name=title if isinstance(title, str) else None)

    def _is_listed(self, record: Mapping[str, object], name: str, place: RowPlace) -> bool:
        listed = record.get(self.listed)
        if listed is not None and not isinstance(listed, bool):
            raise place.wrong(f"{name}.{self.listed}", listed, "true or false")
        return listed is not False


read_podcasting = _ChapterObject(
    "startTime", "endTime", "fileName", document_of_path, listed="toc"
).read
"""Podcasting 2.0, JSON chapters 1.2: startTime, perhaps endTime; `toc: false` is not a chapter."""

read_yt_dlp = _ChapterObject("start_time", "end_time", "id").read
"""info.json of yt-dlp (--write-info-json): start_time and end_time; `id` names the video."""

read_ffprobe = _ChapterObject(
    "start", "end", "filename", document_of_path, _in_time_base, about="format"
).read
"""ffprobe -show_chapters -show_format: start and end in multiples of time_base, such as 1/1000."""


_CHAPTERS, _PAIRS = "chapters", "timestamps"


def read_vidchapters(file: OpenedFile, settings: ImportSettings) -> Iterator[Shape]:
    """Yield the chapters of each video; `duration` is its length.

    `chapters` is a list of objects with `time`, or an object of titles by clock text; `timestamps`
    is a list of pairs of start and end, in seconds.
    An empty list is a video without boundaries.
    Raises Refused for a field that is missing or has a wrong type, or a file without videos.
    """
    place = file.place(1)
    videos = whole_object(file)
    if not videos:
        raise place.refusal(
            "the file contains no videos; expected an object of videos by their names"
        )
    for document_id, value in videos.items():
        name = brief(document_id)
        video = object_of(value, f"the video {name}", place)
        times = _times(video, name, settings.clock, place)
        segments = [Segment(start, end, place.line) for start, end in times]
        length = json_duration(video.get("duration"), f"{name}.duration", settings.clock, place)
        named = named_id(document_id, "the name", place)
        if segments:
            yield chapter_list(segments, place, named, length)
        else:
            yield Marks(place=place, unit=MILLISECOND, document_id=named, length=length, marks=[])


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


def read_chunkseg(file: OpenedFile, settings: ImportSettings) -> Iterator[Shape]:
    """Yield two lists of marks for each line: the reference, and the hypothesis of --system.

    A recording without id is named by the file and the line. A list without marks is one segment.
    Raises Refused for a transcript where times are expected, a field that is missing or has a wrong
    type, a missing --system, or a file without a line.
    """
    own = settings.document_id or stem(file.url)
    if next(file.lines_with_text(), None) is None:
        raise file.place(1).refusal(
            "the file contains no lines; expected objects with reference, hypothesis"
        )
    for place, record in line_objects(file, decimals=True):
        if settings.system is None:
            raise place.refusal("the hypothesis has no coder; name it with --system")
        name = named_id(record.get("id"), "id", place) or f"{own}/{place.line}"
        for role, coder in (("reference", settings.coder), ("hypothesis", settings.system)):
            yield Marks(
                place=place,
                unit=MILLISECOND,
                document_id=name,
                coder=coder,
                role=role,
                length=json_duration(record.get("duration"), "duration", settings.clock, place),
                marks=_marks(record, role, settings.clock, place),
                ordered=True,
            )


def _marks(record: Mapping[str, object], role: str, clock: Clock, place: RowPlace) -> list[Mark]:
    times = required(record, role, "the line", place)
    if isinstance(times, str):
        raise place.wrong(role, times, "a list of times in seconds, not a transcript")
    return [
        Mark(json_time(time, f"{role}[{index}]", clock, place), place.line)
        for index, time in enumerate(array_of(times, role, place))
    ]


def _is_ffprobe(head: Head) -> bool:
    return "chapters[].time_base" in head.keys or {"chapters", "format.filename"} <= head.keys


def _is_vidchapters(head: Head) -> bool:
    """Return whether an object within the object has a duration, and chapters or timestamps."""
    videos = (key.removesuffix(".duration") for key in head.keys if key.endswith(".duration"))
    return any({f"{name}.chapters", f"{name}.timestamps"} & head.keys for name in videos)


def _is_chunkseg(head: Head) -> bool:
    return {"hypothesis", "duration"} <= head.keys and "boundaries" not in head.keys


_JSON = (".json",)
FORMATS = (
    Format(
        "ffprobe",
        read_ffprobe,
        endings=(".ffprobe.json",),
        shared=_JSON,
        content=_is_ffprobe,
        options=FRAMES,
    ),
    Format(
        "podcasting",
        read_podcasting,
        endings=(".chapters.json",),
        shared=_JSON,
        content=lambda head: "chapters[].startTime" in head.keys,
        options=FRAMES,
    ),
    Format("vidchapters", read_vidchapters, shared=_JSON, content=_is_vidchapters, options=FRAMES),
    Format(
        "chunkseg",
        read_chunkseg,
        shared=JSON_LINES_ENDINGS,
        content=_is_chunkseg,
        options=("system", *FRAMES),
    ),
    Format(
        "yt-dlp",
        read_yt_dlp,
        endings=(".info.json",),
        shared=_JSON,
        content=lambda head: "chapters[].start_time" in head.keys,
        options=FRAMES,
    ),
)
"""Of several formats that fit a file, the first is taken: ffprobe states start_time, too."""
