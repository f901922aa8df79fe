"""One thing is named in the singular, wherever things are counted."""

from typing import Any

import segscore
from segscore.pipeline.scoring.noticed import warn_of_noticed

FLAT, HALVES = segscore.Segmentation([], 9), segscore.Segmentation([4], 9)


def test_one_pair_and_one_segment() -> None:
    score = segscore.score(reference=FLAT, hypothesis=HALVES)
    assert "a reference of 1 segment above" in score._repr_html_()
    metric: Any = segscore.Metric("pk")
    metric.update(reference=HALVES, hypothesis=FLAT)
    assert repr(metric).endswith("; 1 pair)")
    metric.update(reference=HALVES, hypothesis=FLAT)
    assert repr(metric).endswith("; 2 pairs)")


def test_one_hypothesis_that_differs() -> None:
    one, two = (warn_of_noticed({("differs", "show", 0): n}) for n in (1, 2))
    assert "in 1 hypothesis, it is" in one[0] and "in 2 hypotheses, it is" in two[0]
    (pair,) = warn_of_noticed({("overruled", "show", 0): 1})
    assert "in 1 pair, the references" in pair
