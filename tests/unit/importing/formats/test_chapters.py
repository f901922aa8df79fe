"""Chapter lists: WebVTT, SubRip, ffmetadata, ffprobe, YouTube, OGM, Podcasting and others."""

import json
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from segscore.pipeline.errors import Refused
from segscore.pipeline.importing.formats import chapter_json, chapter_texts, subtitles
from segscore.pipeline.importing.shapes import Intervals, Marks
from segscore.pipeline.importing.times import Clock
from tests.support.reading import (
    Reader,
    Row,
    chapters_of,
    converted,
    import_settings,
    input_file,
    refusal_of,
    shapes_of,
)

STARTS = st.lists(st.integers(0, 10**7), min_size=1, max_size=6, unique=True).map(sorted)


def chapters(read: Reader, text: str, **options: Any) -> list[Row]:
    """The chapters of a file with one list of them."""
    (shape,) = shapes_of(read, text, **options)
    return chapters_of(shape)


def clock(time: int, point: str = ".") -> str:
    """Milliseconds as clock text."""
    seconds, rest = divmod(time, 1000)
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}{point}{rest:03}"


class TestWebVTT:
    """Cues are chapters."""

    def test_cues_with_names_settings_and_two_lines(self) -> None:
        text = (
            "WEBVTT - Lecture\nKind: chapters\n\nintro\n00:00.000 --> 00:10.500 align:start\nOne\n"
            "more\n\n1\n100:00:10.500\t-->\t100:00:11.000\nTwo\n"
        )
        late = 360_010_500
        assert chapters(subtitles.read_webvtt, text) == [
            (0, 10500, 5, 1),
            (late, late + 500, 10, 1),
        ]
        (shape,) = shapes_of(subtitles.read_webvtt, text)
        assert isinstance(shape, Intervals)
        assert shape.ordered
        assert shape.length is None
        assert [segment.start.text for segment in shape.segments] == ["00:00.000", "100:00:10.500"]

    @pytest.mark.parametrize(
        "block", ["NOTE\na\nb", "NOTE a --> b", "STYLE\n::cue {}", "REGION\nid:a"]
    )
    def test_comments_styles_and_regions_are_skipped(self, block: str) -> None:
        text = f"WEBVTT\n\n{block}\n\n00:00.000 --> 00:01.000\nOne\n\n{block}\n"
        assert len(chapters(subtitles.read_webvtt, text)) == 1

    def test_a_cue_below_the_header_or_another_cue_counts(self) -> None:
        text = "WEBVTT\nX: y\n00:00.000 --> 00:01.000\nOne\n00:01.000 --> 00:02.000\nTwo"
        assert [line for _, _, line, _ in chapters(subtitles.read_webvtt, text)] == [3, 5]

    def test_a_byte_order_mark_and_crlf(self) -> None:
        assert chapters(
            subtitles.read_webvtt, "\ufeffWEBVTT\r\n\r\n00:00.000 --> 00:01.000\r\nA\r\n"
        ) == [(0, 1000, 3, 1)]

    @pytest.mark.parametrize(
        ("spans", "levels"),
        [
            ([(0, 9), (9, 18), (18, 20)], [1, 1, 1]),
            ([(0, 9), (0, 4), (4, 9), (9, 12), (10, 12)], [1, 2, 2, 1, 2]),
            ([(0, 9), (1, 8), (2, 3), (4, 5), (8, 9)], [1, 2, 3, 3, 2]),
            ([(0, 4), (0, 9), (4, 9)], [2, 1, 2]),  # the outer cue is below its first part
            ([(0, 5), (4, 9)], [1, 1]),  # an overlap is not a level
            ([(0, 9), (1, 5), (4, 8), (6, 7)], [1, 2, 2, 3]),
            ([(0, 9), (0, 9)], [1, 2]),
            ([(0, 9), (9, 9)], [1, 1]),
        ],
    )
    def test_a_cue_within_another_is_a_level_deeper(
        self, spans: list[tuple[int, int]], levels: list[int]
    ) -> None:
        cues = [f"{clock(1000 * start)} --> {clock(1000 * end)}\na" for start, end in spans]
        read = chapters(subtitles.read_webvtt, "\n\n".join(["WEBVTT", *cues]))
        assert [level for _, _, _, level in read] == levels

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("", 'f.x:1: the first line is ""; expected WEBVTT'),
            ("WEBVTTX\n", "f.x:1: the first line is "),
            (" WEBVTT\n", "f.x:1: the first line is "),
            ("WEBVTT\n\nNOTE\nnothing", "f.x:1: no chapters"),
            ("WEBVTT\n\na\nb\n", 'f.x:3: a cue without a time line is "a"; expected START --> END'),
            ("WEBVTT\n\n00:00.000 -> 00:01.000\nb\n", "f.x:3: a cue without a time line"),
            (
                "WEBVTT\n\n00:00.00 --> 00:01.000\n",
                'f.x:3: a time line is "00:00.00 --> 00:01.000"',
            ),
            ("WEBVTT\n\n00:00,000 --> 00:01,000\n", "f.x:3: a time line is"),
            ("WEBVTT\n\n0:00.000 --> 00:01.000\n", "f.x:3: a time line is"),
            ("WEBVTT\n\n1\n00:00.000 -->\n", "f.x:4: a time line is"),
            ("WEBVTT\n\n-00:01.000 --> 00:01.000\n", "f.x:3: a time line is"),
            ("WEBVTT\n\n00:00.000 --> 00:01.000\na --> b\n", "f.x:4: a time line is"),
            ("WEBVTT\n\n00:00.000 --> 00:61.000\n", "f.x:3: 00:61.000 is not a time"),
            ("WEBVTT\n\n00:60:00.000 --> 01:61:00.000\n", "f.x:3: 00:60:00.000 is not a time"),
            ("WEBVTT\n\nNOTE\n00:00.000 --> 00:01.000\n", "f.x:4: a line of a block NOTE is"),
        ],
    )
    def test_invalid_input_is_refused(self, text: str, message: str) -> None:
        assert refusal_of(subtitles.read_webvtt, text).startswith(message)

    @pytest.mark.parametrize(
        ("spans", "message"),
        [
            (
                [(0, 9), (20, 15)],
                "f.x:6: the segment ends at 00:00:15.000, before it starts at 00:00:20",
            ),
            ([(0, 9), (20, 25), (10, 15)], "f.x:9: 00:00:10.000 comes after 00:00:20.000"),
        ],
    )
    def test_times_out_of_order_are_refused(
        self, spans: list[tuple[int, int]], message: str
    ) -> None:
        cues = [f"{clock(1000 * start)} --> {clock(1000 * end)}\na" for start, end in spans]
        text = "\n\n".join(["WEBVTT", *cues])
        with pytest.raises(Refused) as caught:
            converted(subtitles.read_webvtt, text, coder="a")
        assert str(caught.value).startswith(message)

    @given(STARTS)
    def test_round_trip(self, starts: list[int]) -> None:
        ends = [*starts[1:], starts[-1] + 1]
        cues = [
            f"{clock(start)} --> {clock(end)}\na" for start, end in zip(starts, ends, strict=True)
        ]
        (row,) = converted(subtitles.read_webvtt, "\n\n".join(["WEBVTT", *cues]), coder="a")
        assert (row.row.n_units, row.row.boundaries) == (ends[-1], tuple(starts[1:]))


