"""`nightly --message`: a short text for a chat, whatever the outcome."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from segscore.pipeline.nightly.message import in_short
from tests.support.night_metrics import WORSE
from tests.support.nights import DAYS, GOOD, Archive

FIRST, SECOND, THIRD = DAYS[:3]
NIGHTS = ((FIRST, GOOD, 0), (SECOND, WORSE, 1))


def test_a_message_says_what_since_when_and_how_sure(archive: Archive) -> None:
    passed = archive.run(FIRST, "--message")
    assert passed.out == f"{FIRST}: passed. 2 systems, no rule was applied.\n"
    failed = archive.run(SECOND, "--message")
    assert failed.code == 1 and "failed" in failed.err
    whole = failed.err.partition("failed: ")[2].partition("; worst")[0]
    assert failed.out.startswith(f"{SECOND}: failed. {whole}.")
    assert f"on {FIRST} (0.02 allowed, p " in failed.out
    archive.run(SECOND, "--accept", "meant")
    accepted = archive.run(SECOND, "--message").out
    assert accepted.startswith(f"{SECOND}: accepted: meant. 2 systems, what fails was accepted, ")


def test_a_night_that_waits_has_a_message(archive: Archive) -> None:
    result = archive.run(THIRD, "--message")
    assert result.code == 75
    assert result.out.startswith(f"{THIRD}: waiting for input: ") and len(result.out) <= 301


@pytest.mark.parametrize("options", [("--dry-run",), ("--format", "json")])
def test_a_message_takes_the_place_of_other_results(
    archive: Archive, options: tuple[str, ...]
) -> None:
    assert archive.run(FIRST, "--message", *options).code == 2


def test_sentences_that_have_no_room_are_counted() -> None:
    long = ["2026-01-31: failed", "a" * 150, "b" * 150, "c" * 100]
    assert in_short(long) == f"2026-01-31: failed. {'a' * 150}. And 2 more remarks."
    assert in_short(long[:2]) == f"2026-01-31: failed. {'a' * 150}."
    assert in_short(["x", "line\n  two."]) == "x. line two."
    cut = in_short(["2026-01-31: failed", "d" * 400])
    assert len(cut) == 300 and cut.startswith("2026-01-31: failed. ddd") and cut.endswith("d…")


@given(st.lists(st.text(max_size=200), min_size=1, max_size=6))
def test_no_text_is_too_long(sentences: list[str]) -> None:
    text = in_short(sentences)
    assert len(text) <= 300 and "\n" not in text
