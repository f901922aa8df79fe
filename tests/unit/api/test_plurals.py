"""One thing is named in the singular, wherever things are counted."""

from typing import Any

import segscore
from segscore.pipeline.scoring.input_stats import InputStats, warn_of_inputs
from segscore.pipeline.settings.measuring import MeasuringSettings

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
    def warned(kind: str, number: int) -> str:
        (warning,) = warn_of_inputs(InputStats({(kind, "show"): number}), MeasuringSettings())
        return warning

    one, two, pair = warned("differs", 1), warned("differs", 2), warned("overruled", 1)
    assert "in 1 hypothesis, it is" in one and "in 2 hypotheses, it is" in two
    assert "in 1 pair, the references" in pair
