"""The panel family against the slow twin, its laws, and an example worked by hand."""

import random
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segscore.pipeline.arrays.ragged import from_lists
from segscore.pipeline.measures import panel
from segscore.pipeline.measures.compared import PanelRows
from segscore.pipeline.measures.measure import IDENTITY, REVERSIBLE, evaluate
from tests.oracles import naive
from tests.support import passes
from tests.support.strategies import pairs, panels

Panel = tuple[int, list[list[int]], list[int]]
WINDOWS = st.integers(1, 45)
PANELS = panels(max_references=6)


def counts(
    n_units: int, references: Sequence[Sequence[int]], hypothesis: Sequence[int], m: int
) -> dict[str, int]:
    """The panel counts of one hypothesis and its references."""
    counted = panel.count(
        from_lists(references),
        from_lists([hypothesis]),
        PanelRows(
            np.array([0, len(references)]),
            passes.ONE,
            passes.ONE,
            np.array([n_units]),
            np.array([m]),
        ),
    )
    return dict(zip(panel.COUNTS, counted[:, 0].tolist(), strict=True))


def values(counted: dict[str, int]) -> dict[str, float | None]:
    """All values of one row's counts; None where undefined."""
    arrays = {name: np.array([count]) for name, count in counted.items()}
    arrays_of_values = evaluate(panel.MEASURES, arrays, {}, rows=True)
    return {
        name: None if np.isnan(value[0]) else float(value[0])
        for name, value in arrays_of_values.items()
    }


def twin(
    n_units: int, references: Sequence[Sequence[int]], hypothesis: Sequence[int], m: int
) -> dict[str, int]:
    """The same counts by the slow twin, in our order."""
    counted = naive.panel_counts(n_units, references, hypothesis, m)
    return {name: counted[name] for name in panel.COUNTS}


@given(PANELS, WINDOWS)
def test_counts_and_values_equal_the_twin(case: Panel, m: int) -> None:
    counted = counts(*case, m)
    assert counted == twin(*case, m)
    exact = naive.panel_values(counted)
    ours = values(counted)
    assert set(ours) == set(exact)
    assert all(passes.close(ours[name], exact[name]) for name in ours)


@given(st.lists(st.tuples(PANELS, WINDOWS), min_size=1, max_size=6), st.randoms())
def test_a_hypothesis_in_a_batch_is_counted_like_a_single_one(
    cases: list[tuple[Panel, int]], shuffling: random.Random
) -> None:
    rows = [d for d in range(len(cases)) for _ in range(2)]
    shuffling.shuffle(rows)
    sizes = [len(case[1]) for case, _ in cases]
    counted = panel.count(
        from_lists([reference for case, _ in cases for reference in case[1]]),
        from_lists([case[2] for case, _ in cases]),
        PanelRows(
            np.array([0, *np.cumsum(sizes)]),
            np.array(rows),
            np.array(rows),
            np.array([cases[d][0][0] for d in rows]),
            np.array([cases[d][1] for d in rows]),
        ),
    )
    for i, d in enumerate(rows):
        assert counted[:, i].tolist() == list(twin(*cases[d][0], cases[d][1]).values())


def test_by_hand() -> None:
    """Three coders, the third like the first, over six units; windows 12, 23, 34, 45 of m = 2.

    Opinions of {3} are 0 1 1 0, of {2, 4} 1 1 1 1.  The majority says 0 1 1 0, against one coder in
    the first and the last window; nobody ever counts 2.
    """
    references = [[3], [2, 4], [3]]
    common = {"references": 3, "windows": 4, "opinions": 12, "best": 2, "worst": 12}
    majority = counts(6, references, [3], 2)
    assert majority == {**common, "penalty": 1 + 0 + 0 + 1}
    assert values(majority) == {
        "win_diff_prime": pytest.approx(1 / 6),
        "mult_window_diff": 0,
        "best_case": pytest.approx(1 / 6),
        "worst_case": 1,
    }
    nothing = counts(6, references, [], 2)
    assert nothing == {**common, "penalty": 1 + 3 + 3 + 1}
    assert values(nothing)["mult_window_diff"] == pytest.approx(6 / 10)


def test_missing_what_all_coders_marked_costs_more_than_missing_what_one_marked() -> None:
    """K&S 5: penalties grow with the prominence of a boundary; each is in 4 windows of m = 4."""
    references = [[10, 20], [10], [10]]
    assert counts(30, references, [10], 4)["penalty"] == 4 * 1
    assert counts(30, references, [], 4)["penalty"] == 4 * 3 + 4 * 1
    assert counts(30, references, [20], 4)["penalty"] == 4 * 3 + 4 * 2


