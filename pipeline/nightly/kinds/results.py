"""Results of rules on a night."""

from dataclasses import dataclass

from segscore.pipeline.nightly.verdict import Check


@dataclass(frozen=True)
class RuleResults:
    """Checks, and sentences about what all systems share."""

    checks: tuple[Check, ...] = ()
    common: tuple[str, ...] = ()
