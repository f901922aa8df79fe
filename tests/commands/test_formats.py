"""Results as JSON, CSV and Markdown on standard output, for other programs."""

import csv
import json
import re
from pathlib import Path
from typing import Any

import pytest

from segscore.pipeline.measures import ALL
from segscore.pipeline.storage import read_table
from tests.support.audits import contested_order
from tests.support.command_line import CommandResult, Segscore
from tests.support.nights import DAYS, Archive
from tests.support.paths import DATA
from tests.support.placements import refusal_line
from tests.support.report_pages import plain
from tests.support.rows import read_rows, write_rows
from tests.support.scored import scored_corpus, write

TINYREC = DATA / "tinyrec.jsonl"
COMMON = {"schema_version", "command", "signature", "settings", "rows", "pairs", "warnings"}


@pytest.fixture
def scored(segscore: Segscore, tmp_path: Path) -> Path:
    points = ("--reference-points", "none", "--group-by", "level")
    assert segscore("score", TINYREC, TINYREC, *points, "--output", tmp_path / "run").code == 0
    return tmp_path / "run"


def loaded(result: CommandResult) -> dict[str, Any]:
    """Return the only object on standard output."""
    assert result.code == 0, result.err
    contents = json.loads(result.out, parse_constant=lambda text: pytest.fail(text))
    assert isinstance(contents, dict) and contents["schema_version"] == 1
    return contents


def rows_of_csv(result: CommandResult) -> list[dict[str, str]]:
    assert result.code == 0, result.err
    return list(csv.DictReader(result.out.splitlines()))


def in_csv(row: dict[str, Any]) -> dict[str, str]:
    return {name: "" if value is None else str(value) for name, value in row.items()}


def again(run: Path, *options: object) -> list[object]:
    """Return the command that made a run, which prints its results again."""
    points = ("--reference-points", "none", "--group-by", "level")
    return ["score", TINYREC, TINYREC, *points, "--output", run, *options]


def test_score(segscore: Segscore, scored: Path) -> None:
    contents = loaded(segscore(*again(scored, "--format", "json")))
    record = json.loads((scored / "run.json").read_text())
    assert contents.keys() >= COMMON | {"summary", "output"}
    assert contents["command"] == "score" and contents["output"] == str(scored)
    assert all(contents[name] == record[name] for name in COMMON - {"schema_version", "command"})
    summary = read_rows(scored, "summary")
    assert contents["summary"] == summary
    fresh = segscore(*again(scored, "--format", "json", "--fresh"))
    assert loaded(fresh)["summary"] == summary and not fresh.err
    text = segscore(*again(scored))
    assert "already contains this run" in text.out and "micro averages over" in text.out
    assert "written to" not in text.out and "written to" in segscore(*again(scored, "--fresh")).out
    listed = rows_of_csv(segscore(*again(scored, "--format", "csv", "--layout", "measures")))
    own = {"signature": record["signature"]}
    assert listed == [in_csv(row) | own for row in summary]


def test_score_by_system(segscore: Segscore, scored: Path) -> None:
    whole = {
        (row["hypothesis"], row["measure"]): row
        for row in read_rows(scored, "summary")
        if row["average"] == "micro" and row["level"] is None
    }
    rows = rows_of_csv(segscore(*again(scored, "--format", "csv")))
    assert [row["hypothesis"] for row in rows] == ["EquiSeg", "point:none"]
    for row in rows:
        for name in {measure for _, measure in whole}:
            expected = whole[row["hypothesis"], name]
            shown = {"": "value", "_low": "ci_low", "_high": "ci_high"}
            for suffix, part in shown.items():
                value = row[name + suffix]
                assert (float(value) if value else None) == expected[part]
        assert row["average"] == "micro"
    printed = segscore(*again(scored, "--format", "markdown")).out
    assert "\n\nmicro averages\n\n`segscore|" in printed
    markdown = printed.splitlines()
    assert len([line for line in markdown if line.startswith("|")]) == 2 + len(rows)
    groups = rows_of_csv(segscore(*again(scored, "--format", "csv", "--layout", "groups")))
    assert [row["level"] for row in groups] == ["", "", "coarse", "coarse", "fine", "fine"]


