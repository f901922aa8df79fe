"""What systems share on a night: how many of them must have got worse."""

from dataclasses import replace

import pytest

from segscore.pipeline.nightly.blame import is_shared, shared_in_words
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
