"""Labels per unit: flags, names and sizes of segments, by paths, in three kinds of files."""

import json
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq  # noqa: TID251
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segscore.pipeline.errors import Refused
from segscore.pipeline.importing.field_paths import field_path
from segscore.pipeline.importing.formats import labels
from segscore.pipeline.importing.formats.labels import sizes_of_flags, sizes_of_ids, stated_sizes
from segscore.pipeline.importing.opened_file import Notes
from segscore.pipeline.importing.shapes import Sizes
from segscore.pipeline.tables.rows import RowPlace
from tests.support.reading import refusal_of, shapes_of

PLACE = RowPlace("f.x", 3)
Row = tuple[Any, ...]


def rows(text: str | bytes, name: str = "f.jsonl", **options: Any) -> list[Row]:
    """Document, coder, role, sizes and attributes of each segmentation in a file."""
    shapes = shapes_of(labels.read, text, name, **options)
    assert all(isinstance(shape, Sizes) and shape.unit == "turn" for shape in shapes)
    return [
        (s.document_id, s.coder, s.role, s.sizes, s.attributes)
        for s in shapes
        if isinstance(s, Sizes)
    ]


def flags(value: object, **options: Any) -> list[int]:
    """The sizes of the only record of a file with a list y."""
    ((*_, sizes, _),) = rows(json.dumps({"y": value}), flags="y", **options)
    return sizes


