"""Rules of the gate, such as `boundary_similarity>=-0.01`: how far an average may get worse.

Rules with the prefix `level:` are about the level over many nights, or, if the limit has no sign,
about the average itself. Those with `common:` are about the level that all systems share, and those
with `trend:` about the line through the last nights.
"""

import math
import re
from dataclasses import dataclass, replace

from segscore.pipeline.errors import Refused
from segscore.pipeline.measures import ALL, PAIRS, PANELS
from segscore.pipeline.measures.published import nearest_measure

TREND, LEVEL, COMMON = "trend:", "level:", "common:"
"""Prefixes of rules about the line through the last nights, and about levels."""

FLOOR = "floor"
"""Kind of a rule about the average itself."""

_NIGHTS = re.compile(r"(.*?)per([0-9]{1,3})nights?")
_FEWEST_NIGHTS = 10

FORM = re.compile(
    r"(?:(micro|macro):)?(\w+)(>=|<=)([-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[-+]?[0-9]+)?)"
)
RULE_TABLES = {"scores": PAIRS, "panel_scores": PANELS}


def measured_table(measure: str) -> str:
    """Return the table that has a measure's counts and values by document."""
    return next(name for name, kind in RULE_TABLES.items() if measure in kind.measures)


@dataclass(frozen=True)
class GateRule:
    """How far a system's average may move between two nights.

    Attributes:
        text: the rule as given, without spaces.
        average: `micro` or `macro`.
        measure: the measure that is averaged.
        falls: whether the rule limits a fall (`>=`) rather than a rise (`<=`).
        limit: the change allowed, in the unit of the measure: at most 0 where ``falls``, else at
            least 0; or the smallest or largest average of a rule about the average itself.
        kind: ``TREND``, ``LEVEL``, ``COMMON``, ``FLOOR``, or empty for a rule about two nights.
        nights: number of nights over which the average may move so far, by the line through the
            last nights; 0 for a rule that is not for trends.
    """

    text: str
    average: str
    measure: str
    falls: bool
    limit: float
    kind: str = ""
    nights: int = 0

    @property
    def table(self) -> str:
        """The table that has the measure's counts and values by document."""
        return measured_table(self.measure)

    def excess(self, change: float) -> float:
        """Return how far a change for the worse exceeds the limit; negative within the limit.

        Of a floor, the average itself takes the place of the change.
        """
        return self.limit - change if self.falls else change - self.limit


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
            rule = _rule("".join(part.split()))
        except Refused as problem:
            wrong.append(str(problem))
            continue
        subject = rule.measure, rule.average, rule.kind
        if subject in [(r.measure, r.average, r.kind) for r in rules]:
            wrong.append(
                f"--gate {rule.text}: a second rule for {rule.average} {rule.measure}; give one"
            )
        rules.append(rule)
    if wrong:
        raise Refused("; ".join(wrong))
    return tuple(rules)


def _rule(text: str) -> GateRule:
    if text.startswith(TREND):
        return _trend_rule(text.removeprefix(TREND))
    for prefix in (LEVEL, COMMON):
        if text.startswith(prefix):
            return _level_rule(prefix, text.removeprefix(prefix))
    return _rule_of_two_nights(text)


def _rule_of_two_nights(text: str) -> GateRule:
    if not {*"<>="} & {*text}:
        raise Refused(
            f"--gate {text}: has no comparison; put the rules in quotes, --gate "
            "'boundary_similarity>=-0.01', or the shell takes > for a redirection and writes to a "
            "file named =-0.01"
        )
    match = FORM.fullmatch(text)
    if match is None or not math.isfinite(limit := float(match[4])):
        raise Refused(
            f"--gate {text}: must look like boundary_similarity>=-0.01 (may fall by 0.01), "
            "pk<=+0.02 (may rise by 0.02) or macro:pk<=+0.02"
        )
    rule = GateRule(text, match[1] or "micro", match[2], match[3] == ">=", limit)
    _require_direction(rule)
    _require_change(rule, match[4])
    return rule


def _require_direction(rule: GateRule) -> None:
    """Refuse a measure that does not exist, or of which the other direction is better."""
    text, name, limit = rule.text, rule.measure, rule.limit
    if name not in ALL:
        raise Refused(f"--gate {text}: no such measure{nearest_measure(name, ALL)}")
    better = ALL[name].better
    if better not in ("neither", "higher" if rule.falls else "lower"):
        correction = (
            f"{name}>=-{abs(limit):g}" if better == "higher" else f"{name}<=+{abs(limit):g}"
        )
        raise Refused(f"--gate {text}: {better} is better for {name}; write {correction}")


def _require_change(rule: GateRule, number: str) -> None:
    """Refuse a limit that is not a change for the worse, or lacks a sign."""
    text, falls = rule.text, rule.falls
    floor = f"{LEVEL}{text.replace(number, number.lstrip('+-'))}"
    absolute = f"for {'a floor' if falls else 'an upper limit'} of the average itself write {floor}"
    if rule.limit and number[0] not in "+-":
        correction = text.replace(number, ("-" if falls else "+") + number)
        raise Refused(
            f"--gate {text}: the limit is a change and needs a sign; write {correction} to let "
            f"{rule.measure} {'fall' if falls else 'rise'} by {number}; {absolute}"
        )
    if (rule.limit > 0) if falls else (rule.limit < 0):
        raise Refused(
            f"--gate {text}: the limit must be {'at most' if falls else 'at least'} 0, or "
            f"every night would have to be better than the one before; {absolute}"
        )


def _level_rule(prefix: str, text: str) -> GateRule:
    """Read a rule without its prefix: about a level, or, without a sign, an average itself."""
    match = FORM.fullmatch(text)
    is_floor = match is not None and match[4][0] not in "+-" and float(match[4]) > 0
    if prefix == LEVEL and match is not None and is_floor and math.isfinite(float(match[4])):
        average = match[1] or "micro"
        rule = GateRule(text, average, match[2], match[3] == ">=", float(match[4]), FLOOR)
        _require_direction(rule)
    else:
        rule = replace(_rule_of_two_nights(text), kind=prefix)
    return replace(rule, text=f"{prefix}{text}")


def _trend_rule(text: str) -> GateRule:
    """Read a rule without its prefix, such as `boundary_similarity>=-0.02per30nights`."""
    match = _NIGHTS.fullmatch(text)
    if match is None or int(match[2]) < _FEWEST_NIGHTS:
        raise Refused(
            f"--gate {TREND}{text}: must say over how many nights, at least {_FEWEST_NIGHTS}, such "
            f"as {TREND}boundary_similarity>=-0.02 per 30 nights"
        )
    rule, nights = _rule_of_two_nights(match[1]), int(match[2])
    text = f"{TREND}{rule.text} per {nights} nights"
    return replace(rule, text=text, kind=TREND, nights=nights)
