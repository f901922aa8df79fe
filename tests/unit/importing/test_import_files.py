"""Files of any format in an import: found, decompressed, detected and written."""

import gzip
import json
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import feather

from segscore.pipeline import storage
from segscore.pipeline.importing.formats import segmentations
from segscore.pipeline.runs import planning
from tests.support.command_line import CommandResult, Segscore
from tests.support.rows import read_rows


def gzipped(content: bytes) -> bytes:
    """Compress without the time, so that ids of tests are the same in all processes."""
    return gzip.compress(content, mtime=0)


TABLE = "document,coder,start,end\nd,anna,0,1.5\nd,anna,1.5,4\n"
MEDIA = b"\0\0\0\x20ftypM4A \0\0\0\0"


@pytest.fixture
def run(segscore: Segscore, tmp_path: Path) -> Callable[..., CommandResult]:
    def go(content: bytes | str, name: str, *options: object) -> CommandResult:
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        return segscore("import", file, "--output", tmp_path / "out", *options)

    return go


def rows(tmp_path: Path, table: str = "references") -> list[dict[str, Any]]:
    return read_rows(tmp_path / "out", table)


def zstd(text: bytes) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(text)
    return bytes(sink.getvalue())


def parquet(path: Path, **columns: Any) -> bytes:
    storage.write_table(str(path / "made.parquet"), pa.table(columns))
    return (path / "made.parquet").read_bytes()


class TestCompressed:
    """Files that are compressed, by their content."""

    @pytest.mark.parametrize(
        ("name", "content"),
        [
            ("t.csv.gz", gzipped(TABLE.encode())),
            ("t.csv.GZ", gzipped(TABLE[:30].encode()) + gzipped(TABLE[30:].encode())),
            ("t.csv.zst", zstd(TABLE.encode())),
            ("t.csv", zstd(TABLE.encode())),
            ("t.csv.gz", gzipped(TABLE.encode("utf-16"))),
        ],
    )
    def test_are_read(
        self, run: Callable[..., CommandResult], tmp_path: Path, name: str, content: bytes
    ) -> None:
        result = run(content, name)
        assert result.code == 0, result.err
        assert [row["boundaries"] for row in rows(tmp_path)] == [[1500]]

    @pytest.mark.parametrize(
        ("name", "content", "message"),
        [
            ("t.csv.gz", gzipped(TABLE.encode())[:-20], "cannot be decompressed"),
            ("t.csv.gz", gzipped(TABLE.encode())[:40], "cannot be decompressed"),
            ("t.csv.gz", gzipped(TABLE.encode()) + b"more", "cannot be decompressed"),
            ("t.csv.zst", zstd(TABLE.encode())[:-9], "cannot be decompressed"),
            ("t.csv.gz", TABLE.encode(), "is not compressed"),
            ("t.csv.gz", gzipped(MEDIA), "media file"),
        ],
    )
    def test_that_are_broken_are_refused(
        self, run: Callable[..., CommandResult], name: str, content: bytes, message: str
    ) -> None:
        result = run(content, name)
        assert (result.code, message in result.err) == (2, True), result

    def test_parquet_inside(self, run: Callable[..., CommandResult], tmp_path: Path) -> None:
        result = run(gzipped(parquet(tmp_path, start=[1])), "t.parquet.gz")
        assert (result.code, "compressed Parquet" in result.err) == (2, True)


