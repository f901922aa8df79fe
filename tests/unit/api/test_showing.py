"""Evaluations and comparisons explain, report and draw themselves in Python."""

import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import segscore as api
from tests.support.command_line import Segscore

REFERENCES = {f"d{i}": api.Segmentation([2 + i % 3, 6], 11) for i in range(12)}
SYSTEMS = {
    "near": {name: api.Segmentation([3, 7], 11) for name in REFERENCES},
    "far": {name: api.Segmentation([9], 11) for name in REFERENCES},
}


def generated() -> Iterator[dict[str, Any]]:
    return (
        {
            "document_id": name,
            "coder": "desk",
            "n_units": each.n_units,
            "boundaries": each.boundaries,
        }
        for name, each in REFERENCES.items()
    )


@pytest.fixture
def evaluation() -> api.Evaluation:
    return api.evaluate(generated(), SYSTEMS, measures=["boundary_similarity", "pk"])


def test_an_evaluation_in_memory_is_explained(evaluation: api.Evaluation) -> None:
    explanation = evaluation.explain("d1", "near")
    (pair,) = explanation
    assert (pair.document, pair.hypothesis, pair.reference) == ("d1", "near", "desk")
    assert [edit.kind for edit in pair.edits] == ["match", "near_miss"]
    assert "d1: near against desk" in repr(explanation)
    assert "<svg" in explanation._repr_html_()
    assert len(evaluation.explain("d1")) == 2
    with pytest.raises(api.Refused, match=r"d11x: .*the nearest is d11"):
        evaluation.explain("d11x")


def test_an_evaluation_writes_its_report(evaluation: api.Evaluation, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    assert evaluation.report(page, measure="pk") == str(page)
    assert "near" in page.read_text() and "desk" in page.read_text()


def test_a_run_in_a_folder_can_be_explained_after_its_tables_are_gone(
    segscore: Segscore, tmp_path: Path
) -> None:
    api.evaluate(generated(), SYSTEMS, output=str(tmp_path / "run"))
    ended = segscore("explain", tmp_path / "run", "--document", "d2")
    assert ended.code == 0, ended.err
    assert "d2: far against desk" in ended.out
    again = api.read_run(tmp_path / "run")
    assert isinstance(again, api.Evaluation)
    assert len(again.explain("d2")) == 2
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


@pytest.mark.long
def test_evaluations_and_comparisons_draw_themselves(
    evaluation: api.Evaluation, tmp_path: Path
) -> None:
    drawn = {
        "systems": evaluation.plot("boundary_similarity"),
        "pairs": api.compare(evaluation, measure=["pk"]).plot(),
        "curve": evaluation.plot("boundary_similarity", systems=["far", "near"]),
    }
    for name, chart in drawn.items():
        for ending in ("svg", "pdf", "png"):
            chart.save(tmp_path / f"{name}.{ending}")
    assert "near" in (tmp_path / "systems.svg").read_text()
    curve = (tmp_path / "curve.svg").read_text()
    assert curve.index(">far<") < curve.index(">near<") and "mark-line" in curve
    with pytest.raises(api.Refused, match="no other among"):
        evaluation.plot("pk", systems=["other"])
    assert "near minus each other" in (tmp_path / "pairs.svg").read_text()
    assert (tmp_path / "pairs.pdf").read_bytes().startswith(b"%PDF")
    with pytest.raises(api.Refused, match="f1: no system has a value of it"):
        evaluation.plot("f1")


def test_an_audit_draws_itself(tmp_path: Path) -> None:
    codings = {
        coder: {f"d{i}": api.Segmentation([4, 5 + i % late], 12) for i in range(8)}
        for coder, late in (("ann", 3), ("ben", 4))
    }
    chart = api.agree(codings).plot()
    for ending in ("svg", "pdf", "png"):
        chart.save(tmp_path / f"audit.{ending}")
    drawn = (tmp_path / "audit.svg").read_text()
    assert "agreement above chance" in drawn and ">ben<" in drawn
    alike = {coder: {"d": api.Segmentation([], 1)} for coder in ("ann", "ben")}
    with pytest.raises(api.Refused, match="plot: no coefficient is defined"):
        api.agree(alike).plot()


def test_comparisons_show_systems_best_first_then_pairs(evaluation: api.Evaluation) -> None:
    lines = repr(api.compare(evaluation, measure=["boundary_similarity"])).splitlines()
    assert lines[0] == "boundary_similarity ↑, micro, all documents"
    assert [line.split()[0] for line in lines[2:4]] == ["near", "far"]
    assert lines[5] == "differences in boundary_similarity"
    assert lines[7].split()[:2] == ["near", "far"]
    html = api.compare(evaluation, measure=["pk"])._repr_html_()
    assert html.index(">near<") < html.index(">far<")


def test_evaluations_can_be_pickled(evaluation: api.Evaluation) -> None:
    for thing in (evaluation, api.compare(evaluation, measure="pk")):
        again = pickle.loads(pickle.dumps(thing))  # noqa: S301
        assert again.names == thing.names
        assert repr(again) == repr(thing)
    assert len(pickle.loads(pickle.dumps(evaluation)).explain("d1")) == 2  # noqa: S301
