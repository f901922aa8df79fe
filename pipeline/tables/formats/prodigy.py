"""Prodigy: answers in JSON Lines, with spans of text or of audio."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from segscore.pipeline.tables.formats import strict_json
from segscore.pipeline.tables.formats.asked import Asked, InputFile
from segscore.pipeline.tables.formats.json_values import (
    json_document,
    json_field,
    json_name,
    json_object,
    json_objects,
    json_offset,
)
from segscore.pipeline.tables.formats.rows import RowPlace, text_of
from segscore.pipeline.tables.formats.shapes import MILLISECOND, Intervals, Segment
from segscore.pipeline.tables.formats.text_spans import text_units

_Answer = tuple[Mapping[str, object], RowPlace]


def read(file: InputFile, asked: Asked) -> Iterator[Intervals]:
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
            document = json_name(answer.get("_input_hash"), "_input_hash", place)
        coder = json_name(answer.get("_annotator_id"), "_annotator_id", place)
        if "audio_spans" in answer or "text" not in answer:
            yield _audio(answer, place, asked, document, coder)
        else:
            yield _text(answer, place, asked, document, coder)


def _accepted(file: InputFile) -> Iterator[_Answer]:
    for number, line in enumerate(file.lines(), start=1):
        if line.strip():
            place = file.place(number)
            answer = json_object(strict_json.loads(line, place, decimals=True), "the line", place)
            if json_field(answer, "answer", place) == "accept":
                yield answer, place
            else:
                file.notes.add("not_accepted", 1)