class TestOtherKinds:
    """Files that are neither text nor a supported table."""

    @pytest.mark.parametrize(
        ("name", "content", "message"),
        [
            ("a.mp4", b"", "ffprobe"),
            ("a.bin", MEDIA, "ffprobe"),
            ("a.csv", b"RIFF\1\1\1\1WAVEfmt ", "ffprobe"),
            ("a.xlsx", b"PK\3\4", "as CSV"),
            ("a.csv", b"PK\3\4", "as CSV"),
            ("a.feather", b"", "Parquet or CSV"),
            ("a.txt", b"a\0b", "binary file"),
            ("a.unknown", b"text", "--format"),
        ],
    )
    def test_are_named(
        self, run: Callable[..., CommandResult], name: str, content: bytes, message: str
    ) -> None:
        result = run(content, name, "--coder", "x")
        assert (result.code, message in result.err, name in result.err) == (2, True, True), result

    def test_feather(self, run: Callable[..., CommandResult], tmp_path: Path) -> None:
        feather.write_feather(pa.table({"start": [1]}), str(tmp_path / "f"))
        assert "Feather" in run((tmp_path / "f").read_bytes(), "f.csv").err

    def test_a_table_of_segmentations(
        self, run: Callable[..., CommandResult], tmp_path: Path
    ) -> None:
        content = parquet(tmp_path, document_id=["d"], boundaries=[[1]])
        assert "table of segmentations already" in run(content, "t.parquet").err
        content = parquet(tmp_path, document_id=["d"], labels=[[1]])
        assert "--flags" in run(content, "t.parquet").err
        assert "which --format choi does not" in run(content, "t.parquet", "--format", "choi").err


class TestParquet:
    """Interval tables in Parquet."""

    def test_times_are_exact(self, run: Callable[..., CommandResult], tmp_path: Path) -> None:
        """1.0005 s is 1001 ms in every column type: never the nearest double times 1000."""
        columns = {
            "float64": pa.array([0, 1.0005, 4.0]),
            "float32": pa.array([0, 1.0005, 4.0], pa.float32()),
            "decimal": pa.array([Decimal(0), Decimal("1.0005"), Decimal(4)], pa.decimal128(9, 4)),
            "text": pa.array(["0", "1.0005", "0:04"]),
            "duration": pa.array(
                [timedelta(0), timedelta(microseconds=1000500), timedelta(seconds=4)],
                pa.duration("ns"),
            ),
        }
        for name, column in columns.items():
            content = parquet(tmp_path, coder=["a"] * 3, onset=column, clip=["x"] * 3)
            lengths = tmp_path / "lengths.csv"
            lengths.write_text(f"document_id,duration\n{name},0:00:05\n")
            result = run(
                content, f"{name}/{name}.parquet", "--documents", lengths, "--columns", "end="
            )
            assert result.code == 0, result.err
            (row,) = rows(tmp_path)
            assert (row["document_id"], row["boundaries"]) == (name, [1001, 4000])
            for part in ("references/references.parquet", "documents/documents.parquet"):
                (tmp_path / "out" / part).unlink()
                (tmp_path / "out" / part).parent.rmdir()

    def test_rows_are_counted_from_0(
        self, run: Callable[..., CommandResult], tmp_path: Path
    ) -> None:
        content = parquet(tmp_path, coder=["a", "a"], start=[1.0, None], end=[2.0, 3.0])
        assert "t.parquet:1: the start (start) is empty" in run(content, "t.parquet").err


class TestDocuments:
    """Lengths from elsewhere."""

    MARKS = "document,coder,start\nd,anna,1\n"

    @pytest.mark.parametrize(
        ("name", "content"),
        [
            ("l.csv", "document_id,n_units\nd,5000\n"),
            ("l.tsv", "video_id\tduration\nd\t5\n"),
            ("l.csv", "document_id;duration\nd;5,0\n"),
            ("l.csv", "file,duration_ms\nd,5000\n"),
            ("l.jsonl", '{"document_id": "d", "duration": 5.0}\n'),
            ("l.jsonl", '{"document_id": "d", "n_units": 5000, "boundaries": [1]}\n'),
        ],
    )
    def test_tables(
        self, run: Callable[..., CommandResult], tmp_path: Path, name: str, content: str
    ) -> None:
        (tmp_path / name).write_text(content)
        result = run(self.MARKS, "m.csv", "--documents", tmp_path / name)
        assert result.code == 0, result.err
        assert [row["n_units"] for row in rows(tmp_path)] == [5000]

    def test_an_earlier_import(self, run: Callable[..., CommandResult], tmp_path: Path) -> None:
        assert run(TABLE, "r.csv").code == 0
        systems = run(
            TABLE.replace("anna", "sys"),
            "h.csv",
            "--role",
            "hypothesis",
            "--documents",
            tmp_path / "out" / "references",
        )
        assert systems.code == 0, systems.err
        assert [row["n_units"] for row in rows(tmp_path, "hypotheses")] == [4000]
        schema = storage.open_parquet(str(tmp_path / "out/hypotheses/hypotheses.parquet"))
        assert schema.schema_arrow.metadata[b"segscore.unit"] == b"millisecond"

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            (TABLE, "l.csv:1: is a table of segments"),
            ("a,b\n1,2\n", "l.csv:1: has the columns"),
            ("document_id,duration\nd,5\nd,6\n", "l.csv:3: d has another length here"),
            ("document_id,n_units\nd,5.5\n", "l.csv:2: n_units is"),
            ("document_id,n_units\nd,\n", "l.csv:2: the document_id or the n_units is empty"),
            ("document_id,duration\nd,-5\n", "l.csv:2: -5 is a negative time"),
            ("document_id,duration\nd,1800040\n", "l.csv:2: a duration of 1800040 s is longer"),
        ],
    )
    def test_refused(
        self, run: Callable[..., CommandResult], tmp_path: Path, content: str, message: str
    ) -> None:
        (tmp_path / "l.csv").write_text(content)
        result = run(self.MARKS, "m.csv", "--documents", tmp_path / "l.csv")
        assert (result.code, message in result.err) == (2, True), result.err


