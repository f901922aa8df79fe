"""Import formats: what each reads, what each refuses and where, and the tables rows become."""

import json
from collections.abc import Callable, Iterable
from io import StringIO
from itertools import pairwise
from pathlib import Path

import pyarrow as pa
import pytest
import segeval
from hypothesis import given
from hypothesis import strategies as st
from segeval.data import Dataset, jsonutils

from segscore.pipeline.errors import Refused
from segscore.pipeline.importing.formats import segmentations
from segscore.pipeline.importing.formats.known import FORMATS
from segscore.pipeline.importing.open_input import detect
from segscore.pipeline.tables import jsonl
from segscore.pipeline.tables.attributes import OWN_COLUMNS
from segscore.pipeline.tables.parsed_table import segmentation_table
from segscore.pipeline.tables.rows import Defaults, ParsedRow
from segscore.schemas.input_columns import (
    BY_BOUNDARY,
    BY_SEGMENT,
    BY_UNIT,
    DOCUMENT_COLUMNS,
    INPUT_TYPES,
    ROLE,
    SEGMENTATION_COLUMNS,
)
from tests.support.gathering import gather_tables
from tests.support.reading import import_settings
from tests.support.strategies import segmentations as drawn_segmentations

SEGEVAL_DATA = Path(segeval.__file__).parent / "data"
RULE = "=" * 10
NAMES = st.text(st.characters(codec="utf-8"), min_size=1, max_size=8)
PLAIN_NAMES = st.text(st.characters(codec="utf-8", exclude_characters="\t\n\r\ufeff"), min_size=1)
GOOD = '{"document_id":"d","coder":"c","n_units":9,"boundaries":[2,5]}'


def rows_of(
    read: Callable[..., Iterable[ParsedRow]],
    text: str,
    defaults: Defaults | None = None,
    **how: bool,
) -> list[ParsedRow]:
    """Read the rows of a text named f.x, cut at line feeds."""
    return list(read(text.split("\n"), "f.x", defaults or Defaults(), **how))


def refusal(
    read: Callable[..., Iterable[ParsedRow]], text: str, defaults: Defaults | None = None
) -> str:
    """Return the message of a reader that refuses a text."""
    with pytest.raises(Refused) as caught:
        rows_of(read, text, defaults)
    return str(caught.value)


def record(**changes: object) -> str:
    """Make a valid JSONL line with some fields changed; ... removes a field."""
    fields = json.loads(GOOD) | changes
    return json.dumps({name: value for name, value in fields.items() if value is not ...})


def row(document_id: str | None = "d", coder: str = "c", **fields: object) -> ParsedRow:
    """Make a reference of nine units on line 1 of f.x, with some fields changed."""
    start: dict[str, object] = {"role": "reference", "n_units": 9, "boundaries": (2, 5)}
    start |= {"source": "f.x", "line": 1}
    return ParsedRow(document_id, coder, **(start | fields))  # type: ignore[arg-type]