class TestFlags:
    """Lists of 0 and 1."""

    @pytest.mark.parametrize(
        ("marks", "sizes"), [("end", [2, 1]), ("start", [1, 2]), ("between", [2, 1, 1])]
    )
    def test_where_marks_are(self, marks: str, sizes: list[int]) -> None:
        # The first flag of `start` and the last one of `end` have no meaning.
        assert flags([0, 1, 1] if marks != "start" else [0, 1, 0], marks=marks) == sizes

    @pytest.mark.parametrize(
        "value", ["0101", [0, 1, 0, 1], [False, True, False, True], [0.0, 1.0, 0, 1]]
    )
    @pytest.mark.parametrize(("marks", "sizes"), [("end", [2, 2]), ("start", [1, 2, 1])])
    def test_spellings(self, value: object, marks: str, sizes: list[int]) -> None:
        assert flags(value, marks=marks) == sizes

    def test_minus_100_says_nothing_where_flags_say_nothing(self) -> None:
        assert flags([0, 1, -100], marks="end") == [2, 1]
        assert flags([-100, 1, 0], marks="start") == [1, 2]
        for marks, value in (("end", [-100, 1]), ("start", [1, -100]), ("between", [-100])):
            with pytest.raises(Refused, match="is -100; expected 0 or 1"):
                flags(value, marks=marks)

    @pytest.mark.parametrize(
        ("marks", "lists", "message"),
        [
            (
                "start",
                [[0, 1, 0, 1], [1, 0, 1, 1], [0, 1]],
                "f.x:1: b: the last flag is 1 in each of 3",
            ),
            ("end", [[1, 0, 1, 0]] * 8, "f.x:1: b: the first flag is 1 in each of 8 documents"),
            ("between", [[1, 0, 1, 0]] * 8, "f.x:1: b: the first flag is 1 in each of 8 documents"),
        ],
    )
    def test_flags_that_mark_another_unit_are_refused(
        self, marks: str, lists: list[list[int]], message: str
    ) -> None:
        text = "".join(json.dumps({"y": y, "coder": "b"}) + "\n" for y in lists)
        other = json.dumps({"y": [0, 1, 1, 0], "coder": "a"})
        said = refusal_of(labels.read, text + other, flags="y", marks=marks)
        assert said.startswith(message) and said.endswith(("--marks end", "--marks start"))
        few = "".join(text.splitlines(keepends=True)[: len(lists) // 8 * 7 or 1])
        assert len(rows(few, flags="y", marks=marks)) == (len(lists) // 8 * 7 or 1)

    @pytest.mark.parametrize("marks", ["end", "start"])
    def test_one_unit(self, marks: str) -> None:
        assert flags([1], marks=marks) == [1]

    @pytest.mark.parametrize(
        ("value", "reason"),
        [
            ([], "y is an empty list"),
            ("", "y is empty"),
            ("01x", 'y[2] is "x"; expected 0 or 1'),
            ([0, None], "y[1] is null; expected 0 or 1"),
            ([0, 2], "y[1] is 2; expected 0 or 1"),
            ([0.5], "y[0] is 0.5; expected 0 or 1"),
            (["yes"], 'y[0] is "yes"; expected 0 or 1'),
            ([[0]], "y[0] is [0]; expected 0 or 1"),
            (5, "y is 5; expected a list"),
            (None, "y is null; expected a list"),
        ],
    )
    def test_invalid_input_is_refused(self, value: object, reason: str) -> None:
        text = "\n" + json.dumps({"y": value})
        message = refusal_of(labels.read, text, "f.jsonl", flags="y", marks="end")
        assert message.startswith(f"f.jsonl:2: {reason}")

    @given(st.lists(st.integers(1, 5), min_size=1, max_size=6))
    def test_round_trips(self, sizes: list[int]) -> None:
        ends = [1 if unit == size - 1 else 0 for size in sizes for unit in range(size)]
        starts = [int(unit == 0) for size in sizes for unit in range(size)]
        assert sizes_of_flags(ends, "end", "y", PLACE) == sizes
        assert sizes_of_flags(starts, "start", "y", PLACE) == sizes
        if len(ends) > 1:
            assert sizes_of_flags(ends[:-1], "between", "y", PLACE) == sizes
        ids = [str(number % 2) for number, size in enumerate(sizes) for _ in range(size)]
        assert sizes_of_ids(ids, "y", PLACE, Notes()) == sizes

    @pytest.mark.parametrize(
        ("ids", "sizes", "counted"),
        [("BIIBI", [3, 2], 1), ("BIIIB", [4, 1], 1), ("AIIBI", [1, 2, 1, 1], 0), ("BB", [2], 0)],
    )
    def test_letters_that_are_read_as_tags_are_counted(
        self, ids: str, sizes: list[int], counted: int
    ) -> None:
        notes = Notes()
        assert sizes_of_ids([*ids], "y", PLACE, notes) == sizes
        assert notes.numbers.get("letters_read_as_tags", 0) == counted
        assert stated_sizes(sizes, "y", PLACE) == sizes


class TestIdsAndSizes:
    """Names of segments, and their sizes."""

    def test_a_topic_that_returns_is_a_new_segment(self) -> None:
        ((*_, sizes, _),) = rows('{"y": ["a", "a", "b", "a", 5, 5.0]}', ids="y")
        assert sizes == [2, 1, 1, 2]

    @pytest.mark.parametrize(
        ("option", "value", "message"),
        [
            ("ids", [], "y is an empty list"),
            ("ids", "aab", 'y is "aab"; expected a list'),
            ("ids", ["a", None], "y[1] is null; expected a text or a number"),
            ("ids", [{}], "y[0] is {}; expected a text or a number"),
            ("sizes", [], "y is an empty list"),
            ("sizes", [2, 0], "y[1] is 0; expected a whole number from 1"),
            ("sizes", [2.5], "y[0] is 2.5; expected a whole number from 1"),
            ("sizes", [True], "y[0] is true; expected a whole number from 1"),
            ("sizes", ["2"], 'y[0] is "2"; expected a whole number from 1'),
        ],
    )
    def test_invalid_input_is_refused(self, option: str, value: object, message: str) -> None:
        text = json.dumps({"y": value})
        assert refusal_of(labels.read, text, **{option: "y"}).startswith(f"f.x:1: {message}")

    def test_nan_is_no_name(self) -> None:
        with pytest.raises(Refused, match="NaN; expected a text or a number"):
            sizes_of_ids([float("nan")], "y", PLACE, Notes())


class TestRecords:
    """Names, roles and attributes of records."""

    def test_names_roles_and_attributes(self) -> None:
        text = (
            '{"id": 7, "video_id": "v", "annotator": "u", "role": "hypothesis", "y": [3], "n": 5}\n'
            '{"id": "x", "y": [3], "text": ["a"], "meta": {"k": 1}, "s": "t", "b": true, "z": null}'
        )
        assert rows(text, sizes="y") == [
            ("v", "u", "hypothesis", [3], {"id": 7, "n": 5}),
            ("x", None, None, [3], {"s": "t", "b": True}),
        ]

    def test_fields_that_options_name(self) -> None:
        text = '{"id": "x", "y": [3], "meta": {"name": 5}, "who": ["a"], "by": "b"}'
        assert rows(text, sizes="y", document_field="meta.name", coder_field="by") == [
            ("5", "b", None, [3], {"id": "x"})
        ]

    def test_records_without_names(self) -> None:
        assert rows('{"y": [3]}', sizes="y")[0][0] is None
        assert [row[0] for row in rows('{"y": [3]}\n{"y": [3]}', "a/f.jsonl", sizes="y")] == [
            "f/1",
            "f/2",
        ]

    @pytest.mark.parametrize("value", [None, "", [], True, 1.5])
    def test_a_field_that_names_nothing(self, value: object) -> None:
        text = json.dumps({"y": [3], "who": value})
        message = refusal_of(labels.read, text, sizes="y", coder_field="who")
        assert message.startswith(f"f.x:1: who is {json.dumps(value)}; expected a")

    def test_the_same_records_in_each_kind_of_file(self, tmp_path: Path) -> None:
        records = [{"id": "a", "y": [1, 0, 1]}, {"id": "b", "y": [1, 0]}]
        table = tmp_path / "f.parquet"
        pq.write_table(pa.Table.from_pylist(records), table)
        lines = "\n".join(map(json.dumps, records))
        nested = json.dumps({"data": [{"items": records[:1]}, {"items": records[1:]}]})
        how = {"flags": "y", "marks": "start"}
        expected = rows(lines, "f.jsonl", **how)
        assert [row[3] for row in expected] == [[2, 1], [2]]
        assert rows(lines, "f.json", **how) == expected
        assert rows(json.dumps(records, indent=1), "f.json", **how) == expected
        assert rows(nested, "f.json", records="data[].items[]", **how) == expected
        assert rows(table.read_bytes()[:4], str(table), **how) == expected

    def test_rows_of_parquet_count_from_0(self, tmp_path: Path) -> None:
        table = tmp_path / "f.parquet"
        pq.write_table(pa.table({"turns": [{"y": [1.0, 0.0]}, {"y": [None, 1.0]}]}), table)
        message = refusal_of(labels.read, b"PAR1", str(table), flags="turns.y", marks="end")
        assert message == f"{table}:1: turns.y[0] is null; expected 0 or 1"

    def test_text_of_parquet_that_is_not_utf_8(self, tmp_path: Path) -> None:
        table = tmp_path / "f.parquet"
        broken = pa.array([b"a", b"\xff"]).view(pa.string())
        pq.write_table(pa.table({"id": broken, "y": [[2], [3]]}), table)
        message = refusal_of(labels.read, b"PAR1", str(table), sizes="y")
        assert message.startswith(f"{table}: row group 0: column id: the text in row 1 of the row")

    def test_a_date_that_python_does_not_have(self, tmp_path: Path) -> None:
        table = tmp_path / "f.parquet"
        days = pa.array([1, 10**9], pa.date32())
        pq.write_table(pa.table({"id": ["a", "b"], "y": [[2], [3]], "day": days}), table)
        message = refusal_of(labels.read, b"PAR1", str(table), sizes="y")
        reason = "a value in this row, or in one of the 1 below it, cannot be read: days=1000000000"
        assert message.startswith(f"{table}:0: {reason}")

    def test_attributes_of_parquet(self, tmp_path: Path) -> None:
        table = tmp_path / "f.parquet"
        record = {"y": [2], "day": date(2026, 3, 2), "x": Decimal("1.50"), "nan": float("nan")}
        pq.write_table(pa.Table.from_pylist([record | {"raw": b"a", "none": None}]), table)
        ((*_, attributes),) = rows(b"PAR1", str(table), sizes="y")
        assert attributes == {"day": "2026-03-02", "x": "1.50"}

    def test_rows_of_csv(self) -> None:
        header = "meeting,system,utterance,boundary\n"
        text = header + "m,a,u1,0\nn,a,u1,1\nm,a,u2,1.0\nn,a,u2,-100\nm,a,u3,0\n"
        options = {"document_field": "meeting", "coder_field": "system"}
        expected: list[object] = [("m", "a", None, [2, 1], {}), ("n", "a", None, [1, 1], {})]
        assert rows(text, "f.csv", flags="boundary", marks="end", **options) == expected
        tabs = text.replace(",", "\t")
        assert rows(tabs, "f.tsv", flags="boundary", marks="end", **options) == expected

    def test_masks_in_rows_of_csv_are_texts(self) -> None:
        text = "Document ID,Prediction,year\nd1,0010,1997\nd2,0001,\nd3,10,\n"
        assert rows(text, "f.csv", flags="Prediction", marks="end") == [
            ("d1", None, None, [3, 1], {"year": "1997"}),
            ("d2", None, None, [4], {}),
            ("d3", None, None, [1, 1], {}),
        ]

    def test_ids_and_sizes_in_rows_of_csv(self) -> None:
        ids = "doc_id,role,id,topic\n01,hypothesis,1,1.1\n01,hypothesis,2,1.10\n1,reference,3,x\n"
        assert rows(ids, "f.csv", ids="topic") == [
            ("01", None, "hypothesis", [1, 1], {}),
            ("1", None, "reference", [1], {}),
        ]
        assert rows("doc_id,n\na,2\na,3\n", "f.csv", sizes="n")[0][3] == [2, 3]

    @pytest.mark.parametrize(
        ("text", "options", "message"),
        [
            ("id,y\na,1\n", {}, "f.csv:1: no column says which document a row belongs to"),
            ("doc_id,y\na,1\n,0\n", {}, "f.csv:3: doc_id is empty"),
            ("doc_id,y\na,1\na,\n", {}, "f.csv:2: y[1] is null"),
            ("doc_id,y\na,2\na,0\n", {}, "f.csv:2: y[0] is "),
            ("doc_id,x\na,2\n", {}, "f.csv:2: the record has no field"),
            ("doc_id,y\na,2\n", {"records": "x"}, "f.csv: --records names a list in JSON"),
            ("doc_id,y\n", {}, "f.csv:1: the file contains no records"),
        ],
    )
    def test_rows_of_csv_that_are_refused(
        self, text: str, options: dict[str, str], message: str
    ) -> None:
        said = refusal_of(labels.read, text, "f.csv", flags="y", marks="start", **options)
        assert said.startswith(message), said

    def test_dialogues_say_how_they_are_marked(self) -> None:
        turns = [{"segmentation_label": flag, "topic_id": 0} for flag in (0, 1, 0)]
        text = json.dumps({"dial_data": {"a": [{"dial_id": 1, "turns": turns}], "b": []}}, indent=1)
        assert rows(text, "f.json") == [("1", None, None, [2, 1], {})]
        assert rows(text, "f.json", ids="turns[].topic_id")[0][3] == [3]

    def test_a_number_of_units_that_differs(self) -> None:
        text = '{"y": [0, 1, 0], "text": ["a", "b"]}'
        options = {"flags": "y", "units": "text"}
        message = refusal_of(labels.read, text, marks="end", **options)
        assert message.startswith(
            "f.x:1: y is for 3 units, and text has 2; expected the same number"
        )
        assert rows('{"y": [0, 1], "text": [1, 2, 3]}', marks="between", **options)[0][3] == [2, 1]

    @pytest.mark.parametrize(
        ("text", "options", "message"),
        [
            ("{}", {"flags": "y"}, "f.x: flags of 0 and 1 can be"),
            ("{}", {"ids": "y", "sizes": "x"}, "--ids and --sizes: say the same in two ways"),
            ("{}", {}, "f.x:1: nothing says where the labels are"),
            ("{}", {"ids": "a..b"}, "--ids a..b: not a valid path"),
            ("{}", {"ids": "a[0]"}, "--ids a[0]: not a valid path"),
            ("[]", {"ids": "y"}, "f.x:1: the file contains no records"),
            ("5", {"ids": "y"}, "f.x:1: the record is 5; expected an object"),
            ("[{}, 5]", {"ids": "y"}, "f.x:1: [1] is 5; expected an object"),
            (
                '{"x": 1}',
                {"ids": "y"},
                'f.x:1: the record has no field "y"; it has "x"; check --ids',
            ),
            ('{"a": 5}', {"ids": "y", "records": "a"}, "f.x:1: a is 5; expected a list"),
            ('{"dial_data": {"a": 5}}', {}, "f.x:1: dial_data.a is 5; expected a list"),
            ('{"dial_data": {"a": [{}]}}', {}, 'f.x:1: dial_data.a[0] has no field "turns"'),
            ("", {"ids": "y"}, "f.x:1: not JSON at column 1"),
            ('{"y": [1]}\n{"y": ', {"ids": "y"}, "f.x:2: not JSON at column"),
            ('{"y": NaN}', {"ids": "y"}, "f.x:1: NaN is not a finite number"),
            ('{"y": 1, "y": 2}', {"ids": "y"}, 'f.x:1: duplicate key "y"'),
        ],
    )
    def test_invalid_input_is_refused(
        self, text: str, options: dict[str, str], message: str
    ) -> None:
        assert refusal_of(labels.read, text, **options).startswith(message)


class TestPaths:
    """Dotted paths."""

    RECORD = {"a": {"b": [{"c": 1}, {"c": 2}]}, "d": [[1, 2], [3]]}  # noqa: RUF012

    @pytest.mark.parametrize(
        ("path", "value"),
        [
            ("a.b", [{"c": 1}, {"c": 2}]),
            ("a.b[].c", [1, 2]),
            ("d", [[1, 2], [3]]),
            ("d[]", [[1, 2], [3]]),
            ("d[][]", [1, 2, 3]),
        ],
    )
    def test_values(self, path: str, value: object) -> None:
        assert field_path("--ids", path).value(self.RECORD, "", PLACE) == value

    @pytest.mark.parametrize(
        ("path", "message"),
        [
            ("e", 'the record has no field "e"; it has "a", "d"; check --ids e'),
            ("a.c", 'a has no field "c"; it has "b"; check --ids a.c'),
            ("a.b.c", "expected an object, because of --ids a.b.c; [] runs through a list"),
            ("a.b[].d", 'a.b[0] has no field "d"; it has "c"'),
            ("a[]", "expected a list, because of --ids a[]"),
            ("d[].c", "d[0] is [1, 2]; expected an object"),
            ("d[][].c", "d[0][0] is 1; expected an object"),
        ],
    )
    def test_invalid_input_is_refused(self, path: str, message: str) -> None:
        with pytest.raises(Refused) as caught:
            field_path("--ids", path).value(self.RECORD, "", PLACE)
        assert str(caught.value).startswith("f.x:3: ")
        assert message in str(caught.value)

    def test_many_fields_are_not_all_named(self) -> None:
        with pytest.raises(Refused, match=r'"11", \.\.\.; check --ids x$'):
            field_path("--ids", "x").value({str(number): 0 for number in range(99)}, "", PLACE)


def test_tags_say_where_segments_begin() -> None:
    ((*_, sizes, _),) = rows('{"y": ["B-s", "I-s", "I-s", "B-s", "I-s"]}', ids="y")
    assert sizes == [3, 2]
    with pytest.raises(Refused, match="tags are read with --ids"):
        flags(["B-s", "I-s"], marks="start")


def test_sizes_of_lists_of_units() -> None:
    ((*_, sizes, _),) = rows('{"y": [["a b", "c"], ["d"]]}', sizes="y")
    assert sizes == [2, 1]
    with pytest.raises(Refused, match="or a list of units"):
        rows('{"y": [["a"], []]}', sizes="y")


@pytest.mark.parametrize("name", ["doc", "document", "meeting_id"])
def test_usual_names_of_documents(name: str) -> None:
    ((document, *_),) = rows(f"{name},y\n007,01\n", "f.csv", flags="y", marks="between")
    assert document == "007"
