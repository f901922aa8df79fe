"""Annotated texts, one example per line: doccano and Prodigy."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from segscore.pipeline.importing.formats.format import JSON_LINES_ENDINGS, Format, Head
from segscore.pipeline.importing.formats.values import (
    json_document,
    json_objects,
    json_offset,
    named_id,
    object_of,
    required,
    without_json_ending,
)
from segscore.pipeline.importing.opened_file import OpenedFile
from segscore.pipeline.importing.settings import ImportSettings
from segscore.pipeline.importing.shapes import Intervals, Moment, Segment
from segscore.pipeline.tables import strict_json
from segscore.pipeline.tables.rows import RowPlace, text_of
from segscore.pipeline.tables.units import MILLISECOND

_PATTERNS = {"lines": r"\S[^\n]*", "tokens": r"\S+"}
_NAMES = {"lines": "line", "tokens": "token", "characters": "character"}


@dataclass(frozen=True, slots=True)
class TextUnits:
    """The units of a text and where they are in it.

    Attributes:
        text: the text, whose offsets are in code points.
        unit: line, token, character or turn.
        places: start and end of each unit without white space around it, ascending; None if every
            character is a unit.
    """

    text: str
    unit: str
    places: Sequence[tuple[int, int]] | None

    @property
    def length(self) -> int:
        """Number of units."""
        return len(self.text) if self.places is None else len(self.places)

    def segments(
        self, spans: Sequence[tuple[int, int]], place: RowPlace
    ) -> tuple[list[Segment], Counter[str]]:
        """Return the segments that spans make, and how many of their edges moved to a unit's edge.

        Raises Refused for a span that ends before it starts or is not inside the text.
        """
        segments = []
        counted: Counter[str] = Counter()
        edges = self._edges()
        for start, end in spans:
            check_span(start, end, len(self.text), place)
            first, last = (start, end) if edges is None else _trimmed(self.text, start, end)
            (begin, off), (until, off_too) = (
                _nearest(edges, offset) if edges else (offset, 0) for offset in (first, last)
            )
            counted["moved"] += (off > 0) + (off_too > 0)
            moments = (Moment(Fraction(begin), str(start)), Moment(Fraction(until), str(end)))
            segments.append(Segment(*moments, place.line))
        return segments, +counted

    def _edges(self) -> list[tuple[int, int]] | None:
        """List the offset of each start and end, with the number of units before it."""
        if self.places is None:
            return None
        return [
            (offset, number + later)
            for number, place in enumerate(self.places)
            for later, offset in enumerate(place)
        ]


def text_units(
    text: str,
    settings: ImportSettings,
    place: RowPlace,
    tokens: Sequence[tuple[int, int]] | None = None,
) -> TextUnits:
    """Divide a text into the units that `--text-units` names.

    Lines and tokens without text do not count as units. Tokens are `tokens`, or what white space
    separates.
    Raises Refused if `--text-units` is not given, or the text has no unit.
    """
    kind = settings.text_units
    if kind is None:
        raise place.refusal(
            "spans of text, and lines and characters give different numbers of units; name the "
            "unit with --text-units lines, characters or tokens"
        )
    places = None if kind == "characters" else _places(text, kind, tokens, place)
    units = TextUnits(text, _NAMES[kind], places)
    if not units.length:
        raise place.refusal(f"the text has no {units.unit}; expected at least one")
    return units


def _places(
    text: str, kind: str, tokens: Sequence[tuple[int, int]] | None, place: RowPlace
) -> list[tuple[int, int]]:
    if kind == "lines" or tokens is None:
        tokens = [found.span() for found in re.finditer(_PATTERNS[kind], text)]
    above = 0
    for start, end in tokens:
        if not above <= start <= end <= len(text):
            raise place.refusal(
                f"a token from {start} to {end} is not in the text after the token before it"
            )
        above = end
    trimmed = (_trimmed(text, start, end) for start, end in tokens)
    return [(start, end) for start, end in trimmed if start < end]


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Return a span without the white space at its edges; an empty one stays where it starts."""
    inside = text[start:end]
    blank = len(inside) - len(inside.lstrip())
    return (start + blank, start + len(inside.rstrip())) if inside.strip() else (start, start)