class TestJsonl:
    """JSON Lines: one object a line."""

    def test_a_line_with_every_field(self) -> None:
        text = record(
            role="hypothesis",
            boundary_types=[1, 2],
            boundary_scores=[0.5, 1],
            unit_lengths=[3] * 9,
            corpus="news",
            year=1997,
            share=0.25,
            clean=False,
            gone=None,
            published={"k": 3, "by": {"whom": "H"}, "not": None},
        )
        (read_row,) = rows_of(jsonl.read, text)
        assert read_row == ParsedRow(
            "d", "c", "hypothesis", 9, (2, 5), (1, 2), (0.5, 1.0), (3,) * 9,
            {"corpus": "news", "year": 1997, "share": 0.25, "clean": False,
             "published_k": 3, "published_by_whom": "H"},
            "f.x", 1,
        )  # fmt: skip
        assert isinstance(read_row.boundary_scores and read_row.boundary_scores[1], float)
        assert read_row.attributes["clean"] is False

    def test_missing_and_null_names_take_the_defaults(self) -> None:
        text = record(document_id=None, coder=..., role=None)
        (read_row,) = rows_of(jsonl.read, text, Defaults("whole", "me", "hypothesis"))
        assert (read_row.document_id, read_row.coder, read_row.role) == (
            "whole",
            "me",
            "hypothesis",
        )

    def test_a_name_in_a_row_beats_the_default(self) -> None:
        (read_row,) = rows_of(
            jsonl.read, record(role="reference"), Defaults("x", "y", "hypothesis")
        )
        assert (read_row.document_id, read_row.coder, read_row.role) == ("d", "c", "reference")

    def test_blank_lines_count_but_are_no_rows(self) -> None:
        rows = rows_of(jsonl.read, f"\n{GOOD}\n  \n\t\r\n{GOOD}\n")
        assert [one.line for one in rows] == [2, 5]

    @pytest.mark.parametrize("end", ["\n", "\r\n", ""])
    def test_byte_order_mark_and_line_ends(self, end: str) -> None:
        lines = [f"\ufeff{GOOD}{end}", f"{GOOD}{end}"]
        assert [one.line for one in jsonl.read(lines, "f.x", Defaults())] == [1, 2]

    def test_unicode_line_separators_are_kept_in_strings(self) -> None:
        text = '{"document_id":"a\u2028b\u2029c\x85d","coder":"c","n_units":1,"boundaries":[]}'
        assert [one.document_id for one in rows_of(jsonl.read, text)] == ["a\u2028b\u2029c\x85d"]

    @pytest.mark.parametrize("name", ["document_id", "coder", "n_units", "boundaries"])
    @pytest.mark.parametrize("absent", [..., None])
    def test_a_missing_field(self, name: str, absent: object) -> None:
        message = refusal(jsonl.read, f"{GOOD}\n{record(**{name: absent})}")
        hint = {
            "document_id": "; or name it with --document-id",
            "coder": "; or name it with --coder",
            "n_units": "; write the number of units of its document into each row, also of "
            "hypotheses",
        }.get(name, "")
        missing = f"f.x:2: {name} is missing (absent, empty or null); every row needs it"
        assert message == missing + hint

    def test_missing_fields_are_reported_before_wrong_ones(self) -> None:
        text = record(n_units=..., boundaries=..., coder=..., bounds=[2])
        assert refusal(jsonl.read, text, Defaults(coder="c")) == (
            "f.x:1: n_units, boundaries are missing; every row needs them, and this one has "
            '"document_id", "bounds"; lists of labels are named with --flags, --ids or --sizes'
        )

    @pytest.mark.parametrize(
        ("change", "reason"),
        [
            ({"document_id": 7}, "document_id is 7; expected a text"),
            ({"document_id": ""}, 'document_id is ""; expected a text of at least one character'),
            ({"coder": ["c"]}, 'coder is ["c"]; expected a text'),
            ({"role": "gold"}, 'role is "gold"; expected "reference" or "hypothesis"'),
            ({"role": ["reference"]}, 'role is ["reference"]; expected "reference"'),
            ({"n_units": True}, "n_units is true; expected a whole number"),
            ({"n_units": 9.0}, "n_units is 9.0; expected a whole number"),
            ({"n_units": "9"}, 'n_units is "9"; expected a whole number'),
            ({"boundaries": 3}, "boundaries is 3; expected a list"),
            ({"boundaries": "2 5"}, 'boundaries is "2 5"; expected a list'),
            ({"boundaries": [2, True]}, "boundaries[1] is true; expected a whole number"),
            ({"boundaries": [2, 3.0]}, "boundaries[1] is 3.0; expected a whole number"),
            ({"boundaries": [None]}, "boundaries[0] is null; expected a whole number"),
            ({"boundaries": [[2]]}, "boundaries[0] is [2]; expected a whole number"),
            ({"boundary_types": [1, "2"]}, 'boundary_types[1] is "2"; expected a whole number'),
            ({"boundary_scores": [False]}, "boundary_scores[0] is false; expected a number"),
            ({"boundary_scores": [10**400]}, "expected a number within a float's range"),
            ({"unit_lengths": {"1": 2}}, 'unit_lengths is {"1": 2}; expected a list'),
            ({"tags": ["a", 1]}, 'tags is ["a", 1]; expected a list of texts, of numbers, or of'),
            ({"tags": [1, True]}, "tags is [1, true]; expected a list of texts, of numbers"),
            ({"meta": {"tags": [{}]}}, "meta_tags is [{}]; expected a list of texts"),
            ({"tags": [[1]]}, "tags is [[1]]; expected a list of texts"),
            ({"tags": [0.5, 10**400]}, "expected a number within a float's range"),
            ({"a_b": [1], "a": {"b": 2}}, "two fields make the attribute a_b"),
            ({"a_b": 1, "a": {"b": 2}}, "two fields make the attribute a_b"),
        ],
    )
    def test_a_wrong_value(self, change: dict[str, object], reason: str) -> None:
        message = refusal(jsonl.read, f"{GOOD}\n\n{record(**change)}")
        assert message.startswith("f.x:3: ")
        assert reason in message

    def test_a_long_value_is_shortened(self) -> None:
        message = refusal(jsonl.read, record(n_units="9" * 1000))
        assert message == f'f.x:1: n_units is "{"9" * 36}...; expected a whole number'

    @pytest.mark.parametrize(
        ("line", "reason"),
        [
            (GOOD[:-1], "not JSON at column 62: Expecting ',' delimiter; the text is cut short"),
            (
                GOOD[:24],
                "not JSON at column 20: Unterminated string starting at; the text is cut short",
            ),
            (GOOD[:-10], "the text is cut short"),
            (f"{GOOD},", 'not JSON at column 63: Extra data; found ","'),
            (f"{GOOD}\r{GOOD}", "not JSON at column 64: Extra data; found"),
            (f"\ufeff{GOOD}", "not JSON"),
            ("[1]", "the line is [1]; expected one JSON object"),
            ("null", "the line is null; expected one JSON object"),
            ('{"n_units":1,"n_units":2}', 'duplicate key "n_units" in a JSON object'),
            ('{"a":{"b":1,"b":1}}', 'duplicate key "b"'),
            ('{"x":NaN}', "NaN is not a finite number"),
            ('{"x":[-Infinity]}', "-Infinity is not a finite number"),
            ('{"x":1e999}', "1e999 is not a finite number"),
            (f'{{"x":{"9" * 5000}}}', "not JSON that can be read"),
            ("[" * 100_000, "nested more than 100 deep"),
        ],
    )
    def test_a_line_that_is_not_sound_json(self, line: str, reason: str) -> None:
        message = refusal(jsonl.read, f"{GOOD}\n{line}")
        assert message.startswith("f.x:2: ")
        assert reason in message

    def test_deep_objects_are_flattened_without_recursion(self) -> None:
        text = GOOD[:-1] + ',"a":' + '{"a":' * 90 + "1" + "}" * 91
        (read_row,) = rows_of(jsonl.read, text)
        assert read_row.attributes == {"_".join("a" * 91): 1}

    def test_lenient_leaves_checks_to_validation(self) -> None:
        text = "{}\n" + record(n_units=None, boundaries=[None, 3], boundary_scores=[None, 0.5])
        empty, holes = rows_of(jsonl.read, text, lenient=True)
        assert empty == ParsedRow(None, None, "reference", None, None, source="f.x", line=1)
        assert (holes.n_units, holes.boundaries) == (None, (None, 3))
        assert holes.boundary_scores == (None, 0.5)

    @pytest.mark.parametrize("name", ["document_id", "coder", "n_units", "boundaries"])
    def test_lenient_still_refuses_wrong_types(self, name: str) -> None:
        with pytest.raises(Refused, match=rf"^f.x:1: {name}.* is true"):
            rows_of(jsonl.read, record(**{name: [True] if name == "boundaries" else True}),
                    lenient=True)  # fmt: skip

    @given(
        NAMES,
        NAMES,
        st.sampled_from(["reference", "hypothesis"]),
        drawn_segmentations(),
        st.dictionaries(
            NAMES.map(lambda name: f"x{name}"),
            st.one_of(NAMES, st.integers(), st.floats(allow_nan=False, allow_infinity=False)),
            max_size=3,
        ),
        st.booleans(),
    )
    def test_round_trip(
        self,
        document_id: str,
        coder: str,
        role: str,
        segmentation: tuple[int, list[int]],
        attributes: dict[str, str | int | float],
        ascii_only: bool,
    ) -> None:
        n_units, boundaries = segmentation
        fields = {"document_id": document_id, "coder": coder, "role": role} | attributes
        fields |= {"n_units": n_units, "boundaries": boundaries}  # type: ignore[dict-item]
        text = json.dumps(fields, ensure_ascii=ascii_only)
        expected = ParsedRow(document_id, coder, role, n_units, tuple(boundaries),
                       attributes=attributes, source="f.x", line=1)  # fmt: skip
        assert rows_of(jsonl.read, text) == [expected]