def test_score_in_latex(segscore: Segscore, tmp_path: Path) -> None:
    """The best is bold, also of several groups; values are those of CSV."""
    run = ("score", DATA / "stargazer.jsonl", DATA / "stargazer.jsonl", "--consensus", "0.5")
    options = (*run, "--measures", "boundary_similarity,pk", "--output", tmp_path / "run")
    printed = segscore(*options, "--format", "latex", "--layout", "groups")
    assert printed.code == 0, printed.err
    tables = printed.out.split("\n\n")
    assert r"\caption{Reference all, micro averages; best values bold.}" in tables[0]
    for number, table in enumerate(tables, start=1):
        (label,) = re.findall(r"\\label\{(.*)\}", table)
        assert label.startswith("tab:") and label.endswith(f"-{number}")
        assert r"segscore|\allowbreak n\_t:2" in table
        (heading,) = [line for line in table.splitlines() if line.startswith("system")]
        for place, name in enumerate(heading.removesuffix(r" \\").split(" & ")[2:], start=2):
            lines = [line for line in table.splitlines() if line.startswith("textseg")]
            cells = [line.removesuffix(r" \\").split(" & ")[place] for line in lines]
            values = [float(re.sub(r"\\textbf|[{}]", "", cell)) for cell in cells]
            bold = [cell.startswith(r"\textbf") for cell in cells]
            best = (max if r"\uparrow" in name else min)(values)
            assert bold == [value == best for value in values], table
    refused = segscore(*options, "--format", "latex", "--layout", "measures")
    assert refused.code == 2 and "name systems or groups" in refused.err


def test_there_are_no_groups_without_attributes(segscore: Segscore, tmp_path: Path) -> None:
    command = ("score", TINYREC, TINYREC, "--output", tmp_path / "run")
    warning = "warning: --layout groups: there are no groups; repeat the command with --group-by"
    assert warning in segscore(*command, "--layout", "groups").err
    grouped = segscore(*command, "--layout", "groups", "--group-by", "level", "--fresh")
    assert grouped.code == 0 and not grouped.err


def test_compare(segscore: Segscore, scored: Path, tmp_path: Path) -> None:
    output = tmp_path / "comparison"
    command = ("compare", scored, "--measure", "b_precision", "--output", output)
    contents = loaded(segscore(*command, "--format", "json"))
    assert contents.keys() >= COMMON | {"comparisons", "systems", "worst"}
    for name in ("comparisons", "systems", "worst"):
        assert contents[name] == read_rows(output, name)
    assert contents == loaded(segscore(*command, "--format", "json"))
    assert any(row["value"] is None for row in contents["systems"])


def test_agree(segscore: Segscore, tmp_path: Path) -> None:
    output = tmp_path / "audit"
    command = ("agree", DATA / "moonstone.jsonl", "--output", output)
    contents = loaded(segscore(*command, "--format", "json"))
    for name in ("agreement", "coders", "peers", "corpus"):
        assert contents[name] == read_rows(output, name)
    documents = read_rows(output, "documents")
    most = sorted(documents, key=contested_order)
    contested = [row["document_id"] for row in contents["contested"]]
    assert contested == [row["document_id"] for row in most][: len(contested)]
    assert loaded(segscore(*command, "--format", "json")) == contents
    rows = rows_of_csv(segscore(*command, "--format", "csv"))
    own = {"signature": contents["signature"]}
    assert rows == [in_csv(row) | own for row in contents["agreement"]]


def test_nightly(segscore: Segscore, tmp_path: Path) -> None:
    archive = Archive(tmp_path / "archive", tmp_path, segscore)
    for night, chance in zip(DAYS[:2], (0.9, 0.2), strict=True):
        archive.deliver(night, {"steady": chance})
    assert archive.run(DAYS[0]).code == 0
    failed = archive.run(DAYS[1], "--format", "json")
    assert failed.code == 1 and "steady got worse: boundary_similarity 0." in failed.err
    contents = json.loads(failed.out)
    night = json.loads(Path(archive.folder_of(DAYS[1]), "night.json").read_text())
    assert contents["night"] == night and night["outcome"] == "failed"
    summary = read_table(f"{archive.folder_of(DAYS[1])}/summary").to_pylist()
    assert contents["summary"] == summary
    rows = csv.DictReader(archive.run(DAYS[1], "--format", "csv").out.splitlines())
    assert [(row["system"], row["result"]) for row in rows] == [("steady", "failed")]


def test_a_change_within_noise_is_named_in_tables_for_people(
    segscore: Segscore, tmp_path: Path
) -> None:
    archive = Archive(tmp_path / "archive", tmp_path, segscore)
    archive.settle(gate="boundary_similarity>=-0")
    for night, chance in zip(DAYS[:2], (0.7, 0.65), strict=True):
        archive.deliver(night, {"steady": chance}, documents=10)
        assert archive.run(night).code == 0
    printed = {name: archive.run(DAYS[1], "--format", name).out for name in ("csv", "markdown")}
    (row,) = csv.DictReader(printed["csv"].splitlines())
    assert float(row["change"]) < 0 and row["result"] == "passed"
    assert "within noise" in printed["markdown"] and "within noise" in archive.run(DAYS[1]).out


