"""Make boundaries of the numbers of an answer, and count what is wrong with the numbers."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise

from segscore.pipeline.importing.answers.deciding import NumberReading
from segscore.pipeline.importing.answers.options import ENDS, RANGES, SIZES

OUTSIDE, NOT_ASCENDING, REPEATED = "outside", "not ascending", "repeated"
GAP, OVERLAP, SUM, MISSING_TAIL = "gap", "overlap", "wrong sum", "missing tail"


@dataclass
class NumberedBoundaries:
    """The boundaries that numbers name.

    Attributes:
        boundaries: positions, strictly ascending in 1..n_units-1.
        missing_tail: number of units after the last segment.
        problems: how often the numbers are wrong, by what is wrong.
    """

    boundaries: list[int]
    missing_tail: int = 0
    problems: Counter[str] = field(default_factory=Counter)


def boundaries_of(reading: NumberReading, first: int, n_units: int) -> NumberedBoundaries:
    """Make boundaries of numbers.

    A gap belongs to the segment before it, segments that overlap are cut where the later one
    starts, numbers outside the document are dropped, repeated ones count once.

    Args:
        reading: the numbers, at least one.
        first: number of the first unit, 0 or 1, unless the reading says it; sizes have none.
        n_units: number of units of the document.
    """
    kind, first = reading.kind, first if reading.first is None else reading.first
    if kind == SIZES:
        return _from_sizes([size for size, _ in reading.spans], n_units)
    problems: Counter[str] = Counter()
    inside: list[tuple[int, int]] = []
    for low, high in reading.spans:
        span = (low - first + 1, high - first + 1)
        if span[0] > span[1]:
            problems[NOT_ASCENDING] += 1
            span = span[::-1]
        if not (span[0] >= 1 and span[1] <= n_units):
            problems[OUTSIDE] += 1
            span = (max(span[0], 1), min(span[1], n_units))
            if kind != RANGES or span[0] > span[1]:
                continue
        inside.append(span)
    starts = [low for low, _ in inside]
    problems[NOT_ASCENDING] += sum(a > b for a, b in pairwise(starts))
    problems[REPEATED] += len(starts) - len({*starts})
    missing = 0
    if kind == RANGES:
        missing = _check_ranges(sorted(inside), n_units, problems)
    elif kind == ENDS:
        missing = n_units - max(starts, default=0)
    problems[MISSING_TAIL] += missing > 0
    shift = 1 if kind != ENDS else 0
    positions = {start - shift for start in starts}
    return NumberedBoundaries(sorted(positions - {0, n_units}), missing, +problems)


def _check_ranges(spans: Sequence[tuple[int, int]], n_units: int, problems: Counter[str]) -> int:
    """Count gaps and overlaps, and return the number of units after the last range."""
    reached = 0
    for low, high in spans:
        if low > reached + 1:
            problems[GAP] += 1
        elif low <= reached:
            problems[OVERLAP] += 1
        reached = max(reached, high)
    return n_units - reached


def _from_sizes(sizes: Sequence[int], n_units: int) -> NumberedBoundaries:
    """Make boundaries of sizes; what the last segment lacks or has too many is counted."""
    problems: Counter[str] = Counter()
    filled = [size for size in sizes if size > 0]
    problems[OUTSIDE] += len(sizes) - len(filled)
    ends = [*accumulate(filled)]
    total = ends[-1] if ends else 0
    problems[SUM] += total != n_units
    missing = max(0, n_units - total)
    problems[MISSING_TAIL] += missing > 0
    inside = [end for end in ends[:-1] if end < n_units]
    return NumberedBoundaries(inside, missing, +problems)
