"""Content measures: the slow twin, values by hand, laws, and the findings of Franz et al."""

import random
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import accumulate

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segscore.pipeline.arrays.ragged import Ints, cumulative, from_lists, to_words
from segscore.pipeline.measures import content, windows
from segscore.pipeline.measures.compared import UnitTotals
from segscore.pipeline.measures.measure import IDENTITY, REVERSIBLE, SYMMETRIC, evaluate
from segscore.pipeline.measures.segmentation_pairs import pair_rows
from tests.oracles import naive
from tests.support.strategies import lengths, pairs

Pair = tuple[int, list[int], list[int]]
ONE = np.zeros(1, np.int64)
WEIGHTS = (
    "weight_leading_miss",
    "weight_trailing_miss",
    "weight_leading_false_alarm",
    "weight_trailing_false_alarm",
)
EQUAL = dict.fromkeys(WEIGHTS, 1.0)
UNEQUAL = dict(zip(WEIGHTS, (0.5, 2.0, 0.0, 1.25), strict=True))
STORY_SUMS = ("story_miss_sum", "story_false_alarm_sum")
UNIT = 2**content.STORY_BITS


def named(counted: Ints) -> dict[str, int]:
    return dict(zip(content.COUNTS, counted[:, 0].tolist(), strict=True))


def content_counts(n_units: int, reference: Sequence[int], hypothesis: Sequence[int]) -> Ints:
    both = from_lists([reference]), from_lists([hypothesis])
    return content.count(pair_rows(*both, ONE, ONE, np.array([n_units])))


def weighted_counts(
    reference: Sequence[int],
    hypothesis: Sequence[int],
    weights: Sequence[int],
    words: Sequence[int],
) -> Ints:
    both = from_lists([reference]), from_lists([hypothesis])
    totals = [cumulative(from_lists([lengths])) for lengths in (words, weights)]
    units = UnitTotals(np.array([0, len(words)]), *totals)
    return content.count_weighted(pair_rows(*both, ONE, ONE, np.array([len(words)])), ONE, units)


def values(
    counted: Mapping[str, int], weights: Mapping[str, float] = EQUAL, *, rows: bool = True
) -> dict[str, float]:
    arrays = {name: np.array([count]) for name, count in counted.items()}
    arrays_of_values = evaluate(content.MEASURES, arrays, weights, rows=rows)
    return {name: float(value[0]) for name, value in arrays_of_values.items()}


def rounded(counted: Mapping[str, int], exact: Sequence[tuple[Fraction, Fraction]]) -> bool:
    """Return whether each story sum is the exact one but for one rounding for each story."""
    return all(
        abs(counted[name] - UNIT * sum(story)) <= 0.51 * len(exact)
        for name, story in zip(STORY_SUMS, zip(*exact, strict=True), strict=True)
    )


@given(pairs())
def test_counts_equal_the_twin(pair: Pair) -> None:
    ours = named(content_counts(*pair))
    stories = naive.story_fractions(*pair)
    expected = naive.content_counts(*pair) | naive.content_parts(*pair) | {"stories": len(stories)}
    assert {name: ours[name] for name in expected} == expected
    assert set(content.COUNTS) == {*expected, *STORY_SUMS}
    assert rounded(ours, stories)


@pytest.mark.parametrize(
    ("reference", "hypothesis"),
    [([], []), ([], [1, 2, 3]), ([1, 2, 3], []), ([1, 2, 3], [1, 2, 3]), ([1], [3]), ([3], [1])],
)
def test_edges(reference: list[int], hypothesis: list[int]) -> None:
    ours = named(content_counts(4, reference, hypothesis))
    expected = naive.content_counts(4, reference, hypothesis)
    assert {name: ours[name] for name in expected} == expected
    assert rounded(ours, naive.story_fractions(4, reference, hypothesis))


def test_one_unit_has_nothing_to_miss() -> None:
    assert named(content_counts(1, [], [])) == {
        **dict.fromkeys(content.COUNTS, 0),
        "content_size": 1,
        "stories": 1,
    }


def test_by_hand() -> None:
    """Ten words: stories of 4 and 6, segmented as 2, 6 and 2."""
    ours = named(content_counts(10, [4], [2, 8]))
    # Overlaps of 2, 2, 4 and 2 words: each times the rest of its story, then of its segment.
    assert ours["content_miss"] == 2 * 2 + 2 * 2 + 4 * 2 + 2 * 4
    assert ours["content_false_alarm"] == 2 * 0 + 2 * 4 + 4 * 2 + 2 * 0
    assert ours["content_leading_miss"] == 2 * 2 + 2 * 4
    assert ours["content_trailing_miss"] == 2 * 2 + 4 * 2
    assert ours["content_leading_false_alarm"] == 4 * 2
    assert ours["content_trailing_false_alarm"] == 2 * 4
    by_measure = values(ours)
    assert by_measure["r_miss"] == 2.4
    assert by_measure["r_false_alarm"] == 1.6
    assert by_measure["story_miss"] == pytest.approx((8 / 16 + 16 / 36) / 2, abs=1e-12)
    assert by_measure["story_false_alarm"] == pytest.approx((8 / 24 + 8 / 36) / 2, abs=1e-12)


