"""Write numbers, intervals and positions, alike on a terminal, in a report and in a notebook."""

from collections.abc import Iterable
from math import isnan

from segscore.pipeline.tables.units import MILLISECOND

_LEAST_P = 0.00005
_TENTH, _HUNDREDTH = 0.0995, 0.00995
"""From where on two digits of a p value are two decimals, or three."""


def or_none(value: float) -> float | None:
    """Return a number as a table has it: None where it is undefined, which is NaN in memory."""
    return None if isnan(value) else float(value)


def shown_as(value: float | None, form: str) -> str:
    """Format a number in a form of Python's ``format``, such as `.2f`; a dash if undefined."""
    return "–" if value is None else format(value, form)


def percent(share: float | None, form: str = ".0f") -> str:
    """Format a share as a percentage in a form of Python's ``format``; a dash if undefined.

    >>> percent(0.375)
    '38 %'
    """
    return "–" if share is None else f"{100 * share:{form}} %"


def shown_number(value: float | None) -> str:
    """Format a number with four decimals; a dash if undefined."""
    return "–" if value is None else f"{value:.4f}".replace("-0.0000", "0.0000")


def short_number(value: float | None) -> str:
    """Format a number of a sentence or a picture with three decimals; a dash if undefined."""
    return "–" if value is None else f"{value:.3f}".replace("-0.000", "0.000")


def shown_cell(value: object) -> str:
    """Format a value of a table; a dash if undefined."""
    if value is None or isinstance(value, float):
        return shown_number(value)
    return shown_attribute(value)


def format_value(value: object) -> str:
    """Format a value of a table for people: a whole number with its thousands separated."""
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    return f"{value:,}" if is_whole else shown_cell(value)


def short_value(value: object) -> str:
    """Format a value as ``format_value`` does, with three decimals instead of four."""
    if value is None or isinstance(value, float):
        return short_number(value)
    return format_value(value)


def shown_attribute(value: object) -> str:
    """Format a value of an attribute, with truth values as in JSON."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def shown_group(by: Iterable[str], group: Iterable[object]) -> str:
    """Name a group by its attributes and their values; empty if it is over all values of each.

    >>> shown_group(["channel", "live", "month"], ["one", True, None])
    'channel one, live true'
    """
    parts = zip(by, group, strict=True)
    return ", ".join(f"{name} {shown_attribute(part)}" for name, part in parts if part is not None)


def shown_group_values(group: Iterable[object]) -> str:
    """Name a group by the values of its attributes, below a heading that names these.

    >>> shown_group_values(["one", True, None])
    'one, true, –'
    """
    return ", ".join("–" if part is None else shown_attribute(part) for part in group)


def shown_change(value: float | None) -> str:
    """Format a difference with its sign and four decimals; a dash if undefined."""
    return _signed(value, 4)


def short_change(value: float | None) -> str:
    """Format a difference with its sign and three decimals; a dash if undefined."""
    return _signed(value, 3)


def _signed(value: float | None, decimals: int) -> str:
    if value is None:
        return "–"
    zero = f"{0:.{decimals}f}"
    text = f"{value:+.{decimals}f}"
    return zero if text[1:] == zero else text


def shown_interval(low: float | None, high: float | None) -> str:
    """Format an interval; a dash if undefined."""
    return "–" if low is None or high is None else f"{shown_number(low)} to {shown_number(high)}"


def short_interval(low: float | None, high: float | None) -> str:
    """Format an interval in few characters, to stand below its number; empty if undefined.

    A dash joins its ends unless one is negative.
    """
    if low is None or high is None:
        return ""
    return f"{shown_number(low)}{'–' if low >= 0 else ' to '}{shown_number(high)}"


def interval_in_words(low: float | None, high: float | None) -> str:
    """Format an interval that follows its number in a sentence; empty if undefined."""
    if low is None or high is None:
        return ""
    return f" (95 % {short_number(low)} to {short_number(high)})"


def number_in_words(value: float | None, low: float | None, high: float | None) -> str:
    """Format a number of a sentence with three decimals, and its interval, if there is one."""
    return short_number(value) + interval_in_words(low, high)


def shown_changes(low: float | None, high: float | None) -> str:
    """Format an interval of differences; a dash if undefined."""
    return "–" if low is None or high is None else f"{shown_change(low)} to {shown_change(high)}"


def shown_rank(rank: float | None) -> str:
    """Format a rank, which has a decimal only if it is not whole; a dash if undefined."""
    return "–" if rank is None else f"{rank:.1f}".removesuffix(".0")


def format_p(p: float | None) -> str:
    """Write a p value in two digits, with at most four decimals, never as 0; a dash if undefined.

    >>> [format_p(p) for p in (0.3395, 0.0445, 0.00631, 0.00049, 0.00001, 1.0)]
    ['0.34', '0.045', '0.0063', '0.0005', '< 0.0001', '1.00']
    """
    if p is None:
        return "–"
    if p < _LEAST_P:
        return "< 0.0001"
    return f"{p:.{2 if p >= _TENTH else 3 if p >= _HUNDREDTH else 4}f}"


def shown_position(position: int, unit: str | None) -> str:
    """Write a position or a length, such as `1:02:03.450` in milliseconds.

    Args:
        position: in units.
        unit: name of the unit; None if it is not known.
    """
    if unit != MILLISECOND:
        return str(position)
    seconds, fraction = divmod(position, 1000)
    text = f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return f"{text}.{fraction:03}" if fraction else text


def counted(number: int, noun: str) -> str:
    """Format a number of things, such as `1 row` or `2,000 rows`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