def masses_of(n_units: int, boundaries: list[int]) -> list[int]:
    """Return the sizes of the segments between boundaries."""
    return [after - before for before, after in pairwise([0, *boundaries, n_units])]


def segeval_reads(path: Path) -> dict[str, dict[str, tuple[int, ...]]]:
    """Read a file by segeval's own reader; it uses the mode rU, gone since Python 3.11."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            jsonutils, "open", lambda name, _: StringIO(Path(name).read_text()), raising=False
        )
        return dict(jsonutils.input_linear_mass_json(str(path)))


def as_masses(rows: Iterable[ParsedRow]) -> dict[str, dict[str, tuple[int, ...]]]:
    """Return rows in segeval's form: item -> coder -> masses."""
    read_row: dict[str, dict[str, tuple[int, ...]]] = {}
    for one in rows:
        assert one.document_id and one.coder and one.n_units and one.boundaries is not None
        masses = masses_of(one.n_units, [p for p in one.boundaries if p is not None])
        read_row.setdefault(one.document_id, {})[one.coder] = tuple(masses)
    return read_row


class TestSegevalJson:
    """Masses by item and coder."""

    @pytest.mark.parametrize("name", ["hearst1997", "complete_agreement", "large_disagreement"])
    def test_files_of_segeval_are_read(self, name: str) -> None:
        path = SEGEVAL_DATA / f"{name}.json"
        assert as_masses(rows_of(segmentations.read_segeval, path.read_text())) == segeval_reads(
            path
        )

    def test_stargazer(self) -> None:
        text = (SEGEVAL_DATA / "hearst1997.json").read_text()
        first = rows_of(segmentations.read_segeval, text, Defaults(role="hypothesis"))[0]
        assert first == ParsedRow("stargazer", "1", "hypothesis", 21, (2, 5, 8, 9, 12, 18),
                            source="f.x", line=1)  # fmt: skip

    @given(
        st.dictionaries(
            NAMES, st.dictionaries(NAMES, drawn_segmentations(), min_size=1, max_size=3), max_size=3
        )
    )
    def test_output_of_segeval_is_read(
        self,
        tmp_path_factory: pytest.TempPathFactory,
        texts: dict[str, dict[str, tuple[int, list[int]]]],
    ) -> None:
        items = {
            item: {coder: masses_of(*one) for coder, one in codings.items()}
            for item, codings in texts.items()
        }
        path = tmp_path_factory.mktemp("segeval") / "out.json"
        jsonutils.output_linear_mass_json(str(path), Dataset(items))
        rows = rows_of(
            segmentations.read_segeval, "\ufeff" + path.read_text().replace("\n", "\r\n")
        )
        assert as_masses(rows) == segeval_reads(path)
        written = {(one.document_id, one.coder): (one.n_units, one.boundaries) for one in rows}
        assert written == {
            (item, coder): (n_units, tuple(boundaries))
            for item, codings in texts.items()
            for coder, (n_units, boundaries) in codings.items()
        }

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("", "f.x:1: not JSON at column 1: Expecting value; the text is cut short"),
            (
                '[\n{"document_id":"d"}\n]',
                "f.x:1: a list, where segeval's JSON is an object; write",
            ),
            ("7", "f.x:1: the file is 7; expected an object"),
            ('{"items":{}}', 'f.x:1: segmentation_type is null; expected "linear"'),
            (
                '{"segmentation_type":"tree","items":{}}',
                'f.x:1: segmentation_type is "tree"; expected "linear"',
            ),
            ('{"segmentation_type":"linear"}', "f.x:1: items is null; expected an object"),
            ('{"segmentation_type":"linear",\n"items":{"t":{"a":[3]', "f.x:2: not JSON at column"),
            (
                '{"segmentation_type":"linear","items":{"t":{"a":[1],"a":[2]}}}',
                'f.x:1: duplicate key "a"',
            ),
        ],
    )
    def test_a_wrong_document(self, text: str, message: str) -> None:
        assert refusal(segmentations.read_segeval, text).startswith(message)

    @pytest.mark.parametrize(
        ("masses", "message"),
        [
            ("[2,0,3]", "items.t.a[1] is 0; expected a mass of at least 1 unit"),
            ("[-4]", "items.t.a[0] is -4; expected a mass of at least 1 unit"),
            ("[2,true]", "items.t.a[1] is true; expected a whole number"),
            ("[3.0]", "items.t.a[0] is 3.0; expected a whole number"),
            ("[null]", "items.t.a[0] is null; expected a whole number"),
            ("[]", "items.t.a is []; expected at least one mass"),
            ("5", "items.t.a is 5; expected a list"),
            ('{"b":[1]}', 'items.t.a is {"b": [1]}; expected a list'),
        ],
    )
    def test_wrong_masses(self, masses: str, message: str) -> None:
        text = f'{{"segmentation_type":"linear","items":{{"t":{{"a":{masses}}}}}}}'
        assert refusal(segmentations.read_segeval, text) == f"f.x:1: {message}"

    @pytest.mark.parametrize("items", ['{"":{"a":[1]}}', '{"t":{"":[1]}}', '{"t":[1,2]}'])
    def test_nameless_or_missing_codings(self, items: str) -> None:
        text = f'{{"segmentation_type":"linear","items":{items}}}'
        assert refusal(segmentations.read_segeval, text).startswith("f.x:1: ")


