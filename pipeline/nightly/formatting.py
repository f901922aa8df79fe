"""Write values and numbers of nights for sentences."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from segscore.pipeline.nightly.verdict import Check

TREND = "trend:"
"""With what rules about the line through the last nights began."""


def short(value: float, digits: int = 3) -> str:
    """Write a value of a sentence with three decimals: 0.413, -0.020, 1.250; 0 for 0.000."""
    text = f"{value:.{digits}f}"
    return text if text.strip("-0.") else "0"


def when_before(check: "Check") -> str:
    """Say on which night, or in which nights, the value before was."""
    if check.nights == 1 or check.rule.startswith(TREND):
        return f"on {check.against}"
    return f"in the {check.nights} nights to {check.against}"
