"""docs/tables.md: it is what the schemas say, and what the commands write is what it says."""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq  # noqa: TID251

from segscore.pipeline import storage
from segscore.pipeline.runs import run_folder
from segscore.pipeline.storage import read_table
from segscore.pipeline.tables import contradictions, document_lengths
from segscore.schemas import page, records, rejects
from segscore.schemas.documents import DOCUMENTS
from segscore.schemas.records import Key
from segscore.schemas.tables import ATTRIBUTES, GROUPS, TABLES, OutputTable, arrow_type
from tests.support.command_line import Segscore
from tests.support.nights import DAYS, GOOD, Archive, rows
from tests.support.paths import DATA, ROOT

Rows = list[dict[str, Any]]


def data(name: str) -> Rows:
    """The lines of a table that ships with the tests."""
    return [json.loads(line) for line in (DATA / f"{name}.jsonl").read_text("utf-8").splitlines()]


def put(path: Path, listed: Rows) -> Path:
    """Write a table as JSON Lines."""
    path.write_text("".join(json.dumps(row) + "\n" for row in listed))
    return path


def written(run: Path) -> dict[str, set[str]]:
    """Table -> names of its files."""
    folders = (each for each in run.iterdir() if each.is_dir())
    return {folder.name: {file.name for file in folder.iterdir()} for folder in folders}


def of(command: str) -> list[OutputTable]:
    """The tables of a command."""
    return [table for table in TABLES if table.command == command]


def keep(tables: Iterable[OutputTable], run: Path, beside: Mapping[str | None, list[str]]) -> None:
    """Hold each file of a run against the table it is of."""
    for table in tables:
        names = table.columns(beside.get(table.beside, []))
        for file in (run / table.name).iterdir():
            found = pq.read_schema(file)
            assert found.names == names, table.name
            own = {name: arrow_type(column) for name, column in table.schema.columns.items()}
            assert own == {name: found.field(name).type for name in own}, table.name
        read = read_table(str(run / table.name))
        assert read.num_rows, f"{table.name} is not tested without a row"
        table.schema.validate(read, lazy=True)


def keys(value: Any, name: str = "") -> Iterator[str]:
    """The keys of a record, as the page has them."""
    if isinstance(value, dict):
        for key, below in value.items():
            yield from keys(below, f"{name}.{key}" if name else key)
    elif isinstance(value, list) and value:
        for below in value:
            yield from keys(below, f"{name}[]")
    else:
        yield name


def known(key: str, described: Iterable[Key]) -> bool:
    """Whether the page has a key; an empty list stands for its elements."""
    parts = key.replace("[]", "").split(".")
    for each in described:
        pattern = each.name.replace("[]", "").split(".")
        if pattern == ["settings"] and parts[0] == "settings":
            return True
        ends = len(parts) == len(pattern) or ("[]" in each.name and len(parts) < len(pattern))
        if ends and all(a in ("*", b) for a, b in zip(pattern, parts, strict=False)):
            return True
    return False


def record(run: Path, command: str) -> None:
    """Hold run.json against the page, and what it lists against what is there."""
    told = json.loads((run / "run.json").read_text())
    described = [key for key in records.RUN if command in (key.commands or (command,))]
    assert [key for key in keys(told) if not known(key, described)] == []
    assert {key.name.split(".")[0].removesuffix("[]") for key in described} == told.keys()
    assert {table: set(files) for table, files in told["files"].items()} == written(run)


def test_the_page_is_what_the_schemas_say() -> None:
    assert (ROOT / "docs" / "tables.md").read_text("utf-8") == page.page(), "run `make columns`"


def test_every_table_and_rule_is_on_the_page() -> None:
    assert {table.name for table in TABLES if table.command not in (None, "history")} == set(
        run_folder.RUN_TABLES
    )
    assert set(rejects.BETWEEN_ROWS) == {
        contradictions.UNIQUE_CODER,
        contradictions.UNIQUE_DOCUMENT,
        document_lengths.SAME_UNITS,
    }
    for table in TABLES:
        assert table.schema.description
        assert all(column.description for column in table.schema.columns.values())