class TestNltkStrings:
    """Masks of 0 and 1."""

    def test_lone_masks_are_numbered_documents(self) -> None:
        text = "\ufeff0100\r\n \r\n001\n"
        first, second = segmentations.read_nltk(
            text.split("\n"), "dir/set.txt", Defaults(coder="c")
        )
        assert first == ParsedRow("set/1", "c", "reference", 5, (2,), source="dir/set.txt", line=1)
        assert (second.document_id, second.n_units, second.boundaries) == ("set/3", 4, (3,))

    def test_a_default_document_precedes_the_stem(self) -> None:
        (read_row,) = rows_of(segmentations.read_nltk, "1", Defaults("talk", "c", "hypothesis"))
        assert (read_row.document_id, read_row.role) == ("talk/1", "hypothesis")

    def test_three_fields(self) -> None:
        one, unit = rows_of(segmentations.read_nltk, "d e\ta\t11\nsingle\tb\t\r\n")
        assert one == ParsedRow("d e", "a", "reference", 3, (1, 2), source="f.x", line=1)
        assert (unit.document_id, unit.n_units, unit.boundaries) == ("single", 1, ())

    @pytest.mark.parametrize(
        ("line", "reason"),
        [
            ("0120", 'character 3 of the mask is "2"; expected 0 or 1'),
            ("01 0", 'character 3 of the mask is " "; expected 0 or 1'),
            ("\u06610", 'character 1 of the mask is "\u0661"; expected 0 or 1'),
            ("d\ta\t0x", 'character 2 of the mask is "x"; expected 0 or 1'),
            ("d\t01", "2 fields; expected MASK or document_id<TAB>coder<TAB>MASK"),
            ("d\ta\t01\t", "4 fields; expected MASK"),
            ("\ta\t01", 'document_id is ""; expected a text'),
            ("d\t\t01", 'coder is ""; expected a text'),
        ],
    )
    def test_a_wrong_line(self, line: str, reason: str) -> None:
        message = refusal(segmentations.read_nltk, f"0101\n{line}", Defaults(coder="c"))
        assert message.startswith("f.x:2: ")
        assert reason in message

    @pytest.mark.parametrize(("mask", "flag"), [("0101", "last"), ("1010", "first")])
    def test_a_flag_for_each_unit_is_no_mask(self, mask: str, flag: str) -> None:
        message = refusal(segmentations.read_nltk, "\n".join([mask] * 8), Defaults(coder="c"))
        assert message.startswith(f"f.x:1: c: the {flag} flag is 1 in each of 8 documents")
        assert len(rows_of(segmentations.read_nltk, "111\n" * 8, Defaults(coder="c"))) == 8

    def test_a_lone_mask_needs_a_coder(self) -> None:
        assert refusal(segmentations.read_nltk, "d\ta\t0\n01").startswith("f.x:2: coder is missing")

    @given(st.lists(st.tuples(PLAIN_NAMES, PLAIN_NAMES, drawn_segmentations()), max_size=4))
    def test_round_trip(self, codings: list[tuple[str, str, tuple[int, list[int]]]]) -> None:
        lines = [
            f"{document_id}\t{coder}\t" + "".join("01"[p in marks] for p in range(1, n_units))
            for document_id, coder, (n_units, marks) in codings
        ]
        rows = rows_of(segmentations.read_nltk, "\n".join(lines)) if lines else []
        assert rows == [
            ParsedRow(
                document_id, coder, "reference", n_units, tuple(marks), source="f.x", line=line
            )
            for line, (document_id, coder, (n_units, marks)) in enumerate(codings, start=1)
        ]


