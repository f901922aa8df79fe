"""A measure added to its family's file appears in every table, page and view."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from segscore.pipeline.storage import read_table
from tests.support.paths import DATA, ROOT
from tests.support.rows import read_rows

ADD = """
import importlib, json, sys
import segscore.pipeline.measures
from segscore.pipeline.measures import windows
from segscore.pipeline.measures.measure import IDENTITY, Measure

windows.MEASURES += (
    Measure(
        "pk_agreement",
        "1 - pk",
        "this test",
        frozenset({IDENTITY}),
        better="higher",
        description="share of windows in which Pk has no error",
    ),
)
importlib.reload(segscore.pipeline.measures)

from segscore.jobs.cli.app import main
from segscore.schemas.scores import PANEL_SCORES, SCORES

data, root = sys.argv[1:]
sys.path.insert(0, root)
from docs.tools import tables, views
for arguments in (["score", data, data, "--output", "run", "--measures", "all"], ["measures"]):
    sys.argv = ["segscore", *arguments]
    try:
        main()
    except SystemExit as ended:
        assert not ended.code, arguments
made = {
    "scores": list(SCORES.columns),
    "panel_scores": list(PANEL_SCORES.columns),
    "page": tables.page(),
    "views": views.script(),
}
print("\\n" + json.dumps(made))
"""


@pytest.fixture(scope="module")
def run_output(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Add a measure in another process; return the folder of its run and what it printed."""
    folder = tmp_path_factory.mktemp("added")
    command = [sys.executable, "-c", ADD, str(DATA / "stargazer.jsonl"), str(ROOT)]
    result = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
    return folder / "run", result.stdout


@pytest.fixture(scope="module")
def columns_and_texts(run_output: tuple[Path, str]) -> dict[str, Any]:
    """Return the columns of the schemas, and the text of the page and of the views."""
    parsed: dict[str, Any] = json.loads(run_output[1].splitlines()[-1])
    return parsed


def test_scores_and_summary_have_the_added_measure(
    run_output: tuple[Path, str], columns_and_texts: dict[str, Any]
) -> None:
    run, _ = run_output
    scores = read_table(str(run / "scores"))
    assert scores.column_names == columns_and_texts["scores"]
    assert read_table(str(run / "panel_scores")).column_names == columns_and_texts["panel_scores"]
    averages = {
        (row["hypothesis"], row["measure"], row["average"]): row["value"]
        for row in read_rows(run, "summary")
    }
    added = [key for key in averages if key[1] == "pk_agreement"]
    assert len(added) == 2 * len({hypothesis for hypothesis, _, _ in averages})
    for hypothesis, _, average in added:
        pk = averages[hypothesis, "pk", average]
        assert averages[hypothesis, "pk_agreement", average] == pytest.approx(1 - pk)


def test_the_list_of_measures_has_the_added_measure(run_output: tuple[Path, str]) -> None:
    assert re.search(r"^pk_agreement ↑ ", run_output[1], re.MULTILINE)


def test_the_page_of_tables_has_the_added_measure(columns_and_texts: dict[str, Any]) -> None:
    page_text = columns_and_texts["page"]
    (window,) = re.findall(r"^- `window`: counts .*; measures (.*)$", page_text, re.MULTILINE)
    assert "`pk_agreement`" in window.split(", ")


def test_the_view_of_directions_has_the_added_measure(columns_and_texts: dict[str, Any]) -> None:
    listed = " ".join(columns_and_texts["views"].split())
    assert ", 'pk_agreement': 1, " in listed


def test_the_guide_quotes_existing_code() -> None:
    guide = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    blocks = re.findall(r"^\*\*(\S+)\*\*\n\n```\w+\n(.*?)^```$", guide, re.DOTALL | re.MULTILINE)
    assert len(blocks) == 4
    for file, text in blocks:
        assert unindented(text) in unindented((ROOT / file).read_text("utf-8")), file


def unindented(text: str) -> str:
    """Return the text without its common indentation."""
    return "\n".join(line.strip() for line in text.strip().splitlines())
