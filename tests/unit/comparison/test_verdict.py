"""What is said of the best system: beside reference points, chance, and other documents."""

from collections.abc import Mapping

import pytest

import segscore
from segscore.jobs.show.leaderboard import explain_better_point
from segscore.pipeline.comparison.certainty import describe_certainty, why_untested
from segscore.pipeline.comparison.sentences import against_chance
from segscore.pipeline.comparison.system_pairs_tables import columns_of_pairs
from segscore.pipeline.comparison.verdict import BestSystem
from segscore.pipeline.results.leaderboard import Leaderboard, rank
from segscore.schemas.rows import AverageRow, PairRow

PERFECT = {"pk": 0.0, "b_f1": 1.0}


def row(name: str, measure: str, value: float | None, documents: str = "x") -> AverageRow:
    return {
        "hypothesis": name,
        "measure": measure,
        "average": "macro",
        "value": value,
        "ci_low": None,
        "ci_high": None,
        "documents": 8,
        "defined": 8,
        "document_set": documents,
    }


def board(values: Mapping[str, float | None], measure: str = "b_f1") -> Leaderboard:
    (only,) = rank([row(name, measure, value) for name, value in values.items()], measure=measure)
    return only


def pair(system: str, other: str, better: str | None, p: float | None = 0.001) -> PairRow:
    """A pair of which a system is better; without a test where p is None."""
    return {
        "measure": "b_f1",
        "average": "micro",
        "system": system,
        "other": other,
        "difference": 1.0,
        "ci_low": 0.5,
        "ci_high": 1.5,
        "better": better,
        "equal": None,
        "p": p,
        "p_holm": p,
        "units": 8,
        "documents": 8,
    }


def said(best: BestSystem) -> str:
    return " ".join(sentence.text for sentence in best.sentences())


@pytest.mark.parametrize("name", ["alpha", "zed"])
@pytest.mark.parametrize("measure", PERFECT)
def test_a_point_that_is_as_good_is_not_better(name: str, measure: str) -> None:
    values = {name: PERFECT[measure], "point:none": PERFECT[measure]}
    pairs = {(name, "point:none"): pair(name, "point:none", None, 1.0)}
    text = said(BestSystem(board(values, measure), "macro", pairs))
    assert "But the reference point point:none is as good." in text
    assert "better" not in text


@pytest.mark.parametrize(("measure", "worse"), [("pk", 0.5), ("b_f1", 0.5)])
def test_a_system_alone_is_better_than_the_points_that_have_a_value(
    measure: str, worse: float
) -> None:
    values = {"a": PERFECT[measure], "point:all": worse, "point:none": None}
    pairs = {("a", "point:all"): pair("a", "point:all", "a")}
    text = said(BestSystem(board(values, measure), "macro", pairs))
    assert "It is ahead of point:all and all other reference points" not in text
    assert "It is ahead of point:all with a value." not in text
    assert "It is ahead of point:all, the only reference point with a value." in text
    assert "It is significantly better than that reference point, p 0.0010" in text


def test_a_system_that_is_worse_than_chance_is_not_called_better() -> None:
    skills = {"skill": -0.1, "skill_low": -0.2, "skill_high": -0.05}
    below: AverageRow = {**row("a", "b_f1", 0.1), **skills}  # type: ignore[typeddict-item]
    (ranked,) = rank([below, row("point:random-own:a", "b_f1", 0.2)], measure="b_f1")
    text = said(BestSystem(ranked, "micro", {}))
    assert "a (skill -0.1000, -0.2000 to -0.0500) is worse than as many boundaries" in text
    assert "It is better" not in text


def test_the_better_one_where_both_are_defined_is_said() -> None:
    sentence = describe_certainty("a", ["b"], {("a", "b"): pair("a", "b", "b")})
    assert sentence.text == (
        "But over the documents where both are defined, b is significantly better, p 0.0010 (Holm)."
    )


def test_the_only_other_system_that_could_be_tested_is_named() -> None:
    pairs = {("a", "b"): pair("a", "b", "a"), ("a", "c"): pair("a", "c", "a", None)}
    text = describe_certainty("a", ["b", "c"], pairs).text
    assert "better than b, the only one that could be tested, p 0.0010" in text


