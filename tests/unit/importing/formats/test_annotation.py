"""doccano and Prodigy: spans, coders and documents, and what is refused."""

import json
from typing import Any

import pytest

from segscore.pipeline.importing.formats import annotated_texts
from tests.support.format_readers import notes_of, refuses, several, spans_of, yielded
from tests.support.reading import Reader

TEXT = "One.\nTwo.\nThree."
LINES = {"text_units": "lines"}


def lines(*records: object) -> str:
    return several([json.dumps(record) for record in records])


def example(**changes: Any) -> dict[str, Any]:
    return {"id": 7, "text": TEXT, "label": [[0, 4, "T"], [5, 16, "T"]]} | changes


def test_doccano_has_spans_and_the_file_is_the_coder() -> None:
    text = lines(example(), example(label=[]), example(document_id="d"))
    first, second = yielded(annotated_texts.read_doccano, "\n" + text, "anna.b.jsonl.gz", **LINES)
    assert (first.coder, first.document_id, first.place.line) == ("anna.b", "7", 2)
    assert spans_of(first) == [(0, 1), (1, 3)]
    assert (first.length, first.unit) == (3, "line")
    assert second.document_id == "d"
    assert notes_of(annotated_texts.read_doccano, text, **LINES) == {"without_spans": 1}


def test_doccano_has_entities_too() -> None:
    entities = [{"id": 1, "label": "T", "start_offset": 0, "end_offset": 9}]
    record = {"id": 1, "text": TEXT, "entities": entities, "relations": []}
    (shape,) = yielded(annotated_texts.read_doccano, lines(record), text_units="characters")
    assert spans_of(shape) == [(0, 9)]


OLD = [
    {"label": 2, "start_offset": 0, "end_offset": 4, "user": 1},
    {"label": 2, "start_offset": 5, "end_offset": 16, "user": 1},
]


def test_doccano_has_annotations_in_an_old_export() -> None:
    record = {"id": 1, "text": TEXT, "annotations": OLD, "meta": {}, "annotation_approver": None}
    text = lines(record, record | {"id": 2, "annotations": []})
    (shape,) = yielded(annotated_texts.read_doccano, text, "anna.jsonl", **LINES)
    assert (shape.coder, shape.document_id, spans_of(shape)) == ("anna", "1", [(0, 1), (1, 3)])
    assert notes_of(annotated_texts.read_doccano, text, **LINES) == {"without_spans": 1}
    unsaid = [{k: v for k, v in one.items() if k != "user"} for one in OLD]
    (shape,) = yielded(
        annotated_texts.read_doccano, lines(record | {"annotations": unsaid}), "all.jsonl", **LINES
    )
    assert (shape.coder, spans_of(shape)) == (None, [(0, 1), (1, 3)])


def test_several_users_of_an_old_export_are_coders() -> None:
    both = [*OLD, {"label": 2, "start_offset": 0, "end_offset": 16, "user": 5}]
    text = lines(*({"id": n, "text": TEXT, "annotations": both[: 4 - n]} for n in (1, 2)))
    shapes = yielded(annotated_texts.read_doccano, text, "project.jsonl", **LINES)
    assert [(one.document_id, one.coder, spans_of(one)) for one in shapes] == [
        ("1", "1", [(0, 1), (1, 3)]),
        ("1", "5", [(0, 3)]),
        ("2", "1", [(0, 1), (1, 3)]),
    ]


@pytest.mark.parametrize("name", ["all.jsonl", "unknown.jsonl"])
def test_some_files_of_doccano_name_no_coder(name: str) -> None:
    assert yielded(annotated_texts.read_doccano, lines(example()), name, **LINES)[0].coder is None


def test_the_document_of_an_example() -> None:
    def document(record: dict[str, Any], **options: Any) -> object:
        return yielded(annotated_texts.read_doccano, lines(record), **LINES, **options)[
            0
        ].document_id

    assert document(example(meta={"document_id": 3})) == "3"
    assert document(example(), document_id="show") is None
    assert document(example(meta={"a": {"b": "c"}}), document_field="meta.a.b") == "c"
    refuses(
        annotated_texts.read_doccano,
        lines(example()),
        "x:1: no field meta.a",
        document_field="meta.a",
        **LINES,
    )


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (5, "x:2: the line is 5; expected an object"),
        (example(text=None), "x:2: the example has no text; it has"),
        (example(text=5), "x:2: text is 5"),
        (example(label=None), "x:2: the example has no label"),
        (example(label={}), "x:2: label is {}; expected a list of spans"),
        (example(label=["T"]), 'x:2: a label is "T"; expected a span'),
        (example(label=[[0]]), "x:2: a label is [0]; expected a span"),
        (example(label=[[0.0, 4, "T"]]), "x:2: start is 0.0; expected a non-negative integer"),
        (example(label=[["0", 4, "T"]]), 'x:2: start is "0"; expected a non-negative integer'),
        (example(label=[[0, "4", "T"]]), 'x:2: end is "4"; expected a non-negative integer'),
        (
            example(entities=[{"start_offset": 0, "end_offset": "4"}]),
            'x:2: end_offset is "4"; expected a non-negative integer',
        ),
        ({"text": TEXT, "annotations": None}, "x:2: annotations is null; expected a list"),
        ({"text": TEXT, "annotations": [{"label": 2}]}, "x:2: a span has no start_offset"),
        ({"text": TEXT, "annotations": [{**OLD[0], "user": []}]}, "x:2: user is []"),
        (example(label=[[-1, 4, "T"]]), "x:2: start is -1; expected a non-negative integer"),
        (example(label=[[True, 4, "T"]]), "x:2: start is true; expected a non-negative integer"),
        (example(label=[[5, 40, "T"]]), "x:2: a span from 5 to 40"),
        (example(label=[[5, 2, "T"]]), "x:2: a span ends at 2, before its start 5"),
        (example(entities=[{"start_offset": 0}]), "x:2: a span has no end_offset"),
        (example(document_id=[]), "x:2: document_id is []"),
    ],
)
def test_doccano_refuses(record: object, message: str) -> None:
    refuses(annotated_texts.read_doccano, lines(example(), record), message, **LINES)


