"""Audacity, Premiere and EDL: labels and markers, and what is refused."""

from fractions import Fraction
from typing import Any

import pytest

from segscore.pipeline.importing.formats import editing
from segscore.pipeline.importing.times import Clock
from tests.support.format_readers import refuses, spans_of, starts_of, yielded

AT_25: dict[str, Any] = {"clock": Clock(rate=Fraction(25))}
AT_30: dict[str, Any] = {"clock": Clock(rate=Fraction(30000, 1001))}


def test_audacity_skips_frequencies_and_keeps_the_order() -> None:
    text = "0.000000\t1.500000\ta\tb\n\\\t100.0\t200.0\n\n1.500000\t1.500000\n"
    (shape,) = yielded(editing.read_audacity, text)
    assert spans_of(shape) == [(0, 1500), (1500, 1500)]
    assert [segment.line for segment in shape.segments] == [1, 4]
    assert shape.ordered
    assert shape.length is None


def test_parts_of_music_and_shots_have_spaces() -> None:
    (song,) = yielded(editing.read_audacity, "0.0 1.5 verse one\n1.5 2.0 chorus\n")
    assert spans_of(song) == [(0, 1500), (1500, 2000)]
    (film,) = yielded(
        editing.read_audacity, "0 24\n25 99\n", clock=Clock(unit="frames", rate=Fraction(25))
    )
    assert spans_of(film) == [(0, 960), (1000, 3960)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("01a\n", 'x:1: "01a" is not a label'),
        ("\na\tb\n", "x:2: a is not a time"),
        ("-1\t0\n", "x:1: -1 is a negative time"),
        ("\\\t1\t2\n", "the file contains no label"),
        ("", "the file contains no label"),
    ],
    ids=str,
)
def test_audacity_refuses(text: str, message: str) -> None:
    refuses(editing.read_audacity, text, message)


def marker(start: str) -> str:
    return f"name\t\t{start}\t00:00:99:00\t00:00:00:00\tComment\n"


HEADER = "Markername\tBeschreibung\tIn\tOut\tDauer\tTyp\n"


def test_premiere_markers_are_points_at_their_in() -> None:
    text = (HEADER + marker("00:00:00:00") + marker("00:00:42:01") + "\n").replace("\n", "\r\n")
    (shape,) = yielded(editing.read_premiere, text.encode("utf-16"), **AT_25)
    assert starts_of(shape) == [0, 42040]
    assert [mark.line for mark in shape.marks] == [2, 3]


def test_semicolons_everywhere_are_drop_frame() -> None:
    (shape,) = yielded(editing.read_premiere, HEADER + marker("00;01;00;02"), **AT_30)
    assert shape.marks[0].start.exact == Fraction(1800 * 1001, 30)
    assert shape.marks[0].start.text == "00;01;00;02"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HEADER + "a\t\t00:00:00:00\t00:00:00:00\n", "x:2: 4 cells; expected 6"),
        ("one\ttwo\n", "x:1: 2 cells; expected 6"),
        (HEADER + marker("42.5"), 'x:2: "42.5" is not timecode'),
        (HEADER + marker("00:00:00:30"), "x:2: 00:00:00:30 is not timecode at 25"),
        (HEADER, "the file contains no marker"),
        ("", "the file contains no marker"),
    ],
)
def test_premiere_refuses(text: str, message: str) -> None:
    refuses(editing.read_premiere, text, message, **AT_25)


def event(start: str) -> str:
    return f"001  001      V     C        10:00:00:00 10:00:00:01 {start} 01:59:00:00  \n"


LOCATORS = f"""TITLE: cut
FCM: NON-DROP FRAME

{event("00:00:00:00")}* FROM CLIP NAME:  show
* LOC: 00:00:10:00 RED     ONE
*LOC: 00:00:20:12 RED
"""


def test_locators_state_their_record_timecode() -> None:
    (shape,) = yielded(editing.read_edl, LOCATORS, **AT_25)
    assert starts_of(shape) == [10000, 20480]
    assert [mark.line for mark in shape.marks] == [6, 7]


def test_markers_of_resolve_are_at_the_event_above() -> None:
    note = " |C:ResolveColorBlue |M:a |D:1\n\n"
    text = event("00:00:01:00") + note + event("00:00:02:00") + event("00:00:03:00") + note
    (shape,) = yielded(editing.read_edl, text, **AT_25)
    assert starts_of(shape) == [1000, 3000]
    assert [mark.line for mark in shape.marks] == [1, 5]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            event("00:00:00:00"),
            "the file contains no marker",
        ),
        ("", "the file contains no marker"),
        ("* LOC: 12 RED x\n", 'x:1: "12" is not timecode'),
        ("* LOC:\n", 'x:1: "" is not timecode'),
        ("* LOC: 00:00:00:30 RED\n", "x:1: 00:00:00:30 is not timecode at 25"),
        (" |C:ResolveColorBlue |M:a |D:1\n", "x:1: a marker without an event"),
    ],
)
def test_edl_refuses(text: str, message: str) -> None:
    refuses(editing.read_edl, text, message, **AT_25)


def test_timecode_needs_a_rate() -> None:
    refuses(editing.read_edl, LOCATORS, "x:6: ", "--frame-rate")
    refuses(editing.read_premiere, HEADER + marker("00:00:00:00"), "x:2: ", "--frame-rate")
