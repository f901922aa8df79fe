"""The values of Adachi, Tsukagoshi & Ohmukai 2026 (ICADL), each to the last digit that they print.

They are F within 5 and 30 seconds, Pk and WindowDiff of eight systems on 20 programmes, and the
means over the programmes, from the files summary.csv and aggregate.csv of the authors.
"""

from functools import cache

import pytest

import segscore
from segscore.pipeline.testsets.published import PublishedScore, scores_of

NAME = "Japanese news"
OF_PAPER = [("f1", "adachi-2026-t-5000"), ("f1", "adachi-2026-t-30000")]
OF_PAPER += [("pk", "adachi-2026"), ("window_diff", "adachi-2026")]


@cache
def computed(measure: str, convention: str) -> dict[tuple[str, str], float]:
    """Return the value of each system and document, and of all documents under no name."""
    news = segscore.testsets(NAME)
    applied = segscore.reconcile(
        news.references, news.hypotheses, measure=measure, apply=convention
    )
    return {
        (row["system"], row["document_id"] or ""): row["value"] for row in applied.table.to_pylist()
    }


def printed(measure: str, convention: str) -> list[PublishedScore]:
    return [
        score
        for score in scores_of(NAME)
        if (score.measure, score.convention) == (measure, convention)
    ]


@pytest.mark.first
@pytest.mark.parametrize(("measure", "convention"), OF_PAPER)
def test_every_value_of_adachi_tsukagoshi_and_ohmukai_2026_is_given(
    measure: str, convention: str
) -> None:
    scores = printed(measure, convention)
    assert sum(bool(score.document_id) for score in scores) == 160
    assert len(scores) == 168
    values = computed(measure, convention)
    assert len(values) == 10 * 21
    for score in scores:
        expected = pytest.approx(float(score.value), abs=1e-12)
        assert values[score.system, score.document_id] == expected, score


SEEN = """
news7-20260507 full 0.8000000000000002 1.0 0.01668584579976985 0.024165707710011506
news7-20260522 texttiling 0.0 0.7000000000000001 0.29811536264991434 0.29811536264991434
wbs-20260514 full 0.6274509803921569 0.8235294117647058 0.0919674039580908 0.16938300349243307
wbs-20260522 no_ocr 0.5500000000000002 0.8500000000000001 0.0695906432748538 0.1692982456140351
"""
"""Values of `OF_PAPER` for a programme and a system, typed in apart from the table that ships."""


@pytest.mark.parametrize("line", SEEN.split("\n")[1:-1])
def test_the_list_of_published_scores_has_the_printed_values(line: str) -> None:
    document, system, *values = line.split()
    for key, value in zip(OF_PAPER, values, strict=True):
        assert computed(*key)[system, document] == pytest.approx(float(value), abs=1e-12)
        (score,) = (s for s in printed(*key) if (s.document_id, s.system) == (document, system))
        assert score.value == value


@pytest.mark.parametrize(("position", "value"), [(5011, 0), (5010, 2 / 8)])
def test_boundaries_between_the_same_two_seconds_count_twice_unless_they_are_near(
    position: int, value: float
) -> None:
    reference = {"d": segscore.Segmentation([4510, position], 10_000)}
    hypothesis = {"d": segscore.Segmentation([4510, 5490], 10_000)}
    applied = segscore.reconcile(
        reference, hypothesis, measure="window_diff", apply="adachi-2026", unit="millisecond"
    )
    assert applied.rows[0]["value"] == pytest.approx(value)


def test_seconds_need_to_be_known() -> None:
    sides = {"d": segscore.Segmentation([5], 9)}
    with pytest.raises(segscore.Refused, match="about seconds"):
        segscore.reconcile(sides, sides, apply="adachi-2026")
