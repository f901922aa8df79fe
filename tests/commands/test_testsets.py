"""`segscore testsets`, and what other commands say of the references that they read."""

import json
from pathlib import Path
from random import Random

import pyarrow as pa
import pyarrow.parquet as pq  # noqa: TID251
import pytest

from segscore.pipeline.runs import planning
from segscore.pipeline.runs.planning import Limits
from tests.support.command_line import Segscore
from tests.support.comparisons import Row, refusal_line, write
from tests.support.paths import DATA


def tinyrec() -> list[Row]:
    return [json.loads(line) for line in (DATA / "tinyrec.jsonl").read_text().splitlines()]


def test_all_sets_are_listed(segscore: Segscore) -> None:
    listed = segscore("testsets", "--format", "json")
    rows = json.loads(listed.out)["testsets"]
    assert {row["set"] for row in rows} > {"DialSeg711", "Clinical", "TIAGE", "Choi 2000"}
    shown = segscore("testsets")
    for row in rows:
        assert row["set"] in shown.out
        assert row["fingerprint"] in shown.out


def test_a_set_is_shown_with_its_published_scores(segscore: Segscore) -> None:
    shown = segscore("testsets", "wiki-50")
    assert "14.97" in shown.out
    assert "textseg" in shown.out
    published = json.loads(segscore("testsets", "tinyrec", "--format", "json").out)["published"]
    assert len(published) == 84


@pytest.mark.parametrize(
    ("name", "remark"),
    [
        ("TIAG", "the nearest is TIAGE"),
        ("TIAEG", "the nearest is TIAGE"),
        ("Dialseg", "the nearest is DialSeg711"),
        ("superdial", "the nearest is SuperDialseg"),
        ("choi", "the nearest is Choi 2000"),
        ("wiki-", "there are wiki-727k and wiki-50"),
        ("xyz", "no such test set"),
        ("", "no such test set"),
    ],
)
def test_a_beginning_of_a_name_comes_before_similar_names(
    segscore: Segscore, name: str, remark: str
) -> None:
    line = refusal_line(segscore("testsets", name))
    assert f"; {remark}; " in line or f"{name}: {remark}; `segscore testsets`" in line


@pytest.mark.parametrize("whole", [True, False], ids=["whole", "parts"])
def test_a_set_is_recognised_in_any_order_and_format(
    segscore: Segscore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, whole: bool
) -> None:
    rows = tinyrec()
    names = {row["document_id"]: f"x{i}" for i, row in enumerate(rows)}
    renamed = [{**row, "document_id": names[row["document_id"]]} for row in rows]
    references = [row for row in renamed if row["role"] == "reference"]
    Random(4).shuffle(references)  # noqa: S311
    columns = ("document_id", "coder", "n_units", "boundaries")
    table = pa.Table.from_pylist([{name: row[name] for name in columns} for row in references])
    pq.write_table(table, tmp_path / "references.parquet", row_group_size=5)
    hypotheses = [row for row in renamed if row["role"] == "hypothesis"]
    write(tmp_path / "hypotheses.jsonl", hypotheses[:30])
    if not whole:
        monkeypatch.setattr(planning, "LIMITS", Limits(rows_per_part=9))
    sides = tmp_path / "references.parquet", tmp_path / "hypotheses.jsonl"
    run = tmp_path / "run"
    result = segscore("score", *sides, "--output", run)
    assert result.code == 0, result.err
    assert "references: TinyRec, all 42 documents" in result.out.splitlines()
    record = json.loads((run / "run.json").read_text())["test_set"]
    assert record.pop("fingerprint").startswith("54d605988c3f5011061316e1")
    assert record == {
        "name": "TinyRec",
        "split": "all",
        "documents": 42,
        "recognised": 42,
        "also": [],
    }
    assert "TinyRec, all 42" in segscore("validate", sides[0]).out


def test_a_changed_boundary_is_counted(segscore: Segscore, tmp_path: Path) -> None:
    rows = tinyrec()
    rows[0]["boundaries"][0] += 1
    path = write(tmp_path / "rows.jsonl", rows)
    line = "references: TinyRec: 41 of 42 documents; 1 other reference"
    assert line in segscore("validate", path).out.splitlines()
    result = segscore("score", path, path, "--output", tmp_path / "run")
    assert line in result.out.splitlines()
    validated = json.loads(segscore("validate", path, "--format", "json").out)
    assert validated["test_set"]["recognised"] == 41


def test_a_set_of_ones_own_is_recognised(segscore: Segscore, tmp_path: Path) -> None:
    described = segscore("testsets", "Mine", "--describe", DATA / "stargazer.jsonl").out
    assert 'boundaries": 49' in described
    (tmp_path / "mine.json").write_text(described)
    own = ("--registry", tmp_path / "mine.json")
    checked = segscore("validate", DATA / "stargazer.jsonl", *own)
    assert "references: Mine, all 7 references of 1 document" in checked.out
    assert "Mine" in segscore("testsets", *own).out
    other = tinyrec()[0] | {"document_id": "stargazer"}
    path = write(tmp_path / "rows.jsonl", [other | {"coder": str(i)} for i in range(7)])
    renamed = segscore("validate", path, *own)
    assert "7 documents named as in Mine, but 7 have other boundaries" in renamed.err
    missing = segscore("score", path, path, "--output", tmp_path / "r", "--registry", "no.json")
    assert "there is no such file" in refusal_line(missing)


def test_a_convention_is_applied(segscore: Segscore) -> None:
    table = DATA / "tinyrec.jsonl"
    result = segscore("reconcile", table, table, "--apply", "tinyrec", "--measure", "pk")
    assert result.code == 0, result.err
    assert result.out.splitlines()[-1] == "EquiSeg: pk 0.48623"
    both = segscore("reconcile", table, table, "--apply", "tinyrec", "--published", ".3")
    assert "--apply tinyrec: omit --published" in refusal_line(both)
