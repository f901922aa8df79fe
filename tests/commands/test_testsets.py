"""`segscore testsets`, and what other commands say of the references that they read."""

import json
from pathlib import Path
from random import Random

import pyarrow as pa
import pyarrow.parquet as pq  # noqa: TID251
import pytest

import segscore as segscore_library
from tests.support.command_line import Segscore
from tests.support.comparisons import Row, refusal_line
from tests.support.paths import DATA
from tests.support.written import write


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
    segscore: Segscore, tmp_path: Path, whole: bool
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
        segscore.cut(9)
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


def test_a_split_is_shown_by_the_name_that_other_commands_print(segscore: Segscore) -> None:
    checked = segscore("validate", DATA / "choi.jsonl").out
    assert "references: Choi 2000 1, all 200 documents" in checked
    shown = segscore("testsets", "choi 2000 1").out.splitlines()
    assert shown[0] == "Choi 2000 1"
    assert [line.split()[0] for line in shown if "fingerprint" not in line and "1,800" in line] == [
        "1"
    ]
    scores = segscore("testsets", "wiki-50", "--format", "json").out
    assert {row["split"] for row in json.loads(scores)["published"]} == {"all"}
    library_sets = segscore_library.testsets("Choi 2000 1")
    assert library_sets.sets.num_rows == 1


def test_a_set_that_ships_is_written_with_its_systems(segscore: Segscore, tmp_path: Path) -> None:
    news = tmp_path / "news"
    written = segscore("testsets", "Japanese news", "--write", news)
    assert written.code == 0, written.err
    assert f"{news}/hypotheses: 200 rows, 10 systems" in written.out.splitlines()
    rows = [json.loads(line) for line in (DATA / "news.jsonl").read_text("utf-8").splitlines()]
    roles = {"references": "reference", "hypotheses": "hypothesis"}
    for table, role in roles.items():
        found = pq.read_table(news / table).to_pylist()
        for row in found:  # the reference alone has them, and the tests' file has none
            kinds = row.pop("boundary_kinds", None)
            assert kinds is None or len(kinds) == len(row["boundaries"])
        assert found == [
            {name: value for name, value in row.items() if name != "role"}
            for row in rows
            if row["role"] == role
        ]
    mine = [row | {"coder": "mine"} for row in rows if row["coder"] == "full"]
    sides = news / "references", news / "hypotheses", write(tmp_path / "mine.jsonl", mine)
    scored = segscore("score", *sides, "--output", tmp_path / "run", "--format", "json")
    assert scored.code == 0, scored.err
    summary = json.loads(scored.out)["summary"]
    of_pk = [row for row in summary if (row["measure"], row["average"]) == ("pk", "micro")]
    value = {row["hypothesis"]: row["value"] for row in of_pk}
    assert len(value) == 11
    assert value["mine"] == value["full"]
    record = json.loads((tmp_path / "run" / "run.json").read_text())
    assert record["test_set"]["name"] == "Japanese news"
    assert record["unit"] == "millisecond"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("Japanese news", "--write", "news"), "--write news: already contains references"),
        (("TIAGE", "--write", "other"), "segscore does not ship TIAGE; it ships Japanese news"),
        (("--write", "other"), "--write: name the test set that is to be written"),
    ],
)
def test_what_cannot_be_written_is_said(
    segscore: Segscore,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "news/references").mkdir(parents=True)
    assert message in refusal_line(segscore("testsets", *arguments))
    assert not (tmp_path / "other").exists()


def test_scores_of_single_documents_come_last_and_few_are_shown(segscore: Segscore) -> None:
    shown = segscore("testsets", "Japanese news").out.splitlines()
    assert shown[-2] == "640 more, of single documents: --format csv"
    assert sum(line.startswith("all ") for line in shown) == 1 + 8 * 4
    rows = json.loads(segscore("testsets", "Japanese news", "--format", "json").out)["published"]
    assert len(rows) == 8 * 4 * 21


def test_a_convention_is_applied(segscore: Segscore) -> None:
    table = DATA / "tinyrec.jsonl"
    result = segscore("reconcile", table, table, "--apply", "tinyrec", "--measure", "pk")
    assert result.code == 0, result.err
    assert result.out.splitlines()[-1] == "EquiSeg: pk 0.48623"
    both = segscore("reconcile", table, table, "--apply", "tinyrec", "--published", ".3")
    assert "--apply tinyrec: omit --published" in refusal_line(both)
