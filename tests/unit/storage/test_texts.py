"""Texts that are not UTF-8 are found in every type that contains text, and placed."""

import pyarrow as pa
import pytest

from segscore.pipeline.errors import Unreadable
from segscore.pipeline.storage.texts import require_utf8
from tests.support.hostile import wrong_texts

TEXTS = wrong_texts([b"a", "é".encode(), b"b", b"\xed\xa0\x80", b""])
NESTED = {
    "text": TEXTS,
    "large": TEXTS.cast(pa.binary()).cast(pa.large_binary()).view(pa.large_string()),
    "view": TEXTS.cast(pa.binary()).cast(pa.binary_view()).view(pa.string_view()),
    "dictionary": pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, 3, 4]), TEXTS),
    "struct": pa.StructArray.from_arrays([TEXTS], ["inner"]),
    "list": pa.ListArray.from_arrays(pa.array([0, 0, 2, 3, 5, 5], pa.int32()), TEXTS),
}


@pytest.mark.parametrize("kind", NESTED)
def test_place_of_a_wrong_text(kind: str) -> None:
    table = pa.concat_tables([pa.table({"x": NESTED[kind]})] * 2)
    with pytest.raises(Unreadable, match=r"^file: row group 7: column x: the text in row 1 of"):
        require_utf8("file", table, [(4, 2), (7, 8)])


def test_valid_texts_and_other_types() -> None:
    require_utf8("file", pa.table({"t": TEXTS.slice(0, 3)}), [(0, 3)])
    require_utf8("file", pa.table({"x": [b"\xff"], "y": [[1, 2]], "z": [None]}), [(0, 1)])
