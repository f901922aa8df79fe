"""JSON that is nested too deeply is found before a parser sees it, in any line."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from segscore.pipeline.errors import Refused
from segscore.pipeline.importing.formats.format import json_keys
from segscore.pipeline.tables import strict_json
from segscore.pipeline.tables.find import read_json_lines
from segscore.pipeline.tables.rows import RowPlace
from segscore.pipeline.tables.strict_json import DEEPEST, deep_line, has_deep_line

ROW = '{"document_id": "a", "coder": "x", "n_units": 9, "boundaries": [3], "more": %s}\n'


def first_deep_line(text: str) -> int | None:
    """Walk over a text letter by letter."""
    depth = line = 0
    quoted = escaped = False
    for letter in text:
        if quoted:
            quoted = escaped or letter != '"'
            escaped = letter == "\\" and not escaped
        elif letter == '"':
            quoted = True
        depth += 0 if quoted else (letter in "[{") - (letter in "]}")
        line += letter == "\n" and not quoted
        if depth > DEEPEST:
            return line
    return None


pieces = st.sampled_from(["[", "{", "]", "}", '"', '\\"', "[" * 90, '"[[{', "a", "\n", '"\\\\"'])


@given(st.lists(pieces, max_size=30).map("".join))
def test_depth_equals_that_of_a_walk(text: str) -> None:
    if "\\" not in text.replace('\\"', "").replace("\\\\", ""):
        assert deep_line(text.encode()) == first_deep_line(text)


def nested(depth: int, kind: str) -> str:
    if kind == "lists":
        return "[" * depth + "]" * depth
    return '{"a":' * depth + "1" + "}" * depth


@pytest.mark.parametrize("kind", ["lists", "objects"])
def test_bound(kind: str) -> None:
    place = RowPlace("file", 7)
    strict_json.loads(nested(DEEPEST, kind), place)
    with pytest.raises(Refused, match=f"^file:9: lists and objects are nested more than {DEEPEST}"):
        strict_json.loads(f"[\n\n{nested(DEEPEST, kind)}]", place)
    assert not has_deep_line((nested(DEEPEST, kind) + "\n").encode() * 3)
    assert has_deep_line(("{}\n" * 3 + nested(DEEPEST + 1, kind) + "\n").encode())


def test_brackets_in_texts_are_not_nested(tmp_path: Path) -> None:
    path = tmp_path / "talks.jsonl"
    path.write_text(ROW % json.dumps('[laughs] "[' * 200))
    assert not has_deep_line(path.read_bytes())
    table, _ = read_json_lines("references", str(path), 10**6)
    assert table.column("more").to_pylist() == ['[laughs] "[' * 200]


@pytest.mark.first
@pytest.mark.parametrize("kind", ["lists", "objects"])
def test_a_deep_line_is_refused_with_its_number(tmp_path: Path, kind: str) -> None:
    """In a process of its own, because Arrow's parser would end it."""
    path = tmp_path / "deep.jsonl"
    path.write_text(ROW % 1 + ROW % nested(100_000, kind))
    read = (
        "from segscore.pipeline.tables.find import read_json_lines\n"
        f"read_json_lines('references', {str(path)!r}, 10**6)"
    )
    done = subprocess.run([sys.executable, "-c", read], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert f"Refused: {path}:2: lists and objects are nested more than 100 deep" in done.stderr


def test_keys_of_deep_text() -> None:
    assert json_keys('{"a": {"b": 1}, "c": ' + nested(1_000_000, "lists")) == {"a", "a.b", "c"}
