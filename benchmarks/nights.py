"""How often each rule of the gate fails without a reason, and how soon it notices a fall.

`make nights` simulates years of nights (``simulated_nights``) and writes the tables of
docs/claims.md. The rules are those of the product, on arrays of many years.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from benchmarks import simulated_densities
from benchmarks.simulated_densities import DensityRow
from benchmarks.simulated_nights import KINDS, NIGHTS, ROOT, Nights, simulate
from benchmarks.two_nights import two_nights
from segscore.pipeline.arrays.ragged import Flags, Floats
from segscore.pipeline.nightly.trend_gate import TREND_ALPHA
from segscore.pipeline.statistics.multiple_tests import holm
from segscore.pipeline.statistics.night_levels import (
    BASELINE_NIGHTS,
    FEWEST_OF_BASELINE,
    NEWEST,
    baseline_of,
    falls,
    first_nights,
    own_parts,
    p_at_limit,
    relative,
    shared_part,
)
from segscore.pipeline.statistics.trends import FEWEST_FOR_TREND, theil_sen

PAGE = ROOT / "docs" / "claims.md"
NIGHTS_OF_PAGE, DENSITIES_OF_PAGE = "simulated nights", "simulated densities"
"""Names of the parts of the page that are written here."""

YEARS, YEARS_WITH_FALL = 40, 20
SIZES = (60, 600)
FIRST_FALL = 100
"""The night from which on one system is worse, in years with a fall."""

LIMIT = 0.02
LINE = 30
_AFTER = np.maximum(0, np.arange(NIGHTS) - FIRST_FALL + 1)
STEP: Floats = np.where(_AFTER > 0, 0.05, 0.0)
SLOW: Floats = 0.002 * _AFTER
"""How much the first system is lower on each night."""


COMPLETE = BASELINE_NIGHTS + NEWEST
"""Number of nights after which the baseline does not change."""


class Failed(NamedTuple):
    """Nights that fail for a system, (years, nights, systems), or for all, (years, nights)."""

    own: Flags
    common: Flags


def levels(nights: Nights) -> Failed:
    """Judge the level of each night, by the baseline of that night until it is complete."""
    own, common = np.zeros(nights.values.shape, bool), np.zeros(nights.values.shape[:2], bool)
    for night in range(FEWEST_OF_BASELINE, COMPLETE):
        known = nights.values[:, : night + 1]
        usable = np.ones(known.shape, bool)
        usable[:, -1] = False
        own[:, night], common[:, night] = (each[:, -1] for each in _levels(known, usable))
    whole = _levels(nights.values, np.ones(nights.values.shape, bool))
    for each, judged in zip((own, common), whole, strict=True):
        each[:, COMPLETE:] = judged[:, COMPLETE:]
    return Failed(own, common)


def _levels(values: Floats, usable: Flags) -> tuple[Flags, Flags]:
    """Judge all nights by the baseline of the first that are usable."""
    chosen = first_nights(usable)
    deviations = relative(values, chosen)
    own = np.moveaxis(own_parts(deviations), 2, 1)
    return (
        np.moveaxis(_beyond(own, np.moveaxis(chosen, 2, 1)), 1, 2),
        _beyond(shared_part(deviations), chosen[..., 0]),
    )


def _beyond(parts: Floats, chosen: Flags) -> Flags:
    baseline = baseline_of(parts, chosen)
    found = falls(parts, baseline.mean)
    p = np.stack([baseline.p_of(fall) for fall in np.moveaxis(found.moving, -1, 0)], axis=-1)
    return np.asarray(found.beyond(LIMIT) & (p <= p_at_limit()))


def trends(nights: Nights) -> Failed:
    """Test the line through the last thirty nights, of each system against the others."""
    own = np.zeros(nights.values.shape, bool)
    for night in range(FEWEST_FOR_TREND - 1, NIGHTS):
        window = nights.values[:, max(0, night + 1 - LINE) : night + 1]
        parts = np.moveaxis(own_parts(relative(window, np.ones(window.shape, bool))), 2, 1)
        # A line that not even the liberal test finds needs no other.
        for year in np.flatnonzero((_p_independent(parts) <= TREND_ALPHA).any(axis=1)):
            lines = [theil_sen(np.arange(window.shape[1]), series) for series in parts[year]]
            adjusted = holm([max(line.p, line.p_independent) for line in lines])
            slopes = np.array([line.slope for line in lines])
            own[year, night] = (adjusted <= TREND_ALPHA) & (-slopes * LINE > LIMIT)
    return Failed(own, np.zeros(nights.values.shape[:2], bool))


def _p_independent(parts: Floats) -> Floats:
    """Return p of Mann and Kendall's test for values without ties, over the last axis."""
    n = parts.shape[-1]
    first, second = np.triu_indices(n, 1)
    s = np.sign(parts[..., second] - parts[..., first]).sum(axis=-1)
    spread = np.sqrt(n * (n - 1) * (2 * n + 5) / 18)
    return np.asarray(2 * ndtr((1 - np.abs(s)) / spread))


def _two(nights: Nights) -> Failed:
    return Failed(*two_nights(nights, LIMIT))


RULES: dict[str, Callable[[Nights], Failed]] = {
    "two nights": _two,
    "level": levels,
    "trend": trends,
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
    """What a kind of nights does: for each rule, alarms by year and delays by year."""

    kind: str
    documents: int
    own: dict[str, Floats]
    common: dict[str, Floats]
    step: dict[str, Floats]
    slow: dict[str, Floats]


def rows(
    years: int = YEARS, with_fall: int = YEARS_WITH_FALL, sizes: Sequence[int] = SIZES
) -> Iterator[Row]:
    """Yield a row for each kind of nights and number of documents."""
    for kind in KINDS:
        for documents in sizes:
            yield row(simulate(kind, documents, years), kind, with_fall)


def row(nights: Nights, kind: str, with_fall: int) -> Row:
    """Judge stationary years of a kind by all rules, and the same years with a fall."""
    quiet = {name: rule(nights) for name, rule in RULES.items()}
    own = {name: alarms(_any(failed.own)) for name, failed in quiet.items()}
    own["both"] = alarms(_any(quiet["two nights"].own | quiet["level"].own))
    common = {name: alarms(failed.common) for name, failed in quiet.items()}
    few = nights.first(with_fall)
    step, slow = (
        {name: delays(rule(few.with_fall(fall))) for name, rule in RULES.items()}
        for fall in (STEP, SLOW)
    )
    return Row(kind, nights.documents, own, common, step, slow)


def tables(found: Sequence[Row]) -> str:
    """Return the tables in Markdown: alarms a year, and nights until a fall is noticed."""
    heads = [
        "nights",
        "documents",
        "two nights",
        "level",
        "both",
        "trend",
        "all, two nights",
        "all, level",
    ]
    names = "two nights", "level", "both", "trend"
    quiet = [
        [each.kind, str(each.documents), *(_rate(each.own[name]) for name in names)]
        + [_rate(each.common[name]) for name in ("two nights", "level")]
        for each in found
    ]
    falling = ["nights", "documents", *(f"{fall}: {name}" for fall in _FALLS for name in RULES)]
    noticed = [
        [each.kind, str(each.documents)]
        + [_delay(by_rule[name]) for by_rule in (each.step, each.slow) for name in RULES]
        for each in found
    ]
    return f"{_markdown(heads, quiet)}\n\n{_markdown(falling, noticed)}"


_FALLS = (".05", ".002")


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
    write(NIGHTS_OF_PAGE, tables([*rows()]))
