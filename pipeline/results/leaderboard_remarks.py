"""Remarks about a leaderboard: how far trials differ, and where averages rest on few documents."""

from collections.abc import Callable, Iterator

from segscore.pipeline.results.leaderboard import Leaderboard
from segscore.pipeline.statistics.formatted_numbers import counted, percent, shown_number
from segscore.pipeline.statistics.jackknife import FEWEST, rests_on_few

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


def describe_effective(micro: Leaderboard, macro: Leaderboard) -> str | None:
    """Return a line on micro averages that a few long documents carry; None if none do.

    It is about the measure by which systems are ranked, and the system that has the fewest.
    """
    if not micro.coverage.same:
        return None
    numbers = []
    for name in micro.systems:
        own, each = (board.average(micro.measure, name) for board in (micro, macro))
        effective, units = own.get("effective"), each.get("effective")
        if effective and units:
            numbers.append((effective, units, each["defined"]))
    if not numbers:
        return None
    effective, units, documents = min(numbers)
    if not rests_on_few(effective, units):
        return None
    all_units = counted(documents, "document")
    if round(units) != documents:
        all_units = counted(round(units), "resampling unit")
    return (
        f"Micro averages rest on about {max(1, round(effective)):,} of {all_units}: the long ones "
        "weigh most. With so few, rank by the macro average."
    )


def describe_few(board: Leaderboard) -> str | None:
    """Return a line on why there are no intervals where documents are few; None if they are not."""
    most = max((row["documents"] for row in board.rows.values()), default=FEWEST)
    if most >= FEWEST:
        return None
    return f"{counted(most, 'document')}: no intervals; at least {FEWEST} are needed."
