"""ELAN and Praat: tiers, coders, times, and what is refused."""

from typing import Any

import pytest

from segscore.pipeline.importing.formats import elan, textgrid
from segscore.pipeline.importing.shapes import Intervals, Marks
from tests.support.format_readers import notes_of, refuses, spans_of, starts_of, yielded

SLOTS = """<TIME_ORDER>
<TIME_SLOT TIME_SLOT_ID="a" TIME_VALUE="0"/>
<TIME_SLOT TIME_SLOT_ID="b" TIME_VALUE="4200"/>
<TIME_SLOT TIME_SLOT_ID="c"/>
</TIME_ORDER>"""


def annotation(first: str, last: str) -> str:
    slots = f'TIME_SLOT_REF1="{first}" TIME_SLOT_REF2="{last}"'
    return f"<ANNOTATION><ALIGNABLE_ANNOTATION {slots}/></ANNOTATION>"


def tier(name: str, more: str = "", inside: str | None = None) -> str:
    inside = annotation("a", "b") if inside is None else inside
    return f'\n<TIER TIER_ID="{name}" {more}>{inside}</TIER>'


def eaf(tiers: str, header: str = "", slots: str = SLOTS) -> str:
    root = "ANNOTATION_DOCUMENT"
    return f"<{root}><HEADER {header} TIME_ORIGIN='5'/>\n{slots}{tiers}</{root}>"


def test_elan_times_are_milliseconds_and_stay_as_they_are() -> None:
    (shape,) = yielded(elan.read, eaf(tier("t")))
    assert spans_of(shape) == [(0, 4200)]
    assert shape.length is None
    assert shape.segments[0].end.text == "4200"


@pytest.mark.parametrize(
    ("more", "options", "coder"),
    [
        ('ANNOTATOR="anna" PARTICIPANT="p"', {"coder": "x"}, "anna"),
        ('ANNOTATOR="" PARTICIPANT="p"', {"coder": "x"}, "p"),
        ("", {"coder": "x"}, None),
        ("", {}, "t"),
        ("", {"coder": "x", "tier": ("t", "u")}, "t"),
    ],
)
def test_the_coder_of_a_tier(more: str, options: dict[str, Any], coder: str | None) -> None:
    tiers = tier("t", more) + (tier("u") if "tier" in options else "")
    assert yielded(elan.read, eaf(tiers), **options)[0].coder == coder


def test_tiers_of_one_coder_are_levels_in_the_order_asked_for() -> None:
    by_anna = 'ANNOTATOR="anna"'
    text = eaf(tier("small", by_anna) + tier("large", by_anna) + tier("other"))
    refuses(
        elan.read,
        text,
        "x:7: the tiers large, small are all by anna: are they levels",
        "--levels",
        tier=("large", "small"),
    )
    (shape,) = yielded(elan.read, text, tier=("large", "small"), levels=True)
    assert [(segment.level, segment.line) for segment in shape.segments] == [(1, 8), (2, 7)]
    assert notes_of(elan.read, text, tier=("large", "small"), levels=True) == {
        "tiers_not_taken": ["other"]
    }


def test_a_pattern_takes_the_coder_from_the_name_of_the_tier() -> None:
    text = eaf(tier("topics@ann", 'ANNOTATOR="x"') + tier("notes") + tier("topics@ben"))
    shapes = yielded(elan.read, text, tier=("topics@*",))
    assert [shape.coder for shape in shapes] == ["ann", "ben"]
    assert notes_of(elan.read, text, tier=("topics@*",)) == {"tiers_not_taken": ["notes"]}


def test_a_file_need_not_have_every_tier() -> None:
    shapes = yielded(elan.read, eaf(tier("ann") + tier("x")), tier=("ben", "ann"))
    assert [shape.coder for shape in shapes] == ["ann"]


def test_several_coders_have_the_length_of_the_longest() -> None:
    slots = SLOTS.replace(
        "</TIME_ORDER>", '<TIME_SLOT TIME_SLOT_ID="e" TIME_VALUE="5000"/></TIME_ORDER>'
    )
    assert slots != SLOTS
    text = eaf(tier("ann") + tier("ben", inside=annotation("b", "e")), slots=slots)
    shapes = yielded(elan.read, text, tier=("*",))
    assert [shape.length for shape in shapes] == [5000, 5000]


def test_elan_refuses() -> None:
    read = elan.read
    refuses(read, eaf(tier("t") + tier("u")), "t, u", "--tier")
    refuses(read, eaf(tier("t") + tier("u")), "no tier is named x", "t, u", tier=("x",))
    refuses(read, eaf(tier("t") + tier("t")), "more than one tier is named t", tier=("t",))
    refuses(read, eaf(""), "the file contains no tier")
    refuses(read, eaf(tier("t", inside=annotation("a", "z"))), "x:7: no time slot z")
    refuses(read, eaf(tier("t", inside=annotation("a", "c"))), "x:7: time slot c has no time")
    refuses(read, eaf(tier("t", inside="<REF_ANNOTATION/>")), "x:7: tier t refers")
    refuses(read, eaf(tier("t"), 'TIME_UNITS="PAL-frames"'), "x:1: TIME_UNITS is PAL-frames")
    refuses(read, eaf(tier("t"), slots=SLOTS.replace("4200", "4 s")), "x:7: ", "4 s")
    refuses(read, eaf(tier("t"))[:200], "not XML")
    refuses(read, "", "not XML")
    refuses(read, "<html/>", "x:1: the XML is html")


