"""Batches, macro averages, pickles and states of a metric."""

import pickle
from multiprocessing import get_context
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

import segscore
from segscore.pipeline.statistics.resampling import BUCKETS
from tests.support.examples import examples
from tests.support.strategies import pairs

Pair = tuple[int, list[int], list[int]]
NAMES = ("pk", "boundary_similarity", "f1")


def again(thing: Any) -> Any:
    return pickle.loads(pickle.dumps(thing))  # noqa: S301


def one_by_one(given: list[Pair], **settings: Any) -> segscore.Metric:
    metric = segscore.Metric(*NAMES, **settings)  # type: ignore[arg-type]
    for n_units, reference, hypothesis in given:
        metric.update(reference=reference, hypothesis=hypothesis, n_units=n_units)
    return metric


def masks(rows: list[list[int]], width: int) -> np.ndarray[Any, Any]:
    table = np.zeros((len(rows), width), np.int64)
    for row, boundaries in zip(table, rows, strict=True):
        row[[place - 1 for place in boundaries]] = 1
    return table


def starts(rows: list[list[int]], width: int) -> np.ndarray[Any, Any]:
    table = np.zeros((len(rows), width), np.int64)
    for row, boundaries in zip(table, rows, strict=True):
        row[[0, *boundaries]] = 1
    return table


def labels(rows: list[list[int]], width: int) -> list[list[int]]:
    return [[sum(place < unit for place in row) for unit in range(1, width + 1)] for row in rows]


@hypothesis_settings(max_examples=examples(30))
@given(st.lists(pairs(), min_size=1, max_size=5), st.sampled_from(["micro", "macro"]))
def test_batches_add_what_single_pairs_add(given: list[Pair], average: Any) -> None:
    n_units, references, hypotheses = (list(column) for column in zip(*given, strict=True))
    width = max(n_units)
    made = (segscore.Metric(*NAMES, average=average) for _ in range(4))  # type: ignore[arg-type]
    by_mask, by_start, by_label, by_position = made
    by_mask.update_masks(
        reference=masks(references, width - 1),
        hypothesis=masks(hypotheses, width - 1),
        lengths=n_units,
    )
    by_start.update_starts(
        reference=starts(references, width + 1),
        hypothesis=starts(hypotheses, width + 1),
        lengths=n_units,
    )
    by_label.update_labels(
        reference=labels(references, width), hypothesis=labels(hypotheses, width), lengths=n_units
    )
    by_position.update_positions(references=references, hypotheses=hypotheses, n_units=n_units)
    expected = one_by_one(given, average=average).state.tolist()
    for metric in (by_mask, by_start, by_label, by_position):
        assert metric.state.tolist() == expected


def test_macro_averages_and_their_intervals_are_those_of_an_evaluation() -> None:
    number = BUCKETS + 50
    documents = {f"d{i}": ([2 + i % 5], [1 + i % 7], 9 + i % 3) for i in range(number)}
    metric = segscore.Metric(*NAMES, average="macro")  # type: ignore[arg-type]
    metric.update_positions(
        references=[ref for ref, _, _ in documents.values()],
        hypotheses=[hyp for _, hyp, _ in documents.values()],
        n_units=[n for _, _, n in documents.values()],
        document_ids=[*documents],
    )
    evaluation = segscore.evaluate(
        {name: segscore.Segmentation(ref, n) for name, (ref, _, n) in documents.items()},
        {name: segscore.Segmentation(hyp, n) for name, (_, hyp, n) in documents.items()},
        measures=list(NAMES),  # type: ignore[arg-type]
    )
    computed = metric.compute(intervals=True)
    table = evaluation.summary.to_pylist()
    for name in NAMES:
        (row,) = (r for r in table if r["measure"] == name and r["average"] == "macro")
        assert computed[name] == row["value"]
        assert computed[f"{name}_ci_low"] == pytest.approx(row["ci_low"], abs=1e-6)
        assert computed[f"{name}_ci_high"] == pytest.approx(row["ci_high"], abs=1e-6)


def test_macro_averages_with_p_seg_ask_for_it() -> None:
    with pytest.raises(segscore.Refused, match=r"p_seg: .*give p_seg="):
        segscore.Metric("c_seg", average="macro")
    assert segscore.Metric("c_seg", average="macro", p_seg=0.2).compute() == {"c_seg": None}