def _nearest(edges: Sequence[tuple[int, int]], offset: int) -> tuple[int, int]:
    """Return the position of the nearest edge, the earlier of two, and its distance."""
    after = bisect_left(edges, (offset, 0))
    near = edges[max(after - 1, 0) : after + 1]
    edge, position = min(near, key=lambda one: abs(one[0] - offset))
    return position, abs(edge - offset)


def check_span(start: int, end: int, length: int, place: RowPlace) -> None:
    """Raise Refused for a span that ends before it starts or is not inside its text."""
    if end < start:
        raise place.refusal(f"a span ends at {end}, before its start {start}; correct one of them")
    if start < 0 or end > length:
        raise place.refusal(
            f"a span from {start} to {end} is not inside its text of {length} characters; check "
            "that it is the text that was annotated"
        )


_SEVERAL = ("all", "unknown")
"""Files that name no annotator."""


def read_doccano(file: OpenedFile, settings: ImportSettings) -> Iterator[Intervals]:
    """Yield one segmentation for each example that has spans; the others are counted.

    The coder is the file's name. In an old export, which has `annotations` of several users in one
    file, each user is a coder. A document is named by --document-field, else document_id, else
    --document-id, else by the example's id.

    Raises Refused for a malformed line, or a span that is not inside its text.
    """
    name = without_json_ending(file)
    coder = None if name in _SEVERAL else name
    examples = [*_examples(file)]
    users = {user for one in examples for user in one.spans}
    for one in examples:
        if not one.spans:
            file.notes.add("without_spans", 1)
            continue
        units = text_units(one.text, settings, one.place)
        for user, spans in one.spans.items():
            segments, counted = units.segments(spans, one.place)
            yield Intervals(
                place=one.place,
                unit=units.unit,
                document_id=_document(one.fields, settings, one.place),
                coder=user if len(users) > 1 else coder,
                length=Fraction(units.length),
                counted=counted,
                segments=segments,
            )