def test_elan_expands_no_entity() -> None:
    bomb = '<!DOCTYPE x [<!ENTITY a "1"><!ENTITY b "&a;&a;">]>\n' + eaf(tier("&b;"))
    refuses(elan.read, bomb, "x:1: DOCTYPE x")


LONG = """File type = "ooTextFile"
Object class = "TextGrid"

xmin = 1
xmax = 11 ! a comment with 7 "numbers"
tiers? <exists>
size = 2
item []:
    item [1]:
        class = "IntervalTier"
        name = "anna"
        xmin = 1
        xmax = 11
        intervals: size = 3
        intervals [1]:
            xmin = 1
            xmax = 3
            text = "a ""quoted"" 5
on two lines"
        intervals [2]:
            xmin = 3
            xmax = 5.5
            text = " "
        intervals [3]:
            xmin = 5.5
            xmax = 11
            text = "c"
    item [2]:
        class = "TextTier"
        name = "marks"
        xmin = 1
        xmax = 11
        points: size = 1
        points [1]:
            number = 4
            mark = ""
"""
SHORT = """"ooTextFile"
"TextGrid"
1 11 <exists> 2
"IntervalTier" "anna" 1 11 3 1 3 "a ""quoted"" 5
on two lines" 3 5.5 " " 5.5 11 "c"
"TextTier" "marks" 1 11 1 4 ""
"""
CHRONOLOGICAL = """"Praat chronological TextGrid text file"
1 11   ! Time domain.
2   ! Number of tiers.
"IntervalTier" "anna" 1 11
"TextTier" "marks" 1 11
1 1 3
"a"
1 3 5.5
""
2 4
""
1 5.5 11
"c"
"""
ALL: dict[str, Any] = {"tier": ("anna", "marks")}


@pytest.mark.parametrize("text", [LONG, SHORT, CHRONOLOGICAL])
def test_three_forms_are_one_textgrid(text: str) -> None:
    for content in (text, text.encode("utf-16"), text.replace("\n", "\r\n")):
        intervals, marks = yielded(textgrid.read, content, **ALL)
        assert isinstance(intervals, Intervals)
        assert isinstance(marks, Marks)
        assert (intervals.coder, marks.coder) == ("anna", "marks")
        assert spans_of(intervals) == [(0, 2000), (4500, 10000)]
        assert starts_of(marks) == [3000]
        assert intervals.length == marks.length == 10000
        assert intervals.segments[1].start.text == "5.5"
    assert notes_of(textgrid.read, text, tier=("anna",)) == {"tiers_not_taken": ["marks"]}


def test_lines_of_a_textgrid() -> None:
    intervals, marks = yielded(textgrid.read, LONG, **ALL)
    assert [segment.line for segment in intervals.segments] == [16, 25]
    assert [mark.line for mark in marks.marks] == [35]


def test_intervals_without_text_are_segments_if_none_has_text() -> None:
    text = SHORT.replace('"a ""quoted"" 5\non two lines"', '""').replace('"c"', '" "')
    assert len(yielded(textgrid.read, text, tier=("anna",))[0].segments) == 3


def test_one_tier_is_by_the_coder_asked_for() -> None:
    assert yielded(textgrid.read, SHORT, tier=("anna",), coder="x")[0].coder is None
    assert [s.coder for s in yielded(textgrid.read, SHORT, coder="x", **ALL)] == ["anna", "marks"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "3 5.5",
            "3.5 5.5",
            "x:5: an interval of anna starts at 3.5, but the one before it ends at 3",
        ),
        ('11 "c"', '11 "c" 11 12 "d"', "x:5: found"),
        ("1 11 3 1", "1 11 4 1", "is expected: a time"),
        ('1 4 ""\n', "1 4", "the file ends where a text in quotes is expected"),
        ('1 4 ""\n', '1 4 "', "the file ends where a text in quotes is expected"),
        ('1 4 ""\n', '1 4 "" 7', "there is more than the sizes above say"),
        ("1 11 1 4", "1 11 1.5 4", "1.5 is not the number of intervals or points of a tier"),
        ("1 11 1 4", "1 11 1 0.5", "x:6: 0.5 is before the TextGrid's xmin"),
        ('"TextTier"', '"Table"', "x:6: the tier is Table; expected IntervalTier or TextTier"),
        ('"TextGrid"', '"Sound"', "x:2: the object is not a TextGrid"),
        (
            "<exists> 2",
            "<exists> 99999999999",
            "x:3: 99999999999 is too large for the number of tiers",
        ),
        ("1 11 <exists>", "11 1 <exists>", "x:3: xmax is 1; expected more than xmin, 11"),
        ("<exists> 2", "<absent>", "the file contains no tier"),
        ("1 11 <exists>", "1 eleven <exists>", "where a number is expected: xmax"),
        ("5.5 11", "5.5 -11", "x:5: -11 is a negative time"),
    ],
)
def test_textgrid_refuses(old: str, new: str, message: str) -> None:
    assert old in SHORT
    refuses(textgrid.read, SHORT.replace(old, new), message, **ALL)


def test_other_refusals_of_textgrids() -> None:
    refuses(textgrid.read, SHORT, "anna, marks", "--tier")
    refuses(textgrid.read, SHORT, "no tier is named ben", "anna, marks", tier=("ben",))
    refuses(textgrid.read, b"ooBinaryFile\x08TextGrid\xff", "Save as text file")
    refuses(textgrid.read, CHRONOLOGICAL.replace("2 4\n", "3 4\n"), "x:10: no tier 3")
    refuses(textgrid.read, "", "the file ends")
    refuses(textgrid.read, "hello", "the file ends")