def test_a_long_document_does_not_overflow() -> None:
    """At the largest possible position, content is below 2^62."""
    n_units = 2**31 - 1
    ours = named(content_counts(n_units, [], [2**30]))
    halves = 2**30, n_units - 2**30
    assert ours["content_miss"] == 2 * halves[0] * halves[1]
    exact = Fraction(2 * halves[0] * halves[1], n_units**2)
    assert values(ours)["story_miss"] == pytest.approx(float(exact), abs=1e-12)


def test_a_pair_in_a_batch_is_counted_like_a_single_one() -> None:
    draw = random.Random(7)  # noqa: S311
    sides = [sorted(draw.sample(range(1, 40), draw.randint(0, 39))) for _ in range(50)]
    boundaries = from_lists(sides)
    rows = np.arange(50)
    other = np.roll(rows, 3)
    batch = pair_rows(boundaries, boundaries, rows, other, np.full(50, 40))
    counted = content.count(batch)
    words = [[draw.randint(0, 3) for _ in range(39)] + [1] for _ in range(5)]
    weights = [[draw.randint(0, 9) for _ in range(40)] for _ in range(5)]
    totals = [cumulative(from_lists(lengths)) for lengths in (words, weights)]
    document = rows % 5
    units = UnitTotals(np.arange(6) * 40, *totals)
    weighted = content.count_weighted(batch, document, units)
    for i in range(50):
        pair = sides[i], sides[other[i]]
        assert counted[:, [i]].tolist() == content_counts(40, *pair).tolist()
        of_document = weights[document[i]], words[document[i]]
        assert weighted[:, [i]].tolist() == weighted_counts(*pair, *of_document).tolist()


@given(st.lists(pairs(), min_size=2, max_size=6), st.sampled_from([EQUAL, UNEQUAL]))
def test_pooled_values_are_the_formulas_over_sums(
    rows: list[Pair], weights: dict[str, float]
) -> None:
    counted = [named(content_counts(*row)) for row in rows]
    pooled = {name: sum(row[name] for row in counted) for name in content.COUNTS}
    pooled_values = values(pooled, weights, rows=False)
    parts = {name.removeprefix("weight_"): Fraction(weight) for name, weight in weights.items()}
    exact = naive.weighted_parts(pooled, **parts)
    for kind in ("miss", "false_alarm"):
        mean = exact[f"content_{kind}"] / pooled["content_size"]
        assert pooled_values[f"r_{kind}"] == pytest.approx(float(mean), abs=1e-12)
    stories = [story for row in rows for story in naive.story_fractions(*row)]
    means = [sum(part) / len(stories) for part in zip(*stories, strict=True)]
    assert pooled_values["story_miss"] == pytest.approx(float(means[0]), abs=1e-12)
    assert pooled_values["story_false_alarm"] == pytest.approx(float(means[1]), abs=1e-12)


@given(pairs())
def test_parts_sum_to_the_whole_and_weights_of_one_change_nothing(pair: Pair) -> None:
    ours = named(content_counts(*pair))
    for kind in ("miss", "false_alarm"):
        parts = ours[f"content_leading_{kind}"] + ours[f"content_trailing_{kind}"]
        assert parts == ours[f"content_{kind}"]
        assert values(ours)[f"r_{kind}"] == ours[f"content_{kind}"] / ours["content_size"]


@given(pairs())
def test_exchanged_sides_turn_misses_into_false_alarms(pair: Pair) -> None:
    n_units, reference, hypothesis = pair
    one = named(content_counts(n_units, reference, hypothesis))
    other = named(content_counts(n_units, hypothesis, reference))
    for part in ("", "leading_", "trailing_"):
        assert one[f"content_{part}miss"] == other[f"content_{part}false_alarm"]
        assert other[f"content_{part}miss"] == one[f"content_{part}false_alarm"]


@given(pairs())
def test_misses_exceed_false_alarms_by_the_difference_of_squared_sizes(pair: Pair) -> None:
    """Summed over overlaps, L(R - L) - L(S - L) leaves sums of squared segment sizes."""
    n_units, *sides = pair
    ours = named(content_counts(*pair))
    stories, segment_squares = (
        sum(len(s) ** 2 for s in naive.segments(n_units, side)) for side in sides
    )
    assert ours["content_miss"] - ours["content_false_alarm"] == stories - segment_squares


