"""Text that can be shown: no control characters, no secrets of URLs."""

import json
import pickle
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from segscore.pipeline.errors import Failed, Refused, TooManyUnpaired
from segscore.pipeline.plain_text import redacted, visible, visible_json

BIDI = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}


def is_control(character: str) -> bool:
    """Return whether a character is a control by the categories of Unicode."""
    return (
        unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp")
        or unicodedata.bidirectional(character) in BIDI
        or character in "\u061c\u200e\u200f"
    )


@pytest.mark.long
def test_all_controls_of_unicode_are_escaped_and_nothing_else() -> None:
    for code in range(0x110000):
        character = chr(code)
        assert (visible(character) != character) == is_control(character), hex(code)


@given(st.text(st.characters()))
def test_escaping_twice_changes_nothing_more(text: str) -> None:
    once = visible(text)
    assert visible(once) == once
    assert visible(text, lines=True).replace("\n", "\\x0a").replace("\t", "\\x09") == once


@given(st.text())
def test_json_is_read_back_unchanged(text: str) -> None:
    for ascii_only in (True, False):
        shown = visible_json(json.dumps({"name": text}, indent=1, ensure_ascii=ascii_only))
        assert json.loads(shown) == {"name": text}
        assert not any(map(is_control, shown.replace("\n", "")))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("https://ann:S3CRET@host/x: no", "https://…@host/x: no"),
        ("tcp://:S3CRET@host:8786", "tcp://…@host:8786"),
        ("https://ann:S3/CR@ET@host/x", "https://…@host/x"),
        ("s3://b/x?secret=S3CRET", "s3://b/x?…"),
        ("gs://b/x?a=1&access_token=S3.CR:ET: not found", "gs://b/x?…: not found"),
        ("(https://h/x?X-Amz-Signature=S3CRET)", "(https://h/x?…)"),
        ("https://h/#api_key=S3CRET", "https://h/#…"),
        ("from https://h/?pwd=S3CRET, to s3://b/y?Password=S3CRET", "from https://h/?…, to s3://b/y?…"),
    ],
)  # fmt: skip
def test_secrets_of_urls_are_hidden(text: str, shown: str) -> None:
    assert redacted(text) == shown
    assert str(Refused(text)) == str(Failed(text)) == shown


@pytest.mark.parametrize(
    "text",
    [
        "abfs://container@account.dfs.core.windows.net/x",
        "tcp://10.0.0.1:8786",
        "http://host:80/topics@ben",
        "s3://b/day-?.parquet, s3://b/key=1/x",
        "https://h/x?prefix=a",
        "why? token=1",
    ],
)
def test_other_texts_are_not_changed(text: str) -> None:
    assert redacted(text) == text


def test_errors_have_safe_messages_also_after_a_process_sent_them() -> None:
    error = TooManyUnpaired("\x1b[2J https://a:b@c", ["one"])
    for each in (error, pickle.loads(pickle.dumps(error))):  # noqa: S301
        assert str(each) == "\\x1b[2J https://…@c"
        assert each.systems == ("one",)