_Spans = list[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class _Example:
    """An example of doccano, and its spans by the user who made them; None if nobody is named."""

    fields: Mapping[str, object]
    place: RowPlace
    text: str
    spans: Mapping[str | None, _Spans]


def _examples(file: OpenedFile) -> Iterator[_Example]:
    for number, line in enumerate(file.lines(), start=1):
        if line.strip():
            place = file.place(number)
            fields = object_of(strict_json.loads(line, place), "the line", place)
            text = text_of(required(fields, "text", "the example", place), "text", place)
            yield _Example(fields, place, text, _spans_by_user(fields, place))


def _spans_by_user(example: Mapping[str, object], place: RowPlace) -> Mapping[str | None, _Spans]:
    """Return the spans of an example: those of `annotations` by their users, in an old export."""
    if "annotations" not in example or {"label", "entities"} & {*example}:
        spans = _spans(example, place)
        return {None: spans} if spans else {}
    found: dict[str | None, _Spans] = {}
    for one in json_objects(example["annotations"], "annotations", place):
        user = named_id(one.get("user"), "user", place)
        found.setdefault(user, []).append(_offsets(one, place))
    return found


def _offsets(span: Mapping[str, object], place: RowPlace) -> tuple[int, int]:
    return json_offset(span, "start_offset", place), json_offset(span, "end_offset", place)


def _document(
    example: Mapping[str, object], settings: ImportSettings, place: RowPlace
) -> str | None:
    meta = example.get("meta")
    records = [example, meta] if isinstance(meta, dict) else [example]
    name = json_document(records, settings, place)
    if name or settings.document_id is not None:
        return name
    return named_id(example.get("id"), "id", place)


def _spans(example: Mapping[str, object], place: RowPlace) -> _Spans:
    """Return the spans of `label`, lists of start, end and name, or of `entities`, objects."""
    if "entities" in example:
        entities = json_objects(example["entities"], "entities", place)
        return [_offsets(one, place) for one in entities]
    labels = required(example, "label", "the example", place)
    if not isinstance(labels, list):
        raise place.wrong("label", labels, "a list of spans")
    for label in labels:
        if not isinstance(label, list) or len(label) < 2:
            raise place.wrong("a label", label, "a span: [start, end, name]")
    bounds = [{"start": label[0], "end": label[1]} for label in labels]
    return [(json_offset(one, "start", place), json_offset(one, "end", place)) for one in bounds]


_Answer = tuple[Mapping[str, object], RowPlace]


def read_prodigy(file: OpenedFile, settings: ImportSettings) -> Iterator[Intervals]:
    """Yield one segmentation for each accepted answer; the others are counted.

    The coder is _annotator_id. A document is named by --document-field, else document_id; if there
    are several inputs and no --document-id, by _input_hash.

    Raises Refused for a malformed line, or a span that is not inside its text.
    """
    answers = list(_accepted(file))
    inputs = {str(answer.get("_input_hash")) for answer, _ in answers}
    for answer, place in answers:
        meta = answer.get("meta")
        records = [answer, meta] if isinstance(meta, dict) else [answer]
        document = json_document(records, settings, place)
        if document is None and settings.document_id is None and len(inputs) > 1:
            document = named_id(answer.get("_input_hash"), "_input_hash", place)
        coder = named_id(answer.get("_annotator_id"), "_annotator_id", place)
        if "audio_spans" in answer or "text" not in answer:
            stated = _audio(answer, place, settings)
        else:
            stated = _text(answer, place, settings)
        yield replace(stated, document_id=document, coder=coder)


def _accepted(file: OpenedFile) -> Iterator[_Answer]:
    for number, line in enumerate(file.lines(), start=1):
        if line.strip():
            place = file.place(number)
            answer = object_of(strict_json.loads(line, place, decimals=True), "the line", place)
            if required(answer, "answer", "the line", place) == "accept":
                yield answer, place
            else:
                file.notes.add("not_accepted", 1)


def _audio(answer: Mapping[str, object], place: RowPlace, settings: ImportSettings) -> Intervals:
    segments = []
    for span in json_objects(answer.get("audio_spans") or [], "audio_spans", place):
        start, end = (
            settings.clock.time(required(span, name, "a span", place), place, unit="s")
            for name in ("start", "end")
        )
        segments.append(Segment(start, end, place.line))
    return Intervals(place=place, unit=MILLISECOND, segments=segments)


def _text(answer: Mapping[str, object], place: RowPlace, settings: ImportSettings) -> Intervals:
    text = text_of(answer["text"], "text", place)
    tokens = _bounds(answer["tokens"], "tokens", place) if answer.get("tokens") else None
    units = text_units(text, settings, place, tokens)
    spans = _bounds(answer.get("spans") or [], "spans", place)
    segments, counted = units.segments(spans, place)
    return Intervals(
        place=place,
        unit=units.unit,
        length=Fraction(units.length),
        counted=counted,
        segments=segments,
    )


def _bounds(value: object, name: str, place: RowPlace) -> list[tuple[int, int]]:
    return [
        (json_offset(one, "start", place), json_offset(one, "end", place))
        for one in json_objects(value, name, place)
    ]


def _is_doccano(head: Head) -> bool:
    return "text" in head.keys and bool({"label", "entities", "annotations"} & head.keys)


ANNOTATED_TEXT = ("document_field", "text_units")
"""Options that all formats of annotated texts read."""

FORMATS = (
    Format(
        "prodigy",
        read_prodigy,
        shared=JSON_LINES_ENDINGS,
        content=lambda head: "answer" in head.keys,
        options=ANNOTATED_TEXT,
        in_units=True,
    ),
    Format(
        "doccano",
        read_doccano,
        shared=JSON_LINES_ENDINGS,
        content=_is_doccano,
        options=ANNOTATED_TEXT,
        in_units=True,
    ),
)
