"""docs/moving.md: a call of segeval or NLTK gives the value of the column named beside it."""

import importlib
import inspect
import json
import re
import warnings
from collections.abc import Iterator, Mapping
from decimal import ROUND_HALF_UP, Decimal
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import segscore
from tests.support.command_line import Segscore
from tests.support.notations import mask
from tests.support.pages import DOCS
from tests.support.paths import DATA
from tests.support.rows import read_rows

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    segeval: Any = importlib.import_module("segeval")
nltk: Any = importlib.import_module("nltk.metrics.segmentation")

PAGE = (DOCS / "moving.md").read_text("utf-8")
LISTED = re.compile(r"`([^`]*)`")
NAMES = {"segeval": segeval, "nltk": nltk, "len": len, "__builtins__": {}}


class Equal(NamedTuple):
    """A row of one of the page's tables.

    Attributes:
        call: of segeval or NLTK, an expression.
        options: of segscore.
        where: table, and the values that identify its row; empty for `scores`.
        columns: an expression over columns.
    """

    call: str
    options: tuple[str, ...]
    where: tuple[str, ...]
    columns: str


def equals(cells: int) -> list[Equal]:
    """Return rows with this many cells, of which the first is a call, of the page's tables."""
    rows = []
    for line in PAGE.splitlines():
        texts = [text.strip() for text in line.strip("|").split("|")]
        if len(texts) == cells and re.match(r"`(len\()?(segeval|nltk)\.\w+\(", texts[0]):
            call, options, *where, columns = (text.strip("`") for text in texts)
            rows.append(Equal(call, tuple(options.split()), tuple(where), columns))
    return rows


OF_PAIRS, OF_CODERS = equals(3), equals(5)


def test_the_tables_are_read() -> None:
    assert len(OF_PAIRS + OF_CODERS) == len(
        re.findall(r"^\| `[\w.(]+\(.*\)\S*` \|", PAGE, re.MULTILINE)
    )
    assert {(), ("--n-t", "3")} <= {equal.options for equal in OF_PAIRS}


def masses(row: Mapping[str, Any]) -> tuple[int, ...]:
    """Return a segmentation in segeval's form."""
    return tuple(b - a for a, b in pairwise([0, *row["boundaries"], row["n_units"]]))


def half_up(size: Decimal) -> Decimal:
    """Round as Choi did."""
    return size.quantize(Decimal(1), ROUND_HALF_UP)


def evaluated(expression: str, known: Mapping[str, Any]) -> float:
    """Evaluate an expression of the page."""
    return float(eval(expression, {**NAMES, **known}))  # noqa: S307


def called(reference: Mapping[str, Any], hypothesis: Mapping[str, Any], k: int) -> dict[str, Any]:
    """Names that the page's calls use."""
    sides = masses(reference), masses(hypothesis)
    strings = [segeval.boundary_string_from_masses(side) for side in sides]
    additions, substitutions, transpositions = segeval.boundary_edit_distance(*strings)
    return {
        "reference": sides[0],
        "hypothesis": sides[1],
        "r": mask(reference["n_units"], reference["boundaries"]),
        "h": mask(hypothesis["n_units"], hypothesis["boundaries"]),
        "k": k,
        "half_up": half_up,
        "additions": additions,
        "substitutions": substitutions,
        "transpositions": transpositions,
    }


OPTIONS = sorted({equal.options for equal in OF_PAIRS})


@pytest.mark.first
@pytest.mark.parametrize(
    ("data", "options"), [("tinyrec", ()), *(("stargazer", options) for options in OPTIONS)]
)
def test_columns_of_pairs_equal_segeval_and_nltk(
    segscore: Segscore, tmp_path: Path, data: str, options: tuple[str, ...]
) -> None:
    table = DATA / f"{data}.jsonl"
    run = tmp_path / "run"
    assert segscore("score", table, table, *options, "--measures", "all", "--output", run).code == 0
    listed = [json.loads(line) for line in table.read_text().splitlines()]
    by_name = {(row["document_id"], row["coder"]): row for row in listed}
    scored = read_rows(run, "scores")
    assert len(scored) >= 28
    for row in scored:
        sides = [by_name[row["document_id"], row[side]] for side in ("reference", "hypothesis")]
        known = called(sides[0], sides[1], row["window"])
        for equal in (equal for equal in OF_PAIRS if equal.options == options):
            theirs, ours = evaluated(equal.call, known), evaluated(equal.columns, row)
            assert ours == pytest.approx(theirs, abs=1e-12), (equal, row["document_id"])