def answer(**changes: Any) -> dict[str, Any]:
    spans = [{"start": 0, "end": 4, "label": "T"}, {"start": 5, "end": 16, "label": "T"}]
    stated = {"text": TEXT, "spans": spans, "answer": "accept", "_annotator_id": "anna"}
    return stated | {"_input_hash": 11} | changes


def test_prodigy_has_accepted_answers() -> None:
    text = lines(answer(), answer(answer="reject"), answer(answer="ignore"), answer(spans=[]))
    first, second = yielded(annotated_texts.read_prodigy, text, **LINES)
    assert (first.coder, first.document_id, first.unit, first.length) == ("anna", None, "line", 3)
    assert spans_of(first) == [(0, 1), (1, 3)]
    assert (second.segments, second.length, second.place.line) == ([], 3, 4)
    assert notes_of(annotated_texts.read_prodigy, text, **LINES) == {"not_accepted": 2}


def test_several_inputs_are_several_documents() -> None:
    text = lines(answer(), answer(_input_hash=-12))
    assert [s.document_id for s in yielded(annotated_texts.read_prodigy, text, **LINES)] == [
        "11",
        "-12",
    ]
    named = yielded(annotated_texts.read_prodigy, text, document_id="show", **LINES)
    assert [shape.document_id for shape in named] == [None, None]
    text = lines(answer(meta={"name": "a"}), answer(_input_hash=12, meta={"name": "b"}))
    named = yielded(annotated_texts.read_prodigy, text, document_field="meta.name", **LINES)
    assert [shape.document_id for shape in named] == ["a", "b"]


def test_tokens_are_those_of_prodigy() -> None:
    tokens = [{"start": start, "end": end} for start, end in ((0, 3), (3, 4), (4, 5), (5, 9))]
    text = lines(answer(tokens=tokens, spans=[{"start": 0, "end": 3}, {"start": 3, "end": 9}]))
    (shape,) = yielded(annotated_texts.read_prodigy, text, text_units="tokens")
    assert (shape.length, spans_of(shape)) == (3, [(0, 1), (1, 3)])


def test_prodigy_has_spans_of_audio() -> None:
    spans = [{"start": 0, "end": 1.0005, "label": "T"}]
    record = {"audio": "a.wav", "audio_spans": spans, "answer": "accept", "_annotator_id": "anna"}
    (shape,) = yielded(annotated_texts.read_prodigy, lines(record))
    assert (shape.unit, shape.length, spans_of(shape)) == ("millisecond", None, [(0, 1000.5)])


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ([], "x:2: the line is []; expected an object"),
        (answer(answer=None), "x:2: the line has no answer"),
        (answer(text=""), "x:2: text is"),
        (answer(spans={}) | {"spans": {"a": 1}}, "x:2: spans is"),
        (answer(spans=[5]), "x:2: spans[0] is 5; expected an object"),
        (answer(spans=[{"start": 1}]), "x:2: a span has no end"),
        (answer(spans=[{"start": 5, "end": 2}]), "x:2: a span ends at 2, before its start 5"),
        (answer(spans=[{"start": 5, "end": 20}]), "x:2: a span from 5 to 20"),
        (answer(audio_spans=[{"start": "x", "end": 2}]), "x:2: x is not a time"),
        (answer(_annotator_id={}), "x:2: _annotator_id is {}"),
    ],
)
def test_prodigy_refuses(record: object, message: str) -> None:
    refuses(annotated_texts.read_prodigy, lines(answer(), record), message, **LINES)


@pytest.mark.parametrize("read", [annotated_texts.read_doccano, annotated_texts.read_prodigy])
def test_text_needs_a_unit(read: Reader) -> None:
    refuses(read, lines(example() | answer()), "x:1: ", "--text-units")
    refuses(read, '{"text": "On', "x:1: not JSON", "cut")
