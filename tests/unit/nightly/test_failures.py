"""What a failed night says of each system: every fact once."""

from dataclasses import replace
from typing import Any

import pytest

from segscore.pipeline.nightly.kept_verdicts import change_in_words
from segscore.pipeline.nightly.sentences import failures_in_words, problems
from segscore.pipeline.nightly.verdict import (
    ALL_SYSTEMS,
    FAILED,
    UNDEFINED,
    Acceptance,
    Check,
)
from tests.support.failed_checks import CHECK, NIGHT

RULE = CHECK.rule
MEDIAN = replace(CHECK, before=0.492, change=-0.079, nights=7)
PK = replace(CHECK, rule="macro:pk<=+0.02", measure="pk", average="macro", limit=0.02,
             value=0.37, before=0.02, change=0.35, p_adjusted=1e-9)  # fmt: skip
TREND = replace(CHECK, rule="trend:boundary_similarity>=-0.02 per 30 nights", limit=-0.02,
                value=0.42, before=0.5, change=-0.08, nights=30, moved=())  # fmt: skip


def test_a_system_has_one_sentence() -> None:
    other = replace(CHECK, system="gamma", group="regio", moved=())
    assert failures_in_words([CHECK, MEDIAN, PK, other, TREND]) == [
        "delta got worse: boundary_similarity 0.413, was 0.469 on 2026-11-04 and 0.492 in the 7 "
        "nights to 2026-11-04 (0.01 allowed, p 0.0008); macro pk 0.370, was 0.020 on 2026-11-04 "
        "(0.02 allowed, p < 0.0001); boundary_similarity 0.420, was 0.500 on "
        "2026-11-04 (0.02 allowed, p 0.0008); worst: a, b, c",
        "gamma got worse in regio: boundary_similarity 0.413, was 0.469 on 2026-11-04 (0.01 "
        "allowed, p 0.0008)",
    ]


@pytest.mark.parametrize(
    ("check", "sentence"),
    [
        (replace(CHECK, value=0.4131, before=0.4134, change=-0.0003, limit=-0.0001, moved=()),
         "boundary_similarity 0.4131, was 0.4134 on 2026-11-04 (0.0001 allowed, p 0.0008)"),
        (replace(CHECK, value=None, change=None, result=UNDEFINED, moved=()),
         "boundary_similarity is undefined, was 0.469 on 2026-11-04"),
        (TREND, "boundary_similarity 0.420, was 0.500 on 2026-11-04 (0.02 allowed, p 0.0008)"),
    ],
)  # fmt: skip
def test_one_check(check: Check, sentence: str) -> None:
    assert failures_in_words([check])[0] == f"delta got worse: {sentence}"


def test_a_measure_is_not_named_twice_in_a_row() -> None:
    (sentence,) = failures_in_words([replace(CHECK, moved=()), TREND])
    assert sentence.endswith("p 0.0008); it 0.420, was 0.500 on 2026-11-04 "
                             "(0.02 allowed, p 0.0008)")  # fmt: skip


def test_what_was_accepted_in_a_group_is_not_said_again_of_a_night_that_still_fails() -> None:
    groups = (replace(CHECK, group="talk"), replace(CHECK, system="beta", group="news"))
    night = replace(NIGHT, group_checks=groups, outcome=FAILED)
    assert len(problems(night, "run")) == 2
    (left,) = problems(replace(night, acceptances=(Acceptance("known", "delta", RULE),)), "run")
    assert left.startswith("beta got worse in news")


@pytest.mark.parametrize(
    ("before", "now", "words"),
    [
        ({}, {}, ""),
        ({"outcome": "accepted"}, {}, "accepted before, passed now"),
        ({"finished_at": "earlier", "past": "other"}, {}, ""),
        (
            {"outcome": FAILED, "checks": (CHECK, MEDIAN)},
            {
                "outcome": FAILED,
                "checks": (MEDIAN, replace(CHECK, system=ALL_SYSTEMS, group="talk")),
            },
            f"failed, as before; new: all systems got worse in talk ({RULE})",
        ),
        (
            {"outcome": FAILED, "group_checks": (CHECK, replace(CHECK, group="talk"))},
            {"missing": ("beta",), "outcome": "incomplete"},
            f"failed before, incomplete now; no longer: delta got worse ({RULE}) and delta got "
            f"worse in talk ({RULE}); new: beta is missing",
        ),
        (
            {"outcome": "not_comparable", "differences": {"2026-11-04": ["n_t"]}},
            {"outcome": "incomplete", "missing_groups": tuple("abcde")},
            "not_comparable before, incomplete now; no longer: not comparable with 2026-11-04; "
            "new: a is missing, b is missing, c is missing and 2 more",
        ),
    ],
)
def test_what_changed_in_a_verdict_is_said(
    before: dict[str, Any], now: dict[str, Any], words: str
) -> None:
    assert change_in_words(replace(NIGHT, **before), replace(NIGHT, **now)) == words
    assert change_in_words(None, replace(NIGHT, **now)) == ""
