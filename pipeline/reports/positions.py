"""Write positions and lengths: as times where a unit is a millisecond, else as numbers."""

from segscore.pipeline.tables.units import MILLISECOND

_SECOND, _MINUTE, _HOUR = 1000, 60_000, 3_600_000
_STEPS = (
    *(size * 10**power for power in range(3) for size in (1, 2, 5)),
    *(size * unit for unit in (_SECOND, _MINUTE) for size in (1, 2, 5, 10, 15, 30)),
    *(size * _HOUR for size in (1, 2, 3, 6, 12, 24, 48, 96)),
)
"""Milliseconds between the labels of an axis."""


def shown_position(position: int, unit: str | None) -> str:
    """Write a position or a length, such as `1:02:03.450` in milliseconds.

    Args:
        position: in units.
        unit: name of the unit; None if it is not known.
    """
    if unit != MILLISECOND:
        return str(position)
    seconds, fraction = divmod(position, _SECOND)
    text = f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return f"{text}.{fraction:03}" if fraction else text


def round_step(least: float, unit: str | None) -> int:
    """Return the smallest round number of units that is at least ``least``."""
    steps = _STEPS
    if unit != MILLISECOND:
        steps = tuple(size * 10**power for power in range(10) for size in (1, 2, 5))
    return next(step for step in steps if least <= step)
