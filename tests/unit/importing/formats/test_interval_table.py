"""Tables with a row for each segment, as people write them."""

from fractions import Fraction
from typing import Any

import pytest

from segscore.pipeline.errors import Refused
from segscore.pipeline.importing.formats import intervals
from segscore.pipeline.importing.formats.interval_columns import unit_of, use_of
from segscore.pipeline.importing.opened_file import OpenedFile
from segscore.pipeline.importing.shapes import Intervals
from segscore.pipeline.importing.times import Clock, frame_rate
from tests.support.reading import import_settings

HEADER = "document,coder,start,end\n"


def read(text: str, name: str = "t.csv", **asked: Any) -> list[Intervals]:
    return list(intervals.read(OpenedFile(name, text.encode()), import_settings(**asked)))


def times(text: str, **asked: Any) -> list[tuple[float, float | None]]:
    """Starts and ends in seconds."""
    return [
        (float(s.start.exact) / 1000, None if s.end is None else float(s.end.exact) / 1000)
        for shape in read(text, **asked)
        for s in shape.segments
    ]


@pytest.mark.parametrize(
    ("column", "use", "unit"),
    [
        ("Document ID", "document", None),
        ("onset", "start", None),
        ("start_ms", "start", "ms"),
        ("Start Time (seconds)", "start", "s"),
        ("Start Frame", "start", "frames"),
        ("Start Timecode", "start", None),
        ("end_frame", "end", "frames"),
        ("duration_s", "duration", "s"),
        ("systems", None, None),
        ("label_ms", None, "ms"),
        ("Überschrift", None, None),
    ],
)
def test_names(column: str, use: str | None, unit: str | None) -> None:
    assert (use_of(column), unit_of(column)) == (use, unit)


@pytest.mark.parametrize(
    "text",
    [
        HEADER + "d,a,0,1.5\nd,a,1.5,2\n",
        HEADER.replace(",", "\t") + "d\ta\t0,0\t1,5\nd\ta\t1,5\t2\n",
        HEADER.replace(",", ";") + "d;a;0;1,5\n\nd;a;1,5;2\n",
        "onset,duration,who\n0:00,0:01.5,x\n0 days 00:00:01.5,0.5,x\n",
        ",start,end\n0,0,1.5\n1,1.5,2\n",
        '{"begin": 0, "end_ms": 1500}\n{"begin": 1.5, "end_ms": 2e3}\n',
        '"start","end","no"\n0,"1.5","a\nb"\n1.5,2,""\n',
    ],
)
def test_ways_to_write_it(text: str) -> None:
    assert times(text, coder="a") == [(0, 1.5), (1.5, 2)]


def test_scenes() -> None:
    """PySceneDetect writes a line before the header, and every time three times."""
    text = (
        "Timecode List:,00:00:10.000\n"
        "Scene Number,Start Frame,Start Timecode,End Frame,End Timecode,Length (frames),"
        "Length (seconds)\n"
        "1,1,00:00:00.000,250,00:00:10.000,250,10.000\n"
    )
    chosen = {"start": "Start Timecode", "end": "End Timecode"}
    assert times(text, coder="a", skip_lines=1, columns=chosen) == [(0, 10)]
    with pytest.raises(Refused, match=r"t.csv:2: the columns Start Frame, Start Timecode all name"):
        read(text, coder="a", skip_lines=1)
    with pytest.raises(Refused, match=r"t.csv:2: 7 cells; expected 2.*--skip-lines"):
        read(text, coder="a", columns={"start": "Timecode List:"})


def test_timecode() -> None:
    clock = Clock(None, frame_rate("25"), "10:00:00:00")
    text = "coder,start,duration\na,10:00:01:05,00:00:00:20\n"
    assert times(text, clock=clock) == [(1.2, 2)]