class TestUnit:
    """The unit of files that do not state it."""

    ROW = '{"document_id": "d", "coder": "c", "n_units": 9000, "boundaries": [1500]}\n'

    def unit(self, tmp_path: Path) -> bytes | None:
        file = storage.open_parquet(str(tmp_path / "out/references/references.parquet"))
        return (file.schema_arrow.metadata or {}).get(b"segscore.unit")

    def test_is_recorded(self, run: Callable[..., CommandResult], tmp_path: Path) -> None:
        ended = run(self.ROW, "t.jsonl", "--unit", "millisecond")
        assert (ended.code, self.unit(tmp_path)) == (0, b"millisecond"), ended

    def test_is_unknown_by_default(self, run: Callable[..., CommandResult], tmp_path: Path) -> None:
        assert (run(self.ROW, "t.jsonl").code, self.unit(tmp_path)) == (0, None)

    def test_of_mixed_files(
        self, segscore: Segscore, run: Callable[..., CommandResult], tmp_path: Path
    ) -> None:
        (tmp_path / "t.jsonl").write_text(self.ROW)
        ended = run(TABLE, "t.csv", "--unit", "sentence")
        assert (ended.code, "t.csv counts milliseconds; leave" in ended.err) == (2, True), ended
        files = (tmp_path / "t.csv", tmp_path / "t.jsonl")
        ended = segscore("import", *files, "--unit", "millisecond", "--output", tmp_path / "out")
        assert (ended.code, self.unit(tmp_path)) == (0, b"millisecond"), ended


@pytest.mark.parametrize(
    ("lists", "segments"),
    [
        ([], "0"),
        ([[]], "1 row, 1 segment"),
        ([[1], [1]], "2 rows, 4 segments"),
        ([[1, 1, 2], [2]], "2 rows, 5 segments"),
    ],
)
def test_segments_are_counted(
    run: Callable[..., CommandResult], lists: list[list[int]], segments: str
) -> None:
    """A position with two types divides a document once."""
    rows = [
        {
            "document_id": f"d{number}",
            "coder": "c",
            "n_units": 9,
            "boundaries": positions,
            "boundary_types": [1 + positions[:i].count(p) for i, p in enumerate(positions)],
        }
        for number, positions in enumerate(lists)
    ]
    ended = run("".join(json.dumps(row) + "\n" for row in rows), "t.jsonl")
    if lists:
        assert ended.out.endswith(f"/references: {segments}\n"), ended
    else:
        assert "no segmentation found" in ended.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--unit", "parsec"), "--unit parsec: must be one of millisecond, second"),
        (("--gaps", "keep"), "--gaps keep: must be one of join, own"),
        (("--time-unit", "h"), "--time-unit h: must be one of s, ms, frames"),
        (("--frame-rate", "0"), "--frame-rate 0"),
        (("--start-timecode", "10:00:00:00"), "--start-timecode:1: 10:00:00:00 is timecode"),
        (("--smallest-gap", "-1"), "--smallest-gap -1: must be at least 0"),
        (("--max-level", "0"), "--max-level 0: must be at least 1"),
        (("--skip-lines", "-1"), "--skip-lines -1: must be at least 0"),
        (("--flags", "a", "--ids", "b"), "--flags and --ids"),
        (("--columns", "begin=Von"), "--columns begin=Von: begin=Von is not USE=COLUMN"),
        (("--columns", "start=Von,start=Ab"), "start=Ab repeats"),
        (("--columns", "start=Von"), "no column Von (--columns start=Von)"),
        (("--encoding", "klingon"), "--encoding klingon: is not known"),
        (("--encoding", "rot13"), "--encoding rot13: is not an encoding of text"),
        (("--coder", ""), "--coder: is empty"),
    ],
)
def test_options(run: Callable[..., CommandResult], options: tuple[str, ...], message: str) -> None:
    result = run(TABLE, "t.csv", *options)
    assert (result.code, message in result.err) == (2, True), result


