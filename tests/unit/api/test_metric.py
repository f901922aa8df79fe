"""A metric of a training loop: its states add, and its values are those of a run."""

from collections.abc import Collection
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

import segscore
from segscore.pipeline.statistics.resampling import BUCKETS
from tests.oracles import families, naive, naive_jackknife
from tests.oracles.naive_denominators import Counts
from tests.support.examples import examples
from tests.support.strategies import pairs

Pair = tuple[int, list[int], list[int]]
DEFAULT = sorted(segscore.Metric().measures)


def filled(given: list[Pair], *measures: str) -> segscore.Metric:
    """A metric that was given some pairs."""
    metric = segscore.Metric(*measures)  # type: ignore[arg-type]
    for n_units, reference, hypothesis in given:
        metric.update(reference=reference, hypothesis=hypothesis, n_units=n_units)
    return metric


@hypothesis_settings(max_examples=examples(30))
@given(st.lists(pairs(), max_size=6), st.lists(pairs(), max_size=6))
def test_the_sum_of_states_is_the_state_of_all_pairs(one: list[Pair], other: list[Pair]) -> None:
    """As two devices would have it, each with some of the pairs."""
    both = segscore.Metric()
    both.state = filled(one).state + filled(other).state
    together = filled(one + other)
    assert both.pairs == together.pairs == len(one) + len(other)
    assert both.compute() == together.compute()
    assert both.state.dtype == np.int64


@hypothesis_settings(max_examples=examples(30))
@given(st.lists(pairs(), min_size=1, max_size=4), st.sampled_from(DEFAULT))
def test_some_measures_have_the_values_of_all(given: list[Pair], name: str) -> None:
    assert filled(given, name).compute() == {name: filled(given).compute()[name]}


def test_intervals_are_those_of_a_run_with_as_many_documents() -> None:
    """A run resamples sets of documents where there are more documents than sets."""
    number = BUCKETS + 50
    hypotheses = {f"d{i}": segscore.Segmentation([1 + i % 8], 9 + i % 3) for i in range(number)}
    references = {
        name: segscore.Segmentation([4], each.n_units) for name, each in hypotheses.items()
    }
    metric = segscore.Metric("pk", "c_seg")
    for name, hypothesis in hypotheses.items():
        metric.update(reference=references[name], hypothesis=hypothesis, document_id=name)
    evaluation = segscore.evaluate(references, hypotheses, measures=["pk", "c_seg"])
    computed = metric.compute(intervals=True)
    for name in ("pk", "c_seg"):
        average = evaluation[name]
        assert computed[name] == average.micro
        assert (computed[f"{name}_ci_low"], computed[f"{name}_ci_high"]) == average.interval
    assert metric.signature == evaluation.signature


@hypothesis_settings(max_examples=examples(20))
@given(st.lists(pairs(), min_size=5, max_size=9))
def test_intervals_equal_the_twin(given: list[Pair]) -> None:
    """The first document has two pairs, which are left out together."""
    metric = segscore.Metric("pk", "c_seg", "b_f1")
    rows: dict[str, list[dict[str, int]]] = {}
    for number, (n_units, reference, hypothesis) in enumerate([*given, given[0]]):
        name = f"d{number % len(given)}"
        metric.update(reference=reference, hypothesis=hypothesis, n_units=n_units, document_id=name)
        k = naive.window_size(n_units, len(reference) + 1)
        counted = families.counts((n_units, reference, hypothesis), families.Counting(k))
        rows.setdefault(name, []).append(counted)

    def values(counts: Counts, units: Collection[str]) -> dict[str, Any]:
        prior = naive.p_seg([row for name in units for row in rows[name]])
        found = families.values(counts, per_row=False, p_seg=prior)
        return {name: found[name] for name in metric.measures}

    computed = metric.compute(intervals=True)
    assert {computed[name] for name in metric.measures} == {*metric.compute().values()}
    names = tuple(rows["d0"][0])
    for name, estimate in naive_jackknife.micro(rows, names, values).items():
        ends = naive_jackknife.interval(estimate, 0, 1)
        for end, expected in zip(("low", "high"), ends, strict=True):
            near = None if expected is None else pytest.approx(expected, abs=1e-9)
            assert computed[f"{name}_ci_{end}"] == near, (name, estimate)


def test_documents_without_names_are_left_out_one_by_one() -> None:
    given: list[Pair] = [(9, [4], [4]), (9, [4], [7]), (9, [4], [4]), (9, [4], [2]), (9, [4], [4])]
    few, metric = filled(given[:4], "f1"), filled(given, "f1")
    assert few.compute(intervals=True)["f1_ci_low"] is None
    low, high = (metric.compute(intervals=True)[f"f1_ci_{end}"] for end in ("low", "high"))
    assert low is not None and high is not None and 0 < low < 0.6 < high < 1
    # As before, a number of replicates asks for intervals; it changes nothing.
    assert metric.compute(replicates=200, seed=3) == metric.compute(intervals=True)


