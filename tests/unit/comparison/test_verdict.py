"""What is said of the best system: beside reference points, chance, and other documents."""

import pytest

from segscore.pipeline.comparison.certainty import describe_certainty
from segscore.pipeline.comparison.sentences import against_chance
from segscore.pipeline.comparison.shown_pairs import first_pairs_shown
from segscore.pipeline.comparison.verdict import BestSystem
from segscore.pipeline.results.leaderboard import Leaderboard, rank
from segscore.schemas.rows import AverageRow, PairRow

PERFECT = {"pk": 0.0, "b_f1": 1.0}


def row(name: str, measure: str, value: float | None) -> AverageRow:
    return {
        "hypothesis": name,
        "measure": measure,
        "average": "macro",
        "value": value,
        "ci_low": None,
        "ci_high": None,
        "documents": 8,
        "defined": 8,
        "document_set": "x",
    }


def board(values: dict[str, float | None], measure: str = "b_f1") -> Leaderboard:
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
        "effect_d": None,
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
    assert "It is better than point:all and all other reference points" not in text
    assert "It is better than point:all with a value." not in text
    assert "It is better than point:all, the only reference point with a value." in text
    assert "it is better than that reference point, p 0.0010" in text


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
        "But over the documents where both are defined, b is better, p 0.0010 in a paired test, "
        "adjusted by Holm."
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
        "of 2 pairs of a system and a reference point, not sure: b and point:none; the point is "
        "better: point:none and a"
    )


def test_a_system_with_a_value_is_not_the_only_one() -> None:
    assert "a, the only system: 0.5000." in said(BestSystem(board({"a": 0.5}), "macro", {}))
    text = said(BestSystem(board({"a": 0.5, "b": None}), "macro", {}))
    assert "a, the only system with a value: 0.5000." in text


def test_equally_good_systems_have_one_interval_only_if_it_is_that_of_both() -> None:
    interval: dict[str, float | None] = {"ci_low": 0.25, "ci_high": 0.75}
    ends = [{**row(name, "b_f1", 0.5), **interval} for name in "ab"]
    both = rank(ends, measure="b_f1")[0]  # type: ignore[arg-type]
    assert "equally good: 0.5000 (95 % 0.2500 to 0.7500)." in said(BestSystem(both, "micro", {}))
    ends[1]["ci_high"] = 0.875
    other = rank(ends, measure="b_f1")[0]  # type: ignore[arg-type]
    assert "equally good: 0.5000." in said(BestSystem(other, "micro", {}))


def test_no_system_is_best_by_a_measure_without_a_direction() -> None:
    ranked = board({"b": 4.0, "a": 12.0, "point:none": 0.0}, "b_tp")
    assert (ranked.heading, ranked.systems, ranked.places) == ("system", ["a", "b"], {})
    assert said(BestSystem(ranked, "micro", {})) == (
        "b_tp, micro: no system is best, because neither higher nor lower is better."
    )
    rows = [{**pair("a", "b", None), "measure": "b_tp"}]
    assert first_pairs_shown(rows, None).columns[0].heading == "system"  # type: ignore[arg-type]
    rows = [{**pair("a", "point:none", None), "measure": "b_tp"}]
    assert against_chance(rows) is None  # type: ignore[arg-type]