class TestSubRip:
    """Subtitles are chapters."""

    def test_subtitles(self) -> None:
        text = "1\n00:00:00,000 --> 00:00:10,500\nOne\n\n\n2\n00:00:10.500-->01:00:00.001  X1:4\n\n"
        assert chapters(subtitles.read_subrip, text) == [(0, 10500, 2, 1), (10500, 3600001, 7, 1)]

    def test_subtitles_without_a_blank_line_between_them_all_count(self) -> None:
        text = "1\n00:00:00,000 --> 00:00:01,000\nOne\n2\n00:00:01,000 --> 00:00:02,000\nTwo"
        assert [line for _, _, line, _ in chapters(subtitles.read_subrip, text)] == [2, 5]

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("", "f.x:1: no chapters"),
            ("1\n00:00:00,5 --> 00:00:01,000\n", 'f.x:2: a time line is "00:00:00,5 --> 00:00:01'),
            ("1\n00:00,500 --> 00:01,000\n", "f.x:2: a time line is"),
            ("1\n00:00:00 --> 00:00:01\n", "f.x:2: a time line is"),
            ("1\n-00:00:01,000 --> 00:00:02,000\n", "f.x:2: a time line is"),
            ("1\n00:00:00,000 --> 00:00:61,000\n", "f.x:2: 00:00:61,000 is not a time"),
            ("1\n00:00:00,000 - 00:00:01,000\na\n", 'f.x:1: a cue without a time line is "1"'),
            ("1\n00:00:00,000 --> 00:00:01,000\na\n\nb\n", "f.x:5: a cue without a time line"),
        ],
    )
    def test_invalid_input_is_refused(self, text: str, message: str) -> None:
        assert refusal_of(subtitles.read_subrip, text).startswith(message)

    @given(STARTS)
    def test_round_trip(self, starts: list[int]) -> None:
        ends = [*starts[1:], starts[-1] + 1]
        lines = [
            f"{number}\n{clock(start, ',')} --> {clock(end, ',')}\na\n"
            for number, (start, end) in enumerate(zip(starts, ends, strict=True), start=1)
        ]
        (row,) = converted(subtitles.read_subrip, "\n".join(lines), coder="a")
        assert (row.row.n_units, row.row.boundaries) == (ends[-1], tuple(starts[1:]))


