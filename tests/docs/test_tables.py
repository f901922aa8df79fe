"""docs/tables.md agrees with the schemas and with the files that commands write."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pandera.pyarrow as pap
import pyarrow.parquet as pq  # noqa: TID251
import pytest

from docs.tools.table_rows import TableRow, table_rows
from segscore.api.output_tables import ATTRIBUTES, GROUPS, TABLES, OutputTable
from segscore.pipeline import storage
from segscore.pipeline.measures.selection import EVERYTHING, select
from segscore.pipeline.measures.several_references import OVER_REFERENCES
from segscore.pipeline.runs import run_folder
from segscore.pipeline.storage import read_table
from segscore.pipeline.tables import contradictions, faults
from segscore.schemas import records, rejects
from segscore.schemas.columns import arrow_type, number_or_null
from segscore.schemas.documents import DOCUMENTS
from segscore.schemas.records import Key
from tests.support.command_line import Segscore
from tests.support.nights import DAYS, GOOD, Archive, rows
from tests.support.paths import DATA, ROOT
from tests.support.rows import read_rows, write_rows

Rows = list[dict[str, Any]]


def data(name: str) -> Rows:
    """Return the lines of a table that ships with the tests."""
    return [json.loads(line) for line in (DATA / f"{name}.jsonl").read_text("utf-8").splitlines()]


def written(run: Path) -> dict[str, set[str]]:
    """Table -> names of its files."""
    folders = (path for path in run.iterdir() if path.is_dir())
    return {folder.name: {file.name for file in folder.iterdir()} for folder in folders}


def of(command: str) -> list[OutputTable]:
    """Return the documented tables of a command."""
    return [table for table in TABLES if table.command == command]


def keep(tables: Iterable[OutputTable], run: Path, beside: Mapping[str | None, list[str]]) -> None:
    """Compare each file of a run with its table on the page."""
    measures = json.loads((run / "run.json").read_text())["settings"].get("measures", ())
    every, computed = (
        {name for kind in (chosen.pairs, chosen.panels) for name in (*kind.counts, *kind.measures)}
        for chosen in (select((EVERYTHING,)), select(tuple(measures)))
    )
    asked = every - computed
    absent = {*asked, *(f"{over}_{name}" for name in asked for over in ("mean", "best"))}
    for table in tables:
        names = table.columns(beside.get(table.beside, []))
        if table.schema.name in ("scores", "panel_scores"):
            names = [name for name in names if name not in absent]
        for file in (run / table.name).iterdir():
            actual = pq.read_schema(file)
            assert actual.names == names, table.name
            column_types = {
                name: arrow_type(column) for name, column in table.schema.columns.items()
            }
            column_types = {name: kind for name, kind in column_types.items() if name in names}
            assert column_types == {name: actual.field(name).type for name in column_types}, (
                table.name
            )
        read = read_table(str(run / table.name))
        assert read.num_rows, f"{table.name} is not tested without a row"
        table.schema.validate(read, lazy=True)


def keys(value: Any, name: str = "") -> Iterator[str]:
    """Yield the keys of a record, in the notation of the page."""
    if isinstance(value, dict):
        for key, below in value.items():
            yield from keys(below, f"{name}.{key}" if name else key)
    elif isinstance(value, list) and value:
        for below in value:
            yield from keys(below, f"{name}[]")
    else:
        yield name


def known(key: str, described: Iterable[Key]) -> bool:
    """Whether the page has a key; an empty list counts as its elements."""
    parts = key.replace("[]", "").split(".")
    for element in described:
        pattern = element.name.replace("[]", "").split(".")
        if pattern == ["settings"] and parts[0] == "settings":
            return True
        ends = len(parts) == len(pattern) or ("[]" in element.name and len(parts) < len(pattern))
        if ends and all(a in ("*", b) for a, b in zip(pattern, parts, strict=False)):
            return True
    return False


def record(run: Path, command: str) -> None:
    """Compare run.json with the page, and its list with the files of the folder."""
    run_record = json.loads((run / "run.json").read_text())
    described = [key for key in records.RUN if command in (key.commands or (command,))]
    assert [key for key in keys(run_record) if not known(key, described)] == []
    assert {key.name.split(".")[0].removesuffix("[]") for key in described} == run_record.keys()
    assert {table: set(files) for table, files in run_record["files"].items()} == written(run)


def test_every_table_and_rule_is_on_the_page() -> None:
    without_run = (None, "trend-table", "import", "trend", "reconcile", "simulate-values")
    assert {table.name for table in TABLES if table.command not in without_run} == set(
        run_folder.RUN_TABLES
    )
    assert set(rejects.BETWEEN_ROWS) == {
        faults.EXACT_COPY,
        contradictions.UNIQUE_CODER,
        contradictions.UNIQUE_DOCUMENT,
        faults.SAME_UNITS,
    }
    for table in TABLES:
        assert table.schema.description
        assert all(column.description for column in table.schema.columns.values())


def test_every_column_is_in_the_section_of_its_table() -> None:
    sections = re.split(r"^#+ ", (ROOT / "docs" / "tables.md").read_text("utf-8"), flags=re.M)
    by_title = {text.split("\n")[0]: text for text in sections}
    for table in TABLES:
        text = by_title[f"{table.name}{' (input)' if table.command is None else ''}"]
        columns = [name for name in table.schema.columns if name not in OVER_REFERENCES.measures]
        assert [name for name in columns if f"`{name}`" not in text] == [], table.name


def test_columns_that_differ_by_their_names_share_a_row() -> None:
    columns = {
        "pi_exact_low": number_or_null("lower end of the interval of pi_exact"),
        "pi_exact_high": number_or_null("upper end of the interval of pi_exact"),
        "other": number_or_null("upper end of the interval of pi_exact"),
    }
    table = OutputTable(pap.DataFrameSchema(columns, name="alone"), "score", "nowhere")
    assert list(table_rows(table, (), before=())) == [
        TableRow(("pi_exact_low", "pi_exact_high"), "`float64?`", "… end of the interval of …"),
        TableRow(("other",), "`float64?`", "upper end of the interval of pi_exact"),
    ]
    links = [TableRow((*columns,), "", "as in [alone](#alone)")]
    assert list(table_rows(table, (), before=(table,))) == links


@pytest.mark.long
def test_score(segscore: Segscore, tmp_path: Path) -> None:
    """Score meetings with words, groups, consensus, panels, reference points and confusion."""
    meetings = data("tinyrec")
    again = [{**row, "coder": "second", "role": "reference"} for row in meetings[1:20:2]]
    alone = {**meetings[1], "document_id": "alone"}
    table, tables = (
        write_rows(tmp_path / "all.jsonl", [*meetings, *again, alone]),
        tmp_path / "tables",
    )
    assert segscore("import", table, "--output", tables).code == 0
    good = read_rows(tables, "references")
    bad = {**good[0], "coder": "third", "boundaries": [9, 3]}
    references = write_rows(tmp_path / "references.jsonl", [*good, bad])
    run = tmp_path / "run"
    result = segscore(
        "score", references, tables / "hypotheses", "--documents", tables / "documents",
        "--output", run, "--units", "words", "--group-by", "level,split", "--consensus", "0.5",
        "--confusion", "--reference-points", "none,all,human",
        "--measures", "default,b_tp",
    )  # fmt: skip
    assert result.code == 0, result.err
    described = read_table(str(tables / "documents")).column_names
    attributes = [name for name in described if name not in DOCUMENTS.columns]
    without_labels = [table for table in of("score") if table.name != "label_confusion"]
    keep(without_labels, run, {ATTRIBUTES: attributes, GROUPS: ["level", "split", "reference"]})
    assert set(written(run)) == {table.name for table in without_labels}
    record(run, "score")
    compared = tmp_path / "compared"
    ratings = [
        {"document_id": row["document_id"], "system": row["coder"], "rating": number}
        for number, row in enumerate(meetings)
    ]
    result = segscore(
        "compare", run, "--measure", "window_diff,b_tp,mult_window_diff", "--group-by", "level",
        "--where", "--output", compared, "--layout", "ranks", "--permutations", 20,
        "--ratings", write_rows(tmp_path / "ratings.jsonl", ratings),
    )  # fmt: skip
    assert result.code == 0, result.err
    others = ("published", "changes", "changed")
    always = tuple(table for table in of("compare") if table.name not in others)
    keep(always, compared, {GROUPS: ["level"]})
    assert set(written(compared)) == {table.name for table in always}
    record(compared, "compare")


def test_sweep(segscore: Segscore, tmp_path: Path) -> None:
    listed = data("stargazer")
    bad = {**listed[0], "coder": "bad", "boundaries": [0]}
    references = write_rows(
        tmp_path / "references.jsonl", [*listed, bad, {**listed[0], "document_id": "x"}]
    )
    scored = [
        {**row, "boundary_scores": [1 / (1 + i) for i, _ in enumerate(row["boundaries"])]}
        for row in listed
        if row["role"] == "hypothesis"
    ]
    run = tmp_path / "run"
    swept = ("sweep", references, write_rows(tmp_path / "scored.jsonl", scored), "--output", run)
    beside = [table for table in of("score") if table.name in ("rejects", "unpaired")]
    for left_out, options in (
        (("tolerances", "measured", "ranks"), ()),
        (("tolerances", "ranks"), ("--measure", "f1", "--fresh")),
        (("curves", "operating_points", "measured", "ranks"), ("--tolerances", "0,2", "--fresh")),
        (("curves", "operating_points", "measured", "tolerances"), ("--windows", "3", "--fresh")),
    ):
        result = segscore(*swept, *options)
        assert result.code == 0, result.err
        tables = [table for table in of("sweep") if table.name not in left_out]
        keep([*tables, *beside], run, {})
        assert set(written(run)) == {table.name for table in (*tables, *beside)}
        record(run, "sweep")


def test_agree(segscore: Segscore, tmp_path: Path) -> None:
    """The novel's chapters have one that is coded once, and one wrong coding."""
    listed = data("moonstone")
    bad = {**listed[0], "coder": "bad", "boundaries": [0]}
    listed = [row | {"boundary_types": [1] * len(row["boundaries"])} for row in listed]
    table = write_rows(
        tmp_path / "codings.jsonl", [*listed, bad, {**listed[0], "document_id": "x"}]
    )
    run = tmp_path / "run"
    result = segscore("agree", table, "--group-by", "group", "--output", run)
    assert result.code == 0, result.err
    beside = [table for table in of("score") if table.name in ("rejects", "unpaired")]
    keep([*of("agree"), *beside], run, {ATTRIBUTES: ["group"], GROUPS: ["group"]})
    assert set(written(run)) == {table.name for table in (*of("agree"), *beside)}
    record(run, "agree")


