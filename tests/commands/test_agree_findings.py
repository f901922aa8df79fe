"""`segscore agree`: a careless coder, one who copies and one who drifts are named."""

import csv
import json
from pathlib import Path
from random import Random

import pytest

from segscore.pipeline.agreement.contested import contested_documents
from segscore.pipeline.runs.finished import FinishedRun
from segscore.pipeline.storage import read_table
from tests.support.command_line import Segscore
from tests.support.rows import write_rows

MONTHS = [f"2026-{month:02d}" for month in range(1, 13)]
CODERS = "ABCDEFGHIJKL"


def code(boundaries: list[int], n_units: int, draw: Random, error: float) -> list[int]:
    """Code a document with errors: omitted boundaries, and as many at other positions."""
    kept = {boundary for boundary in boundaries if draw.random() >= error}
    added = len(boundaries) - len(kept)
    return sorted(kept | {draw.randrange(1, n_units) for _ in range(added)})


@pytest.fixture(scope="module")
def codings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twelve coders: B is careless, H copies from G, K gets worse every month."""
    draw, rows = Random(7), []  # noqa: S311
    for number in range(120):
        month = number % len(MONTHS)
        n_units = draw.randint(30, 60)
        true = sorted(draw.sample(range(1, n_units), 6))
        document = {"document_id": f"d{number}", "n_units": n_units, "month": MONTHS[month]}
        coded = {
            coder: code(true, n_units, draw, {"B": 0.65, "K": 0.1 + 0.05 * month}.get(coder, 0.25))
            for coder in CODERS
        }
        coded["H"] = code(coded["G"], n_units, draw, 0.02)
        rows += [{**document, "coder": coder, "boundaries": coded[coder]} for coder in CODERS]
    path = tmp_path_factory.mktemp("audit") / "codings.jsonl"
    return write_rows(path, rows)


def starred(out: str) -> set[str]:
    """Return the coders with a star in the printed table."""
    return {line[0] for line in out.splitlines() if line[:1] in CODERS and line[1:3] == " *"}


@pytest.mark.long
def test_who_stands_out_is_named(segscore: Segscore, tmp_path: Path, codings: Path) -> None:
    run = tmp_path / "run"
    options = ("--group-by", "month", "--output", run)
    result = segscore("agree", codings, *options)
    assert result.code == 0, result.err
    whole = {
        row["coder"]: row for row in read_table(f"{run}/coders").to_pylist() if row["month"] is None
    }
    assert "B" in [coder for coder, row in whole.items() if row["low_agreement"]]
    assert [coder for coder, row in whole.items() if row["drifting"]] == ["K"]
    assert whole["K"]["peer_drift"] < 0
    assert not any(row["outlying_rate"] for row in whole.values())
    pairs = [row for row in read_table(f"{run}/peers").to_pylist() if row["month"] is None]
    assert [(row["coder"], row["peer"]) for row in pairs if row["high_agreement"]] == [("G", "H")]
    by_month = [row for row in read_table(f"{run}/coders").to_pylist() if row["month"] is not None]
    assert all(row["drifting"] is None and row["peer_drift"] is None for row in by_month)
    for sentence in (
        "pi by boundary_similarity is ",
        "B's boundaries agree with the others' by 0.",
        "G and H mark the same places to the unit (",
        "Of the others, a coder would be named from 0.",
        "K agrees less and less with the others: ",
    ):
        assert sentence in result.out
    assert starred(result.out) == {"B", "K"}
    left = tmp_path / "left"
    assert segscore("agree", codings, "--without", "B,K", "--output", left).code == 0
    listed = [row["document_id"] for row in contested_documents(FinishedRun.open(str(left)))[0]]
    said = f"most contested, without B and K: {', '.join(listed[:5])}"
    assert said in result.out.splitlines()
    assert "* stands out" in result.out
    others = whole["B"]["others_boundary_similarity"]
    assert f"theirs with each other by {others:.2f}: " in result.out


def test_guidelines_are_compared_by_name(segscore: Segscore, tmp_path: Path) -> None:
    draw, rows = Random(3), []  # noqa: S311
    for number in range(60):
        guideline = ("old", "new")[number % 2]
        true = sorted(draw.sample(range(1, 40), 5))
        document = {"document_id": f"d{number}", "n_units": 40, "guideline": guideline}
        error = {"old": 0.5, "new": 0.1}[guideline]
        rows += [
            {**document, "coder": coder, "boundaries": code(true, 40, draw, error)}
            for coder in "AB"
        ]
    path = tmp_path / "codings.jsonl"
    write_rows(path, rows)
    options = ("--group-by", "guideline", "--output", tmp_path / "run")
    result = segscore("agree", path, *options)
    assert result.code == 0, result.err
    groups = read_table(f"{tmp_path}/run/agreement").to_pylist()
    value = {
        row["guideline"]: row["value"]
        for row in groups
        if (row["coefficient"], row["similarity"]) == ("pi", "boundary_similarity")
    }
    assert (
        "Agreement is lower with guideline old than with new: pi by boundary_similarity is "
        f"{value['old']:.4f} with old and {value['new']:.4f} with new, difference -" in result.out
    )


def test_coders_who_always_agree_have_no_interval(segscore: Segscore, tmp_path: Path) -> None:
    rows = [
        {"document_id": f"d{number}", "coder": coder, "n_units": 20, "boundaries": [5, 9]}
        for number in range(8)
        for coder in "AB"
    ]
    path = tmp_path / "codings.jsonl"
    write_rows(path, rows)
    result = segscore("agree", path, "--output", tmp_path / "run")
    assert result.code == 0, result.err
    assert " is 1.000:" in result.out and "is 1.000 (95 %" not in result.out
    assert "is known to" not in result.out


@pytest.mark.long
def test_markdown_of_many_groups_is_short(
    segscore: Segscore, tmp_path: Path, codings: Path
) -> None:
    options = ("--group-by", "month", "--output", tmp_path / "run")
    result = segscore("agree", codings, *options, "--format", "markdown")
    assert result.code == 0, result.err
    table = [line for line in result.out.splitlines() if line.startswith("|")]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table]
    assert {row[0] for row in rows[2:]} == {"all", *MONTHS[:3]}
    in_all = len(segscore("agree", codings, *options, "--format", "csv").out.splitlines()) - 1
    left_out = in_all - len(rows[2:])
    assert (
        f"{left_out} more rows of 9 more groups are in the table `{tmp_path}/run/ag" in result.out
    )


@pytest.mark.long
def test_the_report_has_the_same_sentences(
    segscore: Segscore, tmp_path: Path, codings: Path
) -> None:
    run = tmp_path / "run"
    result = segscore("agree", codings, "--output", run)
    assert result.code == 0, result.err
    report = segscore("report", run, "--output", tmp_path / "report.html")
    assert report.code == 0, report.err
    page = (tmp_path / "report.html").read_text()
    sentences = [line for line in result.out.splitlines() if " mark the same places " in line]
    assert sentences and all(sentence in page for sentence in sentences)
    # Without months, K does not make more errors than honest coders might.
    assert starred(result.out) == {"B"}
    assert "B with peers by date" not in result.out


@pytest.mark.long
def test_every_coder_has_an_interval_in_every_format(
    segscore: Segscore, tmp_path: Path, codings: Path
) -> None:
    run = ("agree", codings, "--output", tmp_path / "run")
    text = segscore(*run)
    assert text.code == 0, text.err
    comma = segscore(*run, "--layout", "coders", "--format", "csv")
    (*rows,) = csv.DictReader(comma.out.splitlines())
    assert [row["coder"] for row in rows] == [*CODERS]
    page = segscore("report", tmp_path / "run", "--output", tmp_path / "report.html")
    assert page.code == 0, page.err
    drawn = (tmp_path / "report.html").read_text()
    printed = 0
    for row in rows:
        low, value, high = (
            float(row[f"peer_boundary_similarity{end}"]) for end in ("_low", "", "_high")
        )
        assert low < value < high
        printed += f"{value:.4f}  {low:.4f} to {high:.4f}" in text.out
        assert f"{low:.4f}" in drawn
    assert printed == 5  # those who agree least
    table = segscore(*run, "--layout", "coders", "--format", "markdown").out.splitlines()
    assert len([line for line in table if line.startswith("|")]) == 2 + len(CODERS)
    for wrong in (("coders",), ("coder", "--format", "csv")):
        refused = segscore(*run, "--layout", *wrong)
        assert (refused.code, "--layout" in refused.err) == (2, True)


@pytest.mark.long
def test_a_figure_and_a_table_of_coders_for_a_paper(
    segscore: Segscore, tmp_path: Path, codings: Path
) -> None:
    run = ("agree", codings, "--output", tmp_path / "run")
    drawn = segscore(*run, "--figure", tmp_path / "f.svg")
    assert (drawn.code, f"{tmp_path / 'f.svg'}: written" in drawn.err) == (0, True)
    text = (tmp_path / "f.svg").read_text()
    assert "agreement above chance" in text and "B to the others" in text
    assert all(f">{coder}<" in text for coder in CODERS)
    latex = segscore(*run, "--layout", "coders", "--format", "latex").out
    assert latex.count(r"{[}0.") == len(CODERS)
    assert r"\caption{Coders; B is boundary similarity" in latex
    sheet = segscore(*run, "--layout", "corpus", "--format", "latex").out
    assert r"all & 120 & 12 & 1,440 & " in sheet and r"\caption{The corpus; " in sheet
    rows = segscore(*run, "--layout", "corpus", "--format", "csv").out.splitlines()
    assert rows[0].startswith("documents,coded_once,codings,coders,") and len(rows) == 2
    for wrong in (("--figure", tmp_path / "f.gif"), ("--layout", "next", "--format", "latex")):
        refused = segscore(*run, "--next", 3, *wrong)
        assert (refused.code, wrong[0] in refused.err) == (2, True)


def test_too_few_coders_say_nothing_about_others(segscore: Segscore, tmp_path: Path) -> None:
    """One of three coders who marks little: no interval from below 0 to above 1 is printed."""
    rows = [
        {"document_id": f"d{number}", "coder": coder, "n_units": 30, "boundaries": boundaries}
        for number in range(20)
        for coder, boundaries in (
            ("A", [5, 12, 20]),
            ("B", [5, 12, 20 if number % 3 else 25]),
            ("C", [3 + number % 9]),
        )
    ]
    path = tmp_path / "codings.jsonl"
    write_rows(path, rows)
    result = segscore("agree", path, "--output", tmp_path / "run")
    assert result.code == 0, result.err
    said = "these are too few to predict the agreement of other coders: more coders help"
    assert said in " ".join(result.out.split())
    assert "expect -" not in result.out


@pytest.mark.long
def test_a_coder_has_a_page_without_other_names(
    segscore: Segscore, tmp_path: Path, codings: Path
) -> None:
    run, page = tmp_path / "run", tmp_path / "b.html"
    named = tmp_path / "named.jsonl"
    rows = [json.loads(line) for line in codings.read_text().splitlines()]
    rows = [row | {"coder": f"coder-{row['coder']}-name"} for row in rows]
    write_rows(named, rows)
    assert segscore("agree", named, "--output", run).code == 0
    result = segscore("report", run, "--coder", "coder-B-name", "--output", page)
    assert result.code == 0, result.err
    text = page.read_text()
    assert "coder-B-name&#39;s boundaries agree with the others&#39; by 0." in text
    assert "Documents to look at" in text and ">the others<" in text
    for coder in CODERS:
        assert (f"coder-{coder}-name" in text) is (coder == "B"), coder
    wrong = segscore("report", run, "--coder", "coder-b-name", "--output", tmp_path / "c.html")
    assert (wrong.code, "no such coder" in wrong.err) == (2, True)
