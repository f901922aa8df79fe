"""doccano: spans of text in JSON Lines, one file per annotator."""

from collections.abc import Iterator, Mapping
from fractions import Fraction

from segscore.pipeline.importing.formats.annotation.text_spans import text_units
from segscore.pipeline.importing.formats.asked import Asked, OpenedFile
from segscore.pipeline.importing.formats.json_fields import named_id, object_of, required
from segscore.pipeline.importing.formats.json_values import (
    json_document,
    json_objects,
    json_offset,
    without_json_ending,
)
from segscore.pipeline.importing.formats.shapes import Intervals
from segscore.pipeline.tables import strict_json
from segscore.pipeline.tables.rows import RowPlace, text_of

_SEVERAL = ("all", "unknown")
"""Files that name no annotator."""


def read(file: OpenedFile, asked: Asked) -> Iterator[Intervals]:
    """Yield one segmentation for each example that has spans; the others are counted.

    The coder is the file's name. A document is named by --document-field, else document_id, else
    --document-id, else by the example's id.

    Raises Refused for a malformed line, or a span that is not inside its text.
    """
    name = without_json_ending(file)
    coder = None if name in _SEVERAL else name
    for number, line in enumerate(file.lines(), start=1):
        if not line.strip():
            continue
        place = file.place(number)
        example = object_of(strict_json.loads(line, place), "the line", place)
        text = text_of(required(example, "text", "the example", place), "text", place)
        spans = _spans(example, place)
        if not spans:
            file.notes.add("without_spans", 1)
            continue
        units = text_units(text, asked, place)
        segments, counted = units.segments(spans, place)
        yield Intervals(
            place=place,
            unit=units.unit,
            document_id=_document(example, asked, place),
            coder=coder,
            length=Fraction(units.length),
            counted=counted,
            segments=segments,
        )


def _document(example: Mapping[str, object], asked: Asked, place: RowPlace) -> str | None:
    meta = example.get("meta")
    records = [example, meta] if isinstance(meta, dict) else [example]
    name = json_document(records, asked, place)
    if name or asked.document_id is not None:
        return name
    return named_id(example.get("id"), "id", place)


def _spans(example: Mapping[str, object], place: RowPlace) -> list[tuple[int, int]]:
    """Return the spans of `label`, lists of start, end and name, or of `entities`, objects."""
    if "entities" in example:
        return [
            (json_offset(one, "start_offset", place), json_offset(one, "end_offset", place))
            for one in json_objects(example["entities"], "entities", place)
        ]
    labels = required(example, "label", "the example", place)
    if not isinstance(labels, list):
        raise place.wrong("label", labels, "a list of spans")
    for label in labels:
        if not isinstance(label, list) or len(label) < 2:
            raise place.wrong("a label", label, "a span: [start, end, name]")
    bounds = [{"start": label[0], "end": label[1]} for label in labels]
    return [(json_offset(one, "start", place), json_offset(one, "end", place)) for one in bounds]