SRT = "1\n00:00:01,000 --> 00:00:04,000\nGood evening\n"


@pytest.mark.parametrize(
    "option",
    [("--tier", "a"), ("--columns", "end=Bis"), ("--flags", "f"), ("--frame-rate", "25")],
    ids=" ".join,
)
def test_an_option_without_effect_is_warned_of(
    run: Callable[..., CommandResult], tmp_path: Path, option: tuple[str, str]
) -> None:
    result = run(SRT, "t.srt", "--coder", "a", *option)
    assert result.code == 0
    assert result.err == f"warning: {option[0]} has no effect on {tmp_path}/t.srt (subrip)\n"


def test_an_option_for_some_of_the_files(
    segscore: Segscore, run: Callable[..., CommandResult], tmp_path: Path
) -> None:
    assert run(SRT, "t.srt", "--coder", "a").err == ""
    (tmp_path / "t.csv").write_text("skipped\n" + TABLE)
    files = (tmp_path / "t.srt", tmp_path / "t.csv", "--coder", "a", "--skip-lines", 1)
    result = segscore("import", *files, "--levels", "--marks", "end", "--output", tmp_path / "two")
    assert result.code == 0
    shown = f"{tmp_path}/t.srt (subrip), {tmp_path}/t.csv (intervals)"
    assert result.err == f"warning: --marks has no effect on {shown}\n"


def test_the_frame_rate_of_a_start_timecode_has_an_effect(
    run: Callable[..., CommandResult],
) -> None:
    options = ("--frame-rate", 25, "--start-timecode", "00:00:00:10")
    assert run(SRT, "t.srt", "--coder", "a", *options).err == ""


def test_rows_with_positions_go_beside_segments(
    segscore: Segscore, run: Callable[..., CommandResult], tmp_path: Path
) -> None:
    """Files that give positions as they are have no unit, and give hypotheses their length."""
    reference = {"document_id": "d", "coder": "x", "n_units": 3000, "boundaries": [9]}
    (tmp_path / "a.jsonl").write_text(json.dumps(reference))
    (tmp_path / "b.csv").write_text(TABLE.replace("end\n", "end,role\n").replace("\nd", "\nd"))
    (tmp_path / "b.csv").write_text(
        "coder,role,start,end\nsys,hypothesis,0,1\nsys,hypothesis,1,4\n"
    )
    result = segscore(
        "import",
        tmp_path / "b.csv",
        tmp_path / "a.jsonl",
        "--document-id",
        "d",
        "--output",
        tmp_path / "out",
    )
    assert result.code == 0, result.err
    assert [row["n_units"] for row in rows(tmp_path, "hypotheses")] == [3000]
    assert f"{tmp_path}/b.csv: d, sys: 1 segment cut at the end of the document" in result.out
    schema = storage.open_parquet(str(tmp_path / "out/hypotheses/hypotheses.parquet")).schema_arrow
    assert b"segscore.unit" not in (schema.metadata or {})