def test_a_metric_can_be_sent_to_a_process_and_back() -> None:
    metric = one_by_one([(11, [2, 5], [2, 4])])
    copy = again(metric)
    assert (copy.compute(), copy.signature) == (metric.compute(), metric.signature)
    with get_context("spawn").Pool(1) as pool:
        (other,) = pool.map(added, [metric])
    metric.update(reference=[4], hypothesis=[4], n_units=10)
    assert other.state.tolist() == metric.state.tolist()


def added(metric: segscore.Metric) -> segscore.Metric:
    metric.update(reference=[4], hypothesis=[4], n_units=10)
    return metric


def test_scores_and_measures_can_be_pickled() -> None:
    score = segscore.score(reference=[2, 5], hypothesis=[2, 4], n_units=11)
    copy = again(score)
    assert (copy.values, copy.signature, copy.sides) == (
        score.values,
        score.signature,
        score.sides,
    )
    measure = segscore.measures()["pk"]
    assert again(measure) == measure


@pytest.mark.parametrize(
    "other",
    [
        segscore.Metric(*NAMES, n_t=5),  # type: ignore[arg-type]
        segscore.Metric(*NAMES, cost_miss=0.25),  # type: ignore[arg-type]
        segscore.Metric(*NAMES, window=3),  # type: ignore[arg-type]
    ],
)
def test_a_state_of_other_settings_is_refused_also_in_a_sum(other: segscore.Metric) -> None:
    metric = one_by_one([(11, [2, 5], [2, 4])])
    for state in (other.state, other.state + metric.state, np.zeros_like(metric.state)):
        with pytest.raises(segscore.Refused, match=r"state: (comes from|must be)"):
            metric.state = state
    metric.state = metric.state + metric.state + metric.state
    assert metric.pairs == 3


def test_intervals_of_added_states_need_names() -> None:
    def metric_of(*names: str | None) -> segscore.Metric:
        metric = segscore.Metric("pk")
        for number, name in enumerate(names):
            metric.update(reference=[2], hypothesis=[2 + number % 3], n_units=9, document_id=name)
        return metric

    def added(*parts: segscore.Metric) -> segscore.Metric:
        total = segscore.Metric("pk")
        total.state = sum((part.state for part in parts[1:]), start=parts[0].state)
        return total

    named = added(metric_of("a", "b", "d"), metric_of("c", "e"))
    assert named.compute(intervals=True)["pk_ci_low"] is not None
    alone = added(metric_of("a", "b"), metric_of(None, None, None))
    assert alone.compute(intervals=True)["pk_ci_low"] is not None
    unknown = added(metric_of(None, None), metric_of(None))
    assert unknown.compute()["pk"] is not None
    with pytest.raises(
        segscore.Refused, match="2 of the states that were added have pairs without"
    ):
        unknown.compute(intervals=True)


REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("update_masks", {"reference": [[0, 2]], "hypothesis": [[0, 0]]}, r"reference\[0\]\[1\] is 2"),
    ("update_masks", {"reference": [0, 1], "hypothesis": [0, 1]}, "reference: must be a table"),
    ("update_masks", {"reference": [[0]], "hypothesis": [[0, 1]]}, "hypothesis: has the shape"),
    (
        "update_masks",
        {"reference": [[0, 1]], "hypothesis": [[0, 1]], "lengths": [4]},
        r"lengths\[0\] is 4; expected 1 to 3",
    ),
    (
        "update_labels",
        {"reference": [[1, 1]], "hypothesis": [[1, 2]], "lengths": [0.5]},
        "lengths: must be whole numbers",
    ),
    ("update_labels", {"reference": [[1], [1, 2]], "hypothesis": [[1]]}, "must be a table"),
    ("update_starts", {"reference": [[1], [1, 0]], "hypothesis": [[1]]}, "must be a table"),
    (
        "update_labels",
        {"reference": [[1, np.nan]], "hypothesis": [[1, 2]]},
        r"reference\[0\]\[1\] is nan; if this is padding, give the number",
    ),
    (
        "update_starts",
        {"reference": [[1, 0, 2]], "hypothesis": [[1, 0, 0]]},
        r"\[2\] is 2; expected 0 or 1: each unit has a flag, 1 for the first of a segment$",
    ),
    (
        "update_starts",
        {"reference": [[1, 0, 1]], "hypothesis": [[1, 0, 0]], "lengths": [4]},
        r"lengths\[0\] is 4; expected 1 to 3.*\. Flags of the n - 1 places .* update_masks",
    ),
    (
        "update_starts",
        {"reference": [[1, 0], [0, 1]], "hypothesis": [[1, 0], [1, 1]]},
        r"reference\[1\]\[0\] is 0 but reference\[0\]\[0\] is 1, though the first unit",
    ),
    (
        "update_starts",
        {"reference": [[0, 0, 1], [0, 1, 9]], "hypothesis": [[0, 0, 0]] * 2, "lengths": [3, 2]},
        "reference: the last flag is 1 in every row, and the first is not.*call update_masks",
    ),
    (
        "update_masks",
        {"reference": [[0, 1, 1]] * 8, "hypothesis": [[0, 1, 1]] * 8},
        "reference: the last flag is 1 in every row.*give the number of units of each row",
    ),
    (
        "update_masks",
        {"reference": [[1, 1, 0]] * 8, "hypothesis": [[0, 1, 1]] * 8},
        "reference: the first flag is 1 in every row.*call update_starts",
    ),
    (
        "update_positions",
        {"references": [[1], [9]], "hypotheses": [[1], [2]], "n_units": [3, 4]},
        r"reference\[1\]: .*9",
    ),
    (
        "update_positions",
        {"references": [[1]], "hypotheses": [[1], [2]], "n_units": [3, 4]},
        "reference: has 1 rows; n_units has 2",
    ),
    (
        "update_positions",
        {"references": [[1]], "hypotheses": [[1]], "n_units": [3], "document_ids": []},
        "document_ids: has 0 names",
    ),
]


@pytest.mark.parametrize(("method", "arguments", "message"), REFUSED)
def test_batches_that_do_not_fit_are_refused(
    method: str, arguments: dict[str, Any], message: str
) -> None:
    metric = segscore.Metric("pk")
    with pytest.raises(segscore.Refused, match=message):
        getattr(metric, method)(**arguments)
    assert metric.pairs == 0


def test_errors_of_one_pair_name_its_document() -> None:
    with pytest.raises(segscore.Refused, match=r"^show-1: reference: "):
        segscore.Metric("pk").update(reference=[9], hypothesis=[1], n_units=4, document_id="show-1")


def test_rows_of_several_lengths_say_how_many_units_they_have() -> None:
    metric = segscore.Metric("pk", "boundary_similarity", "f1")
    sides: dict[str, Any] = {
        "reference": [[0, 1, 0], [0, 1]],
        "hypothesis": [[0, 1, 0], np.array([1, 0])],
    }
    metric.update_masks(**sides)
    padded = segscore.Metric("pk", "boundary_similarity", "f1")
    padded.update_masks(
        reference=[[0, 1, 0], [0, 1, 0]], hypothesis=[[0, 1, 0], [1, 0, 1]], lengths=[4, 3]
    )
    assert metric.compute() == padded.compute()
    starts = segscore.Metric("pk", "boundary_similarity", "f1")
    starts.update_starts(reference=[[1, 0, 1, 0], [1, 0, 1]], hypothesis=[[1, 0, 1, 0], [1, 1, 0]])
    assert starts.compute() == padded.compute()


@pytest.mark.parametrize(
    ("rows", "lengths", "message"),
    [
        ([[0, 1, 0], [0, 1, 0]], None, r"hypothesis\[1\]: has 3 columns; .* has 2"),
        ([[0, 1, 0], [0]], [4, 3], r"hypothesis\[1\]: has 1 columns; lengths gives 3 units"),
    ],
)
def test_rows_of_several_lengths_must_fit(
    rows: list[list[int]], lengths: list[int] | None, message: str
) -> None:
    with pytest.raises(segscore.Refused, match=message):
        segscore.Metric("pk").update_masks(
            reference=[[0, 1, 0], [0, 1]], hypothesis=rows, lengths=lengths
        )
