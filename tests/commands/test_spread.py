"""The same bytes however the work is split and wherever it runs."""

from pathlib import Path

import pytest

from segscore.pipeline.runs import adding, cluster, executors, planning
from segscore.pipeline.runs.planning import Limits
from segscore.pipeline.statistics import resampling
from tests.support.command_line import Segscore
from tests.support.corpora import corpus, run
from tests.support.rows import read_rows
from tests.support.run_files import files, tables


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Split even a small corpus into many parts."""
    monkeypatch.setattr(planning, "LIMITS", Limits(rows_per_part=20))


@pytest.mark.long
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


@pytest.mark.long
def test_tasks_that_are_submitted_in_groups_all_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "TOGETHER", 2)
    calls = {f"part-{number}": (number,) for number in range(5)}
    with executors.connect("processes", 1) as executor:
        outcomes = [*executor.run_calls(double, calls, None)]
    assert {outcome.key: outcome.receipt for outcome in outcomes} == {
        key: 2 * number for key, (number,) in calls.items()
    }


def double(shared: None, number: int) -> int:
    """Return twice a number."""
    return 2 * number


def test_bytes_are_the_same_from_one_file_and_from_four(segscore: Segscore, tmp_path: Path) -> None:
    generated = corpus(seed=6)
    contents = []
    for count in (1, 4):
        folder = tmp_path / str(count)
        generated.write(folder, files=count)
        run(segscore, folder, folder / "run", "--units", "words")
        contents.append([*files(folder / "run").values()])
    assert contents[0] == contents[1]


@pytest.mark.long
@pytest.mark.parametrize("buckets", [4096, 16])
def test_tables_are_the_same_from_one_part_and_from_many(
    segscore: Segscore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, buckets: int
) -> None:
    """The tables are the same also when documents are resampled by buckets."""
    monkeypatch.setattr(resampling, "BUCKETS", buckets)
    corpus(seed=8, documents=50).write(tmp_path)
    runs = []
    for rows in (1_000_000, 10):
        segscore.cut(rows)
        output = tmp_path / str(rows)
        record = run(segscore, tmp_path, output, "--group-by", "genre,year")
        assert ("buckets" in record["signature"]) == (buckets == 16)
        runs.append(tables(output))
    assert runs[0] == runs[1]
    (whole,) = (tmp_path / "1000000" / "summary").iterdir()
    (split,) = (tmp_path / "10" / "summary").iterdir()
    assert whole.read_bytes() == split.read_bytes()


@pytest.mark.long
def test_tables_are_the_same_however_many_rows_are_scored_at_a_time(
    segscore: Segscore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A part is read in portions, in which duplicates and boundary types are found as in one."""
    generated = corpus(seed=9, documents=60)
    first, last = generated.hypotheses[0], generated.hypotheses[-1]
    generated.hypotheses.extend([{**first, "boundaries": []}, {**last, "boundaries": []}])
    generated.write(tmp_path, files=12)
    segscore.cut(100)
    runs = []
    for rows in (1000, 10):
        monkeypatch.setattr(planning, "ROWS_AT_ONCE", rows)
        output = tmp_path / str(rows)
        record = run(segscore, tmp_path, output, "--group-by", "genre")
        assert record["rows"]["hypotheses"]["rejected"] == 4
        runs.append(tables(output))
    assert runs[0] == runs[1]
    names = [
        [file.name for file in (tmp_path / rows / "scores").iterdir()] for rows in ("1000", "10")
    ]
    assert sorted(names[0]) == sorted(names[1])


@pytest.mark.long
def test_sums_added_in_rounds_are_the_same(
    segscore: Segscore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus(seed=10, documents=60).write(tmp_path, files=4)
    segscore.cut(15)
    written = []
    for at_once in (1000, 2):
        monkeypatch.setattr(adding, "SUMS_AT_ONCE", at_once)
        output = tmp_path / str(at_once)
        run(segscore, tmp_path, output, "--group-by", "genre")
        written.append(files(output))
    assert written[0] == written[1]
    assert sum(name.startswith("scores/") for name in written[0]) > 8  # at least three rounds


@pytest.mark.usefixtures("small_parts")
def test_duplicate_codings_are_found_across_parts(segscore: Segscore, tmp_path: Path) -> None:
    generated = corpus(seed=5, documents=60)
    copied = generated.hypotheses[0]
    generated.hypotheses.append({**copied, "boundaries": [1]})
    generated.write(tmp_path, files=3)
    record = run(segscore, tmp_path, tmp_path / "run")
    assert record["rows"]["hypotheses"]["rejected"] == 2
    rejects = read_rows(tmp_path / "run", "rejects")
    assert [(row["rule"], row["document_id"], row["coder"]) for row in rejects] == [
        ("unique_document_coder", copied["document_id"], copied["coder"])
    ] * 2
    scores = read_rows(tmp_path / "run", "scores")
    keys = {(row["document_id"], row["hypothesis"]) for row in scores}
    assert (copied["document_id"], copied["coder"]) not in keys
    assert len(keys) == len(generated.hypotheses) - 2
