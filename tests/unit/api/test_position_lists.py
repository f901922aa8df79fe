"""Plain lists of boundaries are scored as the same segmentations by name."""

from typing import Any

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
        ("ab", [[2], [3]], "references: is str; with n_units it must be a list"),
        ([2, 3], [[2], [3]], "references: document 1: boundaries is 2; expected a list"),
    ],
)
def test_wrong_lists_are_named(references: Any, hypotheses: Any, message: str) -> None:
    with pytest.raises(segscore.Refused, match=message.replace("(", r"\(")):
        segscore.evaluate(references, hypotheses, n_units=[5, 5])
