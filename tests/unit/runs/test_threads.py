"""Threads run every call and report failures."""

from hypothesis import given
from hypothesis import strategies as st

from segscore.pipeline.runs.executors import Threads


def divide(shared: int, by: int) -> int:
    """Return a quotient; fail for zero."""
    return shared // by


@given(st.dictionaries(st.text(max_size=3), st.integers(-3, 3)), st.integers(1, 4))
def test_every_call_has_an_outcome(divisors: dict[str, int], count: int) -> None:
    calls = {key: (by,) for key, by in divisors.items()}
    with Threads(count) as threads:
        outcomes = {outcome.key: outcome for outcome in threads.run_calls(divide, calls, 12)}
    assert set(outcomes) == set(divisors)
    for key, by in divisors.items():
        assert outcomes[key].receipt == (12 // by if by else None)
        assert isinstance(outcomes[key].error, ZeroDivisionError) == (by == 0)
