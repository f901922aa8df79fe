"""Label Studio: regions of audio, of texts and of dialogues, and what is refused."""

import json
from typing import Any

import pytest

from segscore.pipeline.importing.formats import label_studio
from tests.support.format_readers import notes_of, refuses, spans_of, yielded

READ = label_studio.read
TEXT = "One.\nTwo.\nThree."
LINES = {"text_units": "lines"}


def audio(start: object, end: object, **changes: Any) -> dict[str, Any]:
    value = {"start": start, "end": end, "channel": 0, "labels": ["T"]}
    about = {"from_name": "topic", "to_name": "audio", "type": "labels", "original_length": 60.5}
    return about | {"value": value} | changes


def span(start: int, end: int, text: str | None = None, **changes: Any) -> dict[str, Any]:
    value = {"start": start, "end": end, "text": TEXT[start:end] if text is None else text}
    about = {"from_name": "topic", "to_name": "text", "type": "labels"}
    return about | {"value": value | {"labels": ["T"]}} | changes


def annotation(*results: object, **changes: Any) -> dict[str, Any]:
    return {"completed_by": 4, "was_cancelled": False, "result": list(results)} | changes


def task(*annotations: object, **changes: Any) -> dict[str, Any]:
    data = {"audio": "s3://a/b.wav", "text": TEXT}
    return {"id": 9, "annotations": list(annotations), "data": data, "predictions": []} | changes


def export(*tasks: object) -> str:
    return json.dumps(tasks)


def test_regions_of_audio() -> None:
    text = export(task(annotation(audio(0, 1.0005), audio(1.0005, 60)), annotation()))
    first, empty = yielded(READ, text)
    assert (first.unit, first.length, first.coder, first.role) == ("millisecond", 60500, "4", None)
    assert spans_of(first) == [(0, 1000.5), (1000.5, 60000)]
    assert (empty.segments, empty.length) == ([], 60500)  # no boundary
    assert first.document_id is None


def test_regions_of_texts() -> None:
    (shape,) = yielded(READ, export(task(annotation(span(0, 4), span(6, 16)))), **LINES)
    assert (shape.unit, shape.length, spans_of(shape)) == ("line", 3, [(0, 1), (1, 3)])
    assert shape.counted == {"moved": 1}


def test_the_text_is_the_field_that_the_regions_fit() -> None:
    data = {"title": "A text that does not fit", "body": TEXT}
    (shape,) = yielded(READ, export(task(annotation(span(0, 9)), data=data)), **LINES)
    assert shape.length == 3


def test_offsets_in_utf16_are_taken_only_if_nothing_else_fits() -> None:
    data = {"text": "😀 One.\nTwo."}
    wide = annotation(span(0, 7, "😀 One."), span(8, 12, "Two."))
    text = export(task(wide, data=data))
    (shape,) = yielded(READ, text, text_units="characters")
    assert spans_of(shape) == [(0, 6), (7, 11)]
    assert notes_of(READ, text, **LINES) == {"utf16_offsets": 1}
    narrow = export(task(annotation(span(0, 6, "😀 One.")), data=data))
    assert notes_of(READ, narrow, **LINES) == {}
    middle = export(task(annotation(span(1, 7, "? One.")), data=data))
    refuses(READ, middle, "x:1: a region from 1 to 7", "? One.", **LINES)


def test_offsets_of_hypertext() -> None:
    region = span(0, 4, type="hypertextlabels")
    region["value"] |= {"start": "/p[1]", "globalOffsets": {"start": 5, "end": 9}, "text": "Two."}
    (shape,) = yielded(READ, export(task(annotation(region))), **LINES)
    assert spans_of(shape) == [(1, 2)]


def paragraphs(start: object, end: object, first: int, last: int) -> dict[str, Any]:
    value = {"start": start, "end": end, "startOffset": first, "endOffset": last, "text": "?"}
    about = {"from_name": "topic", "to_name": "dialogue", "type": "paragraphlabels"}
    return about | {"value": value}


def test_units_of_a_dialogue_are_its_paragraphs() -> None:
    turns = [{"author": "A", "phrase": text} for text in ("Hello!", "Hi 😀", "", "Goodbye")]
    data = {"dialogue": turns}
    regions = (paragraphs("0", "1", 0, 5), paragraphs("2", "3", 0, 7))
    (shape,) = yielded(READ, export(task(annotation(*regions), data=data)))
    assert (shape.unit, shape.length, spans_of(shape)) == ("turn", 4, [(0, 2), (2, 4)])
    assert not shape.counted
    partly = paragraphs("0", "1", 5, 1)
    (shape,) = yielded(READ, export(task(annotation(partly), data=data)))
    assert (spans_of(shape), shape.counted) == ([(1, 1)], {"moved": 2})
    beyond = export(task(annotation(paragraphs("0", "4", 0, 1)), data=data))
    refuses(READ, beyond, "x:1: end is 4; expected a paragraph from 0 to 3")
    back = export(task(annotation(paragraphs("3", "0", 0, 1)), data=data))
    refuses(READ, back, "x:1: a span ends at")
    refuses(READ, export(task(annotation(partly))), "x:1: the list of paragraphs in the data is")


@pytest.mark.parametrize(
    ("stated", "coder"),
    [
        (4, "4"),
        ("a@b.c", "a@b.c"),
        ({"id": 4, "email": "a@b.c"}, "a@b.c"),
        ({"id": 4, "email": ""}, "4"),
        (None, None),
    ],
)
def test_the_annotator(stated: object, coder: str | None) -> None:
    text = export(task(annotation(audio(0, 1), completed_by=stated)))
    assert yielded(READ, text)[0].coder == coder


