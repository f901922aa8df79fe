"""`nightly --message`: a short text for a chat, whatever the outcome."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from segscore.pipeline.nightly.sentences import in_short, night_message
from tests.support.failed_checks import CHECK, NIGHT
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
    assert result.out.startswith(f"{THIRD}: waiting for input: ")


@pytest.mark.parametrize("options", [("--dry-run",), ("--format", "json")])
def test_a_message_takes_the_place_of_other_results(
    archive: Archive, options: tuple[str, ...]
) -> None:
    assert archive.run(FIRST, "--message", *options).code == 2


def test_the_three_most_important_facts_are_complete(archive: Archive) -> None:
    long = ["2026-01-31: failed", "a" * 150, "b" * 350, "line\n  two.", "d"]
    assert in_short(long) == f"2026-01-31: failed. {'a' * 150}. {'b' * 350}. line two."
    assert in_short(long[:2]) == f"2026-01-31: failed. {'a' * 150}."
    archive.deliver(THIRD, WORSE, documents=15)
    said = archive.run(THIRD, "--message").out
    assert said.startswith(f"{THIRD}: failed. other got worse: ")
    assert "scored on 15 documents, but on 40 on" in said  # a warning beside the failure


def test_all_systems_that_fail_are_named() -> None:
    names = ["alta", "boreo", "ciel", "dune"]
    checks = tuple(replace(CHECK, system=name) for name in names)
    verdict = replace(NIGHT, checks=checks, systems=tuple(names), outcome="failed")
    said = night_message(verdict, "run")
    assert said.startswith(f"{NIGHT.date}: failed (alta, boreo, ciel and dune). alta got worse: ")
    assert said.count("got worse") == 3 and "remark" not in said


@given(st.lists(st.text(max_size=200), min_size=1, max_size=6))
def test_a_text_is_one_line(sentences: list[str]) -> None:
    assert "\n" not in in_short(sentences)