class TestFfmetadata:
    """Sections [CHAPTER]."""

    HEAD = ";FFMETADATA1\n"

    def test_chapters_between_other_sections(self) -> None:
        text = (
            f"{self.HEAD}title=a\nSTART=7\n; START=8\n\n[CHAPTER]\nTIMEBASE=1/44100\nSTART=0\n"
            "END=441\ntitle=x\n[STREAM]\nSTART=9\n[CHAPTER]\nSTART=10500000\n#END=5\nstart=5\n"
        )
        assert chapters(chapter_texts.read_ffmetadata, text) == [
            (0, 10, 8, 1),
            (Fraction(21, 2), None, 14, 1),
        ]

    def test_an_escaped_line_end_continues_a_title(self) -> None:
        text = (
            f"{self.HEAD}[CHAPTER]\nSTART=0\nEND=1000000\ntitle=a\\\nSTART=5\\\\\\\n[CHAPTER]\nx=y"
        )
        assert chapters(chapter_texts.read_ffmetadata, text) == [(0, 1, 3, 1)]
        text = f"{self.HEAD}[CHAPTER]\nSTART=0\ntitle=a\\\\\n[CHAPTER]\nSTART=1000000\n"
        assert len(chapters(chapter_texts.read_ffmetadata, text)) == 2

    def test_the_start_timecode_is_taken_off(self) -> None:
        text = f"{self.HEAD}[CHAPTER]\nTIMEBASE=1/1000\nSTART=3600500\nEND=3601000"
        assert chapters(
            chapter_texts.read_ffmetadata, text, clock=Clock(start="1:00:00", unit="ms")
        ) == [(500, 1000, 4, 1)]

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("", "f.x:1: no chapters"),
            ("[CHAPTER]\nSTART=0", 'f.x:1: the first line is "[CHAPTER]"; expected ;FFMETADATA1'),
            (HEAD, "f.x:1: no chapters"),
            (f"{HEAD}[CHAPTR]\nSTART=0", 'f.x:2: the line is "[CHAPTR]"; expected KEY=VALUE'),
            (f"{HEAD}[CHAPTER]\nSTART 0", 'f.x:3: the line is "START 0"; expected KEY=VALUE'),
            (f"{HEAD}[CHAPTER]\nEND=5", "f.x:2: the chapter has no START"),
            (f"{HEAD}[CHAPTER]\nSTART=0\nSTART=1", "f.x:4: the chapter has two lines START"),
            (f"{HEAD}[CHAPTER]\nSTART=1.5", 'f.x:3: START is "1.5"; expected a whole number'),
            (f"{HEAD}[CHAPTER]\nSTART=-1", 'f.x:3: START is "-1"; expected a whole number, 0 or'),
            (f"{HEAD}[CHAPTER]\nSTART=0\nEND=", 'f.x:4: END is ""'),
            (f"{HEAD}[CHAPTER]\nTIMEBASE=1/0\nSTART=0", 'f.x:3: the time base is "1/0"'),
            (f"{HEAD}[CHAPTER]\nSTART=0\nTIMEBASE=x", 'f.x:4: the time base is "x"'),
            (
                f"{HEAD}[CHAPTER]\nEND=4\nSTART=5",
                "f.x:3: the chapter ends at 4, before its start at 5",
            ),
        ],
    )
    def test_invalid_input_is_refused(self, text: str, message: str) -> None:
        assert refusal_of(chapter_texts.read_ffmetadata, text).startswith(message)

    @given(STARTS, st.sampled_from([1, 90, 44100, 10**9]))
    def test_round_trip(self, starts: list[int], base: int) -> None:
        text = "".join(f"[CHAPTER]\nTIMEBASE=1/{base}\nSTART={start}\n" for start in starts)
        read = chapters(chapter_texts.read_ffmetadata, self.HEAD + text)
        assert [start for start, *_ in read] == [Fraction(1000 * start, base) for start in starts]


