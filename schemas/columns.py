"""Columns that several output tables have in common."""

import pandera.pyarrow as pap
import pyarrow as pa


def name(description: str) -> pap.Column:
    """A column of names that are never missing."""
    return pap.Column(pa.string(), nullable=False, description=description)


def whole(description: str, least: int = 0) -> pap.Column:
    """A column of whole numbers that are never missing."""
    return pap.Column(pa.int64(), pap.Check.ge(least), nullable=False, description=description)


def value(description: str, upper: float | None) -> pap.Column:
    """A column of values of at least 0, null where undefined; ``upper`` is None for no limit."""
    checks = [pap.Check.ge(0)] if upper is None else [pap.Check.ge(0), pap.Check.le(upper)]
    return pap.Column(pa.float64(), checks, nullable=True, description=description)
