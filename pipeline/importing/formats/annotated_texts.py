"""Annotated texts, one example per line: doccano and Prodigy."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from segscore.pipeline.importing.formats.format import JSON_LINES_ENDINGS, Format
from segscore.pipeline.importing.formats.text_units import TEXT_OPTIONS, text_units
from segscore.pipeline.importing.formats.values import (
    json_document,
    json_objects,
    json_offset,
    line_objects,
    named_id,
    required,
    without_json_ending,
)
from segscore.pipeline.importing.opened_file import OpenedFile
from segscore.pipeline.importing.settings import ImportSettings
from segscore.pipeline.importing.shapes import Intervals, Segment
from segscore.pipeline.tables.rows import RowPlace, text_of
from segscore.pipeline.tables.units import MILLISECOND

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
            yield replace(
                units.segmentation(spans, one.place),
                document_id=_document(one.fields, settings, one.place),
                coder=user if len(users) > 1 else coder,
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
    for place, fields in line_objects(file):
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
    return _bounds([{"start": label[0], "end": label[1]} for label in labels], "label", place)


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
    for place, answer in line_objects(file, decimals=True):
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
    return units.segmentation(spans, place)


def _bounds(value: object, name: str, place: RowPlace) -> list[tuple[int, int]]:
    return [
        (json_offset(one, "start", place), json_offset(one, "end", place))
        for one in json_objects(value, name, place)
    ]


FORMATS = (
    Format(
        "prodigy",
        read_prodigy,
        shared=JSON_LINES_ENDINGS,
        content=lambda head: "answer" in head.keys,
        options=TEXT_OPTIONS,
        in_units=True,
    ),
    Format(
        "doccano",
        read_doccano,
        shared=JSON_LINES_ENDINGS,
        content=lambda head: (
            "text" in head.keys and bool({"label", "entities", "annotations"} & head.keys)
        ),
        options=TEXT_OPTIONS,
        in_units=True,
    ),
)
