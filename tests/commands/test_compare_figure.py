"""`segscore compare --figure`: differences as SVG, PDF and PNG."""

import json
import re
import struct
from itertools import pairwise
from pathlib import Path

import pytest

from segscore.pipeline.reports import charts
from segscore.pipeline.reports.figures import save_figure
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


COLUMN = 85 / 25.4 * 96
"""Width of a column of a paper in pixels."""

BEGINNINGS = {"svg": b"<svg", "pdf": b"%PDF", "png": b"\x89PNG"}


@pytest.mark.long
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
        # The names are those of a table in LaTeX, and the best system is compared with each other.
        assert "Pk: near minus each other" in text and "B: near minus each other" in text
        assert ">far<" in text
        width = re.search(r'<svg [^>]*width="([\d.]+)"', text)
        assert width is not None and abs(float(width[1]) - COLUMN) < 4


def test_a_figure_shows_zero_and_systems_only(segscore: Segscore, tmp_path: Path) -> None:
    rows = "".join(
        json.dumps({"document_id": f"d{i}", "coder": coder, "n_units": 9, "boundaries": places})
        + "\n"
        for i in range(8)
        for coder, places in (("good", [4]), ("poor", [7]))
    )
    (tmp_path / "hyp.jsonl").write_text(rows)
    (tmp_path / "ref.jsonl").write_text(
        "".join(line + "\n" for line in rows.splitlines() if "good" in line)
    )
    inputs, output = (tmp_path / "ref.jsonl", tmp_path / "hyp.jsonl"), tmp_path / "run"
    points = ("--reference-points", "none,all")
    assert segscore("score", *inputs, *points, "--output", output).code == 0
    figure = tmp_path / "figure.svg"
    assert segscore("compare", output, "--measure", "pk", "--figure", figure).code == 0
    text = figure.read_text()
    assert "good minus each other" in text and ">poor<" in text and "point:" not in text
    assert ">0.0<" in text


@pytest.mark.parametrize("name", ["figure.jpg", "figure"])
def test_other_endings_are_refused(
    segscore: Segscore, run: Path, tmp_path: Path, name: str
) -> None:
    ended = segscore("compare", run, "--measure", "pk", "--figure", tmp_path / name)
    assert ended.code == 2
    assert ended.err.endswith("must end in .svg, .pdf, .png\n")
    assert not (tmp_path / name).exists()


def test_numbers_on_an_axis_do_not_touch(tmp_path: Path) -> None:
    """Numbers without room are left out, which have an opacity of 0."""
    rows = [
        {"name": f"system {i}", "value": i / 50, "low": i / 50 - 0.01, "high": i / 50 + 0.011}
        for i in range(5)
    ]
    chart = charts.intervals([{**row, "kind": "system"} for row in rows], "difference", ["system"])
    assert chart is not None
    save_figure([chart], str(tmp_path / "figure.svg"))
    drawn = re.findall(
        r'<text text-anchor="(\w+)" transform="translate\(([\d.]+),15\)"[^>]*opacity="1">([^<]+)<',
        (tmp_path / "figure.svg").read_text(),
    )
    assert len(drawn) > 2
    ends = [_ends(float(x), anchor, text) for anchor, x, text in drawn]
    assert all(after - before > 5 for (_, before), (after, _) in pairwise(ends))


def _ends(x: float, anchor: str, text: str) -> tuple[float, float]:
    """Return where a number of 10 pixels in Liberation Sans or Arial begins and ends."""
    width = sum({"−": 5.84, ".": 2.78}.get(letter, 5.56) for letter in text)
    left = {"start": x, "middle": x - width / 2, "end": x - width}[anchor]
    return left, left + width


def test_every_format_is_as_wide_as_a_column(tmp_path: Path) -> None:
    """A column is 85 mm: 321 pixels of 1/96 inch, 240.75 points, 963 pixels at 288 an inch."""
    rows = [{"name": "a - b", "value": 0.1, "low": 0.05, "high": 0.2, "kind": "pair"}]
    chart = charts.intervals(rows, "difference", ["pair"])
    assert chart is not None
    svg, pdf, png = (tmp_path / f"figure.{ending}" for ending in ("svg", "pdf", "png"))
    for path in (svg, pdf, png):
        save_figure([chart], str(path))
    assert 'width="321"' in svg.read_text()
    assert b"/MediaBox [0 0 240.75 " in pdf.read_bytes()
    content = png.read_bytes()
    place = content.index(b"pHYs") + 4
    (width,), (per_metre,) = (
        struct.unpack(">I", content[start : start + 4]) for start in (16, place)
    )
    assert width / per_metre == pytest.approx(0.085, abs=0.0002)
