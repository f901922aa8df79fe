"""Conventions are computed by their names, and give the numbers of the programs."""

import importlib
from random import Random
from statistics import mean
from typing import Any

import pytest

import segscore
from segscore.pipeline.conventions.apply import convention_name, find_convention, known_names

nltk: Any = importlib.import_module("nltk.metrics.segmentation")

NAMES = {
    *("segscore", "segscore-macro", "segeval", "textseg", "segeval-exchanged"),
    *("segeval-lamprier-et-al-2007-fix", "nltk-n-1-flags", "nltk-n-flags-starts"),
    *("nltk-n-flags-ends", "nltk-n-flags-last-one-set", "tinyrec", "superdialseg"),
    *("nltk-2-windowdiff", "nltk-weighted-true", "choi-2000", "k-s", "f13-as-printed"),
    *("fournier-inkpen-2012", "disrpt", "superdialseg-f1-binary", "superdialseg-f1-macro"),
    *("segscore-t-1", "segscore-t-1-macro", "mir-eval-t-1-trim-true", "mir-eval-t-1"),
    *("pyannote-metrics-t-1", "pyannote-metrics-t-1-mean", "chunkseg-t-1", "vidchapters-t-2"),
    *("documents-joined", "adachi-2026", "adachi-2026-t-1"),
}
"""Published scores and papers use these names: none of them may change."""

Sides = dict[str, segscore.Segmentation]


def corpus() -> tuple[Sides, Sides]:
    draw = Random(3)  # noqa: S311
    references, hypotheses = {}, {}
    for d in range(30):
        n_units = draw.randint(15, 60)
        sides = [sorted(draw.sample(range(1, n_units), draw.randint(2, 6))) for _ in range(2)]
        references[f"d{d}"], hypotheses[f"d{d}"] = (
            segscore.Segmentation(side, n_units) for side in sides
        )
    return references, hypotheses


REFERENCES, HYPOTHESES = corpus()


def starts(segmentation: segscore.Segmentation) -> str:
    """Return N flags, the mark on the first unit of a segment."""
    marked = {*segmentation.boundaries}
    return "".join("1" if place in marked else "0" for place in range(segmentation.n_units))


def test_names_stay() -> None:
    assert {*known_names()} >= NAMES


@pytest.mark.parametrize(
    "name", ["nltk-n-flags-starts", "NLTK, N flags, starts, but average macro"]
)
def test_nltk_on_n_flags_is_exact(name: str) -> None:
    flags = [(starts(REFERENCES[d]), starts(HYPOTHESES[d])) for d in REFERENCES]
    k = [round(len(reference) / (reference.count("1") * 2.0)) for reference, _ in flags]
    expected = {
        "pk": mean(nltk.pk(*pair) for pair in flags),
        "window_diff": mean(
            nltk.windowdiff(*pair, size) for pair, size in zip(flags, k, strict=True)
        ),
    }
    applied = segscore.reconcile(REFERENCES, HYPOTHESES, apply=name)
    found = {row["measure"]: row["value"] for row in applied.rows}
    assert found == pytest.approx(expected, abs=1e-12)
    assert {row["convention"] for row in applied.rows} == {applied.convention}


@pytest.mark.parametrize("name", ["tinyrec", "segeval+rounding=up+average=macro", "mir-eval-t-3"])
def test_a_name_finds_the_convention_that_has_it(name: str) -> None:
    (found, *_) = find_convention(name, [])
    assert convention_name(found[1]) == name


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nltk-n-flags-start", "the nearest is nltk-n-flags-starts"),
        ("tinyrec+k=half", r"\+k=half: no such answer"),
        ("tinyrec+kk=x", r"\+kk=x: no such question; the nearest is k"),
        ("segeval+average=micro+without=zero", "contradict"),
    ],
)
def test_other_names_are_refused(name: str, message: str) -> None:
    with pytest.raises(segscore.Refused, match=message):
        segscore.reconcile(REFERENCES, HYPOTHESES, apply=name, measure="pk")


@pytest.mark.long
def test_a_number_above_one_is_a_percentage() -> None:
    as_share = segscore.reconcile(REFERENCES, HYPOTHESES, measure="pk", published="0.4637")
    as_percent = segscore.reconcile(REFERENCES, HYPOTHESES, measure="pk", published="46.37")
    assert as_percent.fitting == as_share.fitting
    assert "published 46.37 (read as a percentage)" in as_percent.lines[0]
    assert "percentage" not in as_share.lines[0]
    with pytest.raises(segscore.Refused, match="exceeds 100 %"):
        segscore.reconcile(REFERENCES, HYPOTHESES, measure="pk", published="146")
