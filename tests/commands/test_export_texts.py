"""Segmentations and errors in texts, for programs in which people mark texts."""

import json
import re
from pathlib import Path
from random import Random
from typing import Any

import pytest

from segscore.pipeline.storage import read_table
from tests.support.command_line import Segscore
from tests.support.comparisons import line, refusal_line, scored

WORDS = ("Good", "evening", "\n floods", "😀", "Leeds  drew", "weather")


def corpus(folder: Path, segscore: Segscore) -> tuple[Path, Path, dict[str, list[str]]]:
    """Score a system on three generated texts; return the run, the file of the units, the units."""
    draw = Random(7)  # noqa: S311
    rows: list[dict[str, Any]] = []
    texts = {}
    for name in ("a", "b/c", "d"):
        n_units = draw.randrange(6, 12)
        texts[name] = [" ".join(draw.choices(WORDS, k=draw.randrange(4))) for _ in range(n_units)]
        for coder, role in (("desk", "reference"), ("news", "hypothesis")):
            marks = sorted(draw.sample(range(1, n_units), 3))
            rows.append(line(name, coder, role, marks, n_units=n_units))
    run = scored(segscore, folder / "x", rows)
    units = folder / "units.jsonl"
    records = ({"document_id": name, "units": texts[name]} for name in texts)
    units.write_text("".join(f"{json.dumps(record)}\n" for record in records))
    return run, units, texts


def test_texts_come_back_from_label_studio(segscore: Segscore, tmp_path: Path) -> None:
    run, units, texts = corpus(tmp_path, segscore)
    out, back = tmp_path / "out", tmp_path / "back"
    exported = segscore(
        "export", run, "--format", "label-studio", "--units", units, "--output", out
    )
    assert exported.code == 0, exported.err
    assert {file.name for file in out.iterdir()} == {"a.json", "b%2Fc.json", "d.json"}
    options = ("--set", "from_name=segments", "--set", "text_units=lines", "--output", back)
    read = segscore("import", out, *options)
    assert read.code == 0, read.err
    given = [json.loads(text) for text in (tmp_path / "x" / "table.jsonl").read_text().splitlines()]
    found = [*read_table(str(back / "references")).to_pylist()]
    found += read_table(str(back / "hypotheses")).to_pylist()
    expected = {(row["document_id"], row["coder"]): row for row in given}
    assert len(found) == len(expected) == 6
    for row in found:
        same = expected[row["document_id"], row["coder"]]
        assert (row["n_units"], row["boundaries"]) == (same["n_units"], same["boundaries"])
    for file in out.iterdir():
        (task,) = json.loads(file.read_text())
        text = task["data"]["text"]
        assert len(text.split("\n")) == len(texts[task["data"]["document_id"]])
        for result in task["predictions"][0]["result"]:
            value = result["value"]
            assert text[value["start"] : value["end"]] == value["text"]


def test_edits_are_those_of_explain_in_brat(segscore: Segscore, tmp_path: Path) -> None:
    """Each edit lies on the lines that its boundaries start; fragments are of the text."""
    run, units, texts = corpus(tmp_path, segscore)
    out = tmp_path / "out"
    chosen = ("--format", "brat", "--units", units, "--output", out)
    assert segscore("export", run, *chosen).code == 0
    for name in texts:
        file = name.replace("/", "%2F")
        text = (out / "edits" / "news against desk" / f"{file}.txt").read_text()
        lines = text.splitlines()
        starts = [sum(len(each) + 1 for each in lines[:n]) for n in range(len(lines))]
        printed = segscore("explain", run, "--document", name, "--format", "json").out
        (pair,) = json.loads(printed)["pairs"]
        expected = []
        for edit in pair["edits"]:
            sides = [p for p in (edit["position"], edit["other_position"]) if p is not None]
            expected.append((edit["kind"], min(sides), max(sides)))
        found = []
        for each in (out / "edits" / "news against desk" / f"{file}.ann").read_text().splitlines():
            if match := re.fullmatch(r"T\d+\t(\w+) ([\d ;]+)\t(.+)", each):
                fragments = [[*map(int, part.split())] for part in match[2].split(";")]
                assert " ".join(text[a:b] for a, b in fragments) == match[3]
                begun = [starts.index(a) for a, _ in fragments]
                found.append((match[1], begun[0], begun[-1]))
        assert sorted(found) == sorted(expected)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--format", "brat"), "--format brat: needs the texts; name them with --units"),
        (("--format", "elan", "--units", "{units}"), "--units: elan has no texts"),
        (("--format", "elan"), "or the texts of the units with --units"),
        (("--format", "brat", "--units", "{units}"), "name a folder with --output"),
        (("--format", "brat", "--units", "{units}", "--document", "e"), "no accepted reference"),
    ],
)
def test_what_has_no_texts_is_refused(
    segscore: Segscore, tmp_path: Path, options: tuple[str, ...], message: str
) -> None:
    run, units, _ = corpus(tmp_path, segscore)
    given = [option.format(units=units) for option in options]
    assert message in refusal_line(segscore("export", run, *given))