class TestMaxRejects:
    """Bad lines and rows that are left out and listed, if there are few."""

    GOOD = '{"document_id": "d", "coder": "c", "n_units": 9, "boundaries": [1]}\n'
    BAD = '{\n{"document_id": "e", "coder": "c", "n_units": 9, "boundaries": [9]}\n'

    def test_by_default_one_bad_line_refuses_everything(
        self, run: Callable[..., CommandResult], tmp_path: Path
    ) -> None:
        ended = run(self.GOOD + self.BAD, "t.jsonl")
        assert (ended.code, "t.jsonl:2: not JSON" in ended.err) == (2, True), ended
        assert not (tmp_path / "out").exists()

    @pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
    def test_bad_lines_are_listed(
        self, run: Callable[..., CommandResult], tmp_path: Path, encoding: str
    ) -> None:
        text = self.GOOD + self.BAD + self.GOOD.replace('"d"', '"f"')
        ended = run(text.encode(encoding), "t.jsonl", "--max-rejects", 0.5)
        assert (ended.code, "2 rows rejected" in ended.err) == (0, True), ended
        assert [row["document_id"] for row in rows(tmp_path)] == ["d", "f"]
        listed = [
            (row["row"], row["rule"], row["document_id"]) for row in rows(tmp_path, "rejects")
        ]
        assert listed == [(1, "line_readable", None), (2, "boundaries_in_range", "e")]

    def test_too_many_refuse_everything(
        self, run: Callable[..., CommandResult], tmp_path: Path
    ) -> None:
        ended = run(self.GOOD + self.BAD, "t.jsonl", "--max-rejects", 0.5)
        assert (ended.code, "2 of 3 lines are bad" in ended.err) == (2, True), ended
        assert not (tmp_path / "out").exists()

    CSV = "document_id,coder,n_units,boundaries\nd,c,9,1\ne,c,many,1\ne,c,9,1,5\n"
    CSV += 'e,c,9,9999999999\n,c,9,1\ne,c,9,9\n\n"f\n2",c,9,2 4\ng,c,9,x\n'

    def test_cells_that_cannot_be_read_are_listed(
        self, run: Callable[..., CommandResult], tmp_path: Path
    ) -> None:
        ended = run(self.CSV, "t.csv", "--max-rejects", 0.75)
        assert (ended.code, "6 rows rejected" in ended.err) == (0, True), ended
        assert [row["document_id"] for row in rows(tmp_path)] == ["d", "f\n2"]
        listed = [
            (row["row"], row["rule"], row["detail"][:20]) for row in rows(tmp_path, "rejects")
        ]
        assert listed == [
            (2, "line_readable", 'n_units is "many"; e'),
            (3, "line_readable", "5 cells; expected 4,"),
            (4, "line_readable", "boundaries[0] is 999"),
            (5, "line_readable", "document_id is missi"),
            (10, "line_readable", 'boundaries[0] is "x"'),
            (6, "boundaries_in_range", "boundaries must lie "),
        ]

    def test_too_many_bad_cells_refuse_everything(
        self, run: Callable[..., CommandResult], tmp_path: Path
    ) -> None:
        ended = run(self.CSV, "t.csv", "--max-rejects", 0.7)
        assert (ended.code, "6 of 8 lines are bad" in ended.err) == (2, True), ended
        assert "t.csv:3: line_readable: n_units is" in ended.err
        assert not (tmp_path / "out").exists()


