"""Damaged chapter lists, texts and labels: a reader refuses them or gives rows, nothing else."""

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from segscore.pipeline.errors import Refused
from segscore.pipeline.importing.formats import (
    chapter_json,
    chapter_texts,
    labels,
    subtitles,
    texts,
)
from tests.support.reading import Reader, converted, damaged

CHAPTER = {"time_base": "1/1000", "start": 0, "end": 5}
PODCAST = {"startTime": 0, "endTime": 5.5, "toc": False}
DIALOGUE = {"dial_id": "a", "turns": [{"segmentation_label": flag} for flag in (0, 1, 0)]}
TEXTS = (texts.read_choi, texts.read_paragraphs, texts.read_wiki727k, labels.read)
GOOD: dict[str, tuple[Reader, str, dict[str, Any]]] = {
    "webvtt": (
        subtitles.read_webvtt,
        "WEBVTT\n\nNOTE a\n\n00:00.000 --> 00:10.500 align:start\nOne\n\n"
        "1\n00:00:10.500 --> 01:00:11.000\nTwo\n",
        {},
    ),
    "subrip": (
        subtitles.read_subrip,
        "1\n00:00:00,000 --> 00:00:10,500\nOne\n\n2\n00:00:10,500 --> 00:01:00,001\nTwo\n",
        {},
    ),
    "ffmetadata": (
        chapter_texts.read_ffmetadata,
        ";FFMETADATA1\ntitle=a\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=44\ntitle=x\\\ny\n[STREAM]\n",
        {},
    ),
    "ffprobe": (
        chapter_json.read_ffprobe,
        json.dumps({"chapters": [CHAPTER], "format": {"filename": "a.b", "duration": "2.5"}}),
        {},
    ),
    "youtube": (chapter_texts.read_youtube, "Hello\n0:00 a\n- (1:05) b\n1:01:05.5 c\n", {}),
    "ogm": (
        chapter_texts.read_ogm,
        "CHAPTER01=00:00:00.000\nCHAPTER01NAME=a\nCHAPTER02=00:00:05.000\n",
        {},
    ),
    "podcast": (
        chapter_json.read_podcasting,
        json.dumps({"chapters": [PODCAST, PODCAST | {"toc": True}], "fileName": "a.mp3"}),
        {},
    ),
    "vidchapters": (
        chapter_json.read_vidchapters,
        '{"a": {"duration": 9, "chapters": [{"time": 0.5}]}, "b": {"duration": 60, "chapters": '
        '{"00:00:00": "x"}}, "c": {"duration": 60.2, "timestamps": [[0, 1.5], [1.5, 60]]}}',
        {},
    ),
    "chunkseg": (
        chapter_json.read_chunkseg,
        '{"id": "v", "reference": [1, 2.5], "hypothesis": [], "duration": 9}\n',
        {"system": "s"},
    ),
    "yt_dlp": (
        chapter_json.read_yt_dlp,
        '{"id": "v", "duration": 9.5, "chapters": [{"start_time": 0, "end_time": 1.5}]}',
        {},
    ),
    "wiki727k": (
        texts.read_wiki727k,
        "========,1,a.\nb c\n========,2,d, e.\nf\n",
        {"levels": True},
    ),
    "choi": (texts.read_choi, "==========\na b\n==========\nc\n", {}),
    "paragraphs": (texts.read_paragraphs, "a b\nc\n\nd\n", {}),
    "flags": (labels.read, '{"y": [0, 1, 1.0, true]}\n' * 2, {"flags": "y", "marks": "end"}),
    "ids": (labels.read, '[{"id": 1, "y": ["a", 2, 2.5]}]', {"ids": "y"}),
    "sizes": (labels.read, '{"d": {"e": [{"y": [3, 4]}]}}', {"sizes": "y", "records": "d.e"}),
    "dialogues": (labels.read, json.dumps({"dial_data": {"b": [DIALOGUE]}}), {}),
}  # fmt: skip


@pytest.mark.parametrize("name", GOOD)
@given(st.data())
def test_damaged(name: str, data: st.DataObject) -> None:
    read, text, options = GOOD[name]
    length = None if read in TEXTS else 10**7
    assert converted(read, text, "f.x", length, coder="a", **options)
    content = data.draw(damaged(text.encode()))
    with suppress(Refused):
        for row in converted(read, content, "f.x", length, coder="a", **options):
            assert row.row.n_units is not None
            positions = row.row.boundaries or ()
            assert all(position and 0 < position < row.row.n_units for position in positions)
