"""JSON Lines read in blocks by Arrow: the rows and messages of the exact reader."""

import json
from collections.abc import Iterator
from io import BytesIO
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from segscore.pipeline.errors import Refused
from segscore.pipeline.storage import decoded_lines
from segscore.pipeline.tables import json_blocks, jsonl
from segscore.pipeline.tables.json_blocks import JsonLines, whole_lines
from segscore.pipeline.tables.parsed_table import join_stated, parsed_table
from segscore.pipeline.tables.rows import Defaults, ParsedRow
from tests.support.examples import examples

URL = "f.jsonl"
WHOLE = st.integers(-3, 12) | st.sampled_from([2**31 - 1, 2**31, 2**53 + 1, 2**63 - 1, 2**63, -0])
FLOATS = st.sampled_from([0.5, 1.0, -0.0, 2.5, 1e300, 1e16, 0.1])
TEXTS = st.sampled_from(
    ["a", "b", "", "2024-01-01", "é", "😀", "\u2028", "x\\y", 'q"', "1", "}\n{", "\x00"]
)
VALUES = st.none() | st.booleans() | WHOLE | FLOATS | TEXTS
NAMES = st.sampled_from(["genre", "year", "date", "é", "window", "g\\", "unit_lengths"])
LISTS = st.lists(st.integers(0, 9), max_size=3)
LIST_ATTRIBUTES = st.one_of(
    *(st.lists(st.none() | one, max_size=2) for one in (TEXTS, WHOLE, FLOATS, st.booleans())),
    st.lists(VALUES | LISTS, max_size=2),
)
ATTRIBUTES = st.dictionaries(
    NAMES, VALUES | LIST_ATTRIBUTES | st.dictionaries(NAMES, VALUES, max_size=2), max_size=2
)
COMMON = st.fixed_dictionaries(
    {
        "document_id": st.sampled_from(["d", "e", "2024-01-01"]),
        "coder": st.sampled_from(["c", "s"]),
        "n_units": st.integers(1, 20),
        "boundaries": LISTS,
    },
    optional={
        "role": st.sampled_from(["reference", "hypothesis"]),
        "boundary_scores": st.lists(FLOATS | st.integers(0, 1), max_size=3),
        "genre": st.sampled_from(["news", "2024-01-01"]),
        "year": st.integers(0, 3),
        "seconds": FLOATS,
        "tags": st.lists(st.sampled_from(["t", "2024-01-01", None]), max_size=2),
        "levels": LISTS,
    },
)
BROKEN = st.dictionaries(
    st.sampled_from(["document_id", "coder", "role", "n_units", "boundaries", "boundary_scores"]),
    VALUES | st.lists(VALUES, max_size=2),
    max_size=2,
)
LINE = st.one_of(
    COMMON.map(json.dumps),
    COMMON.map(json.dumps),
    COMMON.map(lambda row: json.dumps(row, ensure_ascii=False, separators=(",", ":"))),
    st.builds(lambda row, more: json.dumps({**row, **more}), COMMON, ATTRIBUTES),
    st.builds(lambda row, more: json.dumps({**row, **more}), COMMON, BROKEN),
)
ODD = st.sampled_from(
    [
        "",
        "  ",
        "[]",
        "{",
        "}",
        "{}",
        '{"a": NaN}',
        '{"coder": "c", "coder": "c"}',
        '{"document_id": "d", "coder": "c", "n_units": 1, "boundaries": []} {}',
        '{"document_id": "d", "coder": "c", "n_units": 3.0, "boundaries": []}',
        '{"document_id": "d", "coder": "c", "n_units": 1, "boundaries": [], "x": NaN}',
        '{"document_id": "d", "coder": "c", "n_units": 1, "boundaries": [], "x": 1e999}',
        '{"document_id": "d", "coder": "c", "n_units": 1, "boundaries": [], "x": "\\ud800"}',
        '{"document_id": "d", "coder": "c", "n_units": 1, "boundaries": [], "x": 1, "x": 2}',
        '{"document_id": "d", "coder": "c", "n_units": 1, "boundaries": [],',
        '"x": {"y": 1}}',
        '{"document_id": "\xff", "coder": "c", "n_units": 1, "boundaries": []}',
    ]
)

