"""`segscore agree --without`: an audit as if some coders had no codings."""

import json
from pathlib import Path

import pytest

from segscore.pipeline.storage import read_table
from tests.support.command_line import Segscore
from tests.support.rows import write_rows

CODINGS = {"ann": [3, 6], "ben": [3, 7], "cat": [4], "dan": [6]}
TABLES = ("agreement", "coders", "peers", "corpus", "documents", "pairs", "prominence", "unpaired")


def write(path: Path, *coders: str) -> Path:
    """Write seven documents, of which dan coded one."""
    rows = [
        {"document_id": f"d{i}", "coder": coder, "n_units": 9 + i, "boundaries": CODINGS[coder]}
        for i in range(7)
        for coder in coders
        if coder != "dan" or i == 0
    ]
    return write_rows(path, rows)


@pytest.mark.long
def test_it_is_the_audit_of_the_other_rows(segscore: Segscore, tmp_path: Path) -> None:
    every = write(tmp_path / "all.jsonl", *CODINGS)
    some = write(tmp_path / "some.jsonl", "ann", "ben")
    left = segscore("agree", every, "--without", "dan,cat", "--output", tmp_path / "left")
    alone = segscore("agree", some, "--output", tmp_path / "alone")
    assert (left.code, alone.code) == (0, 0), left.err
    for name in TABLES:
        assert read_table(f"{tmp_path / 'left' / name}").equals(
            read_table(f"{tmp_path / 'alone' / name}")
        ), name
    caption = "14 codings by 2 coders of 7 documents, 7 pairs"
    assert caption in alone.out
    assert f"{caption}, without cat and dan (8 codings)" in left.out
    record = json.loads((tmp_path / "left" / "run.json").read_text())
    assert record["left_out"] == {"cat": 7, "dan": 1}
    assert "|without:cat,dan|" in record["signature"]
    assert record["rows"]["codings"] == {"in": 14, "scored": 14, "rejected": 0, "unpaired": 0}
    page = segscore("report", tmp_path / "left", "--output", tmp_path / "page.html")
    assert page.code == 0
    assert "without cat and dan (8 codings)" in (tmp_path / "page.html").read_text()


def test_the_unit_of_a_window_is_of_the_others(segscore: Segscore, tmp_path: Path) -> None:
    every = write(tmp_path / "all.jsonl", *CODINGS)
    some = write(tmp_path / "some.jsonl", "ann", "ben")
    options = ("--window", "per-run", "--output")
    segscore("agree", every, "--without", "dan,cat", *options, tmp_path / "left")
    segscore("agree", some, *options, tmp_path / "alone")
    left, alone = (read_table(f"{tmp_path / name / 'pairs'}") for name in ("left", "alone"))
    assert left.equals(alone)


@pytest.mark.first
@pytest.mark.parametrize(
    ("names", "code", "message"),
    [
        ("catt", 2, "--without catt: there is no coder catt; the nearest is cat"),
        ("ann,xx", 2, "--without ann,xx: there is no coder xx; the coders are ann, "),
        ("ann,ben,cat", 1, "no document has two coders"),
        ("ann,ben,cat,dan", 2, "contains no coding but those of ann, ben, cat, dan"),
    ],
)
def test_names_that_cannot_be_left_out(
    segscore: Segscore, tmp_path: Path, names: str, code: int, message: str
) -> None:
    every = write(tmp_path / "all.jsonl", *CODINGS)
    refused = segscore("agree", every, "--without", names, "--output", tmp_path / "run")
    assert (refused.code, message in refused.err) == (code, True), refused.err
    corrected = segscore("agree", every, "--without", "dan", "--output", tmp_path / "run")
    assert corrected.code == 0, corrected.err
