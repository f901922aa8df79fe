"""Times in an answer, each of which stands for the unit that starts nearest to it."""

import re
from bisect import bisect_left
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

_CLOCK = r"(?<![0-9:])(?:[0-9]{1,2}:)?[0-9]{1,3}:[0-9]{2}(?:[.,][0-9]{1,6})?(?![0-9:])"
_STRETCH = re.compile(rf"({_CLOCK})(?:\s*(?:-->|[-–—]|to)\s*{_CLOCK})?")
_END = re.compile(r"(end|stop|until|to$)", re.IGNORECASE)
"""Keys of objects whose times are the ends of stretches."""

_SECOND = 1000


def number_times(answer: Any, starts: Sequence[Fraction], end: Fraction) -> Any:
    """Return an answer with numbers of units, from 1, in the place of times.

    Of a stretch of time only the start is kept. In JSON, numbers are seconds. A time after the end
    becomes a number that no unit has.

    >>> number_times("00:00 - 00:14 Floods", [Fraction(0), Fraction(15000)], Fraction(20000))
    '1 Floods'
    >>> starts = [Fraction(0), Fraction(15000)]
    >>> number_times([{"start": 14.9}, {"start": 21}], starts, Fraction(20000))
    [{'start': 2}, {'start': 3}]

    Args:
        answer: a text, or what JSON has in its place.
        starts: start of each unit in milliseconds, ascending.
        end: end of the document.
    """
    if isinstance(answer, str):
        return _STRETCH.sub(lambda found: str(_unit(_milliseconds(found[1]), starts, end)), answer)
    if isinstance(answer, list):
        return [number_times(each, starts, end) for each in answer]
    if isinstance(answer, dict):
        begins = (name for name in answer if not _END.match(name))
        return {name: number_times(answer[name], starts, end) for name in begins}
    if isinstance(answer, int | float) and not isinstance(answer, bool):
        return _unit(Fraction(repr(answer)) * _SECOND, starts, end)
    return answer


def _milliseconds(clock: str) -> Fraction:
    total = Fraction(0)
    for part in clock.replace(",", ".").split(":"):
        total = total * 60 + Fraction(part)
    return total * _SECOND


def _unit(moment: Fraction, starts: Sequence[Fraction], end: Fraction) -> int:
    """Return the number of the unit that starts nearest to a moment, the earlier of two."""
    if moment > end:
        return len(starts) + 1
    after = bisect_left(starts, moment)
    near = range(max(0, after - 1), min(len(starts), after + 1))
    return 1 + min(near, key=lambda unit: abs(starts[unit] - moment))