def test_the_headline_of_a_failed_nights_page_is_what_got_worse(
    segscore: Segscore, tmp_path: Path
) -> None:
    archive = Archive(tmp_path / "archive", tmp_path, segscore)
    archive.settle(gate="boundary_similarity>=-0.01")
    for night, chance, code in zip(DAYS[:2], (0.9, 0.2), (0, 1), strict=True):
        archive.deliver(night, {"steady": 0.9, "falling": chance}, documents=20)
        assert archive.run(night).code == code
    assert segscore("report", archive.folder_of(DAYS[1]), "--output", tmp_path / "p.html").code == 0
    page = (tmp_path / "p.html").read_text("utf-8")
    (headline,) = map(plain, re.findall("<h1.*?</h1>", page))
    assert "<bdi>falling</bdi></b> got worse." in headline and "failed" in headline
    assert "<b><bdi>1 of 2</bdi></b> <span>checks fail</span>" in page


@pytest.mark.parametrize("options", [(), ("--tolerances", "0,2")])
def test_sweep(segscore: Segscore, tmp_path: Path, options: tuple[str, ...]) -> None:
    write(scored_corpus(seed=4), tmp_path)
    output = tmp_path / "run"
    command = ("sweep", tmp_path / "references", tmp_path / "hypotheses", *options)
    fresh = segscore(*command, "--output", output, "--format", "json")
    contents = loaded(fresh)
    assert contents.keys() >= COMMON | {"output"} and not fresh.err
    tables = ("tolerances",) if options else ("curves", "operating_points")
    for name in tables:
        assert contents[name] == read_rows(output, name)
    assert loaded(segscore(*command, "--output", output, "--format", "json")) == contents
    rows = rows_of_csv(segscore(*command, "--output", output, "--format", "csv"))
    own = {"signature": contents["signature"]}
    assert rows == [in_csv(row) | own for row in contents[tables[0]]]
    again = segscore(*command, "--output", output).out.splitlines()
    assert "already contains this run" in again[0]
    printed = segscore(*command, "--output", output, "--fresh").out.splitlines()
    where = f"written to {output}"
    assert any(line.endswith(where) for line in printed)
    assert again[1:] == [line.removesuffix(f"; {where}") for line in printed if line != where]