GOOD = '{"document_id": "d", "coder": "c", "n_units": 9, "boundaries": [1]}'
MINUS_ZERO = '{"document_id": "d", "coder": "c", "n_units": 1, "boundaries": [], "x": -0}'


def decode(block: bytes, line: int) -> Iterator[str]:
    return decoded_lines(URL, BytesIO(block), line)


def in_blocks(content: bytes, size: int, lenient: bool) -> tuple[pa.Table, list[int], set[str]]:
    adapted = set[str]()
    chunks = (content[at : at + size] for at in range(0, len(content), size))
    reader = JsonLines(URL, Defaults(), decode, lenient, adapted if lenient else None)
    read = [*reader.read(chunks)]
    lines = np.concatenate([np.zeros(0, np.int64), *(lines for _, lines in read)])
    return join_stated([table for table, _ in read]), lines.tolist(), adapted


def exactly(content: bytes, lenient: bool) -> tuple[pa.Table, list[int], set[str]]:
    adapted = set[str]()
    may_adapt = adapted if lenient else None
    rows = [*jsonl.read(decode(content, 1), URL, Defaults(), lenient=lenient, adapted=may_adapt)]
    return parsed_table(rows), [row.line for row in rows], adapted


def outcome(read: Any, *arguments: Any) -> Any:
    try:
        table, *more = read(*arguments)
    except Refused as refusal:
        return str(refusal)
    return table.schema.names, table.schema.types, repr(table.to_pylist()), more


@settings(max_examples=examples(300), deadline=None)
@given(st.lists(LINE | ODD, max_size=6), st.booleans(), st.sampled_from(["\n", "\r\n"]))
@example(
    ['{"document_id": "d", "coder": "c", "n_units": 1, "boundaries": [], "x": -0}'], True, "\n"
)
@example(
    [
        '{"document_id": "d", "coder": "c", "n_units": 9, "boundaries": [1], "x": 0.5}',
        '{"document_id": "d", "coder": "c", "n_units": 9, "boundaries": [1], "x": 2}',
    ],
    False,
    "\n",
)
@example(
    [
        '{"document_id": "d", "coder": "c", "n_units": 9, "boundaries": [1], ":5,": 0.5}',
        '{"document_id": "d", "coder": "c", "n_units": 9, "boundaries": [1], ":5,": 2}',
        '{"document_id": "d", "coder": "c", "n_units": 9, "boundaries": [1], "x": 3.0}',
        '{"document_id": "d", "coder": "\\":5,", "n_units": 9, "boundaries": [1], "x": 3}',
    ],
    False,
    "\n",
)
@example(
    [
        '{"document_id": "d", "coder": "c", "n_units": 9, "boundaries": [1], "x": 0.5}',
        '{"document_id": "d", "coder": ":5,", "n_units": 9, "boundaries": [1], "x": 2}',
    ],
    False,
    "\n",
)
@example(
    [*[""] * 40, GOOD, *["", " ", "\t"] * 20, GOOD, GOOD, *[" "] * 40, "{", "", GOOD], True, "\r\n"
)
@example([GOOD, *[""] * 17, GOOD, *["\u2003"] * 20, GOOD, *[""] * 99], False, "\n")
def test_one_block_is_read_as_the_exact_reader_reads_it(
    lines: list[str], lenient: bool, end: str
) -> None:
    text = "".join(line + end for line in lines)
    content = text.encode("latin-1" if "\xff" in text else "utf-8", "replace")
    assert outcome(in_blocks, content, 10**6, lenient) == outcome(exactly, content, lenient)


@settings(max_examples=examples(100), deadline=None)
@given(st.lists(COMMON.map(json.dumps), min_size=1, max_size=12), st.integers(1, 400))
def test_the_size_of_blocks_changes_nothing(lines: list[str], size: int) -> None:
    content = "\n".join(lines).encode()
    assert outcome(in_blocks, content, size, False) == outcome(exactly, content, False)


