"""How often each rule of the gate fails without a reason, and how soon it notices a fall.

`make nights` simulates years of nights (``simulated_nights``) and writes the tables of
docs/claims.md. The rules are those of the product, on arrays of many years.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from benchmarks import simulated_densities
from benchmarks.simulated_densities import DensityRow
from benchmarks.simulated_nights import (
    FIRST_CHANGE,
    KINDS,
    NIGHTS,
    OWN_KINDS,
    ROOT,
    Nights,
    simulate,
)
from benchmarks.two_nights import two_nights
from segscore.pipeline.arrays.ragged import Flags, Floats
from segscore.pipeline.statistics.night_levels import (
    BASELINE_NIGHTS,
    FEWEST_OF_BASELINE,
    NEWEST,
    Baseline,
    Falls,
    baseline_of,
    blamed,
    falls,
    fell_itself,
    first_nights,
    night_before,
    own_parts,
    p_at_limit,
    relative,
    shared_part,
)

PAGE = ROOT / "docs" / "claims.md"
NIGHTS_OF_PAGE, DENSITIES_OF_PAGE = "simulated nights", "simulated densities"
"""Names of the parts of the page that are written here."""

YEARS, YEARS_WITH_FALL = 40, 20
SIZES = (60, 600)
FIRST_FALL = FIRST_CHANGE
"""The night from which on one system is worse, in years with a fall."""

LIMIT = 0.02
_AFTER = np.maximum(0, np.arange(NIGHTS) - FIRST_FALL + 1)
STEP: Floats = np.where(_AFTER > 0, 0.05, 0.0)
SMALL: Floats = 0.6 * STEP
SLOW: Floats = 0.002 * _AFTER
"""How much the first system is lower on each night."""

GROUPS = (6, 20)
SIZES_OF_GROUPS = (10, 50)

CHANGES: dict[str, Callable[[Nights], Nights]] = {
    "two improve by .05": lambda nights: nights.improved((0.05, 0.05)),
    "one improves by .10": lambda nights: nights.improved((0.10,)),
    "references 22 % fewer": lambda nights: nights.with_fewer_references(),
    "references 25 % more": lambda nights: nights.with_fewer_references(-0.25),
}
"""What changes of the others or of the references, so that nobody is to blame."""


COMPLETE = BASELINE_NIGHTS + NEWEST
"""Number of nights after which the baseline does not change."""


class Failed(NamedTuple):
    """Nights that fail for a system, (years, nights, systems), or for all, (years, nights)."""

    own: Flags
    common: Flags


def levels(nights: Nights, groups: int = 1) -> Failed:
    """Judge the level of each night, by the baseline of that night until it is complete.

    What failed on a night decides who is among the others on the next one.

    Args:
        nights: the nights; those of groups of a year are years one after the other.
        groups: number of groups of a year, by which p is multiplied (Holm 1979).
    """
    own, common = np.zeros(nights.values.shape, bool), np.zeros(nights.values.shape[:2], bool)
    for night in range(FEWEST_OF_BASELINE, COMPLETE):
        known = nights.values[:, : night + 1]
        usable = np.ones(known.shape, bool)
        usable[:, -1] = False
        judged = _levels(known, usable, own[:, : night + 1], groups)
        own[:, night], common[:, night] = (flags[:, -1] for flags in judged)
    # From here on a night depends on those before it only by what failed: repeat until it stays.
    usable = np.ones(nights.values.shape, bool)
    while True:
        judged = _levels(nights.values, usable, own, groups)
        own_before = own.copy()
        own[:, COMPLETE:], common[:, COMPLETE:] = (flags[:, COMPLETE:] for flags in judged)
        if np.array_equal(own, own_before):
            return Failed(own, common)


def _levels(values: Floats, usable: Flags, failed: Flags, groups: int) -> tuple[Flags, Flags]:
    """Judge all nights by the baseline of the first that are usable."""
    chosen = first_nights(usable)
    by_system = np.moveaxis(chosen, 2, 1)
    deviations = relative(values, chosen)
    shared = shared_part(deviations)
    own = np.moveaxis(own_parts(deviations, night_before(failed)), 2, 1)
    of_own, of_average, of_common = (
        baseline_of(part, of_part)
        for part, of_part in (
            (own, by_system),
            (np.moveaxis(values, 2, 1), by_system),
            (shared, chosen[..., 0]),
        )
    )
    moved, all_moved = falls(own, of_own.mean), falls(shared, of_common.mean)
    average = falls(np.moveaxis(values, 2, 1), of_average.mean)
    is_own = blamed(moved, average, all_moved.moving[:, None], LIMIT)
    is_own &= _beyond_chance(of_own, moved, groups)
    for year, system, night in np.argwhere(is_own):
        one = year, system, slice(night + 1)
        means = float(of_own.mean[year, system]), float(of_average.mean[year, system])
        averages = values[year, : night + 1, system]
        is_own[year, system, night] = fell_itself(own[one], averages, means, LIMIT)
    return (
        np.moveaxis(is_own, 1, 2),
        all_moved.beyond(LIMIT) & _beyond_chance(of_common, all_moved, groups),
    )


def _beyond_chance(baseline: Baseline, found: Falls, tests: int) -> Flags:
    p = np.stack([baseline.p_of(fall) for fall in np.moveaxis(found.moving, -1, 0)], axis=-1)
    return np.asarray(tests * p <= p_at_limit())


def _two(nights: Nights) -> Failed:
    return Failed(*two_nights(nights, LIMIT))


RULES: dict[str, Callable[[Nights], Failed]] = {
    "two nights": _two,
    "level": levels,
}


def _any(own: Flags) -> Flags:
    return np.asarray(own.any(axis=2))


def alarms(failed: Flags) -> Floats:
    """Count the alarms of each year; nights that fail one after the other are one."""
    before = np.concatenate([np.zeros_like(failed[:, :1]), failed[:, :-1]], axis=1)
    return np.asarray((failed & ~before).sum(axis=1), np.float64)


def delays(failed: Failed) -> Floats:
    """Return the nights until the first system fails, with its fall; infinite if it never does."""
    late = failed.own[:, FIRST_FALL:, 0]
    return np.where(late.any(axis=1), late.argmax(axis=1) + 1.0, np.inf)


class Row(NamedTuple):
    """What a kind of nights does: alarms by year by rule, and delays by year by fall and rule."""

    kind: str
    documents: int
    own: dict[str, Floats]
    common: dict[str, Floats]
    delays: dict[str, Floats]


def rows(
    years: int = YEARS, with_fall: int = YEARS_WITH_FALL, sizes: Sequence[int] = SIZES
) -> Iterator[Row]:
    """Yield a row for each kind of nights and number of documents."""
    for kind in (*KINDS, *OWN_KINDS):
        for documents in sizes:
            yield row(simulate(kind, documents, years), kind, with_fall)


def row(nights: Nights, kind: str, with_fall: int) -> Row:
    """Judge stationary years of a kind by all rules, and the same years with a fall."""
    quiet = {name: rule(nights) for name, rule in RULES.items()}
    own = {name: alarms(_any(failed.own)) for name, failed in quiet.items()}
    own["both"] = alarms(_any(quiet["two nights"].own | quiet["level"].own))
    common = {name: alarms(failed.common) for name, failed in quiet.items()}
    few = nights.first(with_fall)
    late = {
        ".05: two nights": delays(_two(few.with_fall(STEP))),
        ".05: level": delays(levels(few.with_fall(STEP))),
        ".03: level": delays(levels(few.with_fall(SMALL))),
        ".002 a night: level": delays(levels(few.with_fall(SLOW))),
        ".03 beside .05: level": delays(levels(few.with_fall(SMALL).with_fall(STEP, 1))),
    }
    return Row(kind, nights.documents, own, common, late)


def tables(found: Sequence[Row]) -> str:
    """Return the tables in Markdown: alarms a year, and nights until a fall is noticed."""
    names = "two nights", "level", "both"
    heads = ["nights", "documents", *names, "all, two nights", "all, level"]
    quiet = [
        [each.kind, str(each.documents), *(_rate(each.own[name]) for name in names)]
        + [_rate(each.common[name]) for name in ("two nights", "level")]
        for each in found
    ]
    falling = ["nights", "documents", *found[0].delays]
    noticed = [
        [each.kind, str(each.documents), *map(_delay, each.delays.values())] for each in found
    ]
    return f"{_markdown(heads, quiet)}\n\n{_markdown(falling, noticed)}"


def alarms_in_groups(groups: int, documents: int, years: int, kind: str) -> Floats:
    """Return the alarms a year of levels in groups, of stationary nights."""
    nights = simulate(kind, documents, years * groups)
    failed = levels(nights, groups).own.any(axis=2).reshape(years, groups, NIGHTS)
    return alarms(np.asarray(failed.any(axis=1)))


def table_of_groups(years: int) -> str:
    """Return the table of groups in Markdown."""
    kind = "independent documents"
    lines = [
        [str(groups), str(documents), _rate(alarms_in_groups(groups, documents, years, kind))]
        for groups in GROUPS
        for documents in SIZES_OF_GROUPS
    ]
    return _markdown(["groups", "documents of a group", "level, any group"], lines)


def wrong_blame(nights: Nights, change: str) -> dict[str, Floats]:
    """Return for each rule whether a system that did not change is blamed, by year."""
    changed = CHANGES[change](nights)
    still = np.isclose(changed.values, nights.values).all(axis=(0, 1))
    if not still.any():  # the references changed: no system did
        still = np.ones_like(still)
    found = {name: rule(changed).own for name, rule in RULES.items()}
    return {
        name: (own[:, FIRST_FALL:, still].any(axis=(1, 2))).astype(float)
        for name, own in found.items()
    }


def table_of_blame(years: int, sizes: Sequence[int] = SIZES) -> str:
    """Return the table of years in which a system is blamed for what it did not do."""
    lines = []
    for change in CHANGES:
        for documents in sizes:
            by_rule = wrong_blame(simulate("night sd .01", documents, years), change)
            lines.append([change, str(documents), *map(_rate, by_rule.values())])
    return _markdown(["what changes", "documents", *RULES], lines)


def _rate(by_year: Floats) -> str:
    """Write a mean over years, with its standard error."""
    return f"{by_year.mean():.2f} ± {by_year.std(ddof=1) / np.sqrt(len(by_year)):.2f}"


def _delay(by_year: Floats) -> str:
    """Write the median over years, and in how many of them the fall is never noticed."""
    never = int(np.isinf(by_year).sum())
    median = float(np.median(by_year))
    text = f"{median:.0f}" if np.isfinite(median) else "–"
    return f"{text} (never: {never})" if never else text


def _markdown(heads: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(line)} |" for line in [heads, ["---"] * len(heads), *lines])


def table_of_densities(found: Sequence[DensityRow]) -> str:
    """Return the table of densities in Markdown."""
    heads = ["nights", "documents", "said without a reason", "said of a fall by .22"]
    lines = [
        [each.kind, str(each.documents), _rate(each.alarms), _delay(each.delays)] for each in found
    ]
    return _markdown(heads, lines)


def write(part: str, text: str) -> None:
    """Replace a part of the page."""
    begin, end = f"<!-- {part} -->", f"<!-- end of {part} -->"
    before, rest = PAGE.read_text("utf-8").split(begin)
    _, after = rest.split(end)
    PAGE.write_text(f"{before}{begin}\n{text}\n{end}{after}", "utf-8")


if __name__ == "__main__":
    write(DENSITIES_OF_PAGE, table_of_densities([*simulated_densities.rows()]))
    parts = tables([*rows()]), table_of_groups(YEARS_WITH_FALL), table_of_blame(YEARS_WITH_FALL)
    write(NIGHTS_OF_PAGE, "\n\n".join(parts))
