"""Plain boundaries, in lists or by document, are scored as the same segmentations by name."""

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import segscore

REFERENCES: list[list[int]] = [[2, 5], [3], []]
UNITS = [11, 8, 4]
SYSTEMS: dict[str, list[list[int]]] = {"near": [[2, 4], [3], []], "none": [[], [], []]}


def by_name(lists: list[list[int]]) -> dict[str, segscore.Segmentation]:
    """Return segmentations by the names that documents of lists get."""
    sizes = enumerate(zip(lists, UNITS, strict=True), start=1)
    return {str(number): segscore.Segmentation(each, units) for number, (each, units) in sizes}


def test_lists_are_scored_as_segmentations_are() -> None:
    lists = segscore.evaluate(REFERENCES, SYSTEMS, n_units=iter(UNITS), measures=["pk", "b_f1"])
    named = {system: by_name(each) for system, each in SYSTEMS.items()}
    expected = segscore.evaluate(by_name(REFERENCES), named, measures=["pk", "b_f1"])
    assert lists.table("scores").equals(expected.table("scores"))
    assert lists.table("scores").num_rows == 6


def test_documents_can_have_ids() -> None:
    ids = ("c", "a", 7)
    units = dict(zip(ids, UNITS, strict=True))
    references = dict(zip(ids, REFERENCES, strict=True))
    systems = {name: dict(zip(ids, lists, strict=True)) for name, lists in SYSTEMS.items()}
    scored = segscore.evaluate(references, systems, n_units=units, measures=["pk", "b_f1"])
    named = {
        name: {each: segscore.Segmentation(lists[each], units[each]) for each in ids}
        for name, lists in {"reference": references, **systems}.items()
    }
    expected = segscore.evaluate(named.pop("reference"), named, measures=["pk", "b_f1"])
    assert scored.table("scores").equals(expected.table("scores"))
    alone = segscore.evaluate(references, systems["near"], n_units=units, measures=["pk"])
    assert alone["pk"] == replace(scored["pk", "near"], hypothesis="hypothesis")


@pytest.mark.parametrize("size", [11, np.int64(11)])
def test_one_number_of_units_is_that_of_all_documents(size: Any) -> None:
    listed = segscore.evaluate(REFERENCES, SYSTEMS, n_units=size, measures=["pk"])
    expected = segscore.evaluate(REFERENCES, SYSTEMS, n_units=[11] * 3, measures=["pk"])
    assert listed.table("scores").equals(expected.table("scores"))
    named = segscore.evaluate({"1": [2, 5]}, {"1": np.array([2, 4])}, n_units=size)
    assert named["pk"] == segscore.evaluate([[2, 5]], [[2, 4]], n_units=[11])["pk"]


def test_a_document_without_hypothesis_is_missing() -> None:
    units = {"a": 11, "b": 9, "unused": 3}
    scored = segscore.evaluate({"a": [2], "b": [3]}, {"a": [2]}, n_units=units, missing="none")
    assert scored["f1"].documents == 2


def test_documents_stay_in_order() -> None:
    lists = [[1]] * 12
    scored = segscore.evaluate(lists, lists, n_units=[3] * 12, measures=["pk"])
    names = scored.table("scores")["document_id"].to_pylist()
    assert names == sorted(names)
    assert names[0] == "01"


@pytest.mark.parametrize(
    ("references", "hypotheses", "message"),
    [
        ([[2], [3]], [[2]], "hypotheses: length 1, but n_units has 2"),
        ([[2], [9]], [[2], [3]], "references: document 2: boundaries_in_range"),
        ([[2], [3]], {"a": [[2], "x"]}, "hypotheses: a: document 2: "),
        ({"a": [2], "b": [3]}, [[2], [3]], "references: names its documents, but n_units does not"),
        ({"x": {"a": [2]}}, [[2], [3]], "references: x: names its documents, but n_units does not"),
        ({"a": [2], "b": [3]}, [[2], [3]], "by document, such as {'a': 11}, or one number"),
        ("ab", [[2], [3]], "references: is str; with n_units it must be a list"),
        ([2, 3], [[2], [3]], "references: document 1: boundaries is 2; expected a list"),
    ],
)
def test_wrong_lists_are_named(references: Any, hypotheses: Any, message: str) -> None:
    with pytest.raises(segscore.Refused, match=re.escape(message)):
        segscore.evaluate(references, hypotheses, n_units=[5, 5])


@pytest.mark.parametrize(
    ("references", "hypotheses", "message"),
    [
        (
            [[5], [3], [7]],
            [[5], [7]],
            "hypotheses: length 2, but references has 3; lists are matched",
        ),
        (
            [[5], [3]],
            {"a": [[5], [3]], "b": [[5]]},
            "hypotheses: b: length 1, but references has 2",
        ),
        ({"1": [5]}, [[5]], "hypotheses: does not name its documents, but references does"),
    ],
)
def test_lists_of_unequal_length_are_not_matched(
    references: Any, hypotheses: Any, message: str
) -> None:
    with pytest.raises(segscore.Refused, match=re.escape(message)):
        segscore.evaluate(references, hypotheses, n_units=10)


ONE = {"a": [2]}


@pytest.mark.parametrize(
    ("hypotheses", "n_units", "message"),
    [
        ({"a": [2], "b": [1]}, {"a": 5}, "hypotheses: n_units has no number for b; give one"),
        ({"x": {"c": [2]}}, {"a": 5}, "hypotheses: x: n_units has no number for c; give one"),
        ([[2]], {"a": 5}, "hypotheses: does not name its documents, but n_units does"),
        ({"a": [9]}, {"a": 5}, "hypotheses: document a: boundaries_in_range"),
        ({"a": 2}, {"a": 5}, "hypotheses: document a: boundaries is 2; expected a list"),
        ({"a": segscore.Segmentation([2], 5)}, 5, "a is a Segmentation, which says its number"),
        (ONE, {"a": 5.5}, "references: document a: n_units is 5.5"),
        (ONE, "11", "n_units: is str; must be a whole number for all documents, a list"),
        (ONE, 5.5, "n_units: is float; must be a whole number"),
    ],
)
def test_wrong_numbers_of_units_are_named(hypotheses: Any, n_units: Any, message: str) -> None:
    with pytest.raises(segscore.Refused, match=re.escape(message)):
        segscore.evaluate(ONE, hypotheses, n_units=n_units)
