"""Files of published test sets: TIAGE, QMSum, WikiSection and ICSI."""

import json
from typing import Any

import pytest

from segscore.pipeline.importing.formats import published_sets
from segscore.pipeline.importing.open_input import detect
from tests.support.format_readers import refuses, spans_of, starts_of, yielded
from tests.support.reading import converted, import_settings


def meeting(*spans: object, turns: int = 10, **changes: Any) -> str:
    topics = [{"topic": "t", "relevant_text_span": one} for one in spans]
    said = [{"speaker": "s", "content": "c"}] * turns
    return json.dumps({"topic_list": topics, "meeting_transcripts": said} | changes)


def article(*sections: tuple[object, ...], text: object = "ab\ncd\nef\ngh", **more: Any) -> str:
    names = ("begin", "length", "sectionHeading")
    annotations = [dict(zip(names, section, strict=True)) for section in sections]
    return json.dumps([{"id": 7, "text": text, "annotations": annotations} | more])


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a.json", '{"1": [["a", "-1"], ["b", "1"]]}', "tiage"),
        ("a.json", '\ufeff{"1": [], "2": [["a: \\"b\\" [", "2"', "tiage"),
        ("a.json", meeting([]), "qmsum"),
        ("a.jsonl", meeting([]) + "\n", "qmsum"),
        ("a.json", article((0, 3, "A")), "wikisection"),
        ("a.json", '[{"annotations": [{"sectionLabel": "a"}]}]', "wikisection"),
        ("a.json", '[{"annotations": [{"result": []}]}]', "label-studio"),
        ("a.ref", "\n0.000\tcut\n5", "icsi"),
        ("a.ref", "18.5\n", "icsi"),
        ("a.ref", "==========\n0.000\tcut\n", "choi"),
        ("a.ref", "1997 was\n==========\n", "choi"),
    ],
)
def test_the_format_of_a_file(name: str, text: str, expected: str) -> None:
    assert detect(name, text, import_settings()) == expected


@pytest.mark.parametrize(("first", "sizes"), [("-1", [2, 1]), ("0", [2, 1]), ("1", [2, 1])])
def test_tiage_has_a_flag_for_each_unit(first: str, sizes: list[int]) -> None:
    text = json.dumps({"d": [["a", first], ["b", "0"], ["c", "1"]], "e": [["a", "-1"]]})
    one, two = yielded(published_sets.read_tiage, text)
    assert (one.unit, one.document_id, one.sizes) == ("turn", "d", sizes)
    assert (two.document_id, two.sizes) == ("e", [1])


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([], "x:1: d is an empty list"),
        ([["a", "-1"], ["b", "-1"]], 'x:1: d[1][1] is "-1"; expected "0" or "1"'),
        ([["a", "-1"], ["b", "2"]], 'x:1: d[1][1] is "2"'),
        ([["a", 0]], "x:1: d[0][1] is 0"),
        ([["a", None]], "x:1: d[0][1] is null"),
        ([["a"]], 'x:1: d[0] is ["a"]; expected a pair'),
        ([[5, "1"]], "x:1: d[0][0] is 5"),
        ("a", 'x:1: d is "a"; expected a list'),
    ],
)
def test_tiage_refuses(pairs: object, message: str) -> None:
    refuses(published_sets.read_tiage, json.dumps({"d": pairs}), message)


def test_qmsum_has_spans_of_turns_with_both_ends() -> None:
    text = meeting([["5", "9"]], [[3, 4], ["0", "1"], ["2", "2"]])
    (shape,) = yielded(published_sets.read_qmsum, text, "m.json")
    assert (shape.unit, shape.length, shape.document_id) == ("turn", 10, None)
    assert spans_of(shape) == [(0, 5), (5, 10)]


@pytest.mark.parametrize(
    ("spans", "gaps", "boundaries", "counted"),
    [
        ([[[0, 4]], [[5, 9]]], "join", (5,), {}),
        ([[[2, 4]], [[6, 8]]], "join", (6,), {"gaps": 3, "gap_length": 4}),
        ([[[2, 4]], [[6, 8]]], "own", (2, 5, 6, 9), {"gaps": 3, "gap_length": 4}),
        ([[[0, 6]], [[5, 9]]], "join", (5,), {"overlaps": 1, "overlap_length": 2}),
        ([[[0, 3], [7, 9]], [[4, 6]]], "join", (4, 7), {}),
        ([], "join", (), {}),
    ],
)
def test_the_boundaries_of_a_meeting(
    spans: list[object], gaps: str, boundaries: tuple[int, ...], counted: dict[str, int]
) -> None:
    (one,) = converted(published_sets.read_qmsum, meeting(*spans), "f.json", coder="x", gaps=gaps)
    assert (one.row.n_units, one.row.boundaries) == (10, boundaries)
    assert +one.counts.numbers == counted


