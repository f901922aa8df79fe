"""The list of files in a run.json: names that segscore writes are accepted, others refused."""

import pytest

from segscore.pipeline.errors import Refused
from segscore.pipeline.runs import run_folder
from segscore.pipeline.storage.listed_files import RUN_TABLES, listed

GOOD = "part-00000-0123abcd.parquet"


def test_names_that_a_run_writes_are_accepted() -> None:
    files = {"scores": [GOOD, "a b-é-0123abcd.parquet"], "summary": []}
    assert listed({"files": files}, "run/run.json") == files


def test_all_tables_are_known() -> None:
    assert set(run_folder.RUN_TABLES) == set(RUN_TABLES)


@pytest.mark.parametrize(
    "name",
    [
        "../victim",
        "../part-0123abcd.parquet",
        "/etc/part-0123abcd.parquet",
        "..\\part-0123abcd.parquet",
        "a/b-0123abcd.parquet",
        "a\0b-0123abcd.parquet",
        "..-0123abcd.parquet",
        "_part-0123abcd.parquet",
        ".part-0123abcd.parquet",
        "-0123abcd.parquet",
        "part-0123ABCD.parquet",
        "part-0123abcd.parquet\n",
        "part-0123abcd",
        "notes.txt",
        ".",
        "..",
        "",
        7,
        None,
        [GOOD],
        "x" * 100_000,
    ],
)
def test_other_names_are_refused(name: object) -> None:
    with pytest.raises(Refused, match=r"^run/run\.json: .* among the files of scores") as refused:
        listed({"files": {"summary": [GOOD], "scores": [GOOD, name]}}, "run/run.json")
    assert len(str(refused.value)) < 250


@pytest.mark.parametrize(
    "record",
    [
        {},
        {"files": None},
        {"files": [GOOD]},
        {"files": {"scores": GOOD}},
        {"files": {"scores": {GOOD: 1}}},
        {"files": {"..": [GOOD]}},
        {"files": {"": [GOOD]}},
        {"files": {"notes": [GOOD]}},
        {"files": {"scores/..": []}},
    ],
)
def test_other_shapes_are_refused(record: dict[str, object]) -> None:
    with pytest.raises(Refused, match=r"^run/run\.json: "):
        listed(record, "run/run.json")