def test_the_last_bits_of_equal_values_do_not_make_one_best() -> None:
    ranked = board({"a": 0.4, "b": 0.39999999999999997, "c": 0.3})
    assert ranked.places == {"a": 1, "b": 1, "c": 3}
    assert ranked.best("b_f1") == {"a", "b"}
    assert "a and b are equally good" in said(BestSystem(ranked, "macro", {}))


def test_a_point_that_is_surely_better_is_not_called_unsure() -> None:
    rows = [pair("a", "point:none", "point:none"), pair("b", "point:none", "b", 0.5)]
    assert against_chance(rows) == (
        "of 2 pairs of a system and a reference point, not significant: b and point:none; the "
        "point is better: point:none and a"
    )


def test_a_system_with_a_value_is_not_the_only_one() -> None:
    assert "a, the only system: 0.500." in said(BestSystem(board({"a": 0.5}), "macro", {}))
    text = said(BestSystem(board({"a": 0.5, "b": None}), "macro", {}))
    assert "a, the only system with a value: 0.500." in text


def test_equally_good_systems_have_one_interval_only_if_it_is_that_of_both() -> None:
    interval: dict[str, float | None] = {"ci_low": 0.25, "ci_high": 0.75}
    ends = [{**row(name, "b_f1", 0.5), **interval} for name in "ab"]
    both = rank(ends, measure="b_f1")[0]  # type: ignore[arg-type]
    assert "equally good: 0.500 (95 % 0.250 to 0.750)." in said(BestSystem(both, "micro", {}))
    ends[1]["ci_high"] = 0.875
    other = rank(ends, measure="b_f1")[0]  # type: ignore[arg-type]
    assert "equally good: 0.500." in said(BestSystem(other, "micro", {}))


def test_no_system_is_best_by_a_measure_without_a_direction() -> None:
    ranked = board({"b": 4.0, "a": 12.0, "point:none": 0.0}, "b_tp")
    assert (ranked.heading, ranked.systems, ranked.places) == ("system", ["a", "b"], {})
    assert said(BestSystem(ranked, "micro", {})) == (
        "b_tp, micro: no system is best, because neither higher nor lower is better."
    )
    rows = [{**pair("a", "b", None), "measure": "b_tp"}]
    assert columns_of_pairs(rows)[0].heading == "system"  # type: ignore[arg-type]
    rows = [{**pair("a", "point:none", None), "measure": "b_tp"}]
    assert against_chance(rows) is None  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("better", "words"),
    [
        ("a", "It is ahead of point:none."),
        ("point:none", "But the reference point point:none is better."),
        (None, "But the reference point point:none is as good."),
    ],
)
def test_a_point_of_other_documents_is_compared_on_those_that_are_shared(
    better: str | None, words: str
) -> None:
    """The averages would say that the point is better than ``a``."""
    rows = [row("a", "b_f1", 0.5), row("point:none", "b_f1", 0.75, documents="more")]
    (ranked,) = rank(rows, measure="b_f1")
    pairs = {("a", "point:none"): pair("a", "point:none", better)}
    assert words in said(BestSystem(ranked, "micro", pairs))
    assert "point:none" not in said(BestSystem(ranked, "micro", {}))


def test_what_few_documents_have_a_value_is_said() -> None:
    few = {**pair("a", "b", "a", None), "units": 4, "defined": 4}
    assert why_untested([few]) == (  # type: ignore[list-item]
        "4 documents where both are defined: no test; at least 5 are needed."
    )


@pytest.mark.parametrize("missing", [0, 1])
def test_no_boundaries_are_compared_with_systems_on_the_same_documents(missing: int) -> None:
    """``point:none`` has all documents, and ``a`` may lack one of them."""
    references = {f"d{i}": segscore.Segmentation([4], 9) for i in range(6)}
    answered = {name: segscore.Segmentation([1, 7], 9) for name in [*references][missing:]}
    run = segscore.evaluate(references, {"a": answered}, measures=["pk"], reference_points="none")
    assert (explain_better_point(run.summary) is None) == (missing > 0)