def test_meetings_of_json_lines_are_numbered_unless_a_field_names_them() -> None:
    text = meeting(turns=1, m={"id": "a"}) + "\n\n" + meeting(turns=2, m={"id": "b"}) + "\n"
    shapes = yielded(published_sets.read_qmsum, text, "test.jsonl")
    assert [(one.document_id, one.length, one.place.line) for one in shapes] == [
        ("test/1", 1, 1),
        ("test/2", 2, 3),
    ]
    named = yielded(published_sets.read_qmsum, text, "test.jsonl", document_field="m.id")
    assert [one.document_id for one in named] == ["a", "b"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (meeting([["0", "10"]]), "ends at turn 10; the meeting has turns 0 to 9"),
        (meeting([["5", "4"]]), "ends at turn 4, before its first turn 5"),
        (meeting([["0", "x"]]), 'x:1: topic_list[0].relevant_text_span[0][1] is "x"'),
        (meeting([[-1, 4]]), "x:1: topic_list[0].relevant_text_span[0][0] is -1"),
        (meeting([[1.5, 4]]), "x:1: topic_list[0].relevant_text_span[0][0] is 1.5"),
        (meeting([[1]]), "x:1: topic_list[0].relevant_text_span[0] is [1]; expected a pair"),
        (meeting(None), "x:1: topic_list[0] has no relevant_text_span"),
        (meeting(turns=0), "x:1: meeting_transcripts is an empty list"),
        (meeting(topic_list=None), "x:1: the meeting has no topic_list"),
        (meeting()[:-9], "not JSON"),
    ],
)
def test_qmsum_refuses(text: str, message: str) -> None:
    refuses(published_sets.read_qmsum, text, message)


SECTIONS = ((0, 3, "A"), (3, 3, "B"), (6, 3, "B | b"), (9, 2, "C"))


@pytest.mark.parametrize(
    ("units", "n_units", "boundaries"),
    [("characters", 11, (3, 6, 9)), ("lines", 4, (1, 2, 3)), ("tokens", 4, (1, 2, 3))],
)
def test_sections_are_spans_of_characters(
    units: str, n_units: int, boundaries: tuple[int, ...]
) -> None:
    (one,) = converted(
        published_sets.read_wikisection, article(*SECTIONS), coder="x", text_units=units
    )
    assert (one.row.document_id, one.row.n_units, one.row.boundaries) == ("7", n_units, boundaries)
    assert not +one.counts.numbers


def test_the_first_section_may_start_later() -> None:
    (one,) = converted(
        published_sets.read_wikisection, article(*SECTIONS[1:]), coder="x", text_units="lines"
    )
    assert one.row.boundaries == (2, 3)
    assert +one.counts.numbers == {"gaps": 1, "gap_length": 1}


def test_a_heading_in_a_heading_is_a_level() -> None:
    def read(**options: Any) -> Any:
        text = article(*SECTIONS)
        (one,) = converted(
            published_sets.read_wikisection, text, coder="x", text_units="lines", **options
        )
        return one

    levels = read(levels=True)
    assert (levels.row.boundaries, levels.row.boundary_types) == ((1, 2, 3), (1, 2, 1))
    outermost = read(max_level=1)
    assert outermost.row.boundaries == (1, 3)
    assert +outermost.counts.numbers == {"deeper": 1}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (article((0, 12, "A")), "a span from 0 to 12 is not inside its text of 11 characters"),
        (article((-1, 2, "A")), "x:1: begin is -1"),
        (article((0, "2", "A")), 'x:1: length is "2"'),
        (article((0, 2, None)), "x:1: sectionHeading is null"),
        (article(text=None), "x:1: [0] has no text"),
        (article(annotations=None), "x:1: [0] has no annotations"),
        ("[]", "x:1: the file contains no articles"),
        ("{}", "x:1: the file is {}; expected a list"),
    ],
)
def test_wikisection_refuses(text: str, message: str) -> None:
    refuses(published_sets.read_wikisection, text, message, text_units="lines", levels=True)


def test_icsi_has_times_with_and_without_labels() -> None:
    text = "0.000\tcut\r\n18.980\tagenda\n\n33.248\n"
    (shape,) = yielded(published_sets.read_icsi, text)
    assert starts_of(shape) == [0, 18980, 33248]
    (one,) = converted(published_sets.read_icsi, text, "f.ref", 40000, coder="x")
    assert (one.row.n_units, one.row.boundaries) == (40000, (18980, 33248))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0.000\tcut\nagenda\t5\n", "x:2: agenda is not a time"),
        ("0.000\n-1.0\n", "x:2: -1.0 is a negative time"),
        ("\n", "x:1: the file contains no times"),
    ],
)
def test_icsi_refuses(text: str, message: str) -> None:
    refuses(published_sets.read_icsi, text, message)
