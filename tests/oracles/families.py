"""The slow twins of all families of measures: one table, which the tests go through.

A new family needs its entry in `TWINS`: how to count a pair, and the values of counts.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from tests.oracles import naive, naive_fields
from tests.oracles.naive import Boundaries, Value

Pair = tuple[int, Boundaries, Boundaries]
"""Units, reference and hypothesis."""
Counts = Mapping[str, Any]
"""Integers, but for the sums over stories, which are not rounded here."""


class Counting(NamedTuple):
    """The settings that counts depend on."""

    k: int = 2
    n_t: int = 2
    pairing: str = "greedy"
    tolerance: int = 0
    edges: int = 0
    tiou: Fraction = Fraction(1, 2)
    reached: bool = False

    @property
    def reach(self) -> int:
        """The tolerance, by its name in the settings of a run."""
        return self.tolerance

    @property
    def iou_reached(self) -> bool:
        """Whether an IoU equal to the threshold is enough, by its name in the settings of a run."""
        return self.reached

    @property
    def iou(self) -> Fraction:
        """The threshold, by its name in the settings of a run."""
        return self.tiou

    @property
    def near_limit(self) -> int:
        """The limit n_t, by its name in the settings of a run."""
        return self.n_t


class Parameters(NamedTuple):
    """The settings that values depend on; `per_row` is false for sums of rows."""

    per_row: bool
    n_t: int = 2
    p_seg: Value = None
    cost_miss: Fraction = Fraction(1, 2)
    c_seg_costs: tuple[Fraction, Fraction] = (Fraction(1), Fraction(3, 10))
    types: Sequence[int] = (1,)
    edges: int = 0
    beta: Fraction = Fraction(1)


@dataclass(frozen=True)
class Twin:
    """A slow twin of a family.

    Attributes:
        count: counts a pair.
        needs: the counts, of any family, that its values need.
        value: computes the values.
    """

    count: Callable[[Pair, Counting], Counts]
    needs: frozenset[str]
    value: Callable[[Counts, Parameters], dict[str, Value]]


def _edits(pair: Pair, counting: Counting) -> Counts:
    optimal = counting.pairing == "optimal"
    count = naive.optimal_edit_counts if optimal else naive.edit_counts
    return {**count(*pair, counting.n_t), "ghd": naive.ghd(*pair)}


def _content(pair: Pair, _: Counting) -> Counts:
    stories = naive.story_fractions(*pair)
    sums = [naive.STORY_UNIT * sum(column) for column in zip(*stories, strict=True)]
    return {
        **naive.content_counts(*pair),
        **naive.content_parts(*pair),
        "stories": len(stories),
        **dict(zip(("story_miss_sum", "story_false_alarm_sum"), sums, strict=True)),
    }


def _story_values(counts: Counts, _: Parameters) -> dict[str, Value]:
    sums = {name: Fraction(counts[f"story_{name}_sum"]) for name in ("miss", "false_alarm")}
    return {
        f"story_{name}": naive.ratio(total / naive.STORY_UNIT, counts["stories"])
        for name, total in sums.items()
    }


def _nothing(*_: object) -> Counts:
    return {}


TWINS = {
    "window": Twin(
        lambda pair, c: naive.window_counts(*pair, c.k),
        frozenset(naive.WINDOW_COUNTS),
        lambda counts, p: naive.window_values(counts, p.p_seg, p.cost_miss, p.c_seg_costs),
    ),
    "edit": Twin(
        _edits,
        frozenset(naive.EDIT_COUNTS),
        lambda counts, p: naive.edit_values(counts, n_t=p.n_t, types=p.types, per_row=p.per_row),
    ),
    "content": Twin(
        _content,
        frozenset(naive.CONTENT_COUNTS),
        lambda counts, _: naive.content_values(counts),
    ),
    "stories": Twin(_nothing, frozenset({"stories"}), _story_values),
    "tolerance": Twin(
        lambda pair, c: naive_fields.tolerance_counts(*pair, c.tolerance, c.edges),
        frozenset(naive_fields.TOLERANCE_COUNTS),
        lambda counts, p: naive_fields.tolerance_values(counts, p.edges, p.beta),
    ),
    "winpr": Twin(
        lambda pair, c: naive_fields.winpr_counts(*pair, c.k),
        frozenset(naive_fields.WINPR_COUNTS),
        lambda counts, p: naive_fields.winpr_values(counts, p.beta),
    ),
    "overlap": Twin(
        lambda pair, c: naive_fields.overlap_counts(*pair, c.tiou, reached=c.reached),
        frozenset({*naive_fields.OVERLAP_COUNTS, "rows", "content_size"}),
        lambda counts, p: naive_fields.overlap_values(counts, beta=p.beta, per_row=p.per_row),
    ),
    "selected": Twin(
        lambda pair, c: naive_fields.selected_counts(
            naive.segments(pair[0], pair[1]),
            naive.segments(pair[0], pair[2]),
            c.tiou,
            c.tolerance,
            reached=c.reached,
        ),
        frozenset(naive_fields.SELECTED_COUNTS),
        lambda counts, p: naive_fields.selected_values(counts, p.beta),
    ),
    "dialogue": Twin(
        _nothing,
        frozenset({"matches", "pk_misses"}),
        lambda counts, _: {"dialseg_score": naive_fields.dialseg_score(counts)},
    ),
}
"""Family -> its twin; those of `stories` and `dialogue` use the counts of other families."""


def counts(pair: Pair, counting: Counting) -> dict[str, Any]:
    """All counts of a pair."""
    return {
        name: count for twin in TWINS.values() for name, count in twin.count(pair, counting).items()
    }


def values(counted: Counts, *, per_row: bool, **parameters: Any) -> dict[str, Value]:
    """Every value that the counts allow, of one row or of sums of rows; see `Parameters`."""
    given = Parameters(per_row, **parameters)
    return {
        name: value
        for twin in TWINS.values()
        if twin.needs <= counted.keys()
        for name, value in twin.value(counted, given).items()
    }
