"""Settings as keywords: what the command line refuses is refused, what it reads is read."""

import re
from typing import Any, get_origin, get_type_hints

import numpy as np
import pytest

import segscore as package
from segscore.pipeline.agreement.settings import AgreeSettings
from segscore.pipeline.comparison.settings import CompareSettings
from segscore.pipeline.conventions.calibrate_settings import CalibrateSettings
from segscore.pipeline.nightly.trend.settings import TrendSettings
from segscore.pipeline.scoring.settings import ScoreSettings
from segscore.pipeline.settings.options import options_of

untyped: Any = package
ONE = {"a": package.Segmentation([2, 5], 11)}
ROWS = [{"document_id": "a", "coder": "ann", "n_units": 11, "boundaries": [3], "genre": "news"}]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_t": 2.5}, "n_t: 2.5 must be a whole number or None"),
        ({"n_t": 2.0}, "n_t: 2.0 must be a whole number or None"),
        ({"n_t": "2"}, "n_t: '2' must be a whole number or None"),
        ({"n_t": True}, "n_t: True must be a whole number or None"),
        ({"tolerance": 1.5}, "tolerance: 1.5 must be a whole number or a text"),
        ({"cost_miss": "0.5"}, "cost_miss: '0.5' must be a number"),
        ({"p_seg": "0.5"}, "p_seg: '0.5' must be a number or None"),
        ({"unit_weights": 1}, "unit_weights: 1 must be True or False"),
        ({"pairing": 3}, "pairing: 3 must be a text"),
        ({"boundary_types": [1.5]}, "boundary_types: 1.5 must be a whole number"),
        ({"c_seg_costs": 0.5}, "c_seg_costs: 0.5 must be a list"),
        ({"c_seg_costs": "a,b"}, "c_seg_costs a,b: must be numbers separated by commas"),
        ({"window": "3"}, "window: '3' is a text; give the number, window=3"),
        ({"tolerance": "1"}, "tolerance: '1' is a text; give the number, tolerance=1"),
        ({"window": 3.5}, "window: 3.5 must be a text or a whole number"),
        ({"window": np.array([3])}, "window: [3] must be a text or a whole number"),
        ({"n_t": {2: 1}}, "n_t: {2: 1} must be a whole number or None"),
        ({"c_seg_costs": [[1], [2]]}, "c_seg_costs: [1] must be a number"),
    ],
    ids=str,
)
def test_values_of_other_types_are_refused(settings: dict[str, Any], message: str) -> None:
    one = ONE["a"]
    for call in (
        lambda: package.evaluate(ONE, ONE, **settings),
        lambda: package.score(reference=one, hypothesis=one, **settings),
    ):
        with pytest.raises(package.Refused) as problem:
            call()
        assert str(problem.value) == message


def _evaluated() -> Any:
    return package.evaluate(ONE, ONE, measures="pk")


def _positions(**given: Any) -> None:
    made = {"references": [[2], [3]], "hypotheses": [[2], [3]], "n_units": [7, 8], **given}
    package.Metric("pk").update_positions(**made)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: package.evaluate(ONE, ONE, seed=None), "seed: None must be a whole number"),  # type: ignore[arg-type]
        (lambda: package.agree({"a": ONE, "b": ONE}, n_t=2.5), "n_t: 2.5 must be"),  # type: ignore[arg-type]
        (lambda: package.calibrate(ONE, measure="pk", seed="1"), "seed: '1' must be"),  # type: ignore[arg-type]
        (lambda: package.Metric("pk", n_t=2.5), "n_t: 2.5 must be"),  # type: ignore[arg-type]
        (
            lambda: package.compare(package.evaluate(ONE, ONE), measure="pk", seed=9.5),  # type: ignore[arg-type]
            "seed: 9.5 must be",
        ),
        (lambda: untyped.evaluate(ONE, ONE, measures=5), "measures: 5 must be a list"),
        (lambda: untyped.evaluate(ONE, ONE, client=5), "client: is int; must be a Dask client"),
        (lambda: untyped.calibrate(ONE, measure=None), "measure: None must be a text"),
        (lambda: untyped.Metric(["pk"]), r"\['pk'\]: must be the name of a measure"),
        (lambda: untyped.compare(package.evaluate(ONE, ONE), measure=5), "measures: 5 must"),
        (lambda: untyped.compare(["run"], measure="pk"), "list is not a run; give the folder"),
        (lambda: untyped.read_run(None), "NoneType is not a run; give the folder or URL"),
        (lambda: untyped.testsets(5), "name: 5 must be a text or None"),
        (
            lambda: untyped.reconcile(None, ONE, published="0.2", measure="pk"),
            "references: is None",
        ),
        (
            lambda: untyped.reconcile(ONE, ONE, published=["a"]),
            "published row 1: 'a' must name its",
        ),
        (lambda: untyped.reconcile(ONE, ONE, apply=5), "apply: 5 must be a text or None"),
        (lambda: untyped.align(["a"], ["a"], tokens=None), "tokens: None must be a text"),
        (lambda: untyped.align(["a"], [[["a"]]]), "segments: .* is neither a text nor a list"),
        (lambda: untyped.align(["a"], ["a"], max_edits="x"), "max_edits: 'x' must be a number"),
        (lambda: _evaluated().explain(None), "document: None must be a text"),
        (lambda: _evaluated().report(None), "path: None must be a text or a path"),
        (lambda: _evaluated().report("a\ud800.html"), "half of a character"),
        (lambda: _evaluated().table([]), r"name: \[\] must be a text"),
        (lambda: _positions(references=5), "reference: 5 must be a list with the boundaries"),
        (lambda: _positions(n_units=[[2, 5], [3]]), "lengths: must be whole numbers"),
        (lambda: _positions(document_ids=5), "document_ids: 5 must be a list of texts or None"),
        (lambda: _positions(document_ids="ab"), "document_ids: 'ab' must be a list of texts"),
        (lambda: untyped.score(reference=[2], hypothesis=[2], n_units=5)[[]], r"\[\]: must be the"),
    ],
)
def test_every_function_refuses_them(call: Any, message: str) -> None:
    with pytest.raises(package.Refused, match=message):
        call()