class TestCsv:
    """A header and one segmentation for each record."""

    HEADER = "document_id,coder,n_units,boundaries"

    def test_every_column(self) -> None:
        text = (
            "coder,role,document_id,n_units,boundaries,boundary_types,boundary_scores,"
            "unit_lengths,year\r\n"
            'c,hypothesis,"a, b",4,1;3, 1 2 ,0.5 ; 1e-1,1;2;3;4,1997\r\n'
        )
        assert rows_of(segmentations.read_csv, "\ufeff" + text) == [
            ParsedRow("a, b", "c", "hypothesis", 4, (1, 3), (1, 2), (0.5, 0.1), (1, 2, 3, 4),
                {"year": "1997"}, "f.x", 2)
        ]  # fmt: skip

    def test_it_has_the_columns_of_json_lines(self) -> None:
        """A row with every input column gives the same tables in both formats."""
        lists = {name: [1] * 2 for name in BY_BOUNDARY} | {name: [3, 1, 0] * 3 for name in BY_UNIT}
        labels = {BY_SEGMENT: ["ad", "news item", None]}
        fields = json.loads(
            record(role="hypothesis", collapsed_boundaries=4, trial=2, **lists, **labels)
        )
        assert fields.keys() == {*INPUT_TYPES, ROLE}
        cells = [
            " ".join(map(str, value)) if isinstance(value, list) else str(value)
            for value in (fields | {BY_SEGMENT: "ad; news item;"}).values()
        ]
        as_csv = rows_of(segmentations.read_csv, f"{','.join(fields)}\n{','.join(cells)}")
        as_lines = rows_of(jsonl.read, f"\n{json.dumps(fields)}")
        assert as_csv == as_lines
        tables = gather_tables(as_csv)
        assert tables.hypotheses.column_names == [column.name for column in SEGMENTATION_COLUMNS]
        assert tables.documents.column_names == [column.name for column in DOCUMENT_COLUMNS]

    def test_empty_cells(self) -> None:
        text = f"{self.HEADER},role,boundary_types,group\n,,4,,,,\nd,e,4,,,,x"
        first, second = rows_of(segmentations.read_csv, text, Defaults("whole", "me", "hypothesis"))
        assert first == ParsedRow("whole", "me", "hypothesis", 4, (), source="f.x", line=2)
        assert (second.document_id, second.coder, second.attributes) == ("d", "e", {"group": "x"})

    def test_columns_with_a_default_may_be_missing(self) -> None:
        (read_row,) = rows_of(segmentations.read_csv, "n_units,boundaries\n3,1", Defaults("d", "c"))
        assert (read_row.document_id, read_row.coder, read_row.boundaries) == ("d", "c", (1,))

    def test_tabs_in_the_header_make_it_tsv(self) -> None:
        header = self.HEADER.replace(",", "\t")
        (read_row,) = rows_of(segmentations.read_csv, f"{header}\na,b\tc\t3\t1 2\n")
        assert (read_row.document_id, read_row.boundaries) == ("a,b", (1, 2))

    def test_semicolons_in_the_header_separate_cells(self) -> None:
        text = f"{self.HEADER.replace(',', ';')}\nd;c;9;2 5\ne;c;9;'2;5'".replace("'", '"')
        assert [read_row.boundaries for read_row in rows_of(segmentations.read_csv, text)] == [
            (2, 5)
        ] * 2

    @pytest.mark.parametrize("cell", ["[5, 9]", "[5.0, 9.0]", "[5 9]", " [ 5;9 ] "])
    def test_output_of_pandas_is_read(self, cell: str) -> None:
        (read_row,) = rows_of(
            segmentations.read_csv, f'{self.HEADER},boundary_types\nd,c,11.0,"{cell}",[]'
        )
        assert (read_row.n_units, read_row.boundaries, read_row.boundary_types) == (11, (5, 9), ())

    def test_line_numbers_are_those_of_the_start_of_a_record(self) -> None:
        text = f'{self.HEADER},note\n\nd,c,3,1,"two\nlines"\ne,c,3,1,\n'
        first, second = rows_of(segmentations.read_csv, text)
        assert (first.line, second.line) == (3, 5)
        assert first.attributes == {"note": "two\nlines"}

    def test_a_field_longer_than_the_readers_usual_limit(self) -> None:
        positions = " ".join(str(p) for p in range(1, 60_000))
        (read_row,) = rows_of(segmentations.read_csv, f"{self.HEADER}\nd,c,60000,{positions}")
        assert read_row.boundaries == tuple(range(1, 60_000))

    @pytest.mark.parametrize("missing", ["document_id", "coder", "n_units", "boundaries"])
    def test_a_missing_column(self, missing: str) -> None:
        header = ",".join(name for name in self.HEADER.split(",") if name != missing)
        message = refusal(segmentations.read_csv, header)
        assert message.startswith(f"f.x:1: the header has no {missing}")
        assert message.endswith(f"; its columns are {header.replace(',', ', ')}")

    def test_a_missing_column_that_has_another_name(self) -> None:
        header = f"document,coder,n_units,boundary,{','.join(f'extra_{i}' for i in range(99))}"
        message = refusal(segmentations.read_csv, header)
        assert "no document_id; the nearest is document; or name it with --document-id; " in message
        assert "no boundaries; the nearest is boundary; its columns are document, " in message
        assert message.endswith(", ...")
        assert len(message) < 700

    def test_an_empty_file_has_no_header(self) -> None:
        message = refusal(segmentations.read_csv, "")
        assert message.startswith("f.x:1: the header has no document_id; or name it with --docu")
        assert message.endswith("; its columns are empty")

    @pytest.mark.parametrize(
        ("header", "message"),
        [
            (f",{HEADER}", "f.x:1: column 1 has no name"),
            (f"{HEADER},coder", "f.x:1: the column coder occurs twice in the header"),
        ],
    )
    def test_a_wrong_header(self, header: str, message: str) -> None:
        assert refusal(segmentations.read_csv, header).startswith(message)

    @pytest.mark.parametrize(
        ("line", "reason"),
        [
            ("d,c,9", "3 cells; expected 4, as in the header"),
            ("d,c,9,2,5", "5 cells; expected 4, as in the header"),
            (",c,9,2", "document_id is missing"),
            ("d, ,9,2", "coder is missing"),
            ("d,c,,2", "n_units is missing"),
            ("d,c,9.5,2", 'n_units is "9.5"; expected a whole number'),
            ("d,c,true,2", 'n_units is "true"; expected a whole number'),
            ("d,c,1_0,2", 'n_units is "1_0"; expected a whole number'),
            ("d,c,\u0669,2", 'n_units is "\u0669"; expected a whole number'),
            (f"d,c,{'9' * 5000},2", "expected a whole number"),
            ("d,c,9,2;;5", 'boundaries[1] is ""; expected a whole number'),
            ("d,c,9,2;", 'boundaries[1] is ""; expected a whole number'),
            ("d,c,9,[2", 'boundaries[0] is "[2"; expected a whole number'),
            ('d,c,9,"2, 5"', 'boundaries[0] is "2,"; expected a whole number'),
            ('d,c,9,"[2,,5]"', 'boundaries[1] is ""; expected a whole number'),
            ('d,c,9,"2', "not CSV: unexpected end of data"),
            ('d,c,9,"2"x', "not CSV"),
            ("d,c,9,2\rd,c,9,2", "not CSV"),
        ],
    )
    def test_a_wrong_record(self, line: str, reason: str) -> None:
        message = refusal(segmentations.read_csv, f"{self.HEADER}\nd,c,9,2\n{line}")
        assert message.startswith("f.x:3: ")
        assert reason in message

    @pytest.mark.parametrize("score", ["nan", "inf", "1e999", "0,5", "0x1", "1_0.0"])
    def test_a_wrong_score(self, score: str) -> None:
        message = refusal(
            segmentations.read_csv, f'{self.HEADER},boundary_scores\nd,c,9,2,"{score}"'
        )
        assert message.startswith("f.x:2: boundary_scores[0] is ")

    def test_a_wrong_role(self) -> None:
        message = refusal(segmentations.read_csv, f"{self.HEADER},role\nd,c,9,2,gold")
        assert message == 'f.x:2: role is "gold"; expected "reference" or "hypothesis"'


