"""One pair: the API, the slow twin and the command agree on every measure."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

import segscore
from segscore.pipeline.measures import PAIRS
from tests.oracles import naive
from tests.support.command_line import Segscore
from tests.support.examples import examples
from tests.support.passes import close
from tests.support.strategies import pairs, typed_pairs
from tests.unit.api.pairs import twin

PAIR: dict[str, Any] = {"reference": [2, 5], "hypothesis": [2, 4], "n_units": 11}

SETTINGS = st.fixed_dictionaries(
    {
        "n_t": st.integers(1, 5),
        "window": st.one_of(st.just("per-pair"), st.just("per-document"), st.integers(1, 9)),
        "rounding": st.sampled_from(("half-even", "half-up")),
        "pairing": st.sampled_from(("greedy", "optimal")),
        "p_seg": st.one_of(st.none(), st.sampled_from((0.0, 0.25, 0.5, 1.0))),
        "cost_miss": st.sampled_from((0.0, 0.25, 0.5)),
        "c_seg_costs": st.sampled_from(((1.0, 0.25), (0.5, 0.5))),
        "tolerance": st.integers(0, 4),
        "edges": st.integers(0, 2),
    }
)


@given(pairs(40), SETTINGS)
def test_every_value_is_that_of_the_twin(
    pair: tuple[int, list[int], list[int]], settings: dict[str, Any]
) -> None:
    n_units, reference, hypothesis = pair
    score = segscore.score(reference=reference, hypothesis=hypothesis, n_units=n_units, **settings)
    counts, values = twin(*pair, settings)
    for name, count in score.counts.items():
        if not name.startswith("story_"):  # the twin does not round what it adds up
            assert count == counts[name], name
    assert score.values.keys() == PAIRS.measures.keys()
    for name, value in score.values.items():
        assert value is None or type(value) is float
        assert close(value, values[name]), name
        assert score[name] == getattr(score, name) == value


@hypothesis_settings(max_examples=examples(15))
@given(st.lists(pairs(40), min_size=1, max_size=5), SETTINGS)
def test_a_sum_has_micro_averages(
    several: list[tuple[int, list[int], list[int]]], settings: dict[str, Any]
) -> None:
    """As a metric has, and as the summary of a run of the same documents."""
    segmentations = [
        (segscore.Segmentation(ref, n_units), segscore.Segmentation(hyp, n_units))
        for n_units, ref, hyp in several
    ]
    total = sum(
        segscore.score(reference=ref, hypothesis=hyp, **settings) for ref, hyp in segmentations
    )
    assert isinstance(total, segscore.Score)
    metric = segscore.Metric(*PAIRS.measures, **settings)  # type: ignore[arg-type]
    for ref, hyp in segmentations:
        metric.update(reference=ref, hypothesis=hyp)
    evaluation = segscore.evaluate(
        {f"d{i}": ref for i, (ref, _) in enumerate(segmentations)},
        {f"d{i}": hyp for i, (_, hyp) in enumerate(segmentations)},
        measures=["all"],
        **settings,
    )
    micro = {name: evaluation[name].micro for name in PAIRS.measures}
    assert metric.compute() == micro
    if len(several) > 1:  # a single pair has the values of a document
        assert total.values == micro


@given(typed_pairs())
def test_boundary_types(pair: tuple[int, Any, Any, tuple[int, ...]]) -> None:
    n_units, reference, hypothesis, types = pair
    sides = [
        segscore.Segmentation([p for p, _ in side], n_units, types=[kind for _, kind in side])
        for side in (reference, hypothesis)
    ]
    score = segscore.score(reference=sides[0], hypothesis=sides[1], boundary_types=types)
    expected = naive.typed_edit_counts(n_units, reference, hypothesis, types)
    assert {name: score.counts[name] for name in expected} == expected
    assert len(score.edits) == sum(
        expected[kind]
        for kind in ("matches", "near_misses", "misses", "false_alarms", "substitutions")
    )


@pytest.mark.parametrize("name", PAIRS.measures)
def test_a_function_for_each_measure(name: str) -> None:
    function = getattr(segscore, name)
    assert function.__name__ == name
    assert PAIRS.measures[name].description in function.__doc__
    assert function(**PAIR, n_t=3) == segscore.score(**PAIR, n_t=3)[name]


def test_undefined_is_none() -> None:
    score = segscore.score(reference=[], hypothesis=[1], n_units=2)
    assert score.pk is None
    assert score["b_recall"] is None


def test_an_unknown_measure_names_the_nearest() -> None:
    with pytest.raises(segscore.Refused, match="no such measure; it is named window_diff;"):
        segscore.score(**PAIR)["windowdiff"]
    with pytest.raises(AttributeError, match="measure windowdiff; it is named window_diff"):
        segscore.score(**PAIR).windowdiff  # noqa: B018
    with pytest.raises(AttributeError, match="attribute 'windowdiff'; the nearest is window_diff"):
        segscore.windowdiff  # type: ignore[attr-defined]  # noqa: B018


def test_arguments_are_keywords() -> None:
    with pytest.raises(TypeError, match=r"positional.*\(reference=\.\.\., hypothesis=\.\.\., n"):
        segscore.score([2], [3], 9)  # type: ignore[call-arg]


def test_numpy_is_taken() -> None:
    taken = segscore.score(
        reference=np.array([2, 5]), hypothesis=np.array([2, 4], np.int16), n_units=11
    )
    assert taken.values == segscore.score(**PAIR).values


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("n_t", 0), ("window", 0), ("window", "half"), ("rounding", "up"), ("p_seg", 2.0),
        ("pairing", "best"), ("beta", 0.0), ("cost_miss", 1.5),
    ],
)  # fmt: skip
def test_a_wrong_setting_has_the_message_of_the_command(
    segscore: Segscore, option: str, value: Any
) -> None:
    name = "--" + option.replace("_", "-")
    ended = segscore("score", "references", "hypotheses", "--output", "run", name, value)
    assert ended.code == 2
    import segscore as package

    with pytest.raises(package.Refused) as problem:
        package.score(**PAIR, **{option: value})
    assert ended.err == f"segscore: error: {problem.value}\n".replace(option, name)
    assert isinstance(problem.value, ValueError)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"consensus": "any"}, "consensus: one pair has none; use segscore.evaluate"),
        ({"units": "words"}, "units words needs documents TABLE"),
    ],
)
def test_what_needs_tables_is_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(segscore.Refused, match=message):
        segscore.score(**PAIR, **settings)


def test_an_unknown_setting_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="no setting nt; the nearest is n_t; there are: measures,"):
        segscore.score(**PAIR, nt=3)  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("pair", "message"),
    [
        ({"n_units": None}, "reference: n_units is missing"),
        ({"reference": [5, 2]}, "reference: boundaries_ascending: boundaries must be strictly asc"),
        ({"hypothesis": [11]}, r"hypothesis: boundaries_in_range: .*boundaries \[11\]"),
        ({"hypothesis": ["2"]}, r'hypothesis: boundaries\[0\] is "2"; expected a whole number'),
        (
            {"reference": segscore.Segmentation([2], 9)},
            "reference: n_units_agree: n_units is 9; the other side has 11",
        ),
        ({"n_units": 2**31}, "reference: .*n_units is 2147483648; expected a value that fits"),
    ],
)
def test_a_wrong_pair_is_refused(pair: dict[str, Any], message: str) -> None:
    with pytest.raises(segscore.Refused, match=message):
        segscore.score(**(PAIR | pair))


def test_types_on_one_side_are_refused() -> None:
    typed = segscore.Segmentation([2], 9, types=[1])
    with pytest.raises(segscore.Refused, match="hypothesis: boundary_types_given: this row has no"):
        segscore.score(reference=typed, hypothesis=[2], n_units=9)
    with pytest.raises(segscore.Refused, match="boundary types must be among 2, 3"):
        segscore.score(reference=typed, hypothesis=typed, boundary_types=(2, 3))


def test_scores_of_other_settings_do_not_add() -> None:
    with pytest.raises(segscore.Refused, match="computed in different ways"):
        segscore.score(**PAIR) + segscore.score(**PAIR, n_t=3)
    with pytest.raises(segscore.Refused, match="per-run: needs all references"):
        segscore.score(**PAIR, window="per-run") + segscore.score(**PAIR, window="per-run")
    with pytest.raises(segscore.Refused, match="the sum of 2 pairs"):
        (segscore.score(**PAIR) + segscore.score(**PAIR)).edits  # noqa: B018


def test_selected_labels_leave_the_other_measures() -> None:
    sides = [segscore.Segmentation(each, 9, labels=["ad", None]) for each in ([4], [5])]
    pair: dict[str, Any] = {"reference": sides[0], "hypothesis": sides[1]}
    score = segscore.score(**pair, select=["ad"])
    assert score.selected_f1 == 1
    assert score.covering == segscore.score(**pair).covering
    assert score.values.keys() == segscore.score(**pair).values.keys()


def test_a_measure_that_was_not_computed_says_so() -> None:
    score = segscore.score(**PAIR, measures="pk")
    with pytest.raises(segscore.Refused, match="f1: was not computed; name it in measures"):
        score["f1"]
    with pytest.raises(segscore.Refused, match="mult_window_diff: needs all references of a"):
        score["mult_window_diff"]


def test_a_pair_is_drawn() -> None:
    score = segscore.score(**PAIR)
    assert "reference   ─│──│─────" in repr(score)
    html = score._repr_html_()
    assert html.startswith("<svg")
    assert "near miss" in html
    assert "boundary_similarity ↑</td><td>0.7500" in html
    assert (score + score)._repr_html_().startswith("<p>2 pairs</p><table>")