def test_every_count_has_a_supporter_where_coders_outnumber_them() -> None:
    """The least popular opinion has a supporter too, so the worst penalty is not the maximum."""
    counted = counts(4, [[1], [1], []], [1], 1)
    assert (counted["best"], counted["worst"]) == (1 + 0 + 0, 2 + 3 + 3)
    split = counts(2, [[1], []], [1], 1)
    assert (split["best"], split["worst"]) == (1, 1)
    assert values(split)["mult_window_diff"] is None
    assert values(split)["win_diff_prime"] == 0.5


def test_one_unit_and_no_window_are_undefined() -> None:
    for n_units, references, m in ((1, [[], []], 2), (3, [[1], [2]], 3), (3, [[1], [2]], 10**15)):
        counted = counts(n_units, references, [], m)
        assert counted == {**dict.fromkeys(panel.COUNTS, 0), "references": 2}
        assert set(values(counted).values()) == {None}


@pytest.mark.first
@pytest.mark.parametrize("m", [1, 5, 40, 300, 2999])
def test_thousands_of_units(m: int) -> None:
    draw = random.Random(m)  # noqa: S311
    references = [sorted(draw.sample(range(1, 3000), size)) for size in (0, 3, 40, 45, 50, 60)]
    hypothesis = sorted(draw.sample(range(1, 3000), 50))
    assert counts(3000, references, hypothesis, m) == twin(3000, references, hypothesis, m)


@pytest.mark.parametrize("m", [2, 300, 3999])
def test_thousands_of_boundaries_by_hand(m: int) -> None:
    """Two coders mark nothing and one everything: 0, 0 and m in each of the 4000 - m windows."""
    everywhere = list(range(1, 4000))
    common = {"references": 3, "windows": 4000 - m, "opinions": 3 * (4000 - m)}
    common |= {"best": 4000 - m, "worst": 3 * (4000 - m)}
    for hypothesis, against in (([], 1), (everywhere, 2), (everywhere[1::2], 3)):
        counted = counts(4000, [[], everywhere, []], hypothesis, m)
        assert counted == {**common, "penalty": against * (4000 - m)}


@given(PANELS, WINDOWS)
def test_bounds(case: Panel, m: int) -> None:
    counted = counts(*case, m)
    assert 0 <= counted["best"] <= counted["penalty"] <= counted["worst"] <= counted["opinions"]
    assert all(value is None or 0 <= value <= 1 for value in values(counted).values())


@given(pairs(), WINDOWS)
def test_one_reference_is_window_diff(pair: tuple[int, list[int], list[int]], m: int) -> None:
    n_units, reference, hypothesis = pair
    ours = values(counts(n_units, [reference], hypothesis, m))
    expected = passes.values(passes.counts(*pair, m, 2))["window_diff"]
    assert ours["mult_window_diff"] == ours["win_diff_prime"] == expected


@given(PANELS, WINDOWS)
def test_win_diff_prime_pools_window_diff(case: Panel, m: int) -> None:
    n_units, references, hypothesis = case
    rows = [passes.window_counts(n_units, reference, hypothesis, m) for reference in references]
    counted = counts(*case, m)
    assert counted["penalty"] == sum(row["wd_misses"] + row["wd_false_alarms"] for row in rows)
    assert counted["opinions"] == sum(row["windows"] for row in rows)


@given(PANELS, WINDOWS)
def test_laws(case: Panel, m: int) -> None:
    n_units, references, hypothesis = case
    laws = {measure.name: measure.laws for measure in panel.MEASURES}
    alike = values(counts(n_units, [hypothesis] * len(references), hypothesis, m))
    one = counts(*case, m)
    back = [[n_units - p for p in reversed(side)] for side in (*references, hypothesis)]
    other = counts(n_units, back[:-1], back[-1], m)
    for name in laws:
        assert IDENTITY not in laws[name] or alike[name] in (None, 0), name
        assert REVERSIBLE not in laws[name] or values(one)[name] == values(other)[name], name
    assert counts(n_units, references[::-1], hypothesis, m) == one


def test_pooled_values_are_the_formulas_over_summed_counts() -> None:
    rows = [counts(9, [[3], [5]], [4], 2), counts(12, [[2], [2], [7]], [7], 3)]
    summed = {name: sum(row[name] for row in rows) for name in panel.COUNTS}
    exact = naive.panel_values(summed)
    assert exact["mult_window_diff"] == Fraction(
        summed["penalty"] - summed["best"], summed["worst"] - summed["best"]
    )
    assert all(passes.close(value, exact[name]) for name, value in values(summed).items())
