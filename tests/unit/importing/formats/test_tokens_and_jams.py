"""DISRPT and JAMS: what each yields and refuses."""

import json
from typing import Any

import pytest

from segscore.pipeline.importing.formats import disrpt, jams
from tests.support.format_readers import notes_of, refuses, spans_of, yielded


def token(number: str, last: str = "_") -> str:
    return "\t".join([number, "word", *"_______", last]) + "\n"


def test_units_are_tokens_and_marks_begin_segments() -> None:
    text = (
        "# global.columns = ID FORM\n# newdoc id = a = b\n# text = newdoc\n"
        + token("1", "BeginSeg=Yes|SpaceAfter=No")
        + token("2-3")
        + token("2")
        + token("3", "X=1|Seg=B-seg")
        + "\n# sent_id = 2\n"
        + token("1", "Seg=O")
        + token("1.1", "BeginSeg=Yes")
        + token("2", "Seg=B-Seg")
        + "# newdoc_id=two\n"
        + token("1")
    )
    first, second = yielded(disrpt.read, text)
    assert (first.unit, first.document_id, first.sizes) == ("token", "a = b", [2, 2, 1])
    assert (second.document_id, second.sizes, second.place.line) == ("two", [1], 13)


def test_a_file_without_names_is_one_document() -> None:
    (shape,) = yielded(disrpt.read, token("1") + token("2", "BeginSeg=Yes"))
    assert (shape.document_id, shape.coder, shape.sizes) == (None, None, [1, 1])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1\tword\t_\t_\t_\t_\n", "x:1: 6 columns; expected 10"),
        (token("1") + token("one"), 'x:2: the number of the token is "one"'),
        (token("1", "Seg=B-Conn"), 'x:1: "Seg=B-Conn" marks a connective'),
        (token("1", "X=1|Conn=B-conn"), 'x:1: "Conn=B-conn" marks a connective'),
        (token("1"), "no token begins a segment; expected BeginSeg=Yes, Seg=B-seg"),
        ("", "no token begins a segment"),
        ("# newdoc\n" + token("1", "BeginSeg=Yes"), "x:1: a document without a name"),
        (token("1", "BeginSeg=Yes") + "# newdoc id = b\n", 'x:2: "b" has no token'),
    ],
)
def test_disrpt_refuses(text: str, message: str) -> None:
    refuses(disrpt.read, text, message)


def annotation(namespace: str = "segment_open", **changes: Any) -> dict[str, Any]:
    return {
        "namespace": namespace,
        "annotation_metadata": {"annotator": {"name": "anna"}, "data_source": "desk"},
        "data": [
            {"time": 0.0, "duration": 1.0005, "value": "a", "confidence": None},
            {"time": 1.0005, "duration": 2, "value": "b", "confidence": None},
        ],
    } | changes


def document(*annotations: object, **changes: Any) -> str:
    metadata = {"title": "Song", "duration": 3.5}
    return json.dumps({"annotations": annotations, "file_metadata": metadata} | changes)


def test_jams_has_one_segmentation_for_each_annotation() -> None:
    nameless = {"annotator": {"name": ""}, "data_source": "desk"}
    text = document(
        annotation(),
        annotation("beat", data={"time": []}),
        annotation(annotation_metadata=nameless),
        annotation(annotation_metadata=nameless),
        annotation(annotation_metadata={}),
    )
    shapes = yielded(jams.read, text)
    assert [shape.coder for shape in shapes] == ["anna", "desk-1", "desk-2", None]
    assert spans_of(shapes[0]) == [(0, 1000.5), (1000.5, 3000.5)]
    assert shapes[0].length == 3500
    assert shapes[0].document_id is None
    assert notes_of(jams.read, text) == {"annotations_not_taken": ["beat"]}


def test_levels_of_jams_count_from_one() -> None:
    data = [{"time": 0, "duration": 1, "value": {"label": "a", "level": level}} for level in (0, 2)]
    (shape,) = yielded(jams.read, document(annotation("multi_segment", data=data)))
    assert [segment.level for segment in shape.segments] == [1, 3]


def test_a_namespace_can_be_named() -> None:
    text = document(annotation("segment_salami_upper"), annotation("segment_salami_lower"))
    (shape,) = yielded(jams.read, text, namespace="segment_salami_lower")
    assert shape.segments
    refuses(jams.read, text, "several namespaces", "segment_salami_upper, segment_salami_lower")
    refuses(jams.read, text, "no annotation has the namespace segment_tut", namespace="segment_tut")


def test_jams_without_a_length() -> None:
    assert yielded(jams.read, document(annotation(), file_metadata=None))[0].length is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "x:1: the file is []; expected an object"),
        ("{}", "x:1: the file has no annotations"),
        (document(), "no namespace of segments"),
        (document(annotation("beat")), "no namespace of segments; it has: beat"),
        (document({"data": []}), "x:1: an annotation has no namespace"),
        (document(annotation(data={})), "x:1: data is {}; expected a list of objects"),
        (document(annotation(data=[{"time": 0}])), "x:1: a segment has no duration"),
        (document(annotation(data=[{"time": -1, "duration": 1}])), "x:1: -1 is a negative time"),
        (document(annotation(data=[{"time": 0, "duration": -1.0}])), "x:1: -1.0 is a negative"),
        (document(annotation(annotation_metadata=5)), "x:1: annotation_metadata is 5"),
        (document(annotation(), file_metadata={"duration": "x"}), "x:1: x is not a time"),
        (
            '{"annotations": [{"namespace": "se',
            "x:1: not JSON",
        ),
    ],
)
def test_jams_refuses(text: str, message: str) -> None:
    refuses(jams.read, text, message)


@pytest.mark.parametrize("level", [-1, True, "0", 0.5, None])
def test_a_level_of_jams_is_a_whole_number(level: object) -> None:
    data = [{"time": 0, "duration": 1, "value": {"level": level}}]
    refuses(jams.read, document(annotation("multi_segment", data=data)), "x:1: level is")
