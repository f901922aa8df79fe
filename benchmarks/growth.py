"""Time per pair and memory with up to thirty times the pairs; both should stay the same.

The number of documents grows, as in an archive; each has one reference and four hypotheses. Rows
are shuffled, as in an archive that is not sorted by document.
"""

import sys
import tempfile
from dataclasses import dataclass

from benchmarks.observed import SHUFFLED
from benchmarks.timing import Result, Usage, run_timed
from benchmarks.whole_job import SYSTEMS, make

PAIRS = (1_000_000, 10_000_000, 30_000_000)
SMALLEST = 10
"""Documents of a run that consists almost only of start-up."""

RUNS = {1_000_000: 3, 10_000_000: 1, 30_000_000: 1}
FLAT_TIME, FLAT_MEMORY = 0.10, 0.10


@dataclass(frozen=True)
class Measurement:
    """Resources of a run with some number of pairs; the least of several runs, to exclude noise."""

    pairs: int
    usage: Usage


def run(pairs: int, times: int) -> Measurement:
    """Make tables, score them several times, and delete them."""
    with tempfile.TemporaryDirectory() as folder:
        tables = make(folder, pairs // SYSTEMS)
        score = [sys.executable, "-m", "benchmarks.observed", SHUFFLED, *tables]
        score += ["--output", f"{folder}/run", "--fresh"]
        usages = [run_timed(score) for _ in range(times)]
    least = Usage(
        min(usage.seconds for usage in usages),
        min(usage.cpu for usage in usages),
        max(usage.megabytes for usage in usages),
    )
    return Measurement(pairs, least)


def spread(values: list[float]) -> float:
    """Return the range of the values, as a share of the first."""
    return (max(values) - min(values)) / values[0]


def by_size(name: str, values: list[float], unit: str, limit: float) -> Result:
    """Return one result: the values by number of pairs, their spread, and the aim."""
    apart = spread(values)
    sizes = ", ".join(f"{pairs:,}" for pairs in PAIRS)
    by_pairs = ", ".join(f"{value:,.2f}" for value in values)
    return Result(
        f"{name} at {sizes} pairs",
        f"{by_pairs} {unit}: {apart:.0%} apart",
        f"within {limit:.0%}",
        apart <= limit,
    )


def measure() -> list[Result]:
    """Measure each size, smallest first."""
    startup = run(SMALLEST * SYSTEMS, max(RUNS.values())).usage
    measured = [run(pairs, RUNS[pairs]) for pairs in PAIRS]

    def per_pair(name: str, *, without: float = 0) -> list[float]:
        return [1e6 * (getattr(row.usage, name) - without) / row.pairs for row in measured]

    seconds = per_pair("seconds", without=startup.seconds)
    cpu = per_pair("cpu", without=startup.cpu)
    memory = [row.usage.megabytes for row in measured]
    return [
        Result("start-up", f"{startup.seconds:.2f} s, {startup.cpu:.2f} s of processor time"),
        by_size("time per pair without start-up", seconds, "µs", FLAT_TIME),
        by_size("processor time per pair without start-up", cpu, "µs", FLAT_TIME),
        by_size("memory", memory, "MB", FLAT_MEMORY),
    ]
