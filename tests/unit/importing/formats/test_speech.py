"""RTTM, STM, CTM, SegLST and UEM: turns of speakers, and what is refused."""

import json
import re

import pytest

from segscore.pipeline.errors import Refused
from segscore.pipeline.importing.formats import speech
from segscore.pipeline.importing.shapes import Intervals
from tests.support.format_readers import notes_of, refuses, several, spans_of, yielded
from tests.support.reading import Reader, import_settings, input_file

RTTM = several(
    [
        ";; a comment",
        "SPKR-INFO talk 1 <NA> <NA> <NA> unknown A <NA> <NA>",
        "SPEAKER talk 1 0.5 1.0005 <NA> <NA> A <NA> <NA>",
        "SPEAKER other 1 0 1 <NA> <NA> B <NA>",
        "",
        "SPEAKER talk 2 0.2 3 <NA> <NA> B <NA> <NA>",
    ]
)
STM = several(
    [
        ";; LABEL",
        "talk 1 A 0.5 12 <o,f0> words of A",
        "talk 1 inter_segment_gap 12 12.25",
        "talk 1 B 12.25 20",
    ]
)
CTM = several(["talk 1 0.5 2.75 the", "talk 2 4.5 2.75 bridge 0.9", ";; end"])
TURN = {"session_id": "talk", "speaker": "A", "start_time": "0.5", "end_time": 12.25}


def labels(shape: Intervals) -> list[tuple[str | None, int]]:
    return [(segment.label, segment.line) for segment in shape.segments]


def test_rttm_is_gathered_by_recording() -> None:
    talk, other = yielded(speech.read_rttm, RTTM)
    assert (talk.document_id, other.document_id) == ("talk", "other")
    assert spans_of(talk) == [(500, 1500.5), (200, 3200)]
    assert labels(talk) == [("A", 3), ("B", 6)]
    assert talk.turns
    assert talk.coder is talk.length is None
    assert notes_of(speech.read_rttm, RTTM) == {"lines_not_taken": 2}


def test_stm_has_ends() -> None:
    (talk,) = yielded(speech.read_stm, STM)
    assert spans_of(talk) == [(500, 12000), (12250, 20000)]
    assert labels(talk) == [("A", 2), ("B", 4)]
    assert notes_of(speech.read_stm, STM) == {"lines_not_taken": 2}


def test_ctm_has_words_by_channel() -> None:
    (talk,) = yielded(speech.read_ctm, CTM)
    assert spans_of(talk) == [(500, 3250), (4500, 7250)]
    assert labels(talk) == [("1", 1), ("2", 2)]
    assert talk.turns
    assert notes_of(speech.read_ctm, CTM) == {"lines_not_taken": 1}


def test_a_ctm_of_one_channel_is_noted() -> None:
    assert notes_of(speech.read_ctm, CTM.replace("talk 2", "talk 1")) == {
        "lines_not_taken": 1,
        "one_channel": ["talk"],
    }


def test_seglst_has_times_as_text_or_number() -> None:
    text = json.dumps([TURN, TURN | {"speaker": 2, "session_id": "other"}])
    talk, other = yielded(speech.read_seglst, text)
    assert (talk.document_id, other.document_id) == ("talk", "other")
    assert spans_of(talk) == [(500, 12250)]
    assert labels(other) == [("2", 1)]
    assert talk.turns


@pytest.mark.parametrize(
    ("read", "line", "message"),
    [
        (speech.read_rttm, "SPEAKER talk 1 0.5 1", "x:2: 5 fields; expected 9 or 10"),
        (speech.read_rttm, "SPEAKER t 1 0 1 a b c d e f", "x:2: 11 fields"),
        (speech.read_rttm, "SPEAKER t 1 nan 1 <NA> <NA> A <NA>", "x:2: nan is not a time"),
        (speech.read_rttm, "SPEAKER t 1 1 -3 <NA> <NA> A <NA>", "x:2: -3 is a negative time"),
        (speech.read_rttm, "SPEAKER t 1 -1 3 <NA> <NA> A <NA>", "x:2: -1 is a negative time"),
        (speech.read_stm, "talk 1 A 0.5", "x:2: 4 fields; expected at least 5"),
        (speech.read_stm, "talk 1 A NaN 20 well", "x:2: NaN is not a time"),
        (speech.read_stm, "talk 1 A 1 Infinity well", "x:2: Infinity is not a time"),
        (speech.read_ctm, "talk 1 4.5 bridge", "x:2: 4 fields; expected at least 5"),
        (speech.read_ctm, "talk 1 4.5 -1 bridge", "x:2: -1 is a negative time"),
        (speech.read_ctm, "talk 1 * * <ALT_BEGIN>", "x:2: * is not a time"),
    ],
)
def test_lines_that_are_refused(read: Reader, line: str, message: str) -> None:
    refuses(read, f"\n{line}\n", message)


@pytest.mark.parametrize("read", [speech.read_rttm, speech.read_stm, speech.read_ctm])
def test_a_file_without_a_turn_is_refused(read: Reader) -> None:
    refuses(read, "", "the file contains no turn")
    refuses(read, ";; only a comment\n", "the file contains no turn")


def test_seglst_refuses() -> None:
    for name in TURN:
        without = {field: value for field, value in TURN.items() if field != name}
        refuses(speech.read_seglst, json.dumps([without]), f"x:1: a turn has no {name};")
        refuses(
            speech.read_seglst, json.dumps([TURN | {name: None}]), f"x:1: a turn has no {name};"
        )
        refuses(speech.read_seglst, json.dumps([TURN | {name: []}]), "x:1: ", "[]")
    refuses(speech.read_seglst, json.dumps([TURN | {"session_id": ""}]), "x:1: session_id is null")
    refuses(speech.read_seglst, json.dumps([TURN | {"end_time": True}]), "x:1: true is not a time")
    refuses(speech.read_seglst, json.dumps([TURN, 5]), "x:1: the file[1] is 5; expected an object")
    refuses(speech.read_seglst, json.dumps(TURN), "x:1: the file is", "expected a list of objects")
    refuses(speech.read_seglst, "[]", "the file contains no turn")
    refuses(speech.read_seglst, '[\n{"session_id": "ta', "x:2: not JSON", "cut")


def test_uem_states_regions() -> None:
    text = ";; comment\ntalk 1 10 60.5\ntalk 2 10.0 60.5 \n\nother 1 0 1:00\n"
    regions = speech.read_regions(input_file(text), import_settings())
    assert [(name, int(r.start), int(r.end), r.region, r.place.line) for name, r in regions] == [
        ("talk", 10000, 60500, True, 2),
        ("talk", 10000, 60500, True, 3),
        ("other", 0, 60000, True, 5),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("talk 1 0\n", "f.x:1: 3 fields; expected at least 4"),
        ("talk 1 60 0\n", "f.x:1: the region ends at 0; expected an end after its start, 60"),
        ("talk 1 5 5\n", "f.x:1: the region ends at 5"),
        ("talk 1 0 -1\n", "f.x:1: -1 is a negative time"),
        ("talk 1 0 nan\n", "f.x:1: nan is not a time"),
        (";;\n", "f.x: the file contains no region"),
    ],
)
def test_uem_refuses(text: str, message: str) -> None:
    with pytest.raises(Refused, match=re.escape(message)):
        speech.read_regions(input_file(text), import_settings())
