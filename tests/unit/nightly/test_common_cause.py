"""What systems share on a night: how many of them must have got worse."""

from dataclasses import replace

import pytest

from segscore.pipeline.nightly.common_cause import is_collapse, is_shared, shared_in_words
from segscore.pipeline.nightly.rules import parse_rule
from segscore.pipeline.nightly.verdict import FAILED, Check

(RULE,) = parse_rule("boundary_similarity>=-0.02")
CHECK = Check(
    RULE.text, "mean", "boundary_similarity", "micro", -0.02, "2026-11-04", 0.413, 0.469, 40, 40, 0,
    change=-0.056, p_adjusted=0.0008, result=FAILED,
)  # fmt: skip


@pytest.mark.parametrize(
    ("worse", "every", "shared"),
    [(2, 2, False), (1, 3, False), (2, 3, True), (3, 3, True), (2, 4, False), (3, 4, True)],
)
def test_all_or_all_but_one_of_three_or_more(worse: int, every: int, shared: bool) -> None:
    """On a night on which two of three systems fall, neither stands out: it passed."""
    changes = [-0.5] * worse + [0.01] * (every - worse)
    systems = [replace(CHECK, system=str(n), change=each) for n, each in enumerate(changes)]
    assert is_shared(CHECK, systems, RULE) == shared
    if (worse, every) == (2, 3):
        assert shared_in_words(CHECK, systems, RULE).startswith("2 of 3 systems fell: ")


def test_systems_that_end_at_one_value_are_not_to_blame_for_what_they_lost() -> None:
    """The best system has most to lose, and was blamed for references that were 2.5 s late."""
    befores, nows = (0.527, 0.47, 0.4, 0.3), (0.11, 0.1, 0.09, 0.09)
    systems = [
        replace(CHECK, system=str(before), value=now, before=before, change=now - before)
        for now, before in zip(nows, befores, strict=True)
    ]
    assert is_collapse(systems, RULE)
    mean = replace(CHECK, value=0.097, before=0.424, group="sued")
    assert shared_in_words(mean, systems, RULE).endswith(
        "in sued, to about the same boundary_similarity: 0.097 on average, was 0.424 on "
        "2026-11-04; look at the references"
    )
    apart = [*systems[:3], replace(systems[3], value=0.2, change=-0.1)]
    assert not is_collapse(apart, RULE)
    lower_is_better = [
        replace(each, value=1 - (each.value or 0), before=1 - (each.before or 0))
        for each in systems
    ]
    assert is_collapse(lower_is_better, parse_rule("pk<=+0.02")[0])
