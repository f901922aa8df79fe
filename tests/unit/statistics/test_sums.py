"""Sums of values of either sign are exact, and so are sums of any number of counts."""

import math
import statistics
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segscore.pipeline.errors import Unsuitable
from segscore.pipeline.measures import Table
from segscore.pipeline.measures.measure import Measure
from segscore.pipeline.runs import receipt_file
from segscore.pipeline.runs.receipt_values import codec
from segscore.pipeline.scoring.records import PartSums
from segscore.pipeline.statistics.averages import Parameters, averages
from segscore.pipeline.statistics.resampling import Units
from segscore.pipeline.statistics.sums import CountedRows, Sums, merge, sum_rows

KIND = Table.of({"count": ""}, [Measure("value", "count", "this test", lower=None)])
VALUES = st.floats(-(2.0**32), 2.0**32, exclude_min=True, exclude_max=True, width=32)


def summed(values: list[float], counts: list[int] | None = None) -> Sums:
    """The sums of one task: a document for each value, all in one resampling unit."""
    rows = len(values)
    ids = np.arange(rows, dtype=np.uint64)
    units = Units(np.zeros(rows, np.int64), np.zeros(1, np.uint64), ids)
    column = np.array(counts or [0] * rows, np.int64)
    counted = CountedRows(np.arange(rows), [column], [np.array(values)], one_each=True)
    return sum_rows([("system",)], np.zeros(rows, np.int64), units, counted)


@given(st.lists(VALUES, min_size=2, max_size=20), st.integers(1, 19))
def test_mean_and_deviation_of_values_of_either_sign(values: list[float], split: int) -> None:
    parts = [summed(part) for part in (values[:split], values[split:]) if part]
    _, macro = averages(KIND, merge(parts), 0, Parameters({}, None)).rows.values()
    exact = [Fraction(value) for value in values]
    mean = sum(exact) / len(exact)
    largest = max(map(abs, values))
    assert macro.value == pytest.approx(float(mean), rel=1e-15, abs=2.0**-58)
    spread = (
        statistics.stdev(values)
        if largest < 1
        else math.sqrt(sum((value - mean) ** 2 for value in exact) / (len(exact) - 1))
    )
    assert macro.sd == pytest.approx(spread, rel=1e-9, abs=2.0**-38)


@given(st.lists(VALUES, min_size=1, max_size=20))
def test_negative_values_are_the_mirror_image(values: list[float]) -> None:
    one, other = summed(values), summed([-value for value in values])
    for name in ("values", "digits"):
        sign = np.array([-1, -1, -1, 1]) if name == "digits" else -1
        assert (getattr(one, name) == sign * getattr(other, name)).all()
    assert (one.squares[..., 4:] == other.squares[..., 4:]).all()
    assert (one.squares[..., :4] == -other.squares[..., :4]).all()


@pytest.mark.parametrize("value", [2.0**32, -(2.0**32), 1e300])
def test_a_value_that_is_too_large_is_refused(value: float) -> None:
    with pytest.raises(Unsuitable, match="cannot be averaged"):
        summed([0.5, value])


@given(st.lists(st.integers(-(2**62), 2**62), min_size=2, max_size=9), st.integers(1, 8))
def test_sums_of_counts_are_exact_even_above_64_bits(counts: list[int], split: int) -> None:
    whole = summed([0.0] * len(counts), counts)
    parts = [summed([0.0] * len(part), part) for part in (counts[:split], counts[split:]) if part]
    for sums in (whole, merge(parts), merge([merge(parts[:1]), *parts[1:]])):
        assert sums.counts.tolist() == [[sum(counts)]]
        micro, _ = averages(KIND, sums, 0, Parameters({}, None)).rows.values()
        assert micro.value == float(sum(counts))


def test_only_sums_that_do_not_fit_are_python_integers() -> None:
    half = 2**62
    assert summed([0.0, 0.0], [half, half - 1]).counts.dtype == np.int64
    large = summed([0.0, 0.0], [half, half])
    assert large.counts.dtype == object and large.counts[0, 0] == 2**63
    fits = summed([0.0], [-half])
    assert merge([large, fits]).counts[0, 0] == half
    assert merge([fits, fits]).counts.dtype == np.int64


def test_sums_above_64_bits_can_be_saved() -> None:
    sums = merge([summed([0.0, 0.0], [2**62, 2**62]), summed([0.0], [2**62])])
    content: list[Any] = []
    node = codec(PartSums).write(PartSums(sums), content)
    node, buffers = receipt_file.unpack(receipt_file.pack(node, content))
    read = codec(PartSums).read(node, iter(buffers)).pairs
    assert read.counts.tolist() == [[3 * 2**62]]
