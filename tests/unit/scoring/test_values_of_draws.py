"""A random reference point has the mean of the values of its draws in a document."""

import pytest

import segscore

DOCUMENTS, UNITS = 60, 5


def test_a_document_has_the_mean_value_of_its_draws() -> None:
    """A boundary at a random one of four positions is right, near or wrong by B 1, 1/2, 0, 0.

    Of the mean counts, B is (1/4 + 1/8) / (1/4 + 1/4 + 2/4 * 2) = 1/4.
    """
    references = {f"d{i:02}": segscore.Segmentation([1], UNITS) for i in range(DOCUMENTS)}
    evaluation = segscore.evaluate(
        references,
        {"perfect": references},
        measures=("boundary_similarity",),
        reference_points=("random-known", "random-own"),
    )
    summary = evaluation.table("summary").to_pylist()
    values = {(row["hypothesis"], row["average"]): row for row in summary}
    for point in ("random-known", "random-own:perfect"):
        assert values[f"point:{point}", "macro"]["value"] == pytest.approx(3 / 8, abs=0.03)
        assert values[f"point:{point}", "micro"]["value"] == pytest.approx(1 / 4, abs=0.03)
    of_documents = [
        row["boundary_similarity"]
        for row in evaluation.table("scores").to_pylist()
        if row["hypothesis"] == "point:random-known"
    ]
    mean = sum(of_documents) / DOCUMENTS
    assert values["point:random-known", "macro"]["value"] == pytest.approx(mean)
