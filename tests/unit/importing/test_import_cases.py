"""Files of every format: the rows that an import makes of each, and refusals."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from segscore.pipeline import storage
from tests.support.command_line import CommandResult, Segscore
from tests.support.paths import ROOT

FILES = ROOT / "tests" / "data" / "formats"
CASES = [json.loads(line) for line in (FILES / "expected.jsonl").read_text().splitlines()]
LISTS = ("boundaries", "boundary_types", "unit_lengths")


def run(segscore: Segscore, case: dict[str, Any], output: Path) -> CommandResult:
    """Import the files of a case."""
    options = []
    for option, value in case["options"].items():
        text = str(FILES / value) if option == "--documents" else value
        options += [option] if value is True else [option, text]
    return segscore("import", *(FILES / f for f in case["files"]), "--output", output, *options)


def imported(output: Path) -> list[dict[str, Any]]:
    """Read the tables that an import wrote, as the rows of a case."""
    tables = {
        name: storage.read_table(str(output / name)) if (output / name).exists() else None
        for name in ("references", "hypotheses", "documents")
    }
    documents = {
        row["document_id"]: row
        for row in (tables["documents"].to_pylist() if tables["documents"] else [])
    }
    rows = []
    for name, role in (("references", "reference"), ("hypotheses", "hypothesis")):
        table = tables[name]
        if table is None:
            continue
        unit = (table.schema.metadata or {}).get(b"segscore.unit", b"").decode()
        for row in table.to_pylist():
            whole = {**documents.get(row["document_id"], {}), **row, "role": role, "unit": unit}
            rows.append({key: value for key, value in whole.items() if value is not None})
    return rows


def plain(row: dict[str, Any], columns: set[str]) -> dict[str, Any]:
    """Return a row with its attributes beside its columns, in one order."""
    flat = {**row, **row.get("attributes", {})}
    return {key: flat[key] for key in sorted(flat) if key in columns}


def key(row: dict[str, Any]) -> tuple[str, str, str]:
    return row["document_id"], row["coder"], row["role"]


@pytest.mark.first
@pytest.mark.parametrize("case", CASES, ids=[case["case"] for case in CASES])
def test_case(segscore: Segscore, tmp_path: Path, case: dict[str, Any]) -> None:
    result = run(segscore, case, tmp_path / "out")
    if "refused" in case:
        check_refused(result, case["refused"], tmp_path / "out")
        return
    assert result.code == 0, result.err
    assert "has no effect" not in result.err
    rows = sorted(imported(tmp_path / "out"), key=key)
    expected = sorted(case["rows"], key=key)
    unknown = {"role", "collapsed_boundaries", "doubled_separator"}
    names = {name for row in rows for name in row} - unknown | {"role"}
    wanted = {n for row in expected for n in (*row, *row["attributes"])} - {"attributes", "counted"}
    assert names == wanted | ({"unit"} & names)
    assert [plain(row, names) for row in rows] == [plain(row, names) for row in expected]
    check_said(result.out, case)


def check_said(out: str, case: dict[str, Any]) -> None:
    """Check that the output has exactly the counts of a case."""
    counted_lines = [
        line
        for line in out.splitlines()
        if not re.search(r": [0-9]+ rows?(, [0-9]+ segments?)?$|^longest document: ", line)
    ]
    for row in case["rows"]:
        lines = [
            line for line in counted_lines if f": {row['document_id']}, {row['coder']}: " in line
        ]
        assert len(lines) == bool(row["counted"]), (counted_lines, row)
        for number in row["counted"].values():
            assert re.search(rf"(?<![0-9,]){number:,}(?![0-9,])", lines[0]), (lines, number)
    for what in case["counted"].values():
        for text in what if isinstance(what, list) else [str(what)]:
            assert any(text in line for line in counted_lines), (counted_lines, text)
    assert len(counted_lines) == sum(bool(row["counted"]) for row in case["rows"]) + len(
        case["counted"]
    )


def check_refused(result: CommandResult, refused: dict[str, Any], output: Path) -> None:
    """Check that one line names the file, the line and what is wrong."""
    assert result.code == 2, result
    assert not output.exists()
    assert not result.out
    place = str(FILES / refused["file"])
    if refused["line"] is not None:
        place += f":{refused['line']}:"
    assert result.err.startswith(f"segscore: error: {place}"), result.err
    for text in refused["mentions"]:
        assert text in result.err.replace(place, ""), result.err