def test_blank_lines_are_not_looked_at_one_by_one() -> None:
    decoded = 0

    def counting(block: bytes, line: int) -> Iterator[str]:
        nonlocal decoded
        for text in decode(block, line):
            decoded += 1
            yield text

    good = (GOOD + "\n").encode()
    content = [b"\n" * 10**6, good + b"\n" * 10**6 + good + b" \r\n" * 10**6, b"\n" * 10**6 + good]
    for rejecting in (False, True):
        reader = JsonLines(URL, Defaults(), counting, rejecting=rejecting)
        read = [*reader.read(content)]
        lines = [line for _, block in read for line in block.tolist()]
        assert lines == [10**6 + 1, 2 * 10**6 + 2, 4 * 10**6 + 3]
    assert decoded < 100


def test_attributes_are_looked_for_once_in_a_block(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not once for each of thousands of columns."""
    searched: list[bytes] = []
    pattern = json_blocks._INTEGER

    def find_all(text: bytes) -> list[bytes]:
        searched.append(text)
        return pattern.findall(text)

    monkeypatch.setattr(json_blocks, "_INTEGER", SimpleNamespace(findall=find_all))
    row = {**json.loads(GOOD), **{f"a{i}": float(i) for i in range(2000)}}
    text = json.dumps(row) + "\n" + json.dumps({**json.loads(GOOD), "b": 1}) + "\n"
    assert outcome(in_blocks, text.encode(), 10**6, False) == outcome(exactly, text.encode(), False)
    assert len(searched) == 1


def test_usual_lines_are_not_left_to_the_exact_reader() -> None:
    """Times as text, missing attributes, roles, lists, and numbers that are never whole."""
    usual: dict[str, Any] = {"document_id": "d", "coder": "c", "n_units": 9, "boundaries": [1, 4]}
    rows = [
        {**usual, "role": "hypothesis", "date": "2024-01-01", "seconds": 1.5, "tags": ["t", None]},
        {**usual, "boundary_scores": [0.5, 1], "date": None, "year": 1997, "seen": [True, False]},
    ]
    content = "".join(json.dumps(row) + "\n" for row in rows).encode()
    expected = outcome(exactly, content, False)
    with patch.object(JsonLines, "exact", side_effect=AssertionError("not on the fast path")):
        assert outcome(in_blocks, content, 10**6, False) == expected


def test_messages_name_the_line_in_the_file() -> None:
    good = '{"document_id": "d", "coder": "c", "n_units": 9, "boundaries": [1]}\n'
    for bad in ("{\n", '{"coder": 1}\n', "\xff\n"):
        content = (good * 20 + bad + good).encode("latin-1")
        with pytest.raises(Refused, match=rf"^{URL}:21: "):
            in_blocks(content, 200, False)


def test_bad_lines_are_collected() -> None:
    good = '{"document_id": "d", "coder": "c", "n_units": 9, "boundaries": [1]}\n'
    content = (good + "{\n" + good + '{"n_units": 1}\n' + good).encode()
    reader = JsonLines(URL, Defaults(), decode, rejecting=True)
    ((table, lines),) = reader.read([content])
    assert (table.num_rows, lines.tolist()) == (3, [1, 3, 5])
    assert [line for line, _ in reader.bad_lines] == [1, 3]
    assert all(message.startswith(f"{URL}:{line + 1}: ") for line, message in reader.bad_lines)


@given(st.binary(max_size=40), st.integers(1, 9))
def test_blocks_are_whole_lines(content: bytes, size: int) -> None:
    blocks = [*whole_lines(content[at : at + size] for at in range(0, len(content), size))]
    end = b"" if content.endswith(b"\n") or not content else b"\n"
    assert b"".join(blocks) == content + end
    assert all(block.endswith(b"\n") for block in blocks)


def test_an_attribute_of_several_types_in_several_blocks_is_text() -> None:
    values: list[Any] = [1, 1.0, True, "w", None, 1e16, (), (1.0, None), ("ü", "w")]
    tables = [
        parsed_table([ParsedRow("d", "c", "reference", 9, (1,), attributes={"v": value})])
        if value is not None
        else parsed_table([ParsedRow("d", "c", "reference", 9, (1,))])
        for value in values
    ]
    texts = ["1", "1.0", "true", "w", None, "1e+16", "[]", "[1.0, null]", '["ü", "w"]']
    assert join_stated(tables).column("v").to_pylist() == texts
