"""The ways in which hypotheses meet their references: chosen by size and order, equal in result."""

from pathlib import Path

import pyarrow.parquet as pq  # noqa: TID251
import pytest

from pipeline import planning, resampling
from pipeline.storage import read_table
from tests.conftest import Segscore
from tests.test_score import corpus, run

TABLES = ("scores", "panel_scores", "summary", "rejects", "unpaired")
OPTIONS = {
    "plain": (),
    "words": ("--units", "words", "--group-by", "genre,year"),
    "per-run": ("--window", "per-run", "--group-by", "genre", "--p-seg", "0.3"),
    "points": ("--reference-points", "none,all,human", "--consensus", "0.5,any"),
}


def rows(folder: Path, name: str) -> list[str]:
    """The rows of a table in an order of their own, as text."""
    if not (folder / name).exists():
        return []
    return sorted(map(repr, read_table(str(folder / name)).to_pylist()))


def in_order(folder: Path) -> None:
    """Sort the tables of a corpus by document, in small row groups."""
    for path in sorted(folder.rglob("*.parquet")):
        table = pq.ParquetFile(path).read()
        pq.write_table(table.sort_by("document_id"), path, row_group_size=10)


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS.keys())
@pytest.mark.parametrize("way", ["ranges", "buckets"])
@pytest.mark.parametrize("most", [4096, 16])
def test_every_way_gives_the_same_tables(
    segscore: Segscore,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    options: tuple[str, ...],
    way: str,
    most: int,
) -> None:
    monkeypatch.setattr(resampling, "BUCKETS", most)
    made = corpus(seed=9, documents=60)
    copied = made.hypotheses[0]
    made.hypotheses.append({**copied, "boundaries": []})
    made.references.append({**made.references[3], "boundaries": []})
    made.write(tmp_path, files=3)
    if way == "ranges":
        in_order(tmp_path)
    sent = run(segscore, tmp_path, tmp_path / "sent", "--replicates", 50, *options)
    monkeypatch.setattr(planning, "SENT_SHARE", 0)
    monkeypatch.setattr(planning, "ROWS_PER_PART", 20)
    met = run(segscore, tmp_path, tmp_path / "met", "--replicates", 50, *options)
    for name in TABLES:
        assert rows(tmp_path / "met", name) == rows(tmp_path / "sent", name), name
    assert (met["signature"], met["rows"], met["p_seg"], met["pairs"]) == (
        sent["signature"],
        sent["rows"],
        sent["p_seg"],
        sent["pairs"],
    )
    assert len([*(tmp_path / "met" / "scores").iterdir()]) > 3