class TestColumns:
    """What a column is for."""

    def test_attributes(self) -> None:
        text = "doc,coder,start,title,desk,by,n_units,none\nd,a,0,x,1,p,3,\nd,a,1,y,1,q,3,\n"
        text += "d,b,0,x,2,p,3,\n"
        file = OpenedFile("t.csv", text.encode())
        shapes = list(intervals.read(file, import_settings()))
        assert [shape.attributes for shape in shapes] == [{"desk": "1"}, {"desk": "2"}]
        assert file.notes.names == {"columns_not_taken": ["by", "n_units"]}
        assert [s.label for s in shapes[0].segments] == ["x", "y"]

    def test_attributes_keep_their_types(self) -> None:
        text = '{"coder": 3, "start": 0, "rate": 2.5, "year": 1997, "tags": ["x"], "live": true}'
        file = OpenedFile("t.jsonl", text.encode())
        (shape,) = intervals.read(file, import_settings())
        assert (shape.coder, shape.attributes) == ("3", {"rate": 2.5, "year": 1997, "live": True})
        assert file.notes.names == {"columns_not_taken": ["tags"]}

    def test_other_names_count_if_nothing_better_is_there(self) -> None:
        (shape,) = read("show,model,start\nx,m,0\n")
        assert (shape.document_id, shape.coder) == ("x", "m")
        (shape,) = read("show,document,model,system,start\nx,d,m,s,0\n")
        assert (shape.document_id, shape.coder) == ("d", "s")
        assert shape.attributes == {"show": "x", "model": "m"}

    def test_set_aside(self) -> None:
        text = "coder,start,end,stop\na,0,5,6\n"
        assert times(text, columns={"end": ""}) == [(0, None)]
        assert times(text, columns={"end": "stop"}) == [(0, 6)]
        with pytest.raises(Refused, match=r"t.csv:1: the columns end, stop all name the end"):
            read(text)

    def test_groups(self) -> None:
        text = "document,coder,role,start,level\n0042,a,,0,1\n7,a,hypothesis,0,2\n0042,a,,4,2.0\n"
        found = [
            (s.document_id, s.coder, s.role, len(s.segments), s.place.line) for s in read(text)
        ]
        assert found == [("0042", "a", None, 2, 2), ("7", "a", "hypothesis", 1, 3)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("coder,end\na,1\n", "t.csv:1: no start among the columns"),
        ("start,end\n0,1\n", "t.csv:1: no coder among the columns start, end"),
        (HEADER + "d,a,,1\n", "t.csv:2: the start .start. is empty"),
        (HEADER + "d,a,x,1\n", "t.csv:2: x is not a time"),
        (HEADER + "d,a,0,inf\n", "t.csv:2: inf is not a time"),
        (HEADER + "d,a,-1,1\n", "t.csv:2: -1 is a negative time"),
        (HEADER + 'd,a,"0,5",1\n', "t.csv:2: 0,5 is not a time"),
        (HEADER + "d,a,0\n", "t.csv:2: 3 cells; expected 4"),
        (HEADER + 'd,a,0,"1\n', "t.csv:2: not CSV: .*quotes"),
        (HEADER + "d,a,0,90000\n", "t.csv: the time 90000, taken as seconds, is 25 hours"),
        (HEADER, "t.csv: the file contains no segments"),
        ("coder,start,start\na,0,0\n", "t.csv:1: the column start occurs twice"),
        ("coder,start,\na,0,0\n", "t.csv:1: a column has no name"),
        ("coder,start_frame\na,0\n", "t.csv:1: the column start_frame has frames.*--frame-rate"),
        ("coder,start,level\na,0,0\n", "t.csv:2: the level is .0.; expected a whole number"),
        ("coder,start,level\na,0,x\n", "t.csv:2: the level is .x.; expected a whole number"),
        ("coder,start,role\na,0,judge\n", "t.csv:2: role is .judge.; expected"),
        ("coder,start,end,duration\na,1,2,1.1\n", "t.csv:2: the end is 2, but .* 1 . 1.1"),
        ('{"coder": "a", "start": 1, "end": true}', "t.csv:1: true is not a time"),
        ('{"coder": ["a"], "start": 1}', "t.csv:1: the coder is .*; expected a name"),
        ('{"coder": "a", "start": 1}\n[1]', "t.csv:2: the line is .1.; expected one JSON object"),
    ],
)
def test_refused(text: str, message: str) -> None:
    with pytest.raises(Refused, match=message):
        read(text)


@pytest.mark.parametrize("header", ["coder,start_frame", "coder,start_frame,duration_frames"])
def test_a_frame_is_a_whole_number(header: str) -> None:
    clock = Clock(rate=frame_rate("25"))
    row = "a,10.5" if header.count(",") == 1 else "a,10.0,10.5"
    with pytest.raises(Refused, match=r"^t.csv:2: 10.5 is not a whole number of frames"):
        read(f"{header}\n{row}\n", clock=clock)
    assert times(f"{header}\n{row.replace('.5', '.0')}\n", clock=clock)[0][0] == 0.4


