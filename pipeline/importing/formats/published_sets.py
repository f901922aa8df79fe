"""Published test sets in the files of their authors: TIAGE, QMSum, WikiSection, ICSI."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from pathlib import PurePosixPath

from segscore.pipeline.importing.formats.format import FRAMES, JSON_LINES_ENDINGS, Format, Head
from segscore.pipeline.importing.formats.text_units import TEXT_OPTIONS, text_units
from segscore.pipeline.importing.formats.values import (
    array_of,
    brief,
    json_document,
    json_objects,
    json_offset,
    line_objects,
    named_id,
    object_of,
    required,
    whole_list,
    whole_object,
)
from segscore.pipeline.importing.opened_file import OpenedFile
from segscore.pipeline.importing.settings import ImportSettings
from segscore.pipeline.importing.shapes import Intervals, Mark, Marks, Moment, Segment, Sizes
from segscore.pipeline.storage.compression import without_compression
from segscore.pipeline.tables import strict_json
from segscore.pipeline.tables.rows import RowPlace, stem, text_of
from segscore.pipeline.tables.units import MILLISECOND

_TURN = "turn"
_TEXT = r'"(?:[^"\\]|\\.)*"'
_PAIRS = re.compile(
    rf'\s*\{{\s*(?:{_TEXT}\s*:\s*\[\s*\]\s*,\s*)*{_TEXT}\s*:\s*\[\s*\[\s*{_TEXT}\s*,\s*"-?[0-9]+"'
)
"""The beginning of an object of lists of [text, flag]."""


def read_tiage(file: OpenedFile, _settings: ImportSettings) -> Iterator[Sizes]:
    """Yield a segmentation for each document, whose units are [text, flag].

    The flag "1" begins a segment, "0" does not; "-1" may stand on the first unit only.
    Raises Refused for another flag, something else than pairs, or a document without units.
    """
    place = file.place(1)
    for document, value in whole_object(file).items():
        name = brief(document)
        pairs = array_of(value, name, place)
        if not pairs:
            raise place.refusal(f"{name} is an empty list; expected a [text, flag] for each unit")
        begins = [
            number
            for number, pair in enumerate(pairs)
            if _begins(pair, f"{name}[{number}]", place, first=not number) and number
        ]
        edges = [0, *begins, len(pairs)]
        yield Sizes(
            place=place,
            unit=_TURN,
            document_id=named_id(document, "the name", place),
            sizes=[end - start for start, end in pairwise(edges)],
        )


def _begins(pair: object, name: str, place: RowPlace, *, first: bool) -> bool:
    if not isinstance(pair, list) or len(pair) != 2:
        raise place.wrong(name, pair, "a pair of text and flag")
    text_of(pair[0], f"{name}[0]", place)
    if pair[1] not in (("-1", "0", "1") if first else ("0", "1")):
        also = ', or "-1"' if first else ' ("-1" stands on the first unit only)'
        raise place.wrong(f"{name}[1]", pair[1], f'"0" or "1"{also}')
    return pair[1] == "1"


_TOPICS, _TRANSCRIPT = "topic_list", "meeting_transcripts"


def read_qmsum(file: OpenedFile, settings: ImportSettings) -> Iterator[Intervals]:
    """Yield a segmentation for each meeting: the file, or each line of JSON Lines.

    Units are turns. A span of turns has both its ends; neighbouring spans of one topic are joined.
    A meeting is named by --document-field, else document_id, else by the file, with the number of
    the line if there are several.
    Raises Refused for a field that is missing or has a wrong type, or a span that is not inside the
    meeting.
    """
    meetings = list(_meetings(file))
    if not meetings:
        raise file.place(1).refusal("the file contains no meetings; expected topic_list")
    for number, (place, meeting) in enumerate(meetings, start=1):
        turns = len(_list_in(meeting, _TRANSCRIPT, place))
        if not turns:
            raise place.refusal(f"{_TRANSCRIPT} is an empty list; expected one turn at least")
        document = json_document([meeting], settings, place)
        if document is None and len(meetings) > 1:
            document = f"{settings.document_id or stem(file.url)}/{number}"
        yield Intervals(
            place=place,
            unit=_TURN,
            document_id=document,
            length=Fraction(turns),
            segments=_topics(meeting, turns, place),
            turns=True,
        )


def _meetings(file: OpenedFile) -> Iterator[tuple[RowPlace, Mapping[str, object]]]:
    ending = PurePosixPath(without_compression(file.name)).suffix.lower()
    if ending not in JSON_LINES_ENDINGS:
        place = file.place(1)
        yield place, object_of(strict_json.loads(file.text(), place), "the file", place)
        return
    yield from line_objects(file)


def _list_in(meeting: Mapping[str, object], name: str, place: RowPlace) -> Sequence[object]:
    return array_of(required(meeting, name, "the meeting", place), name, place)


def _topics(meeting: Mapping[str, object], turns: int, place: RowPlace) -> list[Segment]:
    """Return the spans of all topics by their starts; spans of one topic that meet are one."""
    spans: list[tuple[int, int, int]] = []
    for number, topic in enumerate(json_objects(_list_in(meeting, _TOPICS, place), _TOPICS, place)):
        name = f"{_TOPICS}[{number}].relevant_text_span"
        given = required(topic, "relevant_text_span", f"{_TOPICS}[{number}]", place)
        for index, span in enumerate(array_of(given, name, place)):
            spans.append((*_turns_of(span, f"{name}[{index}]", turns, place), number))
    joined: list[tuple[int, int, int]] = []
    for start, end, topic_number in sorted(spans):
        if joined and joined[-1][1:] == (start, topic_number):
            joined[-1] = (joined[-1][0], end, topic_number)
        else:
            joined.append((start, end, topic_number))
    return [
        Segment(
            Moment(Fraction(start), str(start)),
            Moment(Fraction(end), str(end)),
            place.line,
            label=str(topic_number),
        )
        for start, end, topic_number in joined
    ]


def _turns_of(span: object, name: str, turns: int, place: RowPlace) -> tuple[int, int]:
    """Return the first turn of a span, and the turn after its last one."""
    if not isinstance(span, list) or len(span) != 2:
        raise place.wrong(name, span, "a pair of the first and the last turn")
    ends = {f"{name}[0]": span[0], f"{name}[1]": span[1]}
    first, last = (json_offset(ends, end, place, may_be_text=True) for end in ends)
    if last < first:
        raise place.refusal(f"{name} ends at turn {last}, before its first turn {first}")
    if last >= turns:
        raise place.refusal(f"{name} ends at turn {last}; the meeting has turns 0 to {turns - 1}")
    return first, last + 1


def read_wikisection(file: OpenedFile, settings: ImportSettings) -> Iterator[Intervals | Marks]:
    """Yield a segmentation for each article; its sections are spans of characters.

    With --levels or --max-level, ` | ` in a heading separates levels. An article is named by
    --document-field, else document_id, else --document-id, else by its id.
    Raises Refused for a field that is missing or has a wrong type, or a section that is not inside
    the text.
    """
    place = file.place(1)
    articles = whole_list(file)
    if not articles:
        raise place.refusal("the file contains no articles; expected objects with text")
    for number, article in enumerate(articles):
        name = f"[{number}]"
        text = text_of(required(article, "text", name, place), f"{name}.text", place)
        given = required(article, "annotations", name, place)
        sections = json_objects(given, f"{name}.annotations", place)
        units = text_units(text, settings, place)
        stated = units.segmentation([_span(one, place) for one in sections], place)
        document = json_document([article], settings, place)
        if document is None and settings.document_id is None:
            document = named_id(article.get("id"), "id", place)
        flat = replace(stated, document_id=document)
        nested = settings.levels or settings.max_level is not None
        yield _with_levels(flat, sections) if nested else flat


def _span(section: Mapping[str, object], place: RowPlace) -> tuple[int, int]:
    begin = json_offset(section, "begin", place)
    return begin, begin + json_offset(section, "length", place)


def _with_levels(flat: Intervals, sections: Sequence[Mapping[str, object]]) -> Marks:
    """Return the starts of sections with the levels of their headings, without the first start.

    A subsection follows the text of its section and is not inside it, so that these are no
    intervals within others.
    """
    marks = []
    counted = Counter(flat.counted)
    for segment, section in zip(flat.segments, sections, strict=True):
        heading = section.get("sectionHeading")
        level = text_of(heading, "sectionHeading", flat.place).count(" | ") + 1
        if segment.end is not None and segment.end.exact == segment.start.exact:
            counted["empty"] += 1
        else:
            marks.append(Mark(segment.start, segment.line, level))
    first = min((mark.start.exact for mark in marks), default=None)
    return Marks(
        place=flat.place,
        unit=flat.unit,
        document_id=flat.document_id,
        length=flat.length,
        counted=counted,
        marks=[mark for mark in marks if mark.start.exact != first],
    )


_TIME_AND_LABEL = re.compile(r"-?[0-9]+(?:\.[0-9]+)?\t.*|-?[0-9]+\.[0-9]+\s*")


def read_icsi(file: OpenedFile, settings: ImportSettings) -> Iterator[Marks]:
    """Yield the times of a file: one a line in seconds, perhaps with a tab and a label after it.

    Raises Refused for a line that begins with no time, or a file without times.
    """
    marks = []
    for place, line in file.lines_with_text():
        time = line.partition("\t")[0]
        marks.append(Mark(settings.clock.time(time, place, unit="s"), place.line))
    if not marks:
        raise file.place(1).refusal("the file contains no times; expected a time in each line")
    yield Marks(place=file.place(1), unit=MILLISECOND, marks=marks, ordered=True)


def _begins_with_time(head: Head) -> bool:
    first = next((line for line in head.lines if line.strip()), "")
    return _TIME_AND_LABEL.fullmatch(first) is not None


def _is_wikisection(head: Head) -> bool:
    section = {"begin", "length", "sectionHeading", "sectionLabel"}
    return bool({f"[].annotations[].{name}" for name in section} & head.keys)


FORMATS = (
    Format(
        "tiage",
        read_tiage,
        shared=(".json",),
        content=lambda head: _PAIRS.match(head.text.removeprefix("\ufeff")) is not None,
        in_units=True,
    ),
    Format(
        "qmsum",
        read_qmsum,
        shared=(".json", *JSON_LINES_ENDINGS),
        content=lambda head: {_TOPICS, _TRANSCRIPT} <= head.keys,
        options=("document_field",),
        in_units=True,
    ),
    Format(
        "wikisection",
        read_wikisection,
        shared=(".json",),
        content=_is_wikisection,
        options=TEXT_OPTIONS,
        in_units=True,
    ),
    Format("icsi", read_icsi, shared=(".ref",), content=_begins_with_time, options=FRAMES),
)
"""A list of times is told from a text with separators by its first line."""
