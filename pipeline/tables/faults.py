"""Faults of a row that other rows contradict: names of rules, and reasons.

Pairs in memory are checked by the same rules, without Arrow.
"""

EXACT_COPY = "exact_copy"
SAME_UNITS = "n_units_agree"
IN_RANGE = "boundaries_in_range"
GIVEN = "boundary_types_given"
DECLARED = "boundary_types_declared"
TYPES_MISSING = "this row has no boundary types, but other rows have them"


def undeclared_types(declared: tuple[int, ...]) -> str:
    """Return why a row with a type that was not declared is rejected."""
    return f"boundary types must be among {', '.join(map(str, declared))}"
