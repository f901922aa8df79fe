"""Rules of the gate, such as `boundary_similarity>=-0.01`: how far an average may get worse."""

import math
import re
from dataclasses import dataclass, replace

from segscore.pipeline.errors import Refused
from segscore.pipeline.measures import ALL, PAIRS, PANELS
from segscore.pipeline.measures.published import nearest_measure

TREND = "trend:"
"""Prefix of a rule about the line through the last nights."""

_NIGHTS = re.compile(r"(.*?)per([0-9]{1,3})nights?")
_FEWEST_NIGHTS = 10

FORM = re.compile(
    r"(?:(micro|macro):)?(\w+)(>=|<=)([-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[-+]?[0-9]+)?)"
)
_BETTER = {">=": "higher", "<=": "lower"}
_ABSOLUTE = (
    "no rule is about the average itself: test the one that `segscore score --format json` prints"
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
            least 0.
        nights: number of nights over which the average may move so far, by the line through the
            last nights; 0 for a rule about two nights.
    """

    text: str
    average: str
    measure: str
    falls: bool
    limit: float
    nights: int = 0

    @property
    def table(self) -> str:
        """The table that has the measure's counts and values by document."""
        return measured_table(self.measure)

    def excess(self, change: float) -> float:
        """Return how far a change for the worse exceeds the limit; negative within the limit."""
        return self.limit - change if self.falls else change - self.limit


def parse_rule(text: str) -> tuple[GateRule, ...]:
    """Read rules separated by commas.

    Raises:
        Refused: a rule is malformed, its measure does not exist, its limit has no sign or the
            wrong one, or two rules are about the same average.
    """
    rules = tuple(_rule("".join(part.split())) for part in text.split(","))
    for index, rule in enumerate(rules):
        subject = rule.measure, rule.average, bool(rule.nights)
        if subject in [(r.measure, r.average, bool(r.nights)) for r in rules[:index]]:
            raise Refused(
                f"--gate {rule.text}: a second rule for {rule.average} {rule.measure}; give one"
            )
    return rules


def _rule(text: str) -> GateRule:
    if text.startswith(TREND):
        return _trend_rule(text.removeprefix(TREND))
    if not {*"<>="} & {*text}:
        raise Refused(
            f"--gate {text}: has no comparison; put the rules in quotes, --gate "
            "'boundary_similarity>=-0.01', or the shell takes > for a redirection and writes to a "
            "file named =-0.01"
        )
    match = FORM.fullmatch(text)
    if match is None or not math.isfinite(limit := float(match[4])):
        raise Refused(
            f"--gate {text}: must look like boundary_similarity>=-0.01 (may fall by .01), "
            "pk<=+0.02 (may rise by .02) or macro:pk<=+0.02"
        )
    average, name, sign = match[1] or "micro", match[2], match[3]
    if name not in ALL:
        raise Refused(f"--gate {text}: no such measure{nearest_measure(name, ALL)}")
    better = ALL[name].better
    if better not in ("neither", _BETTER[sign]):
        correction = (
            f"{name}>=-{abs(limit):g}" if better == "higher" else f"{name}<=+{abs(limit):g}"
        )
        raise Refused(f"--gate {text}: {better} is better for {name}; write {correction}")
    if limit and match[4][0] not in "+-":
        correction = text.replace(match[4], ("-" if sign == ">=" else "+") + match[4])
        raise Refused(
            f"--gate {text}: the limit is a change and needs a sign; write {correction} to let "
            f"{name} {'fall' if sign == '>=' else 'rise'} by {match[4]}; {_ABSOLUTE}"
        )
    if (limit > 0) if sign == ">=" else (limit < 0):
        raise Refused(
            f"--gate {text}: the limit must be {'at most' if sign == '>=' else 'at least'} 0, or "
            f"every night would have to be better than the one before; {_ABSOLUTE}"
        )
    return GateRule(text, average, name, sign == ">=", limit)


def _trend_rule(text: str) -> GateRule:
    """Read a rule without its prefix, such as `boundary_similarity>=-0.02per30nights`."""
    match = _NIGHTS.fullmatch(text)
    if match is None or int(match[2]) < _FEWEST_NIGHTS:
        raise Refused(
            f"--gate {TREND}{text}: must say over how many nights, at least {_FEWEST_NIGHTS}, such "
            f"as {TREND}boundary_similarity>=-0.02 per 30 nights"
        )
    rule, nights = _rule(match[1]), int(match[2])
    return replace(rule, text=f"{TREND}{rule.text} per {nights} nights", nights=nights)
