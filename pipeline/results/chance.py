"""Say which systems may be no better than chance at their own density."""

from collections.abc import Callable, Sequence

from segscore.pipeline.plain_text import first_named
from segscore.pipeline.results.leaderboard import Leaderboard
from segscore.pipeline.statistics.formatted_numbers import shown_interval, shown_number

SKILL = "0 is chance at a system's own density, 1 perfect"
"""What skill means, in a few words."""


def describe_chance(board: Leaderboard, shown: Callable[[str], str] = str) -> str | None:
    """Return a sentence on the systems whose interval of skill includes 0; None without any.

    Args:
        board: the systems and their skill.
        shown: writes a name.
    """
    at_chance = [name for name in board.systems if may_be_chance(board, name)]
    if not at_chance:
        return None
    return (
        f"{_named(board, at_chance, shown)} may be no better than as many boundaries at random "
        "positions: the interval of the skill includes 0."
    )


def describe_worse_than_chance(board: Leaderboard, shown: Callable[[str], str] = str) -> str | None:
    """Return a sentence on the systems whose interval of skill is below 0; None without any.

    Args:
        board: the systems and their skill.
        shown: writes a name.
    """
    worse = [name for name in board.systems if _is_below_chance(board, name)]
    if not worse:
        return None
    verb = "is" if len(worse) == 1 else "are"
    return (
        f"{_named(board, worse, shown)} {verb} worse than as many boundaries at random positions: "
        "the interval of the skill is below 0."
    )


def _is_below_chance(board: Leaderboard, name: str) -> bool:
    high = board.average(board.measure, name).get("skill_high")
    return high is not None and high < 0


def may_be_chance(board: Leaderboard, name: str) -> bool:
    """Return whether the interval of a system's skill includes 0."""
    row = board.average(board.measure, name)
    low, high = row.get("skill_low"), row.get("skill_high")
    return low is not None and high is not None and low <= 0 <= high


def _named(board: Leaderboard, names: Sequence[str], shown: Callable[[str], str]) -> str:
    """Name the first of some systems, each with its skill."""
    return first_named([f"{shown(name)} ({_skill(board, name)})" for name in names])


def _skill(board: Leaderboard, name: str) -> str:
    row = board.average(board.measure, name)
    interval = shown_interval(row["skill_low"], row["skill_high"])
    return f"skill {shown_number(row['skill'])}, {interval}"
