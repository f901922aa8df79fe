"""Messages and warnings in Python name what a user of Python has, and point to the user's line."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import segscore

ROW = {"document_id": "d", "coder": "desk", "n_units": 5, "boundaries": [2]}
REFERENCE = segscore.Segmentation.from_starts([0, 20.0, 100.5], duration=500)
HYPOTHESIS = segscore.Segmentation.from_starts([0, 20.5, 100.3], duration=500)


@pytest.mark.parametrize("average", ["micro", "macro"])
def test_states_do_not_depend_on_the_order_of_measures(average: Any) -> None:
    one = segscore.Metric("window_diff", "pk", average=average)
    other = segscore.Metric("pk", "window_diff", average=average)
    one.update(reference=[2, 5], hypothesis=[3], n_units=9)
    other.state = one.state
    assert one.compute() == other.compute()
    assert [*one.compute()] == ["window_diff", "pk"]
    assert one.signature == other.signature


def test_a_state_of_the_other_average_is_named() -> None:
    macro = segscore.Metric("pk", average="macro")
    with pytest.raises(segscore.Refused, match=r"same measures and average \(micro\)"):
        segscore.Metric("pk").state = macro.state


def test_batches_have_no_boundary_types() -> None:
    metric = segscore.Metric("boundary_similarity", boundary_types=(1, 2))
    with pytest.raises(segscore.Refused, match=r"a batch has no types; add each pair with update"):
        metric.update_positions(references=[[2]], hypotheses=[[2]], n_units=[5])
    with pytest.raises(segscore.Refused, match=r"a batch has no types; add each pair with update"):
        metric.update_masks(reference=np.eye(2, 4), hypothesis=np.eye(2, 4))
    typed: Any = [segscore.Segmentation([2], 5, types=[2])]
    with pytest.raises(segscore.Refused, match=r"reference\[0\]: is a Segmentation; give its bou"):
        segscore.Metric("pk").update_positions(references=typed, hypotheses=[[2]], n_units=[5])


def test_a_dict_of_columns_is_answered_by_what_to_make_of_it() -> None:
    columns = {name: [value] for name, value in ROW.items()}
    for given in ((columns, [ROW]), ([ROW], columns), ([ROW], [ROW], columns)):
        with pytest.raises(segscore.Refused, match=r"is a dict of columns; .*pandas.DataFrame"):
            segscore.evaluate(*given)


def test_near_misses_of_a_metric_of_milliseconds_are_warned_of() -> None:
    """A metric must decide on n_t before it has seen a pair."""
    with pytest.warns(UserWarning, match=r"less than 2 milliseconds apart, .* n_t=2000") as found:
        segscore.Metric().update(reference=REFERENCE, hypothesis=HYPOTHESIS)
    assert [one.filename for one in found] == [__file__]
    with warnings.catch_warnings(record=True) as none:
        segscore.Metric(n_t=2).update(reference=REFERENCE, hypothesis=HYPOTHESIS)
        segscore.Metric("pk").update(reference=REFERENCE, hypothesis=HYPOTHESIS)
    assert not none


TIMES: list[Callable[..., str]] = [
    lambda **settings: (
        segscore.score(reference=REFERENCE, hypothesis=HYPOTHESIS, **settings).signature
    ),
    lambda **settings: (
        segscore.evaluate({"d": REFERENCE}, {"s": {"d": HYPOTHESIS}}, **settings).signature
    ),
    lambda **settings: (
        segscore.agree({"x": {"d": REFERENCE}, "y": {"d": HYPOTHESIS}}, **settings).signature
    ),
]


@pytest.mark.parametrize("use", TIMES)
def test_near_misses_of_times_are_less_than_two_seconds_apart(use: Callable[..., str]) -> None:
    assert "|n_t:2000|" in use()
    assert "|n_t:3|" in use(n_t=3)


def test_near_misses_are_not_warned_of_where_nothing_is_measured_with_them() -> None:
    with warnings.catch_warnings(record=True) as found:
        segscore.score(reference=REFERENCE, hypothesis=HYPOTHESIS, measures="pk")
        segscore.evaluate({"d": REFERENCE}, {"d": HYPOTHESIS}, measures="pk")
        seconds = segscore.Segmentation.from_starts([20.5], duration=500, unit="s")
        segscore.score(reference=seconds, hypothesis=seconds)
    assert not found


def test_a_text_is_no_list_of_units() -> None:
    with pytest.raises(segscore.Refused, match=r"units: .* must be a list of texts"):
        segscore.Segmentation.from_text("It rains. Now sport.", "It rains.\n\nNow sport.")


def test_a_text_without_breaks_is_warned_of_in_the_line_of_the_user() -> None:
    with pytest.warns(UserWarning, match="contains no break") as found:
        segscore.Segmentation.from_text(["It rains.", "Now sport."], "It rains. Now sport.")
    assert found[0].filename == __file__


def test_settings_of_an_evaluation_are_all_listed() -> None:
    wrong: Any = {"outptu": "x"}
    with pytest.raises(TypeError, match=r"the nearest is output; .*max_unpaired, .*output"):
        segscore.evaluate([ROW], [ROW], **wrong)


@pytest.mark.parametrize(
    "use",
    [
        lambda: segscore.evaluate([ROW], [ROW], measures=["pkk"]),  # type: ignore[list-item]
        lambda: segscore.Metric("pkk"),  # type: ignore[arg-type]
    ],
)
def test_measures_are_listed_by_a_function(use: Callable[[], object]) -> None:
    with pytest.raises(segscore.Refused, match=r"nearest is pk; segscore\.measures\(\) lists"):
        use()


def test_limits_hold_in_memory_where_they_are_given() -> None:
    rows = [{**ROW, "coder": "s"}, {**ROW, "coder": "s", "document_id": "e"}]
    allowed: list[dict[str, Any]] = [{}, {"max_unpaired": 0.5}]
    for limits in allowed:
        assert segscore.evaluate([ROW], rows, **limits).unpaired.num_rows == 1
    with pytest.raises(segscore.Failed, match="1 of 2 hypotheses have no reference"):
        segscore.evaluate([ROW], rows, max_unpaired=0.1)
    broken = [rows[0], {**rows[1], "document_id": "d", "coder": "t", "boundaries": [9]}]
    assert segscore.evaluate([ROW], broken).rejects.num_rows == 1
    with pytest.raises(segscore.Failed, match=r"max_rejects 0\.1 allows"):
        segscore.evaluate([ROW], broken, max_rejects=0.1)


def test_an_unknown_hypothesis_names_no_temporary_folder() -> None:
    evaluation = segscore.evaluate([ROW], [{**ROW, "coder": "s"}])
    with pytest.raises(segscore.Refused, match=r"^evaluation: no accepted hypothesis of zz for d"):
        evaluation.explain("d", hypothesis="zz")
