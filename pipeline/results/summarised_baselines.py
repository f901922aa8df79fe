"""The reference points that a leaderboard of systems has in a remark, not in rows of their own."""

from collections.abc import Collection, Iterator, Mapping

from segscore.pipeline.results.names import CHANCE, is_point
from segscore.pipeline.statistics.formatted_numbers import shown_number

_EXTREMES = ("point:none", "point:all")
"""The reference points that lie as far from a reference as one can."""


def summarised_baselines(names: Collection[str]) -> set[str]:
    """Return those of some systems and points that have no row: the extremes, and chance.

    Without systems, every point has a row.
    """
    if all(map(is_point, names)):
        return set()
    return {name for name in names if name in _EXTREMES or name.startswith(CHANCE)}


def summarised_in_words(values: Mapping[str, float | None]) -> Iterator[str]:
    """Say what the reference points without a row have: the extremes, and chance.

    Args:
        values: name of each such point -> its average.
    """
    extremes = [f"{name} {shown_number(values[name])}" for name in _EXTREMES if name in values]
    if extremes:
        yield ", ".join(extremes)
    chance = [
        value for name, value in values.items() if name not in _EXTREMES and value is not None
    ]
    if chance:
        low, high = shown_number(min(chance)), shown_number(max(chance))
        span = low if low == high else f"{low} to {high}"
        yield f"random boundaries at the density of each system: {span}"
