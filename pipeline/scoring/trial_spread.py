"""Say how far the trials of systems differ, as the terminal and the page of a run do."""

from collections.abc import Callable, Iterator

from segscore.pipeline.results.leaderboard import Leaderboard
from segscore.pipeline.statistics.formatted_numbers import counted, percent, shown_number

_NAMED = 3
"""Number of systems whose trials are described."""


def describe_trials(board: Leaderboard, shown: Callable[[str], str] = str) -> Iterator[str]:
    """Yield a sentence on the trials of each of the first systems that have several.

    Args:
        board: the systems and their averages.
        shown: writes a name.
    """
    several = [name for name in board.systems if board.average(board.measure, name).get("trials")]
    for name in several[:_NAMED]:
        row = board.average(board.measure, name)
        parts = [f"{shown(name)}: mean of {row.get('trials')} trials"]
        if (between := row.get("sd_trials")) is not None:
            parts.append(f"sd between trials {shown_number(between)}")
        if (agreement := row.get("self_agreement")) is not None:
            parts.append(f"two trials agree by B {shown_number(agreement)}")
        if (stable := row.get("stable_boundaries")) is not None:
            parts.append(f"{percent(stable)} of the boundaries are in all trials")
        if (needed := row.get("trials_needed")) is not None:
            parts.append(
                f"with {counted(needed, 'trial')}, the variance between trials is at most a tenth "
                "of that of the average"
            )
        yield f"{', '.join(parts)}."
    if len(several) > _NAMED:
        yield f"The summary has the trials of {counted(len(several) - _NAMED, 'more system')}."