class TestDefaults:
    """Values for rows that lack them."""

    def test_a_wrong_role(self) -> None:
        with pytest.raises(Refused, match='the default role is "gold"; expected one of'):
            Defaults(role="gold")


class TestDetect:
    """Formats are detected by the name first."""

    @pytest.mark.parametrize(
        ("name", "head", "expected"),
        [
            ("a/b.jsonl", "", "jsonl"),
            ("B.NDJSON", "", "jsonl"),
            ("b.json", "", "segeval"),
            ("b.csv", RULE, "csv"),
            ("b.tsv", "", "csv"),
            ("s3://x/7.ref", f"{RULE}\r\nText 1\r\n", "choi"),
            ("b.txt", f"\ufeff{RULE}", "choi"),
            ("b.txt", f"0101\n{RULE}\n0", "choi"),
            ("b.txt", "0101", "nltk"),
            ("b.txt", "\ufeff0101\r\n\r\n0", "nltk"),
            ("b.txt", "d 1\tcoder\t01\nsingle\tcoder\t\nd 2\tcod", "nltk"),
        ],
    )
    def test_known(self, name: str, head: str, expected: str) -> None:
        assert detect(name, head, import_settings()) == expected

    @pytest.mark.parametrize(
        ("name", "head"),
        [
            ("b.txt", ""),
            ("b.txt", "\n\n"),
            ("b.txt", "0101\nwords\n"),
            ("b.txt", "d\t01\n"),
            ("b.txt", "0:10 Intro\n1:30 Talk\n"),
            ("b.txt", "0:00 Well.\n0:04 Yes.\n0:30 No.\n"),
            (
                "b.txt",
                "1\n00:00:00,000 --> 00:00:20,000\nHello\n2\n00:00:20,000 --> 00:00:40,000\n",
            ),
            ("b.xml", "0101"),
            ("jsonl", "{}"),
        ],
    )
    def test_unknown(self, name: str, head: str) -> None:
        with pytest.raises(Refused) as caught:
            detect(name, head, import_settings())
        assert str(caught.value).startswith(f"{name}: cannot tell its format")
        for choice in FORMATS:
            assert choice in str(caught.value)

    @pytest.mark.parametrize(
        ("name", "head", "expected"),
        [
            ("b.VTT", "", "webvtt"),
            ("b.srt", "", "subrip"),
            ("b.ffmetadata", "", "ffmetadata"),
            ("b.txt", ";FFMETADATA1\n", "ffmetadata"),
            ("b.ffprobe.json", "{", "ffprobe"),
            ("b.json", '{"chapters": [{"time_base": "1/9", "start_time": "0"}]}', "ffprobe"),
            ("b.json", '{"chapters": [], "format": {"filename": "a", "duration": "5"}}', "ffprobe"),
            ("b.txt", "a\nCHAPTER01=00", "ogm"),
            ("b.txt", "Our talk\n\n0:00-Intro\n1:30 -Talk\n12:05 - End\n", "youtube"),
            ("b.txt", "Intro (0:00)\nTalk (0:10.5)\n", "youtube"),
            ("b.chapters.json", "{", "podcasting"),
            ("b.json", '{"chapters": [{"startTime": 5}]}', "podcasting"),
            ("b.json", '{"a.b": {"chapters": [{"time": 5}], "duration": 9}}', "vidchapters"),
            ("b.json", '{"a": {"duration": 9, "timestamps": [[0, 1', "vidchapters"),
            ("b.jsonl", '{"hypothesis": [], "duration": 5}', "chunkseg"),
            ("b.info.json", "{", "yt-dlp"),
            ("b.json", '{"id": "a", "chapters": [{"start_time": 0}]}', "yt-dlp"),
            ("b.txt", "a\n ========,1,b.", "wiki727k"),
            ("b.json", '{"dial_data": {"a": []}}', "labels"),
        ],
    )
    def test_chapters_texts_and_labels(self, name: str, head: str, expected: str) -> None:
        assert detect(name, head, import_settings()) == expected

    @pytest.mark.parametrize("name", ["b.json", "b.jsonl", "b.csv", "b.tsv"])
    @pytest.mark.parametrize("option", ["flags", "ids", "sizes"])
    def test_options_that_mean_labels(self, name: str, option: str) -> None:
        text = '{"boundaries": [], "start": 5}'
        assert detect(name, text, import_settings(**{option: "y"})) == "labels"  # type: ignore[arg-type]