class TestFfprobe:
    """Chapters of a media file."""

    ONE = {"time_base": "1/1000", "start": 0, "end": 5, "start_time": "9"}  # noqa: RUF012

    def test_a_file(self) -> None:
        chapter = {"time_base": "1/3", "start": 1}
        about = {"filename": "C:\\films\\a.b.mkv", "duration": "2.0005"}
        text = json.dumps({"chapters": [self.ONE, chapter], "format": about})
        (shape,) = shapes_of(chapter_json.read_ffprobe, text)
        assert chapters_of(shape) == [(0, 5, 1, 1), (Fraction(1000, 3), None, 1, 1)]
        assert (shape.document_id, shape.length) == ("a.b", Fraction(4001, 2))

    @pytest.mark.parametrize("about", [{}, {"format": None}, {"format": {}}])
    def test_without_show_format(self, about: dict[str, object]) -> None:
        (shape,) = shapes_of(
            chapter_json.read_ffprobe, json.dumps({"chapters": [self.ONE], **about})
        )
        assert (shape.document_id, shape.length) == (None, None)

    @pytest.mark.parametrize(
        ("document", "message"),
        [
            ([], "the file is []; expected an object"),
            ({"streams": []}, 'the file has no chapters; it has "streams"'),
            ({"chapters": []}, "no chapters"),
            ({"chapters": {}}, "chapters is {}; expected a list"),
            ({"chapters": [1]}, "chapters[0] is 1; expected an object"),
            ({"chapters": [ONE | {"start": None}]}, "chapters[0] has no start; it has"),
            ({"chapters": [ONE | {"start": "0"}]}, 'chapters[0].start is "0"; expected a whole'),
            ({"chapters": [ONE | {"start": True}]}, "chapters[0].start is true"),
            ({"chapters": [ONE | {"start": -5}]}, "chapters[0].start is -5; expected 0 or more"),
            ({"chapters": [ONE | {"end": 1.5}]}, "chapters[0].end is "),
            ({"chapters": [ONE | {"time_base": 5}]}, "the time base is 5; expected a fraction"),
            ({"chapters": [ONE], "format": []}, "format is []; expected an object"),
            ({"chapters": [ONE], "format": [1]}, "format is [1]; expected an object"),
            ({"chapters": [ONE], "format": {"duration": [1]}}, "format.duration is [1]"),
            ({"chapters": [ONE], "format": {"duration": "N/A"}}, "N/A is not a time"),
            ({"chapters": [ONE], "format": {"filename": 1.5}}, "format.filename is"),
        ],
    )
    def test_invalid_input_is_refused(self, document: object, message: str) -> None:
        assert refusal_of(chapter_json.read_ffprobe, json.dumps(document)).startswith(
            f"f.x:1: {message}"
        )


