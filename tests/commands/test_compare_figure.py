"""`segscore compare --figure`: differences as SVG, PDF and PNG."""

import json
from pathlib import Path

import pytest

from tests.support.command_line import Segscore


@pytest.fixture
def run(segscore: Segscore, tmp_path: Path) -> Path:
    rows = {
        "ref": [("desk", [4])],
        "hyp": [("near", [5]), ("far", [7])],
    }
    for name, coders in rows.items():
        (tmp_path / f"{name}.jsonl").write_text(
            "".join(
                json.dumps(
                    {"document_id": f"d{i}", "coder": coder, "n_units": 9, "boundaries": places}
                )
                + "\n"
                for i in range(8)
                for coder, places in coders
            )
        )
    output = tmp_path / "run"
    ended = segscore("score", tmp_path / "ref.jsonl", tmp_path / "hyp.jsonl", "--output", output)
    assert ended.code == 0, ended.err
    return output


BEGINNINGS = {"svg": b"<svg", "pdf": b"%PDF", "png": b"\x89PNG"}


@pytest.mark.parametrize("ending", BEGINNINGS)
def test_differences_are_drawn(segscore: Segscore, run: Path, tmp_path: Path, ending: str) -> None:
    figure = tmp_path / f"figure.{ending}"
    ended = segscore("compare", run, "--measure", "pk,boundary_similarity", "--figure", figure)
    assert ended.code == 0, ended.err
    assert f"{figure}: written" in ended.err
    content = figure.read_bytes()
    assert content.startswith(BEGINNINGS[ending])
    if ending == "svg":
        text = content.decode()
        assert "difference in pk" in text and "difference in boundary_similarity" in text
        assert "far" in text and "near" in text


@pytest.mark.parametrize("name", ["figure.jpg", "figure"])
def test_other_endings_are_refused(
    segscore: Segscore, run: Path, tmp_path: Path, name: str
) -> None:
    ended = segscore("compare", run, "--measure", "pk", "--figure", tmp_path / name)
    assert ended.code == 2
    assert ended.err.endswith("must end in .svg, .pdf, .png\n")
    assert not (tmp_path / name).exists()
