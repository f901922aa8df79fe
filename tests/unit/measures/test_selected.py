"""Selected segments against the slow twin, and examples by hand."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import segscore
from segscore.pipeline.errors import Refused
from segscore.pipeline.measures import selected
from segscore.pipeline.settings.measuring import MeasuringSettings
from tests.oracles import naive_fields
from tests.oracles.families import Counting
from tests.support import passes
from tests.support.strategies import pairs

Pair = tuple[int, list[int], list[int]]
LABELS = st.sampled_from(["ad", "x", "content", None])
IOU = st.fractions(0, Fraction(9, 10), max_denominator=12)


def labelled(
    n_units: int, boundaries: list[int], labels: list[str | None]
) -> segscore.Segmentation:
    """A segmentation with labels."""
    return segscore.Segmentation(boundaries, n_units, labels=labels)


@given(
    pairs(max_units=25),
    st.data(),
    st.sampled_from([("ad",), ("ad", "x")]),
    st.tuples(st.integers(0, 5), st.integers(0, 4)),
    IOU,
)
def test_counts_are_those_of_the_twin(
    pair: Pair,
    data: st.DataObject,
    select: tuple[str, ...],
    distances: tuple[int, int],
    iou: Fraction,
) -> None:
    join, tolerance = distances
    n_units, sides = pair[0], pair[1:]
    labels = [
        data.draw(st.lists(LABELS, min_size=len(side) + 1, max_size=len(side) + 1))
        for side in sides
    ]
    items = [
        naive_fields.labelled_items(n_units, side, names, select, Fraction(join))
        for side, names in zip(sides, labels, strict=True)
    ]
    reference, hypothesis = (
        labelled(n_units, side, names) for side, names in zip(sides, labels, strict=True)
    )
    found = segscore.score(
        reference=reference,
        hypothesis=hypothesis,
        measures=["selected"],
        select=select,
        join=str(join),
        tiou=str(iou),
        tolerance=tolerance,
    )
    twin = naive_fields.selected_counts(items[0], items[1], iou, tolerance)
    assert dict(found.counts) == twin
    exact = naive_fields.selected_values(twin)
    assert found.values.keys() == exact.keys()
    assert all(passes.close(found.values[name], exact[name]) for name in exact)


def test_many_candidates_are_sorted() -> None:
    """At threshold 0 a long segment has many partners, of which the one that fits best is taken."""
    draw = np.random.default_rng(7)
    sides = [sorted(draw.choice(np.arange(1, 600), 120, replace=False).tolist()) for _ in range(2)]
    pair = 600, sides[0], sides[1]
    found = passes.family_counts("selected", pair, Counting(tiou=Fraction(0)))
    items = [naive_fields.labelled_items(600, side, ["a"] * 121, ["a"]) for side in sides]
    assert found == naive_fields.selected_counts(items[0], items[1], Fraction(0))
    assert tuple(selected.COUNTS) == naive_fields.SELECTED_COUNTS


def test_by_hand() -> None:
    """Breaks at 10-20 and 40-50; found at 11-21, 30-35 and 44-52: IoU 9/11 and, of 40-50, 1/2."""
    reference = labelled(100, [10, 20, 40, 50], ["c", "ad", "c", "ad", "c"])
    hypothesis = labelled(
        100, [11, 21, 30, 35, 44, 52], ["c", "ad", None, "ad", "c", "ad", "other"]
    )
    scored = segscore.score(reference=reference, hypothesis=hypothesis, select=["ad"])
    assert scored.selected_f1 == pytest.approx(2 / 5)
    assert (scored.start_bias, scored.end_bias) == (1, 1)
    reached = segscore.score(
        reference=reference, hypothesis=hypothesis, select="ad", tiou=">=0.5", measures=["selected"]
    )
    assert reached["selected_f1"] == pytest.approx(4 / 5)
    assert (reached["start_bias"], reached["end_error"]) == (2.5, 1.5)
    joined = segscore.score(
        reference=reference, hypothesis=hypothesis, select="ad", join="10", measures=["selected"]
    )
    assert joined.counts["selected_hypotheses"] == 1  # from 11 to 52


def test_sums_are_averages_over_documents() -> None:
    metric = segscore.Metric("selected_recall", "start_bias", select=["ad"])
    for start in (10, 14):
        metric.update(
            reference=labelled(60, [10, 30], ["c", "ad", "c"]),
            hypothesis=labelled(60, [start, 30], ["c", "ad", "c"]),
        )
    assert metric.compute() == {"selected_recall": 1.0, "start_bias": 2.0}
    with pytest.raises(Refused, match="select: a batch has no labels"):
        metric.update_positions(references=[[1]], hypotheses=[[1]], n_units=[3])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"join": "15s"}, "--join 15s: joins segments that --select chooses"),
        (
            {"join": "15m", "select": ("ad",)},
            "--join 15m: must be a number of units, or a time such as",
        ),
        ({"select": ("a|b",)}, "a label cannot contain"),
        ({"select": ("ad", "ad")}, "--select ad,ad: names a label twice"),
        ({"select": ("ad",), "by_level": "only"}, "omit --by-level"),
    ],
)
def test_settings_that_mean_nothing_are_refused(settings: dict[str, object], message: str) -> None:
    with pytest.raises(Refused, match=message.replace("|", r"\|")):
        MeasuringSettings(**settings)  # type: ignore[arg-type]


def test_sides_without_labels_are_refused() -> None:
    with pytest.raises(Refused, match="reference: select needs labels"):
        segscore.score(reference=[3], hypothesis=[3], n_units=9, select=["ad"])
    with pytest.raises(Refused, match="segment_labels: there are 1, but 2 segments"):
        segscore.Segmentation([3], 9, labels=["ad"])
