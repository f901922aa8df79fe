"""Say where averages rest on few documents, however many there are."""

from segscore.pipeline.results.leaderboard import Leaderboard
from segscore.pipeline.statistics.formatted_numbers import counted
from segscore.pipeline.statistics.jackknife import FEWEST, rests_on_few


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