def test_units_that_differ() -> None:
    with pytest.raises(Refused, match=r"t.csv:1: the column start_ms has ms .*--time-unit is s"):
        read("coder,start_ms\na,0\n", clock=Clock("s"))
    assert times(HEADER + "d,a,0,90000\n", clock=Clock("s")) == [(0, 90000)]


@pytest.mark.parametrize(
    ("header", "unit", "asked"),
    [
        ("start,end", "character", {"unit": "character"}),
        ("start_char,end_char", "character", {}),
        ("Token Start,token_end", "token", {"unit": "token"}),
        ("sentence_begin,duration", "sentence", {}),
    ],
)
def test_positions_in_a_text(header: str, unit: str, asked: dict[str, str]) -> None:
    end = "4" if "duration" in header else "7"
    (shape,) = read(f"{header}\n0,3\n3,{end}\n", coder="a", **asked)
    assert shape.unit == unit
    assert [s.start.exact for s in shape.segments] == [Fraction(0), Fraction(3)]
    assert [s.end.exact for s in shape.segments if s.end] == [Fraction(3), Fraction(7)]


def test_times_come_before_positions() -> None:
    (shape,) = read("start,end,start_char,end_char\n0,1.5,0,9\n", coder="a")
    assert shape.unit == "millisecond"
    assert [s.end.exact for s in shape.segments if s.end] == [Fraction(1500)]


@pytest.mark.parametrize(
    ("text", "asked", "message"),
    [
        ("start_char,end\n0,1.5\n", {}, '"1.5" is not a whole number of characters'),
        ("start_char,end_token\n0,1\n", {}, "the column end_token says tokens; expected one unit"),
        ("start_char,end_char\n0,1\n", {"unit": "token"}, "--unit token says tokens, the column"),
        ("start_ms,end_ms\n0,1\n", {"unit": "token"}, "the column start_ms says milliseconds"),
        ("start,end\n0,1\n", {"unit": "token", "time_unit": "ms"}, "--time-unit ms says"),
    ],
)
def test_positions_that_contradict_their_unit_are_refused(
    text: str, asked: dict[str, str], message: str
) -> None:
    with pytest.raises(Refused) as caught:
        read(text, coder="a", **asked)
    assert message in str(caught.value)


def test_whole_seconds_are_doubted_unless_something_says_seconds() -> None:
    def doubts(text: str, **asked: Any) -> int:
        file = OpenedFile("t.csv", text.encode())
        list(intervals.read(file, import_settings(coder="a", **asked)))
        return len(file.notes.doubts)

    assert doubts("start,end\n0,3\n") == 1
    assert doubts("start,end\n0,3\n", time_unit="s") == doubts("start,end\n0,3.5\n") == 0
    assert doubts("start_s,end_s\n0,3\n") == doubts("start,end\n0:00,0:03\n") == 0


@pytest.mark.parametrize(
    ("text", "is_named"),
    [
        ("document,start,end\nd,0,1\nd,1,2\n", True),
        ("document,start,end,text\nd,0,1,one\nd,1,2,one\n", True),
        ("document,start,end,who\nd,0,1,ann\nd,0,1,ben\n", False),
        ("start,end\n0,1\n", False),
    ],
)
def test_a_file_names_the_coder_where_no_column_can_be_meant(text: str, is_named: bool) -> None:
    file = OpenedFile("semantic.csv", text.encode())
    settings = import_settings(unit="character")
    if is_named:
        list(intervals.read(file, settings))
        assert file.names_coder
    else:
        with pytest.raises(Refused, match="no coder among the columns"):
            list(intervals.read(file, settings))


SHOTS = "reel,start,end\na,0,4\na,4,9\nb,0,5\n"


def test_rows_that_begin_again_name_documents() -> None:
    with pytest.raises(Refused, match=r"where reel changes.* --columns document=reel"):
        read(SHOTS, coder="x")
    assert len(read(SHOTS, coder="x", columns={"document": "reel"})) == 2
    assert len(read(SHOTS, coder="x", document_id="all")) == 1
    # Each level, or coder, begins again; and so may rows that no column tells apart.
    assert len(read("level,kind,start\n1,a,0\n1,a,9\n2,b,0\n", coder="x")) == 1
    assert len(read("coder,kind,start\nx,a,0\nx,a,9\ny,b,0\n")) == 2
    assert len(read("kind,start\na,0\na,9\na,0\n", coder="x")) == 1
    assert [s.document_id for s in read(SHOTS.replace("reel", "film"), coder="x")] == ["a", "b"]
