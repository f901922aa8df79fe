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
    """Walk from the first night to the last, as docs/method-nights.md describes it."""
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
    """Judge the level of a system on the last night, as docs/method-nights.md describes it.

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
        others = {s: value for s, value in apart.items() if s != system}
        left = {s: value for s, value in others.items() if t == 0 or usable[t - 1, s]}
        middle = [*others.values()]
        if systems < 3:
            parts[t] = values[t, system]
        elif len(left) >= 2 and len(left) < len(others):
            parts[t] = apart[system] - median(left.values())
        elif len(middle) >= 3:
            parts[t] = apart[system] - median(middle)
        elif len(middle) == 2:
            parts[t] = apart[system] - median([apart[system], *middle])
    chosen = baseline([t for t in sorted(parts) if t < nights - 1 and usable[t, system]])
    mean = fmean([parts[t] for t in chosen])
    apart_of = {t: parts[t] - mean for t in chosen}
    squares = sum(each**2 for each in apart_of.values())
    r = sum(apart_of[t] * apart_of[t + 1] for t in chosen if t + 1 in apart_of) / squares
    r = min(max(r, 0.0), 0.9)
    moving = _moving(parts, chosen)
    variance = 0.1 / 1.9 * (1 + 2 * r * 0.9 / (1 - r * 0.9))
    variance += (1 + 2 * r / (1 - r)) / len(chosen)
    deviation = sqrt(squares / (len(chosen) - 1) * variance)
    z = moving / deviation
    p = norm.sf(z) if len(chosen) >= 60 else t_of.sf(z, len(chosen) - 1)
    own = {t: values[t, system] for t in parts}
    shared = {
        t: median(known)
        for t in range(nights)
        if len(known := [v - m for v, m in zip(values[t], means, strict=True) if not isnan(v)]) >= 3
    }
    common = abs(_moving(shared, baseline([t for t in shared if t < nights - 1]))) if shared else 0
    recent = mean - fmean([*parts.values()][-3:])
    blamed = moving > 0.02 + common / 4 and _moving(own, chosen) > 0.02 and recent > 0.01
    fails = blamed and p <= norm.sf(4)
    return {"fall": moving, "deviation": deviation, "p": float(p), "fails": float(fails)}


def _moving(parts: dict[int, float], chosen: list[int]) -> float:
    """Return the moving average of how far a series is below its mean over its baseline."""
    mean, moving = fmean([parts[t] for t in chosen]), 0.0
    for part in parts.values():
        moving = 0.9 * moving + 0.1 * (mean - part)
    return moving


def variance_between(values: Sequence[float], errors: Sequence[float]) -> float:
    """Return what nights vary beyond the errors of their averages."""
    return max(0.0, variance(values) - fmean([error**2 for error in errors]))