def test_every_measure_declares_its_laws() -> None:
    for measure in content.MEASURES:
        assert measure.laws == {IDENTITY, REVERSIBLE}
        assert measure.source and measure.better == "lower"


@given(pairs())
def test_bounds_and_identity(pair: Pair) -> None:
    n_units, reference, _ = pair
    by_measure = values(named(content_counts(*pair)))
    for measure in content.MEASURES:
        assert (
            0 <= by_measure[measure.name] <= (n_units if measure.upper is None else measure.upper)
        )
    assert not any(values(named(content_counts(n_units, reference, reference))).values())


@given(pairs())
def test_reversal_exchanges_leading_and_trailing_content(pair: Pair) -> None:
    n_units, *sides = pair
    one = named(content_counts(*pair))
    back, forth = ([n_units - p for p in reversed(side)] for side in sides)
    other = named(content_counts(n_units, back, forth))
    for name, count in one.items():
        turned = {"leading": "trailing", "trailing": "leading"}
        assert other["_".join(turned.get(word, word) for word in name.split("_"))] == count
    assert values(one) == values(other)


def test_unequal_weights_depend_on_the_direction_of_reading() -> None:
    late_start_only = EQUAL | {"weight_trailing_miss": 0.0}
    assert values(named(content_counts(10, [], [2])), late_start_only)["r_miss"] == 1.6
    assert values(named(content_counts(10, [], [2])))["r_miss"] == 3.2
    assert values(named(content_counts(10, [2], [5])), late_start_only)["r_miss"] == 1.5
    assert values(named(content_counts(10, [8], [5])), late_start_only)["r_miss"] == 1.5


def test_no_measure_is_symmetric() -> None:
    one = values(named(content_counts(10, [4], [2, 8])))
    other = values(named(content_counts(10, [2, 8], [4])))
    assert all(one[name] != other[name] for name in one)
    assert not any(SYMMETRIC in measure.laws for measure in content.MEASURES)


@given(pairs(max_units=30), st.data())
def test_weighted_counts_equal_the_twin(pair: Pair, data: st.DataObject) -> None:
    n_units, reference, hypothesis = pair
    words = data.draw(lengths(n_units, max_length=4))
    weights = data.draw(st.lists(st.integers(0, 50), min_size=n_units, max_size=n_units))
    ours = named(weighted_counts(reference, hypothesis, weights, words))
    expected = naive.weighted_content_counts(n_units, reference, hypothesis, weights, words)
    assert {name: ours[name] for name in expected} == expected
    for kind in ("miss", "false_alarm"):
        parts = ours[f"content_leading_{kind}"] + ours[f"content_trailing_{kind}"]
        assert parts == expected[f"content_{kind}"]
    stories = weighted_stories(pair, weights, words)
    assert ours["stories"] == len(stories)
    assert rounded(ours, stories)


def weighted_stories(
    pair: Pair, weights: Sequence[int], words: Sequence[int]
) -> list[tuple[Fraction, Fraction]]:
    """(miss, false alarm) of each story with words: mean shares of weight over its words."""

    def share(units: set[int], base: range) -> Fraction:
        whole = sum(weights[u] for u in base)
        return Fraction(sum(weights[u] for u in units), whole) if whole else Fraction(0)

    n_units, reference, hypothesis = pair
    stories = []
    for story in naive.segments(n_units, reference):
        segments_heard = [(words[w], naive.segment_of(n_units, hypothesis, w)) for w in story]
        missed = sum(
            (n * share(set(story) - set(s), story) for n, s in segments_heard), Fraction(0)
        )
        spurious = sum((n * share(set(s) - set(story), s) for n, s in segments_heard), Fraction(0))
        heard = sum(n for n, _ in segments_heard)
        if heard:
            stories.append((missed / heard, spurious / heard))
    return stories


@given(pairs(), st.data())
def test_units_weighted_by_words_equal_a_run_in_words(pair: Pair, data: st.DataObject) -> None:
    n_units, reference, hypothesis = pair
    words = data.draw(lengths(n_units, max_length=4))
    by_length = from_lists([words])
    moved, against = (
        to_words(from_lists([side]), ONE, by_length, cumulative(by_length))
        for side in (reference, hypothesis)
    )
    plain = content.count(pair_rows(moved, against, ONE, ONE, np.array([sum(words)])))
    assert weighted_counts(reference, hypothesis, words, words).tolist() == plain.tolist()