class TestGather:
    """Tables are made of rows."""

    def test_three_tables(self) -> None:
        rows = [
            row("b", "gold", unit_lengths=(1,) * 9, attributes={"corpus": "x"}, line=3),
            row("a", "sys", role="hypothesis", boundary_scores=(0.5, 1.0), line=4),
            row("b", "sys", role="hypothesis", attributes={"seconds": 2.5}, line=5),
            row("a", "gold", attributes={"corpus": "y", "year": 1997}, line=6),
        ]
        tables = gather_tables(rows)
        lists = pa.list_(pa.int32())
        base = {"document_id": pa.string(), "coder": pa.string(), "n_units": pa.int32()}
        scores = {"boundary_scores": pa.list_(pa.float64())}
        assert tables.references.schema == pa.schema(base | {"boundaries": lists})
        assert tables.hypotheses.schema == pa.schema(base | {"boundaries": lists} | scores)
        assert tables.references.column("document_id").to_pylist() == ["b", "a"]
        assert tables.hypotheses.column("boundary_scores").to_pylist() == [[0.5, 1.0], None]
        assert tables.documents.to_pylist() == [
            {"document_id": "a", "n_units": 9, "unit_lengths": None,
             "corpus": "y", "seconds": None, "year": 1997},
            {"document_id": "b", "n_units": 9, "unit_lengths": [1] * 9,
             "corpus": "x", "seconds": 2.5, "year": None},
        ]  # fmt: skip
        types = {field.name: field.type for field in tables.documents.schema}
        assert types["unit_lengths"] == lists
        assert (types["n_units"], types["year"]) == (pa.int32(), pa.int64())
        assert tables.reference_places == [("f.x", 3), ("f.x", 6)]
        assert tables.hypothesis_places == [("f.x", 4), ("f.x", 5)]
        assert tables.document_places == [("f.x", 6), ("f.x", 3)]

    def test_no_rows(self) -> None:
        tables = gather_tables([])
        columns = ["document_id", "coder", "n_units", "boundaries"]
        assert tables.references.column_names == tables.hypotheses.column_names == columns
        assert tables.documents.column_names == ["document_id", "n_units"]
        assert tables.references.schema.field("boundaries").type == pa.list_(pa.int32())

    def test_an_attribute_that_differs_within_a_document_stays_with_its_rows(self) -> None:
        rows = [
            row("a", "x", attributes={"effort": 1, "corpus": "k"}),
            row("a", "y", attributes={"effort": 2}),
            row("b", "z"),
            row("b", "s", role="hypothesis", attributes={"corpus": "l"}),
        ]
        tables = gather_tables(rows)
        assert tables.references.column("effort").to_pylist() == [1, 2, None]
        assert "effort" not in tables.hypotheses.column_names
        assert tables.documents.select(["document_id", "corpus"]).to_pylist() == [
            {"document_id": "a", "corpus": "k"},
            {"document_id": "b", "corpus": "l"},
        ]

    def test_a_document_known_by_nothing_has_no_row(self) -> None:
        rows = [row("a", "x", attributes={"effort": 1}), row("a", "y", attributes={"effort": 2})]
        assert gather_tables(rows).documents.num_rows == 0

    def test_attribute_columns_are_sorted_by_name(self) -> None:
        rows = [row(attributes={"b": 1, "a": 1, "C": 1}), row("e", attributes={"Z": 1})]
        assert gather_tables(rows).documents.column_names[2:] == ["C", "Z", "a", "b"]

    def test_mixed_types_become_text_in_both_tables(self) -> None:
        rows = [
            row("a", "x", attributes={"v": True}),
            row("a", "y", attributes={"v": 1}),
            row("a", "s", role="hypothesis", attributes={"v": 1.5}),
            row("b", "s", role="hypothesis", attributes={"v": "word"}),
        ]
        tables = gather_tables(rows)
        assert tables.references.column("v").to_pylist() == ["true", "1"]
        assert tables.hypotheses.column("v").to_pylist() == ["1.5", "word"]

    def test_types_of_attributes(self) -> None:
        table = segmentation_table([row(attributes={"b": True, "f": 1.5, "i": 2**40, "s": "t"})])
        types = [table.schema.field(name).type for name in "bfis"]
        assert types == [pa.bool_(), pa.float64(), pa.int64(), pa.string()]

    def test_values_that_read_the_same_as_text_are_one(self) -> None:
        rows = [row("a", "x", attributes={"v": "1"}), row("a", "y", attributes={"v": 1})]
        assert gather_tables(rows).documents.column("v").to_pylist() == ["1"]

    def test_unit_lengths_may_be_repeated_but_not_differ(self) -> None:
        first = row(unit_lengths=(1,) * 9, source="a.jsonl", line=4)
        again = row(coder="e", unit_lengths=(1,) * 9, source="b.jsonl", line=7)
        assert gather_tables([first, again]).document_places == [("a.jsonl", 4)]
        bare = row(attributes={"corpus": "x"}, n_units=8, source="c.jsonl", line=1)
        (known,) = gather_tables([bare, again]).documents.to_pylist()
        assert (known["n_units"], known["corpus"]) == (9, "x")
        assert gather_tables([bare, again]).document_places == [("b.jsonl", 7)]
        other = row(coder="e", unit_lengths=(2,) * 9, source="b.jsonl", line=7)
        with pytest.raises(Refused, match=r"^b.jsonl:7: unit_lengths of d differ .* a.jsonl:4;"):
            gather_tables([first, other])

    def test_weights_are_gathered_as_lengths_are(self) -> None:
        bare = row(n_units=8, source="c.jsonl", line=1)
        weighed = row(coder="e", unit_weights=(4,) * 9, source="b.jsonl", line=7)
        gathered = gather_tables([bare, weighed])
        assert gathered.documents.to_pylist() == [
            {"document_id": "d", "n_units": 9, "unit_weights": [4] * 9}
        ]
        assert gathered.document_places == [("b.jsonl", 7)]

    @pytest.mark.parametrize("name", sorted(OWN_COLUMNS))
    @pytest.mark.parametrize("build", [gather_tables, segmentation_table])
    def test_an_attribute_named_as_a_column(
        self, build: Callable[[list[ParsedRow]], object], name: str
    ) -> None:
        with pytest.raises(Refused, match=rf"^f.x:8: {name} cannot be an attribute"):
            build([row(), row(attributes={name: 1}, line=8)])

    @pytest.mark.parametrize("name", ["", "a\ud800"])
    def test_an_attribute_without_a_sound_name(self, name: str) -> None:
        with pytest.raises(Refused, match=r"^f.x:1: an attribute is named "):
            gather_tables([row(attributes={name: 1})])

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"n_units": 2**31}, "n_units is 2147483648; expected a value that fits int32"),
            ({"n_units": 10**30}, "n_units is 1000000"),
            (
                {"boundaries": (1, 2**31)},
                "boundaries[1] is 2147483648; expected a value that fits int32",
            ),
            ({"boundaries": (-(2**31) - 1,)}, "boundaries[0] is -2147483649"),
            ({"boundary_types": (2**40,)}, "boundary_types[0] is 1099511627776"),
            ({"unit_lengths": (0, 10**20)}, "unit_lengths[1] is 1000000"),
            (
                {"attributes": {"year": 2**63}},
                "year is 9223372036854775808; expected a value that fits int64",
            ),
            ({"coder": "c\ud800"}, 'coder is "c\\ud800"; expected a value that fits string'),
            ({"attributes": {"note": "\udfff"}}, 'note is "\\udfff"; expected'),
        ],
    )
    def test_values_too_large_for_a_column_are_refused(
        self, change: dict[str, object], message: str
    ) -> None:
        with pytest.raises(Refused) as caught:
            gather_tables([row("e"), row(line=2, **({"coder": "c"} | change))])  # type: ignore[arg-type]
        assert str(caught.value).startswith("f.x:2: ")
        assert message in str(caught.value)

    def test_the_widest_values_fit(self) -> None:
        (only,) = gather_tables(
            [row(n_units=2**31 - 1, boundaries=(2**31 - 2,))]
        ).references.to_pylist()
        assert (only["n_units"], only["boundaries"]) == (2**31 - 1, [2**31 - 2])

    def test_order_and_range_are_not_checked(self) -> None:
        (only,) = gather_tables([row(n_units=-1, boundaries=(5, 2, 99))]).references.to_pylist()
        assert (only["n_units"], only["boundaries"]) == (-1, [5, 2, 99])

    def test_a_row_without_a_document(self) -> None:
        with pytest.raises(Refused, match=r"^f.x:1: document_id is missing"):
            gather_tables([row(None)])

    def test_a_long_int_of_segeval_is_refused_with_its_place(self) -> None:
        text = '{"segmentation_type":"linear","items":{"t":{"a":[2147483647,1]}}}'
        with pytest.raises(Refused, match=r"^f.x:1: n_units is 2147483648"):
            gather_tables(rows_of(segmentations.read_segeval, text))


