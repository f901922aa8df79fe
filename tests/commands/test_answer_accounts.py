"""Failed answers and edited words stand beside each score: leaderboard, formats, cite, compare."""

import csv
import io
import json
from pathlib import Path

import pytest

import segscore as api
from segscore.pipeline.storage import read_table, write_table
from segscore.pipeline.tables.answer_accounts import ACCOUNTS_KEY, AnswerAccount, add_accounts
from tests.support.command_line import Segscore
from tests.support.rows import read_rows
from tests.support.written import write

UNITS = {f"d{number}": [f"one {number}", "two of it", "three so", "four"] for number in range(6)}
REWRITTEN = {
    **{name: "\n---\n".join((" ".join(t[:2]), " ".join(t[2:]))) for name, t in UNITS.items()},
    "d1": "one 1 two of this\n---\nthree so four",
    "d2": "",
}
NUMBERED = dict.fromkeys(UNITS, "Starts: 1, 3") | {"d4": "I cannot do that.", "d5": ""}


@pytest.fixture
def tables(segscore: Segscore, tmp_path: Path) -> Path:
    """Folder with references `gold.jsonl` and the imported answers `x`, `n` and `n2`."""
    source = write(
        tmp_path / "units.jsonl", ({"document_id": d, "units": t} for d, t in UNITS.items())
    )
    write(
        tmp_path / "gold.jsonl",
        (
            {"document_id": d, "coder": "gold", "n_units": 4, "boundaries": [2], "kind": d > "d2"}
            for d in UNITS
        ),
    )
    for name, form, answers in (
        ("x", ("--format", "rewritten", "--failed", "none"), REWRITTEN),
        ("n", ("--format", "numbered", "--first-number", "1", "--failed", "leave-out"), NUMBERED),
        ("n2", ("--format", "numbered", "--first-number", "1", "--failed", "leave-out"), NUMBERED),
    ):
        file = write(
            tmp_path / f"{name}.jsonl",
            ({"document_id": d, "output": text} for d, text in answers.items()),
        )
        options = ("--source", source, "--coder", f"gpt_{name[0]}", "--output", tmp_path / name)
        assert segscore("answers", file, *form, *options).code == 0
    return tmp_path


def scored(segscore: Segscore, tables: Path, *options: object) -> str:
    names = [tables / name / "hypotheses" for name in "xn"]
    ended = segscore(
        "score", tables / "gold.jsonl", *names, *options, "--output", tables / "run", "--fresh"
    )
    assert ended.code == 0, ended.err
    return ended.out


@pytest.mark.long
def test_texts_without_a_break_stand_beside_failed_ones(segscore: Segscore, tables: Path) -> None:
    answers = {**REWRITTEN, "d3": " ".join(UNITS["d3"])}
    file = write(tables / "y.jsonl", ({"document_id": d, "output": t} for d, t in answers.items()))
    options = ("--source", tables / "units.jsonl", "--coder", "y", "--output", tables / "y")
    form = ("--format", "rewritten", "--failed", "none")
    assert segscore("answers", file, *form, *options).code == 0
    run = ("score", tables / "gold.jsonl", tables / "x/hypotheses", tables / "y/hypotheses")
    ended = segscore(*run, "--format", "csv", "--output", tables / "both")
    rows = {row["hypothesis"]: row for row in csv.DictReader(io.StringIO(ended.out))}
    assert [rows[name]["undivided_answers"] for name in ("gpt_x", "y")] == ["0", "1"]
    assert [rows[name]["failed_answers"] for name in ("gpt_x", "y")] == ["1", "1"]


