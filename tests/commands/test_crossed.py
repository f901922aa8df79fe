"""`segscore score --layout crossed`: systems by groups, in every format."""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from segscore.pipeline.storage import read_table
from tests.support.command_line import Segscore
from tests.support.comparisons import refusal_line

GROUPS = ("law", "sport", "all")


def write_jsonl(path: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


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
        write_jsonl(folder / "gold.jsonl", references),
        write_jsonl(folder / "systems.jsonl", hypotheses),
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
        for row in read_table(str(tmp_path / "run" / "summary")).to_pylist()
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


def test_words_without_n_t_say_how_close_near_misses_are(
    segscore: Segscore, tmp_path: Path
) -> None:
    gold, systems = tables(tmp_path)
    rows = [{"document_id": f"d{n}", "n_units": 9, "unit_lengths": [8] * 9} for n in range(6)]
    documents = write_jsonl(tmp_path / "documents.jsonl", rows)
    command = ("score", gold, systems, "--documents", documents, "--units", "words")
    said = segscore(*command, "--output", tmp_path / "a").err
    assert "less than 2 words apart" in said
    assert "apart" not in segscore(*command, "--output", tmp_path / "b", "--n-t", 16).err
