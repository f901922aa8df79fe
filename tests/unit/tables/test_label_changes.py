"""Boundaries in labels of units, and in tags of BIO and its kin."""

import pytest

import segscore
from segscore.pipeline.tables.label_changes import changes_of


@pytest.mark.parametrize(
    ("labels", "boundaries"),
    [
        ("a a b b c", [2, 4]),
        ("B-SEG I-SEG I-SEG B-SEG I-SEG", [3]),
        ("B-SEG B-SEG", [1]),
        ("O B-x I-x O O B-y I-y", [1, 5]),
        ("I-x I-x I-y B-y", [2, 3]),
        ("B-x I-x E-x S-x B-x E-x", [3, 4]),
        ("B-x L-x U-x", [2]),
        ("B I I B I", [3]),
        ("O B I O B", [1, 4]),
        # Parts of a song, and names that only look like tags.
        ("I I A A B B O", [2, 4, 6]),
        ("I I B B O O", [2, 4]),
        ("B B", []),
        ("S-1 S-1 S-2", [2]),
        ("B-1 B-1 B-2", [2]),
    ],
)
def test_positions(labels: str, boundaries: list[int]) -> None:
    units = labels.split()
    assert changes_of(units) == boundaries
    assert segscore.Segmentation.from_labels(units).boundaries == tuple(boundaries)


def test_a_metric_reads_tags_alike() -> None:
    metric = segscore.Metric("f1")
    tags = [["B-s", "I-s", "B-s", "I-s"], ["B-s", "I-s", "I-s"]]
    metric.update_labels(reference=tags, hypothesis=[[1, 1, 2, 2], [3, 3, 3]])
    assert metric.compute() == {"f1": 1.0}