class TestYoutube:
    """Lines with times."""

    def test_lines_that_begin_with_a_time(self) -> None:
        text = (
            "Ends with 0:00\n\n- 0:00 a\n(1:05) b\n[75:00] c at 9:99\n3. 1:20:00 d\n"
            "\u25b6\ufe0f 2:00:00\n#2:00:01.5, e\n20:15:16:17 is no time\n2:1 is none\n"
        )
        file = input_file(text)
        (shape,) = chapter_texts.read_youtube(file, import_settings())
        starts = [(start // 1000, line) for start, _, line, _ in chapters_of(shape)]
        assert starts == [(0, 3), (65, 4), (4500, 5), (4800, 6), (7200, 7), (7201, 8)]
        assert file.notes.numbers == {"lines_not_taken": 3}
        assert isinstance(shape, Marks)
        assert shape.ordered

    def test_otherwise_lines_that_end_with_a_time(self) -> None:
        text = "Intro: 0:00\nA (1:00)\nB 2:00 - 3:00\nC [3:00].\nWe meet at 20:15 in the hall."
        file = input_file(text)
        (shape,) = chapter_texts.read_youtube(file, import_settings())
        assert [start for start, *_ in chapters_of(shape)] == [0, 60000, 120000, 180000]
        assert file.notes.numbers == {"lines_not_taken": 1}

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("", "f.x:1: no chapters"),
            ("We meet at 20:15 in the hall.", "f.x:1: no chapters"),
            ("0:00 a\n3:75 b", "f.x:2: 3:75 is not a time"),
            ("0:00 a\n1:75:00 b", "f.x:2: 1:75:00 is not a time"),
        ],
    )
    def test_invalid_input_is_refused(self, text: str, message: str) -> None:
        assert refusal_of(chapter_texts.read_youtube, text).startswith(message)

    def test_every_mark_is_a_boundary(self) -> None:
        (row,) = converted(chapter_texts.read_youtube, "0:10 a\n0:20 b", "f.txt", 60000, coder="a")
        assert row.row.boundaries == (10000, 20000)

    def test_times_that_go_back(self) -> None:
        with pytest.raises(Refused, match=r"^f\.txt:2: 0:20 comes after 1:00"):
            converted(chapter_texts.read_youtube, "1:00 a\n0:20 b", "f.txt", 90000, coder="a")

    @given(STARTS, st.sampled_from(["{} a", "- {}", "a {}", "a \u2013 ({})"]))
    def test_round_trip(self, starts: list[int], form: str) -> None:
        seconds = sorted({start // 1000 for start in starts})
        text = "\n".join(form.format(clock(1000 * second)[:-4]) for second in seconds)
        assert [start for start, *_ in chapters(chapter_texts.read_youtube, text)] == [
            1000 * s for s in seconds
        ]


class TestOgm:
    """CHAPTER01= and CHAPTER01NAME=."""

    def test_chapters(self) -> None:
        text = (
            "CHAPTER01=00:00:00.000\nCHAPTER01NAME=a=b\n\nchapter2 = 1:00:00,5\nCHAPTER3=2:00:00\n"
        )
        assert chapters(chapter_texts.read_ogm, text) == [
            (0, None, 1, 1),
            (3600500, None, 4, 1),
            (7200000, None, 5, 1),
        ]

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("", "f.x:1: no chapters"),
            (
                "CHAPTER01NAME=a",
                "f.x:1: CHAPTER01 has a name and no time; expected CHAPTER01= above",
            ),
            ("CHAPTER01=5", 'f.x:1: the time of CHAPTER01 is "5"; expected HH:MM:SS.fff'),
            ("CHAPTER01=0:00:61.000", "f.x:1: 0:00:61.000 is not a time"),
            (
                "CHAPTER01=0:00:00\nCHAPTER01=0:00:01",
                "f.x:2: CHAPTER01 has a time in line 1 already",
            ),
            ("CHAPTER01=0:00:00\nhello", 'f.x:2: the line is "hello"; expected CHAPTER01='),
        ],
    )
    def test_invalid_input_is_refused(self, text: str, message: str) -> None:
        assert refusal_of(chapter_texts.read_ogm, text).startswith(message)

    @given(STARTS)
    def test_round_trip(self, starts: list[int]) -> None:
        text = "".join(
            f"CHAPTER{number:02}={clock(start)}\nCHAPTER{number:02}NAME=a\n"
            for number, start in enumerate(starts, start=1)
        )
        assert [start for start, *_ in chapters(chapter_texts.read_ogm, text)] == starts


