"""The same bytes however the work is split and wherever it runs."""

from pathlib import Path

import pytest

from segscore.pipeline.runs import planning
from segscore.pipeline.runs.planning import Limits
from segscore.pipeline.statistics import bootstrap
from segscore.pipeline.storage import read_table
from tests.support.command_line import Segscore
from tests.support.corpora import corpus, run
from tests.support.run_files import files, tables


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Split even a small corpus into many parts."""
    monkeypatch.setattr(planning, "LIMITS", Limits(rows_per_part=20))


@pytest.mark.usefixtures("small_parts")
def test_bytes_are_the_same_on_any_workers(
    segscore: Segscore, tmp_path: Path, scheduler: str
) -> None:
    corpus(seed=4, documents=60).write(tmp_path, files=4)
    places = {
        "one": ("local", "--workers", 1),
        "four": ("local", "--workers", 4),
        "processes": ("processes", "--workers", 2),
        "cluster": (scheduler,),
    }
    for name, place in places.items():
        run(segscore, tmp_path, tmp_path / name, "--group-by", "genre", "--cluster", *place)
    expected = files(tmp_path / "one")
    assert sum(name.startswith("scores/") for name in expected) > 3
    for name in places:
        assert files(tmp_path / name) == expected, name


def test_bytes_are_the_same_from_one_file_and_from_four(segscore: Segscore, tmp_path: Path) -> None:
    generated = corpus(seed=6)
    contents = []
    for count in (1, 4):
        folder = tmp_path / str(count)
        generated.write(folder, files=count)
        run(segscore, folder, folder / "run", "--units", "words")
        contents.append([*files(folder / "run").values()])
    assert contents[0] == contents[1]


@pytest.mark.parametrize("buckets", [4096, 16])
def test_tables_are_the_same_from_one_part_and_from_many(
    segscore: Segscore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, buckets: int
) -> None:
    """The tables are the same also when documents are resampled by buckets."""
    monkeypatch.setattr(bootstrap, "BUCKETS", buckets)
    corpus(seed=8, documents=50).write(tmp_path)
    runs = []
    for rows in (1_000_000, 10):
        monkeypatch.setattr(planning, "LIMITS", Limits(rows_per_part=rows))
        output = tmp_path / str(rows)
        record = run(segscore, tmp_path, output, "--group-by", "genre,year", "--replicates", 99)
        assert ("buckets" in record["signature"]) == (buckets == 16)
        runs.append(tables(output))
    assert runs[0] == runs[1]
    (whole,) = (tmp_path / "1000000" / "summary").iterdir()
    (split,) = (tmp_path / "10" / "summary").iterdir()
    assert whole.read_bytes() == split.read_bytes()


@pytest.mark.usefixtures("small_parts")
def test_duplicate_codings_are_found_across_parts(segscore: Segscore, tmp_path: Path) -> None:
    generated = corpus(seed=5, documents=60)
    copied = generated.hypotheses[0]
    generated.hypotheses.append({**copied, "boundaries": []})
    generated.write(tmp_path, files=3)
    record = run(segscore, tmp_path, tmp_path / "run")
    assert record["rows"]["hypotheses"]["rejected"] == 2
    rejects = read_table(str(tmp_path / "run" / "rejects")).to_pylist()
    assert [(row["rule"], row["document_id"], row["coder"]) for row in rejects] == [
        ("unique_document_coder", copied["document_id"], copied["coder"])
    ] * 2
    scores = read_table(str(tmp_path / "run" / "scores")).to_pylist()
    keys = {(row["document_id"], row["hypothesis"]) for row in scores}
    assert (copied["document_id"], copied["coder"]) not in keys
    assert len(keys) == len(generated.hypotheses) - 2
