"""Say in sentences what changed over the nights, since when, by how much, and how sure it is."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta

import numpy as np

from segscore.pipeline.errors import Refused
from segscore.pipeline.measures import ALL
from segscore.pipeline.nightly.formatting import short
from segscore.pipeline.nightly.trend.levels import FELL, STEADY, STEP, TOO_FEW, WITH_GROUP, Level
from segscore.pipeline.nightly.trend.ranking import PairOverNights
from segscore.pipeline.nightly.trend.series import NightlySeries, group_name, read_series
from segscore.pipeline.nightly.trend.settings import PER_NIGHTS, TrendSettings
from segscore.pipeline.plain_text import named_list
from segscore.pipeline.statistics.formatted_numbers import counted, format_p
from segscore.pipeline.statistics.trends import FEWEST_FOR_TREND

_APART = 0.05
"""Largest adjusted p at which two systems are said to differ."""

_GROUPS = 3
"""Most groups of a system that a sentence names."""


def describe_trend(
    levels: Sequence[Level], pairs: Sequence[PairOverNights], settings: TrendSettings
) -> list[str]:
    """Return the findings, the largest change for the worse first, then the ranking."""
    named = [level for level in levels if level.named]
    found = [_describe(level, levels, settings) for level in first_change(named, settings)]
    return [*found, *_rest(levels, settings), *ranking_in_words(pairs)]


def first_change(named: Sequence[Level], settings: TrendSettings) -> list[Level]:
    """Return the levels that changed, what all share first, then the largest change for the worse.

    A system that changed over all documents is left out of the groups.
    """
    better = ALL[settings.measure].better

    def worse_first(level: Level) -> tuple[bool, bool, float]:
        size = level.jump if level.kind == STEP else level.change
        good = (level.verdict == FELL) is (better == "lower")
        return level.system is not None, good, -abs(size)

    over_all = {level.system for level in named if level.over_all}
    return [
        level
        for level in sorted(named, key=worse_first)
        if level.over_all or level.system is None or level.system not in over_all
    ]


def change_in_words(level: Level, settings: TrendSettings) -> str:
    """Say in a few words what a level did, where, and when."""
    place = "" if level.over_all else f" in {group_name(level.group)}"
    when = f"on {level.step_date}" if level.kind == STEP else f"since {level.first}"
    return f"{_verb(level, settings)}{place} {when}"


def _describe(level: Level, levels: Sequence[Level], settings: TrendSettings) -> str:
    """Describe one change."""
    what = _verb(level, settings)
    if level.system is None:
        return f"{_common_subject(level)} {what} {_size(level)}; {_common_cause(level)}"
    place = "" if level.over_all else f" in {group_name(level.group)}"
    return f"{level.system} {what}{place} {_size(level)}{_where(level, levels)}"


def _verb(level: Level, settings: TrendSettings) -> str:
    if ALL[settings.measure].better == "neither" or level.system is None:
        return "fell" if level.verdict == FELL else "rose"
    return "got better" if is_better(level, settings.measure) else "got worse"


def is_better(level: Level, measure: str) -> bool:
    """Return whether a level that changed is better by a measure than before."""
    better = ALL[measure].better
    return better != "neither" and (level.verdict == FELL) is (better == "lower")


def _common_subject(level: Level) -> str:
    alike, every = level.alike
    who = f"all {every} systems" if alike == every else f"{alike} of {every} systems"
    what = "the average of all documents" if level.over_all else group_name(level.group)
    return f"{what}, for {who},"


def _common_cause(level: Level) -> str:
    whose = "the" if level.over_all else "its"
    return f"{whose} references or recordings may have changed"


def _size(level: Level) -> str:
    """Say since when and by how much."""
    p = format_p(level.p_adjusted)
    if level.kind == STEP and level.step is not None:
        if level.step.p_adjusted <= level.p_adjusted:
            p = format_p(level.step.p_adjusted)
        else:  # the line through all nights tells more surely that there is a change
            p += " of the line"
        after, before = short(level.step.after), short(level.step.before)
        return f"on {level.step_date}: {after} since then, {before} before (p {p})"
    assert level.line is not None
    # In the direction of the change, so that an end on the other side of 0 is negative.
    sign = -1 if level.change < 0 else 1
    low, high = sorted(sign * end * PER_NIGHTS for end in (level.line.low, level.line.high))
    return (
        f"by {short(abs(level.change))} per {PER_NIGHTS} nights ({short(low)} to {short(high)}): "
        f"from {short(level.start)} on {level.first} to {short(level.end)} on {level.last} (p {p})"
    )


def _where(level: Level, levels: Sequence[Level]) -> str:
    """Name the groups in which a system changed, if it changed over all documents."""
    if not level.over_all:
        return ""
    grouped = [each for each in levels if each.system == level.system and not each.over_all]
    changed = [each for each in grouped if each.verdict == level.verdict]
    if not changed:
        return ""
    if len(changed) == len(grouped):
        return ", in every group"
    changed.sort(key=lambda each: -abs(each.jump if each.kind == STEP else each.change))
    names = [group_name(each.group) for each in changed[:_GROUPS]]
    more = len(changed) - len(names)
    return f", most in {named_list([*names, *[f'{more} more'] * bool(more)])}"


def _rest(levels: Sequence[Level], settings: TrendSettings) -> Iterator[str]:
    """Say which systems did not change, and of which nothing is known."""
    changed = {level.system for level in levels if level.named}
    whole = [level for level in levels if level.system is not None and level.over_all]
    steady = [
        level.system or ""
        for level in whole
        if level.verdict in (STEADY, WITH_GROUP) and level.system not in changed
        if not level.is_held
    ]
    held = {level.system for level in whole if level.is_held}
    for level in levels:
        in_general = not level.over_all and level.system in held | changed
        if level.is_held and not in_general and ALL[settings.measure].better != "neither":
            rose = level.sign > 0
            others = "worse" if rose is (ALL[settings.measure].better == "higher") else "better"
            place = "" if level.over_all else f" in {group_name(level.group)}"
            yield (
                f"{level.system} held its level{place} ({short(level.mean)} on average), while the "
                f"other systems got {others}"
            )
    if steady:
        verb = "shows" if len(steady) == 1 else "show"
        yield (
            f"{named_list(steady)} {verb} no change of their own beyond "
            f"{short(settings.limit)} per {PER_NIGHTS} nights and chance"
        ).replace("their", "its" if len(steady) == 1 else "their")
    few = [
        f"{level.system} ({counted(level.nights, 'night')})"
        for level in whole
        if level.verdict == TOO_FEW
    ]
    if few:
        yield f"{named_list(few)}: too few nights for a trend"


def ranking_in_words(pairs: Sequence[PairOverNights]) -> Iterator[str]:
    """Say which system is best over the nights, and which cannot be separated from it."""
    if not pairs:
        return
    best = pairs[0].system
    own = [pair for pair in pairs if pair.system == best]
    apart = [pair for pair in own if pair.p_holm <= _APART]
    close = [pair for pair in own if not pair.p_holm <= _APART]
    least = min(pair.nights for pair in own)
    # The smallest p that Wilcoxon's test gives, after Holm.
    if len(pairs) * 2.0 ** (1 - least) > _APART:
        ahead = f"on all {least}" if all(pair.wins == pair.nights for pair in own) else "on average"
        few = f"{counted(least, 'night')} {'is' if least == 1 else 'are'} too few"
        yield f"{few} to test which system is better; {best} was ahead {ahead}"
        return
    if close:
        names = named_list([best, *(pair.other for pair in close)])
        yield f"{names} cannot be told apart over {counted(close[0].nights, 'night')}"
    if not apart:
        return
    nearest, nights = apart[0], counted(apart[0].nights, "night")
    others = "every other system" if len(apart) == len(own) > 1 else nearest.other
    if not close:
        yield (
            f"{best} is the best system over {nights}: better than {others}; "
            f"than {nearest.other}, on {nearest.wins} of {nights} "
            f"({short(nearest.value)} and {short(nearest.other_value)} on average, "
            f"p {format_p(nearest.p_holm)})"
        )


def averages_in_words(nightly: NightlySeries, settings: TrendSettings) -> Iterator[str]:
    """Yield the averages of the systems over some nights, the best first, and what they are not."""
    now = _means(nightly)
    before = _nights_before(nightly, settings)
    then = {} if before is None else _means(before)
    sign = 1 if ALL[settings.measure].better == "lower" else -1
    named = [
        f"{system} {short(now[system])}"
        + (f" (was {short(then[system])})" if system in then else "")
        for system in sorted(now, key=lambda system: (sign * now[system], system))
    ]
    number = counted(len(nightly.dates), "night")
    compared = "" if before is None else f", in brackets those of the {number} before"
    yield f"averages over {number}{compared}: {', '.join(named)}"
    yield (
        f"fewer than {FEWEST_FOR_TREND} nights show no trend; averages of so few also differ by "
        "chance, and as nights differ"
    )


def _nights_before(nightly: NightlySeries, settings: TrendSettings) -> NightlySeries | None:
    """Return as many comparable nights before some nights; None if there are not as many."""
    wanted = len(nightly.dates)
    until = nightly.dates[0] - timedelta(days=1)
    try:
        found = read_series(replace(settings, since=None, until=until, nights=wanted))
    except Refused:
        return None
    is_whole = len(found.dates) == wanted and found.signature == nightly.signature
    return found if is_whole else None


def _means(nightly: NightlySeries) -> dict[str, float]:
    """Return the mean over nights of each system, over all documents."""
    return {
        each.system: float(np.nanmean(each.values))
        for each in nightly.series
        if each.system is not None
        and all(value is None for value in each.group)
        and not np.isnan(each.values).all()
    }
