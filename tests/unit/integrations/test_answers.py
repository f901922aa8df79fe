"""Scoring single answers: options, targets and averages; tests/integrations/ has the programs."""

import importlib.util
import sys
from math import isnan
from typing import Any

import pytest

import segscore
from segscore.api.typed import MeasureName
from segscore.integrations.answers import AnswerScorer, macro_average, micro_average
from segscore.integrations.lm_eval import results_of

UNITS = ["It rains.", "It snows.", "A draw.", "A win."]
GOOD = "# Weather\nIt rains. It snows.\n# Sport\nA draw. A win."


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"format": "spoken"}, "format spoken: must be one of rewritten, numbered, quoted"),
        ({"format": "rewritten"}, "breaks: say what marks a break"),
        ({"format": "rewritten", "breaks": "auto"}, "breaks: say what marks a break"),
        ({"format": "rewritten", "breaks": "page"}, "--break page: must be one of"),
        ({"format": "numbered"}, "first_number: say which number"),
        ({"format": "numbered", "first_number": 2}, "--first-number 2: must be 0 or 1"),
        ({"format": "quoted", "failed": "leave-out"}, "failed leave-out: must be one of"),
        ({"format": "quoted", "measures": ["pkk"]}, "pkk: no such measure; the nearest is pk"),
        ({"format": "quoted", "n_t": 0}, "n_t 0: must be"),
        ({"format": "quoted", "window": "per-run"}, "window per-run: needs all references"),
        ({"format": "quoted", "max_edits": "x"}, "max_edits: 'x' must be a number"),
    ],
)
def test_a_wrong_option_is_refused_at_once(given: dict[str, Any], message: str) -> None:
    with pytest.raises(segscore.Refused, match=message.replace("?", r"\?")):
        AnswerScorer(**given)


def test_an_unknown_option_is_answered_by_those_that_exist() -> None:
    with pytest.raises(TypeError, match="there is no setting brakes; the nearest is breaks"):
        AnswerScorer("rewritten", brakes="heading")


@pytest.mark.parametrize("target", [[2], "[2]", " [2]\n", GOOD])
def test_a_target_is_boundaries_or_a_text_with_breaks(target: object) -> None:
    found = AnswerScorer("rewritten", breaks="heading")(GOOD, UNITS, target)
    assert found.values["pk"] == 0
    assert found.counts["matches"] == 1
    assert found.counts["failed"] == 0


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("", "target: is empty"),
        ("[2, x]", "target: not JSON at column 5"),
        ('["two"]', "boundaries"),
        ("[4]", "boundaries"),
        ("Something else altogether.", "cannot be used"),
    ],
)
def test_a_target_that_cannot_be_read_is_refused(target: str, message: str) -> None:
    with pytest.raises(segscore.Refused, match=message):
        AnswerScorer("rewritten", breaks="heading")(GOOD, UNITS, target)


def test_types_of_breaks_are_left_out_on_both_sides() -> None:
    typed = "It rains. <eol> It snows. <eob> A draw. A win."
    scorer = AnswerScorer("rewritten", breaks="<eob>=1,<eol>=2", measures=["f1"])
    assert scorer(typed, UNITS, typed).values == {"f1": 1}
    assert scorer(typed, UNITS, [1, 2]).values == {"f1": 1}


@pytest.mark.parametrize("answer", ["", "I'm sorry, but I can't help with that.", "It"])
def test_an_answer_that_cannot_be_used_is_charged(answer: str) -> None:
    scorer = AnswerScorer("rewritten", breaks="heading")
    found = scorer(answer, UNITS, [2])
    charged = segscore.score(reference=[2], hypothesis=[], n_units=4)
    assert found.failure
    assert found.counts["failed"] == 1
    assert found.values == {name: charged[name] for name in scorer.measures}


def test_an_answer_that_cannot_be_used_may_end_the_evaluation() -> None:
    scorer = AnswerScorer("rewritten", breaks="heading", failed="refuse")
    with pytest.raises(segscore.Refused, match="the answer cannot be used: empty"):
        scorer("", UNITS, [2])


def test_settings_of_counting_are_those_of_score() -> None:
    scorer = AnswerScorer("numbered", first_number=1, n_t=3, window=2)
    found = scorer("1\n4", UNITS, [1])
    expected = segscore.score(reference=[1], hypothesis=[3], n_units=4, n_t=3, window=2)
    assert found.values == {name: expected[name] for name in scorer.measures}
    assert found.counts["near_misses"] == 1


@pytest.mark.parametrize("settings", [{}, {"n_t": 4}, {"window": "2"}])
def test_averages_of_all_measures_are_those_of_evaluate(settings: dict[str, Any]) -> None:
    """Also of those whose formulas use n_t, or the share of windows of all references."""
    names: list[MeasureName] = ["boundary_similarity", "b_f1", "pk_prior", "c_seg", "pr_error"]
    process = results_of("numbered", first_number=0, measures=names, **settings)
    documents = [([3, 6], "0 2 9"), ([5], "0 8"), ([], "0 3")]
    units = [f"unit {number}" for number in range(12)]
    results = [process({"units": units, "boundaries": each}, [it]) for each, it in documents]
    rows = [
        {"document_id": str(i), "n_units": 12, "coder": coder, "boundaries": found}
        for coder, side in (("desk", 0), ("model", 1))
        for i, pair in enumerate(documents)
        for found in [pair[0] if side == 0 else [int(x) for x in pair[1].split()[1:]]]
    ]
    numbers: dict[str, Any] = {
        name: int(value) for name, value in settings.items()
    }  # a harness has texts
    evaluation = segscore.evaluate(rows[:3], rows[3:], measures=names, **numbers)
    expected = {
        (row["measure"], row["average"]): row["value"]
        for row in evaluation.summary.to_pylist()
        if row["measure"] in names
    }
    counts = [each["pk_prior"] for each in results]
    found = {}
    for name in names:
        found[name, "micro"] = micro_average(name)(counts)
        found[name, "macro"] = macro_average(name)(counts)
    assert found == pytest.approx(expected, rel=1e-12)


def test_averages_are_of_sums_and_of_values() -> None:
    process = results_of("numbered", first_number=1, measures=["f1", "pk"])
    documents = [{"units": UNITS, "boundaries": each} for each in ([2], [1, 3], [])]
    answers = ["1\n3", "1\n2\n3\n4", "1"]
    results = [process(doc, [text]) for doc, text in zip(documents, answers, strict=True)]
    counts = [each["f1"] for each in results]
    matches, false_alarms = 3, 1
    assert micro_average("f1")(counts) == 2 * matches / (2 * matches + false_alarms)
    assert macro_average("f1")(counts) == pytest.approx((1 + 4 / 5) / 2)  # the third is undefined
    assert [each["failed"] for each in results] == [0, 0, 0]
    assert isnan(micro_average("f1")(counts[2:]))
    assert isnan(macro_average("f1")(counts[2:]))


def test_a_record_without_the_field_is_refused() -> None:
    process = results_of("quoted")
    with pytest.raises(segscore.Refused, match="boundaries: a record has no field"):
        process({"units": UNITS}, ["x"])


@pytest.mark.skipif(
    importlib.util.find_spec("inspect_ai") is not None, reason="inspect_ai is installed"
)
def test_without_inspect_ai_the_extra_is_named() -> None:
    with pytest.raises(ImportError, match=r"pip install 'segscore\[inspect\]'"):
        importlib.import_module("segscore.integrations.inspect")
    assert "segscore.integrations.inspect" not in sys.modules
