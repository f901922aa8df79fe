"""`--layout ROWS,COLUMNS,CELLS` of score and compare: one table for a paper, in every format."""

import csv
import io
import json
from pathlib import Path
from typing import Any

from tests.support.command_line import Segscore
from tests.support.comparisons import refusal_line
from tests.support.rows import read_rows, write_rows

GROUPS = ("law", "sport", "all")


def tables(folder: Path) -> tuple[Path, Path]:
    """Two systems on documents of two domains; each is better on one of them."""
    references: list[dict[str, Any]] = [
        {"document_id": f"d{n}", "coder": "gold", "n_units": 9, "boundaries": [3, 6],
         "domain": GROUPS[n % 2]}
        for n in range(6)
    ]  # fmt: skip
    hypotheses = [
        {
            "document_id": f"d{n}",
            "coder": name,
            "n_units": 9,
            "boundaries": [3, 6] if (n + shift) % 2 else [3],
        }
        for name, shift in (("a", 0), ("b", 1))
        for n in range(6)
    ]
    return (
        write_rows(folder / "gold.jsonl", references),
        write_rows(folder / "systems.jsonl", hypotheses),
    )


def test_values_are_those_of_the_summary(segscore: Segscore, tmp_path: Path) -> None:
    gold, systems = tables(tmp_path)
    options = ("--group-by", "domain", "--measures", "f1,pk", "--layout", "crossed")
    command = ("score", gold, systems, "--output", tmp_path / "run", *options)
    text = segscore(*command)
    assert text.code == 0, text.err
    printed = list(csv.DictReader(io.StringIO(segscore(*command, "--format", "csv").out)))
    assert [(row["measure"], row["hypothesis"]) for row in printed] == [
        ("f1", "a"), ("f1", "b"), ("pk", "a"), ("pk", "b"),
    ]  # fmt: skip
    values = {
        (row["measure"], row["hypothesis"], row["domain"] or "all"): row["value"]
        for row in read_rows(tmp_path / "run", "summary")
        if row["average"] == "micro"
    }
    for row in printed:
        for group in GROUPS:
            assert float(row[group]) == values[row["measure"], row["hypothesis"], group]
    latex = segscore(*command, "--format", "latex").out
    assert latex.count("\\begin{table}") == 2
    assert r"a & 0.6667 & \textbf{1.0000} &" in latex
    markdown = segscore(*command, "--format", "markdown").out
    assert all(f" {group} |" in markdown.splitlines()[0] for group in GROUPS)


def test_there_have_to_be_groups(segscore: Segscore, tmp_path: Path) -> None:
    gold, systems = tables(tmp_path)
    result = segscore("score", gold, systems, "--output", tmp_path / "run", "--layout", "crossed")
    assert "--group-by" in refusal_line(result)


def test_systems_by_groups_have_the_intervals_of_the_comparison(
    segscore: Segscore, tmp_path: Path
) -> None:
    gold, systems = tables(tmp_path)
    run = ("score", gold, systems, "--group-by", "domain", "--output", tmp_path / "run")
    assert segscore(*run).code == 0
    options = ("--measure", "pk,f1", "--group-by", "domain", "--output", tmp_path / "compared")
    command = ("compare", tmp_path / "run", *options, "--layout", "systems,groups")
    result = segscore(*command, "--format", "csv")
    assert result.code == 0, result.err
    rows = {
        (row["measure"], row["system"], row["domain"] or "all"): row
        for row in read_rows(tmp_path / "compared", "systems")
        if row["average"] == "micro"
    }
    printed = list(csv.DictReader(io.StringIO(result.out)))
    assert len(printed) == 4
    for row in printed:
        for group in GROUPS:
            expected = rows[row["measure"], row["system"], group]
            for suffix, name in (("", "value"), ("_low", "ci_low"), ("_high", "ci_high")):
                found = row[group + suffix]
                assert (float(found) if found else None) == expected[name]
    assert segscore(*command, "--format", "latex").out.count("\\begin{table}") == 2


def test_ranks_by_measures_have_kendalls_tau(segscore: Segscore, tmp_path: Path) -> None:
    gold, systems = tables(tmp_path)
    options = ("--output", tmp_path / "run", "--group-by", "domain", "--measures", "pk,f1")
    layout = ("--layout", "systems,measures,rank", "--format", "markdown")
    lines = segscore("score", gold, systems, *options, *layout).out.splitlines()
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines if line[:1] == "|"]
    assert rows[0] == ["domain", "system", "pk", "f1"]
    assert rows[2:4] == [["law", "a", "2", "2"], ["law", "b", "1", "1"]]
    assert any(line.startswith("law: ") and "tau with pk: f1 1.00" in line for line in lines)


def test_the_deviation_over_trials_is_that_of_the_summary(
    segscore: Segscore, tmp_path: Path
) -> None:
    gold, first = tables(tmp_path)
    rows = [json.loads(line) | {"boundaries": [4]} for line in first.read_text().splitlines()]
    second = write_rows(tmp_path / "second.jsonl", rows)
    options = ("--trials", "--output", tmp_path / "run", "--measures", "pk,f1")
    layout = ("--layout", "systems,measures,sd")
    printed = segscore("score", gold, first, second, *options, *layout, "--format", "csv").out
    found = {row["hypothesis"]: float(row["f1_sd"]) for row in csv.DictReader(io.StringIO(printed))}
    summary = read_rows(tmp_path / "run", "summary")
    assert found == {
        row["hypothesis"]: row["sd_trials"]
        for row in summary
        if (row["measure"], row["average"]) == ("f1", "micro")
    }
    refused = segscore("score", gold, first, "--output", tmp_path / "one", *layout)
    assert "--trials" in refusal_line(refused)


def test_scores_of_each_document_as_csv(segscore: Segscore, tmp_path: Path) -> None:
    gold, systems = tables(tmp_path)
    options = ("--output", tmp_path / "run", "--layout", "documents")
    printed = segscore("score", gold, systems, *options, "--format", "csv")
    assert printed.code == 0, printed.err
    rows = read_rows(tmp_path / "run", "scores")
    found = list(csv.DictReader(io.StringIO(printed.out)))
    assert len(found) == len(rows) == 12
    for row, expected in zip(found, rows, strict=True):
        assert row["document_id"] == expected["document_id"]
        assert float(row["pk"]) == expected["pk"]
    assert "LaTeX" in refusal_line(segscore("score", gold, systems, *options, "--format", "latex"))


def test_other_layouts_are_refused(segscore: Segscore, tmp_path: Path) -> None:
    gold, systems = tables(tmp_path)
    for layout in ("systems,systems", "systems,shows", "systems,measures,mean", "systems,"):
        options = ("--output", tmp_path / "run", "--layout", layout, "--format", "csv")
        result = segscore("score", gold, systems, *options)
        assert "two of systems, groups, measures" in refusal_line(result)


def test_words_without_n_t_say_how_close_near_misses_are(
    segscore: Segscore, tmp_path: Path
) -> None:
    gold, systems = tables(tmp_path)
    rows = [{"document_id": f"d{n}", "n_units": 9, "unit_lengths": [8] * 9} for n in range(6)]
    documents = write_rows(tmp_path / "documents.jsonl", rows)
    command = ("score", gold, systems, "--documents", documents, "--units", "words")
    said = segscore(*command, "--output", tmp_path / "a").err
    assert "less than 2 words apart" in said
    assert "apart" not in segscore(*command, "--output", tmp_path / "b", "--n-t", 16).err
