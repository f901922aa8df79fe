"""A rule of the gate: how far an average may get worse, and how such a rule is written."""

import math
import re
from dataclasses import dataclass
from math import nan

from segscore.pipeline.errors import Refused
from segscore.pipeline.measures import ALL, PAIRS, PANELS
from segscore.pipeline.measures.published import nearest_measure

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
        kind: the name of its kind (``rules.KINDS``), which says how it is checked.
        is_common: whether it is about the level that all systems share.
    """

    text: str
    average: str
    measure: str
    falls: bool
    limit: float
    kind: str
    is_common: bool = False

    @property
    def table(self) -> str:
        """The table that has the measure's counts and values by document."""
        return measured_table(self.measure)

    @property
    def worst(self) -> float:
        """The worst average, times -1 where lower is better; NaN if the measure has none."""
        measure = ALL[self.measure]
        if self.falls:
            return nan if measure.lower is None else measure.lower
        return nan if measure.upper is None else -measure.upper

    def goodness(self, value: float) -> float:
        """Return the distance of an average from the worst possible one."""
        return (value if self.falls else -value) - self.worst

    def excess(self, change: float) -> float:
        """Return how far a change for the worse exceeds the limit; negative within the limit.

        Of a floor, the average itself takes the place of the change.
        """
        return self.limit - change if self.falls else change - self.limit


def read_change(text: str, kind: str) -> GateRule:
    """Read a rule whose limit is a change, such as `pk<=+0.02`.

    Raises:
        Refused: it is malformed, its measure does not exist, or its limit lacks its sign.
    """
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
    rule = GateRule(text, match[1] or "micro", match[2], match[3] == ">=", limit, kind)
    require_direction(rule)
    _require_change(rule, match[4])
    return rule


def require_direction(rule: GateRule) -> None:
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
    floor = f"level:{text.replace(number, number.lstrip('+-'))}"
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