def test_weight_in_units_without_words_is_content_without_listeners() -> None:
    """Both boundaries are at word 1; a title without words, but with weight, is between them.

    It is a false alarm for the first story's listener, and a miss for the second's.
    """
    ours = named(weighted_counts([1], [2], weights=[3, 5, 2], words=[1, 0, 1]))
    assert ours["content_false_alarm"] == ours["content_trailing_false_alarm"] == 5
    assert ours["content_miss"] == ours["content_leading_miss"] == 5
    assert ours["content_size"] == ours["stories"] == 2
    assert ours["story_false_alarm_sum"] == round(Fraction(5, 8) * UNIT)
    assert ours["story_miss_sum"] == round(Fraction(5, 7) * UNIT)


# --- Findings of Franz, McCarley & Xu 2007 -------------------------------------------------------

SHOWS = 8
STORIES = 474
SWAPS = 200
REACH = 10
"""Largest distance in utterances between a true boundary and near noise."""
WINDOW = 50
"""Words, fewer than in ten utterances: a window cannot tell such distances apart.

A window of half the mean story tells the two apart in part.
"""


class Show:
    """A generated broadcast: utterances of words, stories of utterances, a system's scores."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)  # noqa: S311
        sizes = [max(3, round(self.draw.lognormvariate(3, 0.6))) for _ in range(STORIES)]
        words = [self.draw.randint(5, 25) for _ in range(sum(sizes))]
        *self.ends, self.n_words = accumulate(words)
        self.true = [end - 1 for end in accumulate(sizes)][:-1]
        at_end = set(self.true)
        self.scores = [
            self.draw.gauss(3.5 if u in at_end else 0.0, 1.0) for u in range(len(self.ends))
        ]

    def anywhere(self) -> int:
        return self.draw.randrange(len(self.ends))

    def noisy(self, *, near: bool) -> list[float]:
        """The scores after swaps of two utterances: anywhere, or near the same true boundary."""
        scores = list(self.scores)
        for _ in range(SWAPS):
            one, other = self.anywhere(), self.anywhere()
            if near:
                middle = self.draw.choice(self.true)
                first, last = max(0, middle - REACH), min(len(scores) - 1, middle + REACH)
                one, other = self.draw.randint(first, last), self.draw.randint(first, last)
            scores[one], scores[other] = scores[other], scores[one]
        return scores

    def errors(self, scores: Sequence[float]) -> tuple[Ints, Ints]:
        """Return window and content counts at the threshold with the true number of boundaries."""
        ranked = sorted(range(len(scores)), key=lambda u: -scores[u])[: len(self.true)]
        sides = [from_lists([[self.ends[u] for u in side]]) for side in (self.true, sorted(ranked))]
        both = pair_rows(sides[0], sides[1], ONE, ONE, np.array([self.n_words]))
        return windows.count(both, np.array([WINDOW])), content.count(both)


def error_rates(counted: Sequence[tuple[Ints, Ints]]) -> dict[str, float]:
    """Return the summed miss and false alarm rates by window and by content, over all shows."""
    parameters = {**EQUAL, **dict.fromkeys(("p_seg", "cost_miss", "cost_false_alarm"), 0.5)}
    parameters |= dict.fromkeys(("c_seg_cost_miss", "c_seg_cost_false_alarm"), 0.5)
    pooled = np.concatenate([sum(counts) for counts in zip(*counted, strict=True)])
    names = (*windows.COUNTS, *content.COUNTS)
    rates = evaluate(
        (*windows.MEASURES, *content.MEASURES),
        dict(zip(names, pooled, strict=True)),
        parameters,
        rows=False,
    )
    return {
        "window": float(rates["pk_miss_rate"][0] + rates["pk_false_alarm_rate"][0]),
        "content": float(rates["r_miss"][0] + rates["r_false_alarm"][0]),
    }


def test_content_separates_harmful_from_harmless_noise() -> None:
    """F07 figures 2 and 3, at the practical operating point, on generated broadcasts.

    Swapped scores break stories in the middle or move their boundaries a little.  By window errors
    one is about as bad as the other; missed and spurious content grow much more when stories are
    broken.
    """
    shows = [Show(seed) for seed in range(SHOWS)]
    before = error_rates([show.errors(show.scores) for show in shows])
    uniform = error_rates([show.errors(show.noisy(near=False)) for show in shows])
    near = error_rates([show.errors(show.noisy(near=True)) for show in shows])
    grown = {
        name: (uniform[name] / before[name] - 1, near[name] / before[name] - 1) for name in before
    }
    assert min(*grown["window"], *grown["content"]) > 0
    assert 0.7 < grown["window"][0] / grown["window"][1] < 1.3
    assert grown["content"][0] > 2 * grown["content"][1]
