"""Write numbers and intervals as text, alike on a terminal, in a report and in a notebook."""

_LEAST_P = 0.00005


def shown_as(value: float | None, form: str) -> str:
    """Format a number in a form of Python's ``format``, such as `.2f`; a dash if undefined."""
    return "–" if value is None else format(value, form)


def shown_number(value: float | None) -> str:
    """Format a number with four decimals; a dash if undefined."""
    return "–" if value is None else f"{value:.4f}".replace("-0.0000", "0.0000")


def shown_cell(value: object) -> str:
    """Format a value of a table; a dash for None."""
    if value is None or isinstance(value, float):
        return shown_number(value)
    return str(value)


def shown_change(value: float | None) -> str:
    """Format a difference with its sign and four decimals; a dash if undefined."""
    if value is None:
        return "–"
    text = f"{value:+.4f}"
    return "0.0000" if text in ("+0.0000", "-0.0000") else text


def shown_interval(low: float | None, high: float | None) -> str:
    """Format an interval; a dash if undefined."""
    return "–" if low is None or high is None else f"{shown_number(low)} to {shown_number(high)}"


def short_interval(low: float, high: float) -> str:
    """Format an interval in few characters: a dash joins its ends unless one is negative."""
    return f"{shown_number(low)}{'–' if low >= 0 else ' to '}{shown_number(high)}"


def with_interval(value: float | None, low: float | None, high: float | None) -> str:
    """Format a number with its interval in brackets, if there is one."""
    shown = shown_number(value)
    return shown if low is None else f"{shown} [{shown_number(low)}, {shown_number(high)}]"


def shown_changes(low: float | None, high: float | None) -> str:
    """Format an interval of differences; a dash if undefined."""
    return "–" if low is None or high is None else f"{shown_change(low)} to {shown_change(high)}"


def shown_p(p: float | None) -> str:
    """Write a p value with four decimals, never as 0; a dash if undefined."""
    if p is None:
        return "–"
    return "< .0001" if p < _LEAST_P else f"{p:.4f}"


def counted(number: int, noun: str) -> str:
    """Format a number of things, such as `1 row` or `2,000 rows`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
