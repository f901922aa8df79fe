"""Which nights are missing, and what their levels are, night by night: slow and obvious."""

from collections.abc import Sequence
from datetime import date, timedelta
from math import isnan, sqrt
from statistics import fmean, median, variance
from typing import Any

from scipy.stats import norm
from scipy.stats import t as t_of

DAY = timedelta(days=1)


def missing_nights(nights: list[date]) -> list[date]:
    """Walk from the first night to the last, as docs/operations.md describes it."""
    if len(nights) < 2:
        return []
    present = sorted(nights)
    waits = [(present[i + 1] - present[i]).days for i in range(len(present) - 1)]
    step = next(wait for wait in sorted(waits) if waits.count(wait) == max(map(waits.count, waits)))
    if step > 7:
        return []
    lacking, since = [], 0
    day = present[0]
    while day < present[-1]:
        day, since = day + DAY, since + 1
        if day in present:
            since = 0
        elif since % step == 0:
            lacking.append(day)
    days_off = [
        weekday
        for weekday in range(7)
        if weekday not in [night.weekday() for night in present]
        and len([day for day in lacking if day.weekday() == weekday]) >= 2
    ]
    return [day for day in lacking if day.weekday() not in days_off]


def baseline(good: list[int]) -> list[int]:
    """The first 60 nights, without the newest 10 if 14 remain."""
    return good[: min(60, max(14, len(good) - 10))]


def level(values: Any, usable: Any, system: int) -> dict[str, float]:
    """Judge the level of a system on the last night, as docs/operations.md describes it.

    Args:
        values: averages, higher is better, NaN where a night lacks one, shape (nights, systems).
        usable: whether a night is good for a system, of the same shape.
        system: the column of the system.
    """
    nights, systems = values.shape
    baselines = []
    for s in range(systems):
        good = [t for t in range(nights - 1) if usable[t, s] and not isnan(values[t, s])]
        baselines.append(baseline(good))
    means = [fmean([values[t, s] for t in listed]) for s, listed in enumerate(baselines)]
    parts: dict[int, float] = {}
    for t in range(nights):
        apart = {s: values[t, s] - means[s] for s in range(systems) if not isnan(values[t, s])}
        if system not in apart:
            continue
        others = [value for s, value in apart.items() if s != system]
        if systems < 3:
            parts[t] = values[t, system]
        elif len(others) >= 3:
            parts[t] = apart[system] - median(others)
        elif len(others) == 2:
            parts[t] = apart[system] - median(apart.values())
    chosen = baseline([t for t in sorted(parts) if t < nights - 1 and usable[t, system]])
    mean = fmean([parts[t] for t in chosen])
    apart_of = {t: parts[t] - mean for t in chosen}
    squares = sum(each**2 for each in apart_of.values())
    r = sum(apart_of[t] * apart_of[t + 1] for t in chosen if t + 1 in apart_of) / squares
    r = min(max(r, 0.0), 0.9)
    moving = 0.0
    for part in parts.values():
        moving = 0.9 * moving + 0.1 * (mean - part)
    variance = 0.1 / 1.9 * (1 + 2 * r * 0.9 / (1 - r * 0.9))
    if len(chosen) < 60:
        variance += (1 + 2 * r / (1 - r)) / len(chosen)
    deviation = sqrt(squares / (len(chosen) - 1) * variance)
    z = moving / deviation
    p = norm.sf(z) if len(chosen) >= 60 else t_of.sf(z, len(chosen) - 1)
    return {"fall": moving, "deviation": deviation, "p": float(p)}


def variance_between(values: Sequence[float], errors: Sequence[float]) -> float:
    """Return what nights vary beyond the errors of their averages."""
    return max(0.0, variance(values) - fmean([error**2 for error in errors]))
