"""Range checks shared by the settings of all commands; errors name the offending option."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from segscore.pipeline.errors import Refused, nearest

ValueCheck = Callable[[str, Any], None]
"""``check(option, value)`` refuses values that an option does not allow."""

MOST_UNITS = 2**31 - 1
MOST_REPLICATES = 1_000_000
_MOST_SEED = 2**64 - 1


def within(option: str, value: int, least: int, most: int) -> None:
    """Refuse a number outside least..most."""
    if not least <= value <= most:
        raise Refused(f"{option} {value}: must be at least {least} and at most {most}")


@dataclass(frozen=True)
class Between:
    """The check of a number in least..most."""

    least: int
    most: int

    def __call__(self, option: str, value: int) -> None:
        """Refuse another number."""
        within(option, value, self.least, self.most)


def between(least: int, most: int) -> Between:
    """Return the check of a number in least..most."""
    return Between(least, most)


@dataclass(frozen=True)
class Among:
    """The check of a value that is one of the choices."""

    choices: tuple[str, ...]

    def __call__(self, option: str, value: str) -> None:
        """Refuse another value."""
        one_of(option, value, self.choices)


def among(choices: Sequence[str]) -> Among:
    """Return the check of a value that is one of the choices."""
    return Among(tuple(choices))


def check_seed(seed: int) -> None:
    """Refuse a seed that is not a 64-bit number."""
    within("--seed", seed, 0, _MOST_SEED)


def in_unit_interval(option: str, value: float) -> None:
    """Refuse a number outside [0, 1] (and NaN)."""
    if not 0 <= value <= 1:
        raise Refused(f"{option} {value}: must lie in [0, 1]")


def one_of(option: str, value: str, choices: Sequence[str], also: str = "") -> None:
    """Refuse a value that is not one of the choices."""
    if value not in choices:
        listed = ", ".join(choices)
        raise Refused(f"{option} {value}: must be one of {listed}{also}{nearest(value, choices)}")


def how_many(option: str, values: Sequence[float], number: int) -> None:
    """Refuse a list that does not have ``number`` values."""
    if len(values) != number:
        raise Refused(f"{option} {comma_separated(values)}: must be {number} numbers")


def check_locations(locations: Mapping[str, str | None]) -> None:
    """Refuse blank file and folder names; the keys are the arguments and options."""
    for option, location in locations.items():
        if location is not None and not location.strip():
            raise Refused(f"{option}: is empty; name a file or folder")


def check_group_by(columns: Sequence[str], option: str = "--group-by") -> None:
    """Refuse group-by columns that are named twice."""
    if len(set(columns)) < len(columns):
        raise Refused(f"{option} {','.join(columns)}: names a column twice")


def comma_separated(values: Sequence[float]) -> str:
    """Format numbers as on the command line."""
    return ",".join(map(_as_given, values))


def _as_given(value: float) -> str:
    try:
        return f"{value:g}"
    except OverflowError:  # a whole number that no float is as large as
        return str(value)
