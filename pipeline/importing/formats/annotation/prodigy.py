"""Prodigy: answers in JSON Lines, with spans of text or of audio."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction

from segscore.pipeline.importing.formats.annotation.text_spans import text_units
from segscore.pipeline.importing.formats.asked import Asked, OpenedFile
from segscore.pipeline.importing.formats.json_fields import named_id, object_of, required
from segscore.pipeline.importing.formats.json_values import json_document, json_objects, json_offset
from segscore.pipeline.importing.formats.shapes import Intervals, Segment
from segscore.pipeline.tables import strict_json
from segscore.pipeline.tables.rows import RowPlace, text_of
from segscore.pipeline.tables.units import MILLISECOND

_Answer = tuple[Mapping[str, object], RowPlace]


def read(file: OpenedFile, asked: Asked) -> Iterator[Intervals]:
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
        document = json_document(records, asked, place)
        if document is None and asked.document_id is None and len(inputs) > 1:
            document = named_id(answer.get("_input_hash"), "_input_hash", place)
        coder = named_id(answer.get("_annotator_id"), "_annotator_id", place)
        if "audio_spans" in answer or "text" not in answer:
            stated = _audio(answer, place, asked)
        else:
            stated = _text(answer, place, asked)
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


def _audio(answer: Mapping[str, object], place: RowPlace, asked: Asked) -> Intervals:
    segments = []
    for span in json_objects(answer.get("audio_spans") or [], "audio_spans", place):
        start, end = (
            asked.clock.time(required(span, name, "a span", place), place, unit="s")
            for name in ("start", "end")
        )
        segments.append(Segment(start, end, place.line))
    return Intervals(place=place, unit=MILLISECOND, segments=segments)


def _text(answer: Mapping[str, object], place: RowPlace, asked: Asked) -> Intervals:
    text = text_of(answer["text"], "text", place)
    tokens = _bounds(answer["tokens"], "tokens", place) if answer.get("tokens") else None
    units = text_units(text, asked, place, tokens)
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
