"""Reading finished runs."""

import json
from pathlib import Path

import pyarrow as pa
import pytest

from segscore.pipeline.errors import Refused
from segscore.pipeline.runs.finished import FinishedRun, rows_by_group, rows_over_all
from segscore.pipeline.storage import write_table

RECORD = {"signature": "segscore|v:1", "pairs": 1, "rows": {}, "settings": {"codings": "c"}}


def finished(folder: Path) -> FinishedRun:
    """A run whose record lists two files of a table; the folder has a third one."""
    names = [f"{part}-0123abcd.parquet" for part in "abc"]
    for place, name in enumerate(names):
        write_table(str(folder / "coders" / name), pa.table({"coder": [name[0]], "n": [place]}))
    text = json.dumps({**RECORD, "files": {"coders": names[:2]}})
    (folder / "run.json").write_text(text)
    return FinishedRun.open(str(folder))


def test_only_listed_files_are_read(tmp_path: Path) -> None:
    run = finished(tmp_path)
    assert (run.command, run.signature) == ("agree", "segscore|v:1")
    assert run.table("coders").to_pylist() == run.rows("coders")
    assert run.table("coders", ["n"]).to_pylist() == [{"n": 0}, {"n": 1}]
    assert (run.files("peers"), run.rows("peers")) == ([], [])


def test_a_folder_without_a_finished_run_is_refused(tmp_path: Path) -> None:
    assert FinishedRun.find(str(tmp_path)) is None
    with pytest.raises(Refused, match="contains no run"):
        FinishedRun.open(str(tmp_path))


@pytest.mark.parametrize("by", [[], ["a"], ["a", "b"]])
def test_rows_over_all_documents_have_no_group(by: list[str]) -> None:
    """A row with a value in any group-by column describes a group."""
    rows = [{"a": a, "b": b} for a in (None, "x") for b in (None, 0)]
    table = pa.Table.from_pylist(rows)
    whole = [row for row in rows if all(row[name] is None for name in by)]
    assert rows_over_all(table, by) == whole
    assert rows_by_group(table, by) == [row for row in rows if row not in whole]
    assert rows_over_all(table.slice(0, 0), by) == []