def test_history(segscore: Segscore, scored: Path, tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    scored.rename(tmp_path / "runs" / "one")
    other = ("--n-t", 3, "--output", tmp_path / "runs" / "two")
    assert segscore("score", TINYREC, TINYREC, *other).code == 0
    contents = loaded(segscore("trend", "--table", tmp_path / "runs", "--format", "json"))
    assert contents["output"] == f"{tmp_path}/runs/history/history.parquet"
    assert contents["missing"] == contents["removed"] == []
    one, two = contents["runs"]
    assert (one["run"], one["date"], one["outcome"]) == ("one", None, None)
    assert (one["differs_from_previous"], two["differs_from_previous"]) == ("", "n_t was 2, is 3")
    rows = rows_of_csv(segscore("trend", "--table", tmp_path / "runs", "--format", "csv"))
    summary = read_rows(tmp_path, "runs/one/summary")
    of_system = ("EquiSeg", "pk", "micro")
    row = next(r for r in summary if (r["hypothesis"], r["measure"], r["average"]) == of_system)
    found = next(each for each in rows if (each["run"], each["hypothesis"]) == ("one", "EquiSeg"))
    assert (found["measure"], found["average"]) == ("pk", "micro")
    assert float(found["value"]) == row["value"] and int(found["documents"]) == row["documents"]
    assert {each["run"] for each in rows} == {"one", "two"}


def test_history_of_runs_without_averages(segscore: Segscore, tmp_path: Path) -> None:
    """A panel measure has no value where every document has one reference."""
    row = '{"document_id": "d", "coder": "%s", "role": "%s", "n_units": 9, "boundaries": [4]}\n'
    table = tmp_path / "t.jsonl"
    table.write_text(row % ("desk", "reference") + row % ("a", "hypothesis"))
    options = ("--measures", "mult_window_diff", "--output", tmp_path / "runs" / "one")
    assert segscore("score", table, table, *options).code == 0
    history = ("trend", "--table", tmp_path / "runs", "--format")
    for name in ("text", "json", "csv", "markdown"):
        assert segscore(*history, name).code == 0
    header = (
        "run,date,outcome,hypothesis,measure,average,value,ci_low,ci_high,documents,defined,gate,"
        "series,restated_at"
    )
    assert segscore(*history, "csv").out.splitlines() == [header]


def test_explain(segscore: Segscore, scored: Path) -> None:
    document = read_rows(scored, "scores")[0]["document_id"]
    command = ("explain", scored, "--document", document, "--format")
    contents = loaded(segscore(*command, "json"))
    (pair,) = contents["pairs"]
    score = next(
        row
        for row in read_rows(scored, "scores")
        if row["document_id"] == document and row["hypothesis"] == pair["hypothesis"]
    )
    kinds = [edit["kind"] for edit in pair["edits"]]
    assert kinds.count("match") == score["matches"]
    assert kinds.count("near_miss") == score["near_misses"]
    assert kinds.count("miss") == score["misses"]
    assert kinds.count("false_alarm") == score["false_alarms"]
    names = {name: pair[name] for name in ("document", "hypothesis", "reference")}
    rows = rows_of_csv(segscore(*command, "csv"))
    assert rows == [in_csv(names | edit) for edit in pair["edits"]]


def test_validate(segscore: Segscore, tmp_path: Path) -> None:
    row = {"document_id": "a", "coder": "x", "n_units": 10, "boundaries": [3]}
    broken = [row, row | {"document_id": "b", "boundaries": [12]}]
    table = tmp_path / "table.jsonl"
    write_rows(table, broken)
    result = segscore("validate", table, "--format", "json")
    assert result.code == 1 and not result.err
    contents = json.loads(result.out)
    assert (contents["rows"], contents["rejected"], contents["warnings"]) == (2, 1, [])
    (reject,) = contents["rejects"]
    assert (reject["document_id"], reject["rule"]) == ("b", "boundaries_in_range")
    rows = csv.DictReader(segscore("validate", table, "--format", "csv").out.splitlines())
    assert list(rows) == [in_csv(reject)]
    table.write_text(json.dumps(row))
    assert loaded(segscore("validate", table, "--format", "json"))["rejects"] == []


def test_status_and_measures(segscore: Segscore, scored: Path) -> None:
    contents = loaded(segscore("show", scored, "--format", "json"))
    assert contents["state"] == "finished" and contents["published"] is True
    assert contents["stages"] == {} and contents["host"] is None
    assert contents["pairs"] == 84
    (row,) = rows_of_csv(segscore("show", scored, "--format", "csv"))
    assert row["state"] == "finished" and row["run"] == str(scored)
    listed = loaded(segscore("measures", "--format", "json"))["measures"]
    assert [row["measure"] for row in listed] == list(ALL)
    in_csv = rows_of_csv(segscore("measures", "--format", "csv"))
    # A text that a spreadsheet would take for a formula begins with an apostrophe.
    assert [row | {"range": row["range"].removeprefix("'")} for row in in_csv] == listed
    markdown = segscore("measures", "--format", "markdown").out
    assert markdown.count("\n| ") == len(ALL)


def test_logs_are_apart_from_results(segscore: Segscore, scored: Path) -> None:
    result = segscore(*again(scored, "--format", "json", "--log-format", "json"))
    loaded(result)
    logged = [json.loads(line) for line in result.err.splitlines()]
    assert [line["message"] for line in logged][-1] == "finished"


@pytest.mark.parametrize(
    "command",
    ["score", "agree", "sweep", "nightly", "trend --table", "explain", "validate", "show",
     "measures", "compare"],
)  # fmt: skip
def test_an_unknown_format_is_refused(segscore: Segscore, command: str) -> None:
    inputs = {"score": ["a", "b"], "sweep": ["a", "b"], "nightly": [], "measures": []}
    needed = {
        "score": ["--output", "c"],
        "agree": ["--output", "c"],
        "sweep": ["--output", "c"],
        "explain": ["--document", "d"],
        "compare": ["--measure", "pk"],
    }
    words = [*command.split(), *inputs.get(command, ["a"]), *needed.get(command, [])]
    assert "must be one of text, json" in refusal_line(segscore(*words, "--format", "xml"))


def test_the_gate_of_a_comparison(segscore: Segscore, scored: Path, tmp_path: Path) -> None:
    """The checks are part of the one object, and no part of a table; a failure ends with 1."""
    assert segscore("score", TINYREC, TINYREC, "--output", tmp_path / "other").code == 0
    rule = "boundary_similarity>=-0.01"
    runs = (scored, tmp_path / "other", "--measure", "boundary_similarity")
    command = ("compare", *runs, "--gate", rule, "--format")
    (check,) = loaded(segscore(*command, "json"))["checks"]
    assert (check["rule"], check["result"]) == (rule, "passed")
    rows = rows_of_csv(segscore(*command, "csv"))
    assert {row["measure"] for row in rows} == {"boundary_similarity"}