class TestSegmentationTable:
    """The table of one file has its rows unchanged."""

    def test_lenient_rows_keep_their_nulls(self) -> None:
        text = "{}\n" + record(boundaries=[None, 3], boundary_types=[1, None], unit_lengths=[1])
        table = segmentation_table(rows_of(jsonl.read, text, lenient=True))
        assert table.to_pylist() == [
            {"document_id": None, "coder": None, "n_units": None, "boundaries": None,
             "boundary_types": None},
            {"document_id": "d", "coder": "c", "n_units": 9, "boundaries": [None, 3],
             "boundary_types": [1, None]},
        ]  # fmt: skip

    def test_all_attributes_and_roles_are_kept(self) -> None:
        rows = [row(attributes={"z": 1}), row(role="hypothesis", attributes={"y": "t"})]
        table = segmentation_table(rows)
        assert table.column_names[4:] == ["y", "z"]
        assert table.select(["y", "z"]).to_pylist() == [{"y": None, "z": 1}, {"y": "t", "z": None}]

    @given(st.lists(st.tuples(NAMES, NAMES, drawn_segmentations()), max_size=5))
    def test_rows_are_kept_unchanged(
        self, codings: list[tuple[str, str, tuple[int, list[int]]]]
    ) -> None:
        rows = [row(document, coder, n_units=n, boundaries=tuple(marks))
                for document, coder, (n, marks) in codings]  # fmt: skip
        assert segmentation_table(rows).to_pylist() == [
            {"document_id": document, "coder": coder, "n_units": n, "boundaries": marks}
            for document, coder, (n, marks) in codings
        ]
