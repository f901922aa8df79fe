"""For any bytes, a reader yields shapes that convert to rows, or refuses in one line."""

import json
from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from segscore.pipeline.errors import Refused
from segscore.pipeline.importing.conversion.names import ReadFile
from segscore.pipeline.importing.formats import (
    annotated_texts,
    disrpt,
    editing,
    elan,
    jams,
    label_studio,
    speech,
    textgrid,
)
from segscore.pipeline.importing.opened_file import OpenedFile
from segscore.pipeline.importing.settings import ImportSettings
from segscore.pipeline.importing.shapes import Shape
from segscore.pipeline.importing.times import Clock, frame_rate
from tests.support.examples import examples
from tests.support.reading import Reader, convert_files, import_settings

SLOTS = '<TIME_SLOT TIME_SLOT_ID="a" TIME_VALUE="0"/><TIME_SLOT TIME_SLOT_ID="b" TIME_VALUE="9"/>'
ANNOTATION = '<ALIGNABLE_ANNOTATION TIME_SLOT_REF1="a" TIME_SLOT_REF2="b"/>'
REGION = {"from_name": "a", "to_name": "text", "type": "labels"}
TURN = {"start": "0", "end": "1", "startOffset": 0, "endOffset": 2}
TASKS = [
    {
        "data": {"text": "One.\nTwo.", "document_id": "d", "talk": [{"text": "a"}, {"text": "bc"}]},
        "annotations": [{"completed_by": {"id": 4}, "result": [REGION | {"value": value}]}],
        "predictions": [{"model_version": "m", "result": []}, 3],
    }
    for value in ({"start": 0, "end": 4, "text": "One."},)
]
AUDIO = REGION | {"original_length": 9.5, "value": {"start": 0.0, "end": 4.25, "channel": 0}}
DIALOGUE = REGION | {"to_name": "talk", "type": "paragraphlabels", "value": TURN}
LABELS = {"text": "One.\nTwo.", "label": [[0, 4, "T"], [5, 9, "T"]], "id": 1}
ANSWER = {
    "text": "One.\nTwo.",
    "tokens": [{"start": 0, "end": 4}, {"start": 5, "end": 9}],
    "spans": [{"start": 0, "end": 4}],
    "answer": "accept",
    "_annotator_id": "anna",
}
SEGMENTS = {
    "namespace": "segment_open",
    "annotation_metadata": {"annotator": {"name": ""}, "data_source": "d"},
    "data": [{"time": 0.5, "duration": 1e0, "value": {"level": 1}}],
}
WORD = "1\ta\t_\t_\t_\t_\t_\t_\t_\tBeginSeg=Yes\n"


def with_region(region: object) -> str:
    return json.dumps([TASKS[0] | {"annotations": [{"completed_by": 1, "result": [region]}]}])


FILES: list[tuple[Reader, str]] = [
    (label_studio.read, json.dumps(TASKS)),
    (label_studio.read, with_region(AUDIO)),
    (label_studio.read, with_region(DIALOGUE)),
    (annotated_texts.read_doccano, json.dumps(LABELS)),
    (annotated_texts.read_prodigy, json.dumps(ANSWER)),
    (
        elan.read,
        f'<ANNOTATION_DOCUMENT>{SLOTS}<TIER TIER_ID="t">{ANNOTATION}</TIER></ANNOTATION_DOCUMENT>',
    ),
    (
        textgrid.read,
        '"ooTextFile"\n"TextGrid"\n0 9 <exists> 1\n"IntervalTier" "a" 0 9 2\n0 4 "b" 4 9 ""\n',
    ),
    (
        textgrid.read,
        '"Praat chronological TextGrid text file"\n0 9 ! x\n1\n"TextTier" "a" 0 9\n1 4 "b"\n',
    ),
    (speech.read_rttm, "SPEAKER talk 1 0.5 1 <NA> <NA> A <NA> <NA>\n"),
    (speech.read_stm, "talk 1 A 0.5 12 words\ntalk 1 inter_segment_gap 12 13\n"),
    (speech.read_ctm, "talk 1 0.5 2.75 the\ntalk 2 4.5 2.75 bridge\n"),
    (
        speech.read_seglst,
        '[{"session_id": "talk", "speaker": "A", "start_time": "0.5", "end_time": 12.25}]',
    ),
    (disrpt.read, f"# newdoc id = a\n{WORD}{WORD}\n# newdoc_id = b\n{WORD}"),
    (jams.read, json.dumps({"annotations": [SEGMENTS], "file_metadata": {"duration": 3.5}})),
    (editing.read_audacity, "0.000000\t1.500000\ta\n\\\t1\t2\n1.500000\t2.0\tb\n"),
    (
        editing.read_premiere,
        "a\tb\tc\td\te\tf\nx\t\t00:00:01:00\t00:00:01:00\t00:00:00:00\tComment\n",
    ),
    (
        editing.read_edl,
        "001  1  V  C  00:00:00:00 00:00:00:01 00:00:01:00 00:00:01:01\n |C:Blue |M:a\n",
    ),
    (editing.read_edl, "* LOC: 00:00:10:00 RED ONE\n"),
]
PIECES = [
    *(b"null", b"true", b"-1", b"[]", b"{}", b'""', b'"', b"\\ud800", b"1e999", b"[[[["),
    *(b"0e-99999999999999999999", b"9" * 30, b"NaN", b"\xff", b"\x00", b"\n", b"\t", b" ", b"<"),
    *(b"<!DOCTYPE a>", b"!", "😀".encode(), "\u2028".encode(), "\u0663".encode(), b"&#0;"),
]


@st.composite
def damaged(draw: st.DrawFn, content: bytes) -> bytes:
    """A content after some cuts, and pieces and bytes in wrong places."""
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(content)))
        end = draw(
            st.one_of(st.just(len(content)), st.integers(start, min(start + 9, len(content))))
        )
        piece = draw(st.one_of(st.sampled_from(PIECES), st.binary(max_size=2)))
        content = content[:start] + piece + content[end:]
    return content


def as_regions(file: OpenedFile, options: ImportSettings) -> Iterable[Shape]:
    assert all(region.end > region.start for _, region in speech.read_regions(file, options))
    return ()


@pytest.mark.parametrize(
    ("read", "text"), [*FILES, (as_regions, ";; x\ntalk 1 0 60\nother 1 0 1:00\n")]
)
@settings(max_examples=examples(60), deadline=None)
@given(st.data())
def test_nothing_but_rows_and_refusals(read: Reader, text: str, data: st.DataObject) -> None:
    content = data.draw(damaged(text.encode()))
    unit = data.draw(st.sampled_from(["lines", "tokens", "characters"]))
    options = import_settings(coder="x", text_units=unit, clock=Clock(rate=frame_rate("29.97")))
    file = OpenedFile("f.x", content)
    try:
        converted = convert_files([ReadFile(file, list(read(file, options)), ())], options, {})
    except Refused as refused:
        message = str(refused)
        assert message.encode()
        assert message.startswith("f.x:")
        assert "\n" not in message
    else:
        for one in converted:
            assert one.row.n_units is not None
            assert one.row.boundaries is not None
            positions = [position or 0 for position in one.row.boundaries]
            assert all(0 < position < one.row.n_units for position in positions)


@pytest.mark.parametrize(("read", "text"), FILES)
def test_undamaged_files_are_read(read: Reader, text: str) -> None:
    options = import_settings(text_units="lines", clock=Clock(rate=frame_rate("25")))
    assert list(read(OpenedFile("f.x", text.encode()), options))