def test_score(segscore: Segscore, tmp_path: Path) -> None:
    """Meetings scored with all there is: words, groups, consensus, panels, points, confusion."""
    meetings = data("tinyrec")
    again = [{**row, "coder": "second", "role": "reference"} for row in meetings[1:20:2]]
    alone = {**meetings[1], "document_id": "alone"}
    table, tables = put(tmp_path / "all.jsonl", [*meetings, *again, alone]), tmp_path / "tables"
    assert segscore("import", table, "--output", tables).code == 0
    good = read_table(str(tables / "references")).to_pylist()
    bad = {**good[0], "coder": "third", "boundaries": [9, 3]}
    there = put(tmp_path / "references.jsonl", [*good, bad])
    run = tmp_path / "run"
    ended = segscore(
        "score", there, tables / "hypotheses", "--documents", tables / "documents",
        "--output", run, "--units", "words", "--group-by", "level,split", "--consensus", "0.5",
        "--confusion", "--reference-points", "none,human", "--replicates", 20,
    )  # fmt: skip
    assert ended.code == 0, ended.err
    described = read_table(str(tables / "documents")).column_names
    attributes = [name for name in described if name not in DOCUMENTS.columns]
    keep(of("score"), run, {ATTRIBUTES: attributes, GROUPS: ["level", "split", "reference"]})
    assert set(written(run)) == {table.name for table in of("score")}
    record(run, "score")
    compared = tmp_path / "compared"
    ended = segscore(
        "compare", run, "--measure", "window_diff,b_tp,mult_window_diff", "--group-by", "level",
        "--where", "--output", compared, "--replicates", 20, "--permutations", 20,
    )  # fmt: skip
    assert ended.code == 0, ended.err
    keep(of("compare"), compared, {GROUPS: ["level"]})
    assert set(written(compared)) == {table.name for table in of("compare")}
    record(compared, "compare")


def test_sweep(segscore: Segscore, tmp_path: Path) -> None:
    listed = data("stargazer")
    bad = {**listed[0], "coder": "bad", "boundaries": [0]}
    there = put(tmp_path / "references.jsonl", [*listed, bad, {**listed[0], "document_id": "x"}])
    scored = [
        {**row, "boundary_scores": [1 / (1 + i) for i, _ in enumerate(row["boundaries"])]}
        for row in listed
        if row["role"] == "hypothesis"
    ]
    run = tmp_path / "run"
    ended = segscore("sweep", there, put(tmp_path / "scored.jsonl", scored), "--output", run)
    assert ended.code == 0, ended.err
    beside = [table for table in of("score") if table.name in ("rejects", "unpaired")]
    keep([*of("sweep"), *beside], run, {})
    assert set(written(run)) == {table.name for table in (*of("sweep"), *beside)}
    record(run, "sweep")


def test_agree(segscore: Segscore, tmp_path: Path) -> None:
    """The novel's chapters, one of them coded once, one coding wrong."""
    listed = data("moonstone")
    bad = {**listed[0], "coder": "bad", "boundaries": [0]}
    table = put(tmp_path / "codings.jsonl", [*listed, bad, {**listed[0], "document_id": "x"}])
    run = tmp_path / "run"
    ended = segscore("agree", table, "--group-by", "group", "--output", run, "--replicates", 20)
    assert ended.code == 0, ended.err
    beside = [table for table in of("score") if table.name in ("rejects", "unpaired")]
    keep([*of("agree"), *beside], run, {ATTRIBUTES: ["group"], GROUPS: ["group"]})
    assert set(written(run)) == {table.name for table in (*of("agree"), *beside)}
    record(run, "agree")


def test_nights(segscore: Segscore, tmp_path: Path) -> None:
    """Two nights, the second of which fails, with a system that comes and one that goes."""
    archive = Archive(tmp_path / "archive", tmp_path, segscore)
    archive.settle(score='group-by = "program"')
    for night, systems in ((DAYS[0], {**GOOD, "gone": 0.7}), (DAYS[1], {**GOOD, "new": 0.7})):
        chances = systems if night == DAYS[0] else {**systems, "other": 0.3}
        for role in ("reference", "hypothesis"):
            listed = [{**row, "program": "news"} for row in rows(night, role, chances)]
            archive.put(night, role, listed)
        archive.run(night)
    assert archive.outcome(DAYS[1]) == "failed"
    told = archive.read(DAYS[1], "night.json")
    assert told["missing"] and told["new"] and told["checks"][0]["system"]
    assert [key for key in keys(told) if not known(key, records.NIGHT_RECORD)] == []
    assert {
        key.name.split(".")[0].removesuffix("[]") for key in records.NIGHT_RECORD
    } == told.keys()
    moved = [moved for check in told["checks"] for moved in check["moved"]]
    for part, prefix in ((told["checks"][0], "checks[]."), (moved[0], "checks[].moved[].")):
        own = {key.name.removeprefix(prefix) for key in records.NIGHT_RECORD if prefix in key.name}
        assert {name.split("[")[0] for name in own} == part.keys()
    assert segscore("history", archive.runs).code == 0
    (history,) = of("history")
    table = read_table(storage.join(archive.runs, "history"))
    assert table.column_names == history.columns(["program"])
    history.schema.validate(table, lazy=True)
    for name, column in history.schema.columns.items():
        assert table.schema.field(name).type == arrow_type(column)