def test_predictions_are_hypotheses() -> None:
    predicted = {"model_version": "v2", "result": [audio(0, 2)]}
    text = export(task(annotation(audio(0, 1)), predictions=[predicted, 7, {"id": 8}]))
    _, shape = yielded(READ, text)
    assert (shape.coder, shape.role, spans_of(shape)) == ("v2", "hypothesis", [(0, 2000)])
    assert notes_of(READ, text) == {"predictions_without_regions": 2}


def test_cancelled_annotations_and_drafts_are_counted() -> None:
    cancelled = annotation(audio(0, 1), was_cancelled=True)
    text = export(task(annotation(audio(0, 1)), cancelled, drafts=[{}, {}]))
    assert len(yielded(READ, text)) == 1
    assert notes_of(READ, text) == {"cancelled": 1, "drafts": 2}


def test_one_control_is_read() -> None:
    other = audio(0, 5, from_name="speaker")
    choice = {"from_name": "quality", "type": "choices", "value": {"choices": ["good"]}}
    words = {"from_name": "words", "type": "textarea", "value": {"start": 0, "end": 1, "text": []}}
    text = export(task(annotation(audio(0, 1), other, choice, words)))
    refuses(READ, text, "several controls: topic, speaker;", "--from-name")
    refuses(READ, text, "no control is named x; there are: topic, speaker", from_name="x")
    (shape,) = yielded(READ, text, from_name="speaker")
    assert spans_of(shape) == [(0, 5000)]
    assert notes_of(READ, text, from_name="speaker") == {"other_regions": 1}
    assert spans_of(yielded(READ, export(task(annotation(words))))[0]) == [(0, 1000)]


def test_the_document_of_a_task() -> None:
    def documents(*tasks: object, **options: Any) -> list[object]:
        return [shape.document_id for shape in yielded(READ, export(*tasks), **options)]

    one = task(annotation(audio(0, 1)), data={"document_id": "a", "name": "b"})
    other = task(annotation(audio(0, 1)), id=10)
    assert documents(one, other) == ["a", "10"]
    assert documents(one, other, document_id="show") == ["a", None]
    assert documents(one, document_field="name") == ["b"]
    assert documents(one, document_field="data.name") == ["b"]
    refuses(READ, export(one), "x:1: no field meta.x", document_field="meta.x")


def test_tasks_are_named_by_their_recordings() -> None:
    tasks = [
        task(annotation(), id=n, data={"length": 5, "audio": f"/data/upload/3/0a1b2c3d-{name}?x=1"})
        for n, name in ((1, "talk%201.wav"), (2, "b.c.mp3"))
    ]
    shapes = yielded(READ, export(*tasks))
    assert [shape.document_id for shape in shapes] == ["talk 1", "b.c"]
    assert notes_of(READ, export(*tasks))["named_by_media"] == ["data.audio"]
    local = [
        task(annotation(), id=n, data={"audio": f"/data/local-files/?d=audio/talk%20{n}.wav"})
        for n in (1, 2)
    ]
    assert [shape.document_id for shape in yielded(READ, export(*local))] == ["talk 1", "talk 2"]
    same = [task(annotation(), id=n, data={"audio": "s3://a/b.wav"}) for n in (1, 2)]
    assert [shape.document_id for shape in yielded(READ, export(*same))] == ["1", "2"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{}", "x:1: the file is {}; expected a list of objects"),
        (
            export({"text": TEXT, "topic": []}),
            "x: task 1 has no annotations",
        ),
        (export(task(data=None)), "x:1: a task has no data"),
        (export(task(5)), "x:1: annotations[0] is 5"),
        (export(task(annotation(result=None))), "x:1: result is null"),
        (export(task(annotation(audio(0, 1, value=None)))), "x:1: value is null"),
        (export(task(annotation(audio(None, 1)))), "x:1: a region has no start"),
        (export(task(annotation(audio("x", 1)))), "x:1: x is not a time"),
        (export(task(annotation(audio(0, 1, original_length="x")))), "x:1: x is not a time"),
        (export(task(annotation(audio(0, 1), completed_by=[]))), "x:1: completed_by is []"),
        (export(task(annotation(audio(0, 1, value={"x": 1})))), 'x:1: a region is of the type "la'),
        (
            export(task(annotation(audio(0, 1, type="timeserieslabels")))),
            "expected regions of audio",
        ),
        (export(task(annotation(span(0, 4)), data={"text": 5})), "x:1: the data of a task has no"),
        ('[{"id": 1, "anno', "x:1: not JSON"),
    ],
)
def test_label_studio_refuses(text: str, message: str) -> None:
    refuses(READ, text, message)


def test_the_export_to_choose_is_named() -> None:
    refuses(READ, export({"text": TEXT}), "JSON-MIN; choose the export JSON")


@pytest.mark.parametrize(
    ("region", "message"),
    [
        (span(0, 4, "Two."), 'x:1: a region from 0 to 4 has the text "Two.", but the document has'),
        (span(10, 40), "x:1: a span from 10 to 40 is not inside its text of 16 characters"),
        (span(9, 5, "?"), "x:1: a span ends at 5, before its start 9"),
        (span(9, 5) | {"value": {"start": 9, "end": 5, "text": ""}}, "x:1: a span ends at 5"),
        (span(0, 4) | {"value": {"start": "a", "end": 5, "text": ""}}, 'x:1: start is "a"'),
    ],
)
def test_regions_of_texts_that_are_refused(region: dict[str, Any], message: str) -> None:
    refuses(READ, export(task(annotation(region))), message, **LINES)


def test_text_needs_a_unit() -> None:
    refuses(READ, export(task(annotation(span(0, 4)))), "x:1: ", "--text-units")