def test_an_attribute_of_several_types_is_pointed_out(
    segscore: Segscore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In rows that are read together, in blocks of a file, and in several files."""
    good = '{{"document_id": "{}", "coder": "c", "n_units": 9, "boundaries": [1], {}}}\n'.format
    listed = ["[]"] * 16 + ["[1]"] * 14
    lines = [
        good(i, f'"a": {i}, "b": {i}.5, "c": "t", "d": "{i}", "e": {listed[i]}, "f": {listed[i]}')
        for i in range(30)
    ]
    lines[17] = good(17, '"a": "none", "b": 2, "c": "7", "d": "x", "e": "x"')
    (tmp_path / "t.jsonl").write_text("".join(lines))
    (tmp_path / "u.jsonl").write_text(good("u", '"c": 5'))
    for block in (2**20, 200):
        segscore.cut(replace(planning.LIMITS, bytes_per_part=block))
        monkeypatch.setattr(segmentations, "BLOCK", block)
        storage.remove(str(tmp_path / "out"))
        ended = segscore(
            "import", tmp_path / "t.jsonl", tmp_path / "u.jsonl", "--output", tmp_path / "out"
        )
        written = "the column is written as text"
        first = f"{tmp_path}/t.jsonl:1"
        assert ended.out.splitlines()[:-2] == [
            f'{first[:-1]}18: attribute a is "none", but 0 at {first}; {written}',
            f"{first[:-1]}18: attribute b is 2, but 0.5 at {first}; {written}",
            f'{tmp_path}/u.jsonl:1: attribute c is 5, but "t" at {first}; {written}',
            f'{first[:-1]}18: attribute e is "x", but [1] at {first[:-1]}17; {written}',
        ], ended


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.srt", "", "t.srt: is empty"),
        ("t.csv", "\n \n", "t.csv: is empty"),
        ("t.dat", gzipped(b""), "t.dat: is empty"),
        ("t.jsonl", "", "t.jsonl: no segmentation found"),
        (
            "t.srt",
            "1\n00:00:00,000 --> 00:00:09,000\nHello\n",
            "t.srt:1: the file names no coder; name the coder with --coder",
        ),
        (
            "t.jsonl",
            '{"document_id": "d", "coder": "c", "n_units": 9, "boundary": [2]}',
            "t.jsonl:1: boundaries is missing (absent, empty or null); every row needs it; the "
            "nearest is boundary\n",
        ),
        (
            "t.jsonl",
            '{"id": "d", "coder": "c", "n_units": 9, "boundaries": [2]}',
            "every row needs it; if id names the document, rename it to document_id\n",
        ),
        (
            "t.jsonl",
            '{"video": "d", "boundaries": [2], "flags": [0, 1]}',
            "document_id, coder, n_units are missing; every row needs them, and this one has "
            '"video", "boundaries", "flags"; lists of labels are named with --flags, --ids or',
        ),
    ],
)
def test_what_a_file_lacks(
    run: Callable[..., CommandResult], name: str, content: bytes | str, message: str
) -> None:
    ended = run(content, name)
    assert (ended.code, message in ended.err) == (2, True), ended


def test_an_unknown_format_has_a_nearest_one(run: Callable[..., CommandResult]) -> None:
    assert "; the nearest is webvtt\n" in run("", "t.vtt", "--format", "vtt").err


TOKENS = "# newdoc id = {}\n" + "\t".join(["1", "a", *"_______", "BeginSeg=Yes"]) + "\n"
TALK = "SPEAKER {} 1 0.00 2.00 <NA> <NA> ann <NA> <NA>\n"
PRODIGY = '{"text": "a b", "answer": "accept", "spans": [], "_annotator_id": "x"}\n'


@pytest.mark.parametrize(
    ("files", "options", "place", "first"),
    [
        (
            {"a.tok": "".join(map(TOKENS.format, ("d", "e", "d")))},
            ("--coder", "x"),
            "a.tok:5",
            "a.tok:1",
        ),
        (
            {"a.tok": TOKENS.format("d"), "b.tok": TOKENS.format("d")},
            ("--coder", "x"),
            "b.tok:1",
            "a.tok:1",
        ),
        ({"a.csv": TABLE, "b.csv": TABLE}, (), "b.csv:2", "a.csv:2"),
        (
            {"a.jsonl": PRODIGY * 2},
            ("--text-units", "tokens", "--document-id", "d"),
            "a.jsonl:2",
            "a.jsonl:1",
        ),
        (
            {"a.rttm": TALK.format("t"), "b.rttm": TALK.format("t")},
            ("--coder", "x"),
            "b.rttm:1",
            "a.rttm:1",
        ),
    ],
)
def test_a_second_segmentation_of_a_document_by_one_coder_is_refused(
    segscore: Segscore,
    tmp_path: Path,
    files: dict[str, str],
    options: tuple[str, ...],
    place: str,
    first: str,
) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    output = tmp_path / "out"
    ended = segscore("import", *(tmp_path / n for n in files), "--output", output, *options)
    assert ended.code == 2, ended
    (line,) = ended.err.splitlines()
    assert line.startswith(f"segscore: error: {tmp_path / place}: a second segmentation of ")
    assert f"the first is {tmp_path / first}; " in line
    assert not output.exists()