def test_they_are_in_every_format(segscore: Segscore, tables: Path) -> None:
    out = scored(segscore, tables, "--measures", "boundary_similarity")
    headings = " ".join(out.splitlines()[1:4]).split()  # releases of Rich wrap them differently
    assert {"failed", "answers", "edit", "rate"} <= {*headings}
    assert "failed answers: those that could not be used, of 6 answers" in " ".join(out.split())
    rows = list(csv.DictReader(io.StringIO(scored(segscore, tables, "--format", "csv"))))
    # One of 40 words is another one; the empty answer has failed and has no words.
    edited = {"gpt_x": str(1 / 40), "gpt_n": ""}
    assert {row["hypothesis"]: row["edit_rate"] for row in rows} == edited
    assert {row["hypothesis"]: row["failed_answers"] for row in rows} == {
        "gpt_x": "1",
        "gpt_n": "2",
    }
    summary = json.loads(scored(segscore, tables, "--format", "json"))["summary"]
    assert {(row["hypothesis"], row["answers"]) for row in summary} == {("gpt_x", 6), ("gpt_n", 6)}
    assert "failed answers" in scored(segscore, tables, "--format", "markdown").splitlines()[0]
    assert "could not be used, of 6 answers" in scored(segscore, tables, "--format", "latex")


def test_groups_and_reference_points_have_none(segscore: Segscore, tables: Path) -> None:
    scored(segscore, tables, "--group-by", "kind", "--reference-points", "none,random-own")
    rows = read_rows(tables / "run", "summary")
    told = {(r["hypothesis"], r["kind"]) for r in rows if r["failed_answers"] is not None}
    assert told == {("gpt_x", None), ("gpt_n", None)}


def test_cite_and_compare_tell_them(segscore: Segscore, tables: Path) -> None:
    scored(segscore, tables, "--reference-points", "random-own", "--draws", "8")
    told = segscore("cite", tables / "run").out.partition("\n")[0]
    assert r"2 of 6 answers of gpt\_n and 1 of 6 answers of gpt\_x (2.5\,\% of the" in told
    assert "numbers of units (failed ones are left out) and the text with breaks" in told
    assert "chance $c$ is the mean of 8 draws" in told
    options = ("--measure", "f1", "--output", tables / "compared")
    latex = segscore(
        "compare", tables / "run", *options, "--layout", "systems", "--format", "latex"
    )
    assert "could not be used, of 6 answers" in latex.out
    assert "2 of 6 answers of" in segscore("cite", tables / "compared").out


def test_trials_add_up_and_files_of_one_import_do_not(segscore: Segscore, tables: Path) -> None:
    trials = [tables / name / "hypotheses" for name in ("n", "n2")]
    output = tables / "trials"
    ended = segscore("score", tables / "gold.jsonl", "--trials", *trials, "--output", output)
    assert ended.code == 0, ended.err
    record = json.loads((output / "run.json").read_text())
    assert record["answers"] == {"gpt_n": {"answers": 12, "failed": 4, "words": 0, "edits": 0}}
    assert "the mean over the 2 trials of a system" in segscore("cite", output).out
    stated = read_table(str(trials[0])).schema.metadata[ACCOUNTS_KEY.encode()].decode()
    assert add_accounts([("a", stated), ("a", stated)]) == {"gpt_n": AnswerAccount(6, 2)}


def test_tables_in_memory_tell_them(tables: Path) -> None:
    hypotheses = read_table(str(tables / "x" / "hypotheses"))
    found = api.evaluate(references=str(tables / "gold.jsonl"), hypotheses=hypotheses)
    assert "failed answers  edit rate" in str(found)


@pytest.mark.first
@pytest.mark.parametrize(
    "text",
    [
        *("", "[]", "{", '{"a": 1}', '{"gpt_x": {"answers": 1, "failed": 2}}'),
        *('{"gpt_x": {"answers": -1}}', '{"gpt_x": {"answers": true}}', "[" * 100_000),
    ],
)
def test_forged_metadata_say_nothing(segscore: Segscore, tables: Path, text: str) -> None:
    table = read_table(str(tables / "x" / "hypotheses"))
    forged = tables / "forged.parquet"
    write_table(str(forged), [table.replace_schema_metadata({ACCOUNTS_KEY: text})])
    options = ("--format", "json", "--output", tables / "run")
    ended = segscore("score", tables / "gold.jsonl", forged, *options)
    assert ended.code == 0, ended.err
    assert {row["answers"] for row in json.loads(ended.out)["summary"]} == {None}