class TestPodcastChapters:
    """JSON chapters of Podcasting 2.0."""

    def test_starts_only(self) -> None:
        text = '{"chapters": [{"startTime": 0}, {"startTime": 1.0005}], "fileName": "x/a.b.mp3"}'
        (shape,) = shapes_of(chapter_json.read_podcasting, text)
        assert isinstance(shape, Marks)
        assert chapters_of(shape) == [(0, None, 1, 1), (Fraction(2001, 2), None, 1, 1)]
        assert (shape.document_id, shape.length) == ("a.b", None)

    def test_ends_and_chapters_that_are_not_in_the_contents(self) -> None:
        document = {
            "chapters": [
                {"startTime": 0, "endTime": 5, "toc": True},
                {"startTime": 2, "toc": False},
                {"startTime": 5, "toc": None},
            ]
        }
        file = input_file(json.dumps(document))
        (shape,) = chapter_json.read_podcasting(file, import_settings(clock=Clock(unit="ms")))
        assert chapters_of(shape) == [(0, 5000, 1, 1), (5000, None, 1, 1)]
        assert file.notes.numbers == {"not_in_contents": 1}
        assert shape.document_id is None

    @pytest.mark.parametrize(
        ("document", "reason"),
        [
            ({}, "the file has no chapters; it has nothing"),
            ({"chapters": []}, "no chapters"),
            ({"chapters": [{"startTime": 0, "toc": False}]}, "no chapters"),
            ({"chapters": [{"startTime": 0, "toc": 0}]}, "chapters[0].toc is 0; expected true or"),
            ({"chapters": [{"title": "a"}]}, 'chapters[0] has no startTime; it has "title"'),
            (
                {"chapters": [{"startTime": True}]},
                "chapters[0].startTime is true; expected a number",
            ),
            ({"chapters": [{"startTime": -1}]}, "-1 is a negative time"),
            ({"chapters": [{"startTime": 0, "endTime": "x"}]}, "x is not a time"),
            ({"chapters": [{"startTime": 0}], "fileName": []}, "fileName is []; expected a text"),
        ],
    )
    def test_invalid_input_is_refused(self, document: object, reason: str) -> None:
        message = refusal_of(chapter_json.read_podcasting, json.dumps(document))
        assert message.startswith(f"f.x:1: {reason}")


class TestYtDlp:
    """info.json."""

    def test_a_video(self) -> None:
        text = (
            '{"id": "v", "duration": 9.5, "chapters": [{"start_time": 0, "end_time": 1.5},'
            ' {"start_time": 1.5, "end_time": null, "title": "a"}]}'
        )
        (shape,) = shapes_of(chapter_json.read_yt_dlp, text)
        assert chapters_of(shape) == [(0, 1500, 1, 1), (1500, None, 1, 1)]
        assert (shape.document_id, shape.length) == ("v", Fraction(9500))

    @pytest.mark.parametrize(
        ("document", "message"),
        [
            ({}, "the file has no chapters; it has nothing"),
            ({"chapters": None}, "chapters is null: the recording has no chapters"),
            ({"chapters": []}, "no chapters; expected at least one chapter with a start"),
            ({"chapters": 5}, "chapters is 5; expected a list"),
            ({"chapters": [{"end_time": 5}]}, 'chapters[0] has no start_time; it has "end_time"'),
            (
                {"chapters": [{"start_time": 5}], "duration": {}},
                "duration is {}; expected a number",
            ),
            ({"chapters": [{"start_time": 5}], "id": True}, "id is true; expected a text"),
        ],
    )
    def test_invalid_input_is_refused(self, document: object, message: str) -> None:
        assert refusal_of(chapter_json.read_yt_dlp, json.dumps(document)).startswith(
            f"f.x:1: {message}"
        )