@pytest.fixture
def codings(tmp_path: Path) -> Path:
    """Codings of group 5 of Moonstone."""
    lines = (DATA / "moonstone.jsonl").read_text().splitlines(keepends=True)
    table = tmp_path / "g5.jsonl"
    table.write_text("".join(line for line in lines if json.loads(line)["group"] == "G5"))
    return table


@pytest.mark.first
@pytest.mark.parametrize("options", sorted({equal.options for equal in OF_CODERS}), ids=" ".join)
def test_columns_of_coders_equal_segeval_and_nltk(
    segscore: Segscore, tmp_path: Path, codings: Path, options: tuple[str, ...]
) -> None:
    run = tmp_path / "run"
    assert segscore("agree", codings, *options, "--output", run).code == 0
    known = {"dataset": segeval.KAZANTSEVA2012_G5}
    for equal in (equal for equal in OF_CODERS if equal.options == options):
        table, where = equal.where
        named = dict(part.replace("`", "").split() for part in where.split(", "))
        (row,) = (
            row
            for row in read_rows(run, table)
            if all(row[column] == value for column, value in named.items())
        )
        theirs, ours = evaluated(equal.call, known), evaluated(equal.columns, row)
        # Documents' chances are added up in units of 2^-36.
        assert ours == pytest.approx(theirs, abs=1e-11), equal


SIDE_BY_SIDE = re.findall(
    r"^\| ([\w.]+) \| (.*) \| `(segscore\..*|metric\..*)` \|$", PAGE, re.MULTILINE
)
"""Program, what is called there, and the call of segscore."""


@pytest.mark.parametrize(("program", "theirs", "ours"), SIDE_BY_SIDE)
def test_side_by_side(program: str, theirs: str, ours: str) -> None:
    """The calls on the right run, and give what segeval and NLTK give, of a pair of Stargazer."""
    sides = segeval.HEARST_1997_STARGAZER["stargazer"]
    reference, hypothesis = sides["1"], sides["2"]
    ref, hyp = (segscore.Segmentation.from_masses(side) for side in (reference, hypothesis))
    known: dict[str, Any] = {
        "reference": reference, "hypothesis": hypothesis, "ref": ref, "hyp": hyp, "r": ref.mask,
        "h": hyp.mask, "k": 3, "intervals": [(0, 2.5), (2.5, 9)], "metric": segscore.Metric("pk"),
        "segscore": segscore,
    }  # fmt: skip
    got = eval(ours, known)  # noqa: S307
    if program in ("segeval", "NLTK"):
        expected = eval(theirs.strip("`"), {**NAMES, **known})  # noqa: S307
        assert got == (expected if isinstance(got, tuple) else pytest.approx(float(expected)))


def test_every_program_is_there() -> None:
    programs = {program for program, _, _ in SIDE_BY_SIDE}
    assert programs == {"segeval", "NLTK", "mir_eval", "pyannote.metrics", "sacreBLEU"}


def public() -> Iterator[str]:
    """Public names of segeval and of NLTK's module."""
    yield from (f"segeval.{name}" for name in segeval.__all__)
    functions = inspect.getmembers(nltk, inspect.isfunction)
    yield from (f"nltk.{name}" for name, _ in functions if not name.startswith("_"))


@pytest.mark.parametrize("name", sorted(public()))
def test_every_public_name_is_on_the_page(name: str) -> None:
    assert any(re.search(rf"{re.escape(name)}\b", code) for code in LISTED.findall(PAGE))


@pytest.mark.parametrize("reader", ["input_linear_mass_json", "input_linear_mass_tsv"])
def test_segeval_cannot_read_its_files(reader: str, tmp_path: Path) -> None:
    segeval.output_linear_mass_json(str(tmp_path / "coders.json"), segeval.HEARST_1997_STARGAZER)
    with pytest.raises(ValueError, match="invalid mode"):
        getattr(segeval, reader)(str(tmp_path / "coders.json"))


@pytest.mark.parametrize(
    "name",
    [name for name in segeval.__all__ if isinstance(getattr(segeval, name), segeval.Dataset)],
)
def test_a_dataset_of_segeval_is_imported_completely(
    segscore: Segscore, tmp_path: Path, name: str
) -> None:
    dataset = getattr(segeval, name)
    segeval.output_linear_mass_json(str(tmp_path / "data.json"), dataset)
    assert segscore("import", tmp_path / "data.json", "--output", tmp_path / "tables").code == 0
    rows = read_rows(tmp_path / "tables", "references")
    assert {(row["document_id"], row["coder"]): masses(row) for row in rows} == {
        (item, coder): sizes
        for item, codings in dataset.items()
        for coder, sizes in codings.items()
    }
