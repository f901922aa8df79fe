"""Rows of runs that were read before: found again as they were, whoever else writes them."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from segscore.pipeline.nightly.summary_cache import SummaryCache, state_of

STATE = state_of({"fingerprint": "a"}, "verdict")
NIGHT = "date=2026-01-31"


def rows(run: str, **columns: list[Any]) -> pa.Table:
    """Return two rows of a run."""
    return pa.table({"run": [run, run], "value": [0.5, None], **columns})


def test_rows_are_found_as_long_as_the_run_is_the_same(tmp_path: Path) -> None:
    written = SummaryCache(str(tmp_path))
    written.add(NIGHT, STATE, rows(NIGHT))
    written.add("by hand", STATE, rows("by hand"))
    assert SummaryCache(str(tmp_path)).find(NIGHT, STATE) is None
    written.save()
    names = sorted(path.name for path in (tmp_path / "history" / "_read").iterdir())
    assert names == ["2026-01.parquet", "runs.parquet"]
    for record, verdict in (("b", "verdict"), ("a", "another"), ("a", None)):
        other = state_of({"fingerprint": record}, verdict)
        assert SummaryCache(str(tmp_path)).find(NIGHT, other) is None
    for name in (NIGHT, "by hand"):
        found = SummaryCache(str(tmp_path)).find(name, STATE)
        assert found is not None and found.equals(rows(name), check_metadata=True)
    assert SummaryCache(str(tmp_path)).find("date=2026-01-30", STATE) is None


def test_columns_of_each_run_are_its_own(tmp_path: Path) -> None:
    """Also where runs of a month differ; of two types of a column, one is read again."""
    kinds: dict[str, dict[str, list[Any]]] = {
        "date=2026-01-01": {"channel": ["one", None]},
        "date=2026-01-02": {},
        "date=2026-01-03": {"show": [1, 2]},
        "date=2026-01-04": {"show": ["1", "2"]},
    }
    written = SummaryCache(str(tmp_path))
    for name, columns in kinds.items():
        written.add(name, STATE, rows(name, **columns))
    written.save()
    read = SummaryCache(str(tmp_path))
    for name, columns in list(kinds.items())[:3]:
        found = read.find(name, STATE)
        assert found is not None and found.equals(rows(name, **columns))
    assert read.find("date=2026-01-04", STATE) is None
    narrow = SummaryCache(str(tmp_path), ["value", "show"]).find("date=2026-01-01", STATE)
    assert narrow is not None and narrow.column_names == ["run", "channel"]


@pytest.mark.parametrize("first_saves_last", [False, True])
def test_two_who_write_at_once_are_never_wrong(tmp_path: Path, *, first_saves_last: bool) -> None:
    """Each has read the files before the other wrote; what either wrote last is right."""
    one, other = SummaryCache(str(tmp_path)), SummaryCache(str(tmp_path))
    newer = state_of({"fingerprint": "newer"}, "verdict")
    assert one.find(NIGHT, STATE) is None and other.find(NIGHT, STATE) is None
    one.add(NIGHT, STATE, rows(NIGHT))
    other.add(NIGHT, newer, rows(NIGHT, channel=["two", "two"]))
    other.add("date=2026-01-30", STATE, rows("date=2026-01-30"))
    for each in (other, one) if first_saves_last else (one, other):
        each.save()
    expected = {STATE: rows(NIGHT), newer: rows(NIGHT, channel=["two", "two"])}
    found = {state: SummaryCache(str(tmp_path)).find(NIGHT, state) for state in expected}
    known = {state: table for state, table in found.items() if table is not None}
    assert len(known) == 1
    assert all(table.equals(expected[state]) for state, table in known.items())
    assert SummaryCache(str(tmp_path)).find("date=2026-01-30", STATE) is not None


def test_runs_that_do_not_exist_any_more_are_forgotten(tmp_path: Path) -> None:
    written = SummaryCache(str(tmp_path))
    written.add(NIGHT, STATE, rows(NIGHT))
    written.save()
    written.add("date=2026-01-30", STATE, rows("date=2026-01-30"))
    written.save({"date=2026-01-30"})
    assert SummaryCache(str(tmp_path)).find(NIGHT, STATE) is None