class TestVidChapters:
    """Videos by their names."""

    def test_three_forms(self) -> None:
        text = (
            '{"a": {"duration": 9, "title": "x", "chapters": [{"time": 0.5, "label": "y"}]},'
            ' "b": {"chapters": {"00:00:00": "x", "00:01:00": "y"}},'
            ' "c": {"duration": 60.25, "timestamps": [[0, 1.5], [1.5, 60]], "sentences": []}}'
        )
        shapes = shapes_of(chapter_json.read_vidchapters, text)
        assert [(shape.document_id, shape.length) for shape in shapes] == [
            ("a", Fraction(9000)),
            ("b", None),
            ("c", Fraction(60250)),
        ]
        assert [chapters_of(shape) for shape in shapes] == [
            [(500, None, 1, 1)],
            [(0, None, 1, 1), (60000, None, 1, 1)],
            [(0, 1500, 1, 1), (1500, 60000, 1, 1)],
        ]

    @pytest.mark.parametrize(
        ("document", "message"),
        [
            ({}, "the file contains no videos"),
            ({"a": 5}, "the video a is 5; expected an object"),
            ({"a": {"duration": 5}}, 'the video a has "duration"; expected either chapters or'),
            (
                {"a": {"chapters": [], "timestamps": []}},
                'the video a has "chapters", "timestamps"',
            ),
            ({"a": {"chapters": None}}, "a.chapters is null; expected a list"),
            ({"a": {"chapters": [{}]}}, "a.chapters[0] has no time; it has nothing"),
            ({"a": {"chapters": {"x": "y"}}}, "x is not a time"),
            ({"a": {"timestamps": [[1]]}}, "a.timestamps[0] is [1]; expected a pair"),
            ({"a": {"timestamps": [[1, None]]}}, "a.timestamps[0] is null; expected a number"),
        ],
    )
    def test_invalid_input_is_refused(self, document: object, message: str) -> None:
        assert refusal_of(chapter_json.read_vidchapters, json.dumps(document)).startswith(
            f"f.x:1: {message}"
        )

    @pytest.mark.parametrize("empty", [{"chapters": []}, {"chapters": {}}, {"timestamps": []}])
    def test_a_video_without_chapters_has_no_boundaries(self, empty: dict[str, object]) -> None:
        full = {"chapters": [{"time": 0}, {"time": 5}], "duration": 9}
        text = json.dumps({"f": empty, "b": full})
        (first, second) = converted(chapter_json.read_vidchapters, text, length=7000, coder="x")
        assert (first.row.n_units, first.row.boundaries) == (7000, ())
        assert (second.row.n_units, second.row.boundaries) == (9000, (5000,))
        timed = json.dumps({"f": {**empty, "duration": 6.5}})
        (only,) = converted(chapter_json.read_vidchapters, timed, coder="x")
        assert (only.row.n_units, only.row.boundaries) == (6500, ())
        with pytest.raises(Refused, match="the length of f is unknown"):
            converted(chapter_json.read_vidchapters, json.dumps({"f": empty}), coder="x")


class TestChunkseg:
    """Reference and hypothesis in a line."""

    def test_two_rows_a_line(self) -> None:
        text = (
            '{"id": "v", "reference": [1, 2.5], "hypothesis": [], "duration": 9}\n\n'
            '{"reference": [], "hypothesis": [3]}\n'
        )
        shapes = shapes_of(chapter_json.read_chunkseg, text, "x/f.jsonl", coder="a", system="b")
        assert [(s.document_id, s.coder, s.role, s.length) for s in shapes] == [
            ("v", "a", "reference", 9000),
            ("v", "b", "hypothesis", 9000),
            ("f/3", "a", "reference", None),
            ("f/3", "b", "hypothesis", None),
        ]
        assert [[start for start, *_ in chapters_of(shape)] for shape in shapes] == [
            [1000, 2500],
            [],
            [],
            [3000],
        ]

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("", "f.x:1: the file contains no lines"),
            ("\n[]", "f.x:2: the line is []; expected an object"),
            ('{"reference": []}', 'f.x:1: the line has no hypothesis; it has "reference"'),
            ('{"reference": "a", "hypothesis": []}', 'f.x:1: reference is "a"; expected a list of'),
            ('{"reference": [null], "hypothesis": []}', "f.x:1: reference[0] is null; expected a"),
            ('{"reference": [0], "hypothesis": [], "id": {}}', "f.x:1: id is {}; expected a text"),
        ],
    )
    def test_invalid_input_is_refused(self, text: str, message: str) -> None:
        assert refusal_of(chapter_json.read_chunkseg, text, system="b").startswith(message)

    def test_a_hypothesis_needs_a_coder(self) -> None:
        text = '{"reference": [], "hypothesis": []}'
        assert refusal_of(chapter_json.read_chunkseg, text, coder="a").endswith(
            "name it with --system"
        )