def test_an_undefined_value_may_be_a_number() -> None:
    metric = segscore.Metric("b_precision", "pk")
    assert metric.compute() == {"b_precision": None, "pk": None}
    assert metric.compute(undefined=-1.0) == {"b_precision": -1.0, "pk": -1.0}
    assert {*metric.compute(intervals=True, undefined=-1.0).values()} == {-1.0}


def test_a_state_that_does_not_fit_is_refused() -> None:
    metric = segscore.Metric("pk")
    for state in (metric.state[1:], metric.state.astype(float)):
        with pytest.raises(segscore.Refused, match=r"state: must be .* integers"):
            metric.state = state


def test_what_cannot_be_added_up_is_refused() -> None:
    with pytest.raises(segscore.Refused, match="per-run: needs all references"):
        segscore.Metric("pk", window="per-run")
    with pytest.raises(segscore.Refused, match="pkk: no such measure; the nearest is pk"):
        segscore.Metric("pkk")  # type: ignore[arg-type]
    typed = segscore.Segmentation([2], 9, types=[1])
    with pytest.raises(segscore.Refused, match="boundary_types: must be declared"):
        segscore.Metric("pk").update(reference=typed, hypothesis=typed)
    segscore.Metric("pk", boundary_types=(1, 2)).update(reference=typed, hypothesis=typed)


@pytest.mark.parametrize("padding", [-100, 9, np.nan, 0.5])
def test_columns_behind_the_lengths_are_not_read(padding: float) -> None:
    padded = np.array([[0, 1, 0, padding, padding], [1, 0, 0, 0, 1]])
    plain = np.array([[0, 1, 0, 0, 0], [1, 0, 0, 0, 1]])
    states = []
    for reference, hypothesis in ((padded, plain), (plain, padded), (plain, plain)):
        metric = segscore.Metric("pk", "f1")
        metric.update_masks(reference=reference, hypothesis=hypothesis, lengths=[4, 6])
        states.append(metric.state.tolist())
    assert states[0] == states[1] == states[2]


def test_padding_without_lengths_is_refused() -> None:
    metric = segscore.Metric("pk")
    mask, labels = np.array([[0, 1, -100]]), [[1, 1, 2, -100]]
    with pytest.raises(segscore.Refused, match="is -100; if this is padding, give the number of"):
        metric.update_masks(reference=mask, hypothesis=mask)
    with pytest.raises(segscore.Refused, match="label -100; if this is padding, give the number"):
        metric.update_labels(reference=labels, hypothesis=labels)
    with pytest.raises(segscore.Refused, match="the padding begins before the end that lengths"):
        metric.update_masks(reference=mask, hypothesis=mask, lengths=[4])
    assert metric.pairs == 0


def test_a_sum_of_metrics_has_the_pairs_of_all() -> None:
    pairs = [([2, 5], [2, 4]), ([3], [7]), ([1], [])]
    whole, parts = segscore.Metric("pk"), []
    for reference, hypothesis in pairs:
        parts.append(segscore.Metric("pk"))
        for metric in (whole, parts[-1]):
            metric.update(reference=reference, hypothesis=hypothesis, n_units=11)
    before = parts[0].state.tolist()
    total = sum(parts)
    assert isinstance(total, segscore.Metric)
    assert (total.pairs, total.compute()) == (3, whole.compute())
    assert parts[0].state.tolist() == before
    for other in (segscore.Metric("pk", n_t=3), segscore.Metric("pk", average="macro")):
        with pytest.raises(segscore.Refused, match="metrics: their settings, measures or averages"):
            parts[0] + other


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"window": "3"}, "window: '3' is a text; give the number, window=3"),
        ({"tolerance": "2"}, "tolerance: '2' is a text"),
        ({"n_t": "2"}, "n_t: '2' must be a whole number"),
        ({"beta": "1"}, "beta: '1' must be a number"),
    ],
)
def test_a_number_as_text_is_refused(keywords: dict[str, Any], message: str) -> None:
    with pytest.raises(segscore.Refused, match=message):
        segscore.Metric("pk", **keywords)


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"undefined": "nan"}, "undefined: 'nan' must be a number or None"),
        ({"undefined": True}, "undefined: True must be a number or None"),
        ({"intervals": "yes"}, "intervals: 'yes' must be True or False"),
    ],
)
def test_what_compute_takes_is_checked(keywords: dict[str, Any], message: str) -> None:
    with pytest.raises(segscore.Refused, match=message):
        segscore.Metric("pk").compute(**keywords)


def test_names_of_documents_are_texts() -> None:
    metric = segscore.Metric("pk")
    with pytest.raises(segscore.Refused, match="document_id: 3 must be a text"):
        metric.update(reference=[2], hypothesis=[2], n_units=5, document_id=3)  # type: ignore[arg-type]
    with pytest.raises(segscore.Refused, match="document_ids: 3 must be a text"):
        metric.update_masks(
            reference=[[0, 1]],
            hypothesis=[[0, 1]],
            document_ids=[3],  # type: ignore[list-item]
        )