def test_nights(segscore: Segscore, tmp_path: Path) -> None:
    """Of two nights the second fails; one system is new and one is missing."""
    archive = Archive(tmp_path / "archive", tmp_path, segscore)
    archive.settle(score='group-by = "program"')
    for night, systems in ((DAYS[0], {**GOOD, "gone": 0.7}), (DAYS[1], {**GOOD, "new": 0.7})):
        chances = systems if night == DAYS[0] else {**systems, "other": 0.3}
        for role in ("reference", "hypothesis"):
            listed = [{**row, "program": "news"} for row in rows(night, role, chances)]
            archive.put(night, role, listed)
        archive.run(night)
    assert archive.outcome(DAYS[1]) == "failed"
    verdict = archive.read(DAYS[1], "night.json")
    assert verdict["missing"] and verdict["new"] and verdict["checks"][0]["system"]
    assert [key for key in keys(verdict) if not known(key, records.NIGHT_RECORD)] == []
    assert {
        key.name.split(".")[0].removesuffix("[]") for key in records.NIGHT_RECORD
    } == verdict.keys()
    moved = [moved for check in verdict["checks"] for moved in check["moved"]]
    for part, prefix in ((verdict["checks"][0], "checks[]."), (moved[0], "checks[].moved[].")):
        documented_keys = {
            key.name.removeprefix(prefix)
            for key in records.NIGHT_RECORD
            if key.name.startswith(prefix)
        }
        assert {name.split("[")[0] for name in documented_keys} == part.keys()
    assert segscore("trend", "--table", archive.runs).code == 0
    corrected = [
        {**row, "program": "news", "boundaries": row["boundaries"][1:]}
        for row in rows(DAYS[0], "reference", GOOD)
    ]
    archive.put(DAYS[0], "reference", corrected)
    assert archive.run(DAYS[0]).code == 0
    for documented in of("trend-table"):
        place = documented.place.strip("`").removeprefix("RUNS/").removesuffix("/*.parquet")
        table = read_table(storage.join(archive.runs, place))
        groups = ["program"] if documented.beside is not None else []
        assert table.column_names == documented.columns(groups)
        documented.schema.validate(table, lazy=True)
        for name, column in documented.schema.columns.items():
            assert table.schema.field(name).type == arrow_type(column)