@pytest.mark.parametrize(
    "call",
    [
        lambda: package.evaluate(ONE, ONE, nt=2),  # type: ignore[call-arg]
        lambda: package.evaluate(ONE, ONE, nt=2, output="run"),  # type: ignore[call-arg]
        lambda: package.agree({"a": ONE, "b": ONE}, nt=2),  # type: ignore[call-arg]
        lambda: package.calibrate(ONE, measure="pk", nt=2),  # type: ignore[call-arg]
        lambda: package.Metric("pk", nt=2),  # type: ignore[call-arg]
        lambda: package.pk(reference=ONE["a"], hypothesis=ONE["a"], nt=2),  # type: ignore[call-arg]
    ],
)
def test_an_unknown_setting_is_a_type_error_that_names_the_nearest(call: Any) -> None:
    with pytest.raises(TypeError, match="there is no setting nt; the nearest is n_t; there are: "):
        call()


def test_the_name_of_the_window_size_in_papers_is_known() -> None:
    one = ONE["a"]
    with pytest.raises(TypeError, match="there is no setting k; the nearest is window; there are"):
        package.pk(reference=one, hypothesis=one, k=2)  # type: ignore[call-arg]


def test_text_is_read_as_on_the_command_line() -> None:
    names = package.evaluate(ONE, ROWS, measures="pk,window_diff").summary.column("measure")  # type: ignore[arg-type]
    assert set(names.to_pylist()) == {"pk", "window_diff"}
    given: dict[str, Any] = {"c_seg_costs": "1,0.5", "group_by": "genre"}
    read: dict[str, Any] = {"c_seg_costs": (1.0, 0.5), "group_by": ["genre"]}
    as_text, as_values = (package.evaluate(ONE, ROWS, **each) for each in (given, read))
    assert as_text.signature == as_values.signature
    assert as_text.summary.equals(as_values.summary)


def test_numbers_of_numpy_are_accepted() -> None:
    settings: dict[str, Any] = {"n_t": np.int64(3), "cost_miss": np.float32(0.25), "beta": 2}
    ours = package.evaluate(ONE, ROWS, **settings)
    assert ours.signature == package.evaluate(ONE, ROWS, n_t=3, cost_miss=0.25, beta=2.0).signature


def test_lists_may_replace_text_separated_by_commas() -> None:
    joined: dict[str, Any] = {"consensus": "0.5,any", "reference_points": "none,all"}
    listed: dict[str, Any] = {"consensus": [0.5, "any"], "reference_points": ("none", "all")}
    as_text, as_lists = (package.evaluate(ONE, ONE, **each) for each in (joined, listed))
    assert as_text.signature == as_lists.signature
    assert as_text.summary.equals(as_lists.summary)
    none = package.evaluate(ONE, ONE, consensus=[], reference_points=[])
    assert none.systems == ["hypothesis"]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"reference_points": [1]}, "reference_points: 1 must be a text"),
        (
            {"reference_points": ["nnoe"]},
            "reference-points nnoe: must be one of|reference_points nnoe: must be one of",
        ),
        ({"consensus": [0.5, True]}, "consensus: True must be a text or a number"),
        ({"consensus": [1.5]}, "consensus 1.5: must be any"),
    ],
)
def test_elements_of_lists_are_checked(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(package.Refused, match=message):
        package.evaluate(ONE, ONE, **settings)


def test_every_setting_that_is_a_list_in_text_may_be_a_list() -> None:
    """An option whose help has an example with commas is read to a tuple, or takes a list."""
    classes = (ScoreSettings, AgreeSettings, CompareSettings, CalibrateSettings, TrendSettings)
    for settings in classes:
        hints = get_type_hints(settings)
        for name, option in options_of(settings).items():
            if re.search(r"such as \S+,\S+|separated by commas", option.help):
                assert option.joined or get_origin(hints[name]) is tuple, name


@pytest.mark.parametrize(
    ("function", "setting"),
    [
        (function, setting)
        for function in (package.compare, package.sweep, package.agree)
        for setting in ("output", "fresh", "memory_limit", "own_n_t")
    ],
)
def test_settings_without_effect_in_python_are_refused(function: Any, setting: str) -> None:
    row = {"document_id": "d", "n_units": 9, "boundaries": [3], "boundary_scores": [1.0]}
    sides = [[{**row, "coder": name}] for name in ("a", "b")]
    given: list[Any] = [[*sides[0], *sides[1]]] if function is package.agree else sides
    if function is package.compare:
        given = [package.evaluate(*sides)]
    with pytest.raises(TypeError, match=f"there is no setting {setting}"):
        function(*given, **{setting: 1})


def test_compare_says_what_measures_is_named() -> None:
    with pytest.raises(TypeError, match="no setting measures; the nearest is measure"):
        untyped.compare(package.evaluate([[3]], [[3]], n_units=9), measures=["pk"])
