"""`segscore cite`: BibTeX of segscore and of the sources of measures, and a sentence of method."""

import re
from pathlib import Path

import pytest

from segscore.pipeline.measures import ALL
from segscore.pipeline.measures.bibliography import PUBLICATIONS
from tests.support.command_line import Segscore
from tests.support.pages import DOCS
from tests.support.paths import DATA


@pytest.fixture
def run(segscore: Segscore, tmp_path: Path) -> Path:
    table = DATA / "tinyrec.jsonl"
    options = ("--n-t", "3", "--replicates", "200", "--output", tmp_path / "run")
    assert segscore("score", table, table, *options).code == 0
    return tmp_path / "run"


def test_the_method_is_that_of_the_run(segscore: Segscore, run: Path) -> None:
    out = segscore("cite", run, "--measures", "pk,boundary_similarity").out
    sentence = out.partition("\n\n")[0]
    assert "boundaries at most 2 positions apart are near misses" in sentence
    assert "half the mean segment size of each reference, rounded half to even" in sentence
    assert "200 bootstrap replicates" in sentence
    keys = {key for keys in re.findall(r"cite\{(.*?)\}", sentence) for key in keys.split(",")}
    assert keys == {*re.findall(r"^@\w+\{(.*),$", out, re.M)}
    assert keys == {
        *("segscore", "beeferman1999statistical", "georgescul2006analysis"),
        "fournier2013evaluating",
    }
    assert "% segscore|n_t:3|" in out


def test_settings_that_do_not_affect_a_measure_are_not_told(segscore: Segscore, run: Path) -> None:
    assert "near misses" not in segscore("cite", run, "--measure", "pk").out
    assert "window is" not in segscore("cite", run, "--measure", "boundary_similarity").out


def test_all_publications_without_a_run(segscore: Segscore) -> None:
    out = segscore("cite").out
    assert all(work.key in out for work in PUBLICATIONS)
    assert out.count("{") == out.count("}")


def test_the_page_has_the_same_entries(segscore: Segscore) -> None:
    page = (DOCS / "bibliography.md").read_text("utf-8")
    (fence,) = re.findall(r"```bibtex\n(.*?)```", page, re.S)
    assert fence == segscore("cite").out


def test_every_publication_is_the_source_of_a_measure() -> None:
    sources = [measure.source for measure in ALL.values()]
    assert all(any(work.named in source for source in sources) for work in PUBLICATIONS)
    assert [work.key for work in PUBLICATIONS] == sorted(work.key for work in PUBLICATIONS)


def test_a_wrong_measure_is_named(segscore: Segscore, run: Path) -> None:
    result = segscore("cite", run, "--measures", "pkk")
    assert (result.code, result.err) == (
        2,
        "segscore: error: --measures pkk: no such measure; the nearest is pk\n",
    )
