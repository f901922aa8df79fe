"""The rules of the gate, such as `boundary_similarity>=-0.01`, and all kinds of rules."""

import re
from functools import cache

from segscore.pipeline.errors import Refused
from segscore.pipeline.nightly.formatting import TREND
from segscore.pipeline.nightly.gate.floor import FloorKind
from segscore.pipeline.nightly.gate.kind import RuleKind
from segscore.pipeline.nightly.gate.level import LevelKind
from segscore.pipeline.nightly.gate.rule import GateRule
from segscore.pipeline.nightly.gate.two_nights import TwoNightsKind
from segscore.pipeline.nightly.verdict import Check

KINDS: tuple[RuleKind, ...] = (TwoNightsKind(), LevelKind(), FloorKind())
"""All kinds of rules, in the order in which a night is checked; a new kind is added here."""

_PER_NIGHTS = re.compile(r" *per *[0-9]+ *nights?$")

_BY_NAME = {kind.name: kind for kind in KINDS}


def kind_of(rule: GateRule) -> RuleKind:
    """Return the kind of a rule."""
    return _BY_NAME[rule.kind]


@cache
def rule_of(text: str) -> GateRule:
    """Return the rule that a check names.

    Verdicts before version 0.3 have rules about the line through the last nights, such as
    `trend:pk<=+0.02 per 30 nights`; they are read as if they were about two nights.
    """
    (rule,) = parse_rule(_PER_NIGHTS.sub("", text.removeprefix(TREND)))
    return rule


def kind_of_check(check: Check) -> RuleKind:
    """Return the kind of the rule that a check is of."""
    return kind_of(rule_of(check.rule))


def parse_rule(text: str) -> tuple[GateRule, ...]:
    """Read rules separated by commas.

    Raises:
        Refused: a rule is malformed, its measure does not exist, its limit has no sign or the
            wrong one, or two rules are about the same average; all wrong rules are named.
    """
    rules: list[GateRule] = []
    wrong: list[str] = []
    for part in text.split(","):
        try:
            rule = _read("".join(part.split()))
        except Refused as problem:
            wrong.append(str(problem))
            continue
        subject = rule.measure, rule.average, rule.kind, rule.is_common
        if subject in [(r.measure, r.average, r.kind, r.is_common) for r in rules]:
            wrong.append(
                f"--gate {rule.text}: a second rule for {rule.average} {rule.measure}; give one"
            )
        rules.append(rule)
    if wrong:
        raise Refused("; ".join(wrong))
    return tuple(rules)


def _read(text: str) -> GateRule:
    """Let the kinds read a rule, the most special ones first."""
    # A floor is written like a level, but without a sign; a rule about two nights has no prefix.
    read = (rule for kind in KINDS[::-1] if (rule := kind.read(text)) is not None)
    return next(read)


def result_in_words(check: Check) -> str:
    """Say how a check ended; `within noise` if it passed with a change beyond its limit."""
    return kind_of_check(check).result(rule_of(check.rule), check)
