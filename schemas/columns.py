"""Columns that several output tables have in common."""

from collections.abc import Iterable
from typing import Any

import pandera.pyarrow as pap
import pyarrow as pa

_TYPES: dict[str, pa.DataType] = {
    str(pap.Column(kind).dtype): kind
    for kind in (
        pa.string(),
        pa.int32(),
        pa.int64(),
        pa.float64(),
        pa.bool_(),
        pa.date32(),
        pa.timestamp("ms", "UTC"),
        pa.list_(pa.date32()),
        pa.list_(pa.int32()),
        pa.list_(pa.float64()),
        pa.list_(pa.string()),
    )
}
"""Pandera's name of a type, which differs between releases of its libraries -> the Arrow type."""


def arrow_type(column: Any) -> pa.DataType:
    """Return the Arrow type of a schema's column."""
    return _TYPES[str(column.dtype)]


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


def name_or_null(description: str) -> pap.Column:
    """Return a column of names or other texts, null where there is none."""
    return pap.Column(pa.string(), nullable=True, description=description)


def any_of(values: Iterable[str], description: str, *, nullable: bool = False) -> pap.Column:
    """Return a column of texts that are among some values, null where there is none if allowed."""
    # narwhals before 2.21 does not leave nulls out.
    is_known = pap.Check.isin([*values, *[None] * nullable])
    return pap.Column(pa.string(), is_known, nullable=nullable, description=description)


def whole_or_null(description: str, least: int = 0) -> pap.Column:
    """Return a column of whole numbers, null where there is none."""
    return pap.Column(pa.int64(), pap.Check.ge(least), nullable=True, description=description)


def number_or_null(description: str) -> pap.Column:
    """Return a column of numbers of any size and sign, null where there is none."""
    return pap.Column(pa.float64(), nullable=True, description=description)


def share_or_null(description: str) -> pap.Column:
    """Return a column of numbers from 0 to 1, null where there is none."""
    return value(description, 1)


def true_or_null(description: str) -> pap.Column:
    """Return a column of true and false, null where neither is known."""
    return pap.Column(pa.bool_(), nullable=True, description=description)


def digest(description: str) -> pap.Column:
    """Return a column of digests: the first 8 bytes of a hash as a signed integer, never null."""
    return pap.Column(pa.int64(), nullable=False, description=description)


def value(
    description: str,
    upper: float | None = None,
    lower: float | None = 0.0,
    *,
    required: bool = True,
) -> pap.Column:
    """Return a column of values from ``lower`` to ``upper`` (None: no limit), null if undefined."""
    checks = [] if lower is None else [pap.Check.ge(lower)]
    checks += [] if upper is None else [pap.Check.le(upper)]
    return pap.Column(
        pa.float64(), checks, nullable=True, required=required, description=description
    )
