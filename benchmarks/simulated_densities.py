"""How often the density of the references is said to differ, without a reason and with one.

Nights draw their documents from those of tests/data/nights, as ``simulated_nights`` does. The desk
may mark more on some nights than on others, each night by itself or like the night before.
"""

import json
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import numpy as np

from benchmarks.simulated_nights import NIGHTS, ROOT
from segscore.pipeline.arrays.ragged import Floats
from segscore.pipeline.nightly.densities import change_of_density
from segscore.pipeline.nightly.gate.past import USUAL_NIGHTS

YEARS, FIRST_FALL = 40, 100
FALL = 0.22
"""Share of the boundaries that the desk no longer marks from a night on, in years with a fall."""

KINDS: dict[str, tuple[float, float, float]] = {
    "independent documents": (0.0, 0.0, 0.0),
    "desk sd .05": (0.05, 0.0, 0.0),
    "desk sd .05, AR .8": (0.05, 0.8, 0.0),
    "weekends .1 fewer": (0.0, 0.0, 0.1),
}
"""Kind of nights -> spread between nights, correlation with the one before, fall on weekends."""


class DensityRow(NamedTuple):
    """Alarms of each year, and the nights until a fall is said, infinite if it never is."""

    kind: str
    documents: int
    alarms: Floats
    delays: Floats


@cache
def pool() -> Floats:
    """Return boundaries and units of the references of the first nights, shape (documents, 2)."""
    rows = (
        json.loads(line)
        for path in sorted((ROOT / "tests" / "data" / "nights").glob("*.jsonl"))[:10]
        for line in path.read_text("utf-8").splitlines()
    )
    counts = [(len(r["boundaries"]), r["n_units"]) for r in rows if r["role"] == "reference"]
    return np.array(counts, np.float64)


def densities(kind: str, documents: int, years: int, seed: int = 0) -> Floats:
    """Simulate the densities of the references, shape (years, nights)."""
    draw = np.random.default_rng([seed, documents, [*KINDS].index(kind)])
    spread, correlation, fewer = KINDS[kind]
    chosen = draw.integers(0, len(pool()), (years, NIGHTS, documents))
    boundaries, units = (pool()[chosen, column].sum(axis=2) for column in (0, 1))
    habit = draw.normal(0, spread, (years, NIGHTS))
    for night in range(1, NIGHTS):
        fresh = np.sqrt(1 - correlation**2) * habit[:, night]
        habit[:, night] = correlation * habit[:, night - 1] + fresh
    weekend = np.arange(NIGHTS) % 7 >= 5
    return np.asarray(boundaries / units * (1 + habit) * np.where(weekend, 1 - fewer, 1.0))


def is_said(year: Floats) -> list[bool]:
    """Return of each night of a year whether its density is said to differ; all nights are good."""
    return [
        change_of_density(float(now), year[max(0, night - USUAL_NIGHTS) : night]) is not None
        for night, now in enumerate(year)
    ]


def row(kind: str, documents: int, years: int = YEARS) -> DensityRow:
    """Judge years of a kind, and the same years with a fall."""
    alarms, delays = [], []
    for year in densities(kind, documents, years):
        said = is_said(year)
        alarms.append(sum(now and not before for now, before in zip(said[1:], said, strict=False)))
        fallen = np.where(np.arange(NIGHTS) >= FIRST_FALL, (1 - FALL) * year, year)
        late = is_said(fallen)[FIRST_FALL:]
        delays.append(late.index(True) + 1 if any(late) else np.inf)
    return DensityRow(kind, documents, np.array(alarms, np.float64), np.array(delays))


def rows() -> Iterator[DensityRow]:
    """Yield a row for each kind of nights and number of documents."""
    for kind in KINDS:
        for documents in (60, 600):
            yield row(kind, documents)
