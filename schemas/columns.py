"""Columns that several output tables have in common."""

import pandera.pyarrow as pap
import pyarrow as pa


def name(description: str) -> pap.Column:
    """Return a column of names that are never null."""
    return pap.Column(pa.string(), nullable=False, description=description)


def whole(description: str, least: int = 0, *, required: bool = True) -> pap.Column:
    """Return a column of whole numbers that are never null."""
    return pap.Column(
        pa.int64(),
        pap.Check.ge(least),
        nullable=False,
        required=required,
        description=description,
    )


def value(description: str, upper: float | None, *, required: bool = True) -> pap.Column:
    """Return a column of values from 0 to ``upper`` (None for no limit), null where undefined."""
    checks = [pap.Check.ge(0)] if upper is None else [pap.Check.ge(0), pap.Check.le(upper)]
    return pap.Column(
        pa.float64(), checks, nullable=True, required=required, description=description
    )
