"""A hundred times the pairs: time a pair and memory, which should stay as they are.

Pairs grow with the documents, as an archive does: of each there is one reference and four systems.
"""

import tempfile
from dataclasses import dataclass

from benchmarks.timing import SEGSCORE, Took, load, took, verdict
from benchmarks.whole_job import SYSTEMS, make

PAIRS = (100_000, 1_000_000, 10_000_000)
SMALLEST = 10
"""Documents of a run whose time is that of starting up."""

RUNS = {100_000: 5, 1_000_000: 3, 10_000_000: 1}
FLAT_TIME, FLAT_MEMORY = 0.10, 0.20


@dataclass(frozen=True)
class Grown:
    """What a run of so many pairs took, least of several times: the rest is the machine's."""

    pairs: int
    took: Took


def run(pairs: int, times: int) -> Grown:
    """Make the tables, score them, and forget them."""
    with tempfile.TemporaryDirectory() as folder:
        tables = make(folder, pairs // SYSTEMS)
        score = [SEGSCORE, "score", *tables, "--output", f"{folder}/run", "--fresh"]
        ran = [took(score) for _ in range(times)]
    least = (min(getattr(each, name) for each in ran) for name in ("seconds", "cpu"))
    return Grown(pairs, Took(*least, max(each.megabytes for each in ran)))


def flatness(values: list[float]) -> float:
    """How far the values are apart, as a share of the first."""
    return (max(values) - min(values)) / values[0]


def said(name: str, values: list[float], unit: str, most: float) -> str:
    """One line: the values by pairs, how far they are apart, and the aim."""
    apart = flatness(values)
    by_pairs = ", ".join(f"{value:,.2f}" for value in values)
    return (
        f"growth: {name}: {by_pairs} {unit} at {', '.join(f'{pairs:,}' for pairs in PAIRS)} pairs; "
        f"{apart:.0%} apart (aim within {most:.0%}: {verdict(apart <= most)})"
    )


def measure() -> str:
    """Measure each size, smallest first."""
    floor = run(SMALLEST * SYSTEMS, max(RUNS.values())).took
    grown = [run(pairs, RUNS[pairs]) for pairs in PAIRS]

    def each(name: str, *, less: float = 0) -> list[float]:
        return [1e6 * (getattr(one.took, name) - less) / one.pairs for one in grown]

    return "\n".join(
        [
            f"growth: {load()}; starting up takes {floor.seconds:.2f} s, {floor.cpu:.2f} s of CPU",
            said("time a pair, all told", each("seconds"), "µs", FLAT_TIME),
            said(
                "time a pair, without starting up",
                each("seconds", less=floor.seconds),
                "µs",
                FLAT_TIME,
            ),
            said("CPU a pair, all told", each("cpu"), "µs", FLAT_TIME),
            said("CPU a pair, without starting up", each("cpu", less=floor.cpu), "µs", FLAT_TIME),
            said("most memory", [one.took.megabytes for one in grown], "MB", FLAT_MEMORY),
        ]
    )
