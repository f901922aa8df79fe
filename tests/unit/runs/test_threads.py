"""Threads run every call, report failures, and deliver every packet to its place in order."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from segscore.pipeline.errors import Failed, Refused
from segscore.pipeline.runs.executors import Threads
from segscore.pipeline.storage import Spill


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


packets = st.lists(st.tuples(st.integers(0, 4), st.binary(max_size=9)), max_size=4)


@given(st.lists(packets, max_size=6), st.integers(1, 4))
def test_packets_arrive_at_their_places_in_the_order_of_the_pieces(
    pieces: list[list[tuple[int, bytes]]], count: int
) -> None:
    arrived: dict[int, list[bytes]] = {}

    def pack(shared: str, piece: list[tuple[int, bytes]]) -> list[tuple[int, bytes]]:
        assert shared == "shared"
        return piece

    def unpack(shared: str, place: int, content: Sequence[bytes]) -> int:
        assert shared == "shared"
        arrived[place] = [*content]
        return len(content)

    with Threads(count) as threads:
        assert threads.exchange(pack, pieces, 5, unpack, "shared") == sum(map(len, pieces))
    expected: dict[int, list[bytes]] = {}
    for place, packet in (pair for piece in pieces for pair in piece):
        expected.setdefault(place, []).append(packet)
    assert arrived == expected


@pytest.mark.parametrize(
    ("raised", "expected", "message"),
    [
        (Refused("no such file"), Refused, "^no such file$"),
        (Failed("no server answers"), Failed, "^no server answers$"),
        (OSError(28, "No space left on device"), Failed, "could not send rows .*No space left"),
        (
            ValueError(),
            Failed,
            "could not send rows .*ValueError; finished parts are kept: run the same",
        ),
    ],
)
def test_an_exchange_reports_what_went_wrong(
    raised: Exception, expected: type[Exception], message: str
) -> None:
    def pack(_shared: None, _piece: int) -> list[tuple[int, bytes]]:
        raise raised

    with Threads(2) as threads, pytest.raises(expected, match=message):
        threads.exchange(pack, [1, 2], 1, lambda *_: 0, None)


@given(st.lists(st.binary(max_size=20)))
def test_a_spill_returns_what_was_appended(contents: list[bytes]) -> None:
    with Spill() as spill:
        parts = [spill.append(content) for content in contents]
        assert [spill.read(part) for part in reversed(parts)] == contents[::-1]
