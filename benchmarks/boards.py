"""Boards of several systems: whether what is said of them is true, and the same everywhere."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from math import isnan
from typing import NamedTuple

import numpy as np

from benchmarks.simulated_documents import (
    BETTER,
    DENSE,
    FAILS,
    GOOD,
    SAME,
    SPARSE,
    Key,
    Kind,
    average,
    pool,
)
from benchmarks.statements import CORPORA, as_tested
from segscore.pipeline.arrays.ragged import Ints
from segscore.pipeline.comparison.certainty import describe_certainty
from segscore.pipeline.comparison.pair_rows import beaten_systems, is_significant
from segscore.pipeline.comparison.settings import CompareSettings
from segscore.pipeline.comparison.tables import (
    ComparedPair,
    ComparisonRow,
    adjusted_rows,
    as_in_table,
)
from segscore.pipeline.statistics.jackknife import Estimate, difference
from segscore.schemas.rows import PairRow

SYSTEMS = (SAME, SAME, BETTER, DENSE, SPARSE, FAILS, GOOD)
KINDS = tuple(Kind(unequal=unequal, systems=SYSTEMS) for unequal in (0.4, 1.2))
SIZES = (3, 5, 8, 12, 20, 40, 100)
MARGIN = 0.05
MEASURE = "boundary_similarity"
KEYS: tuple[Key, ...] = ((MEASURE, "micro"), (MEASURE, "macro"))
_SETTINGS = CompareSettings(("run",), (MEASURE,), margin=MARGIN)


class Counted(NamedTuple):
    """Of how many a statement was made, and of how many it is not true."""

    made: int
    false: int


@dataclass(frozen=True)
class Board:
    """A board of systems by one average.

    Attributes:
        rows: the pairs.
        truth: the true average of each system.
        best: the system with the best value.
    """

    rows: list[PairRow]
    truth: dict[str, float]
    best: str


def boards(number: int = CORPORA) -> Iterator[Board]:
    """Yield boards of 2 to 6 of the systems, on 3 to 100 documents."""
    draw = np.random.default_rng(13)
    for n in range(number):
        kind, key = KINDS[n % 2], KEYS[n // 2 % 2]
        chosen = draw.choice(len(SYSTEMS), draw.integers(2, len(SYSTEMS)), replace=False)
        documents = draw.integers(0, len(pool(kind).show), draw.choice(SIZES))
        yield _board(kind, key, sorted(chosen.tolist()), documents)


def _board(kind: Kind, key: Key, systems: list[int], documents: Ints) -> Board:
    """Compare some systems on some documents."""
    made = pool(kind)
    averages = {s: average(made, s, documents, measures=(MEASURE,)) for s in systems}
    rows = [_compared(key, a, b, averages[a], averages[b]) for a, b in combinations(systems, 2)]
    best = max(systems, key=lambda s: averages[s][key].value)
    truth = {f"s{s}": float(made.truth[key][s]) for s in systems}
    return Board(as_in_table(adjusted_rows(rows, _SETTINGS, power=False)), truth, f"s{best}")


def _compared(
    key: Key, a: int, b: int, first: dict[Key, Estimate], second: dict[Key, Estimate]
) -> ComparedPair:
    own = as_tested(key, {of: difference(first[of], second[of]) for of in KEYS})
    better = None if own.value == 0 else f"s{a if own.value > 0 else b}"
    row: ComparisonRow = {
        "measure": MEASURE, "average": key[1], "system": f"s{a}", "other": f"s{b}",
        "difference": own.value, "p": own.p, "better": better, "documents": len(own.units),
        "defined": len(own.units), "units": own.number, "effective": own.effective,
    }  # fmt: skip
    return ComparedPair(row, own, of_points=False, directed=True)


def contradictions(board: Board) -> int:
    """Return how many pairs of a board have a star, interval, letters and sentence that disagree.

    The sentence is that of the system with the best value, about each other system.
    """
    pairs = {(row["system"], row["other"]): row for row in board.rows}
    beaten = beaten_systems(board.rows)
    return sum(_contradicts(row, board.best, beaten, pairs) for row in board.rows)


def _contradicts(
    row: PairRow, best: str, beaten: dict[str, set[str]], pairs: dict[tuple[str, str], PairRow]
) -> bool:
    star, ends = is_significant(row), (row["ci_low"], row["ci_high"])
    low, high = ends
    says = [star]
    if low is not None and high is not None:
        says.append(not low <= 0 <= high)
    names = row["system"], row["other"]
    says.append(any(set(names) - {name} <= beaten.get(name, set()) for name in names))
    if best in names and row["p"] is not None:
        (other,) = {*names} - {best}
        said = describe_certainty(best, [other], pairs).text
        better = star and row["better"] == best
        if said.startswith("It is significantly better") != better:
            return True
    return len({*says}) > 1


def measured(number: int = CORPORA) -> dict[str, Counted]:
    """Count what is said of boards that is false, by what it is."""
    found = {
        name: [0, 0] for name in ("star", "best", "sure", "equal", "interval", "contradiction")
    }

    def count(name: str, *, made: bool, false: bool) -> None:
        found[name][0] += made
        found[name][1] += made and false

    for board in boards(number):
        truth, rows = board.truth, board.rows
        apart = [(row, truth[row["system"]] - truth[row["other"]]) for row in rows]
        stars = [(row, true) for row, true in apart if is_significant(row)]
        count("star", made=True, false=any(_is_wrong(row, true) for row, true in stars))
        known = [(row, true) for row, true in apart if row["ci_low"] is not None]
        count("interval", made=bool(known), false=any(not _holds(*each) for each in known))
        for row, true in apart:
            count("equal", made=row["equal"] is True, false=abs(true) > MARGIN)
        is_best = truth[board.best] == max(truth.values())
        beaten = beaten_systems(rows).get(board.best, set())
        count("best", made=True, false=not is_best)
        count("sure", made=len(beaten) == len(truth) - 1, false=not is_best)
        count("contradiction", made=True, false=contradictions(board) > 0)
    return {name: Counted(made, false) for name, (made, false) in found.items()}


def _is_wrong(row: PairRow, true: float) -> bool:
    """Return whether a star names the worse of two systems, or one of equal ones."""
    observed = row["difference"]
    return observed is None or observed * true <= 0


def _holds(row: PairRow, true: float) -> bool:
    low, high = row["ci_low"], row["ci_high"]
    return low is None or high is None or isnan(true) or low <= true <= high
