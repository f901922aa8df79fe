"""Values of Parquet columns without a loss: floats as decimals, durations as clock text."""

from collections.abc import Iterator
from decimal import Decimal

import numpy as np
import pyarrow as pa

_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


def exact_values(column: pa.ChunkedArray) -> Iterator[object]:
    """Yield the values of a column: floats as their shortest decimals, durations as clock text."""
    kind = column.type
    if pa.types.is_duration(kind) or pa.types.is_time(kind):
        whole = pa.int32() if pa.types.is_time32(kind) else pa.int64()
        for number in column.cast(whole).to_pylist():
            yield None if number is None else _clock_text(number, _PER_SECOND[kind.unit])
        return
    for value in column.to_pylist():
        if isinstance(value, float):
            small = {pa.float32(): np.float32, pa.float16(): np.float16}.get(kind)
            text = str(small(value)) if small else repr(value)
            yield Decimal(text) if np.isfinite(value) else text
        else:
            yield None if value == "" else value


def _clock_text(number: int, per_second: int) -> str:
    seconds, rest = divmod(abs(number), per_second)
    text = f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    fraction = f"{rest * _PER_SECOND['ns'] // per_second:09}"
    return f"{'-' if number < 0 else ''}{text}.{fraction}"
