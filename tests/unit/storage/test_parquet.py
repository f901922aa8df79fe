"""Parquet files are opened without anything that would outlast the process."""

import gc
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq  # noqa: TID251

from segscore.pipeline.storage.parquet import open_parquet


def test_no_thread_of_arrow_holds_a_python_object_of_an_opened_file(tmp_path: Path) -> None:
    """Such a thread aborts a process that ends at that moment; it was one file in fifty."""
    columns = {f"c{number}": ["text"] * 50_000 for number in range(20)}
    pq.write_table(pa.table(columns), tmp_path / "t.parquet", row_group_size=5_000)
    gc.freeze()  # so that only objects made from here on are looked at
    try:
        for _ in range(200):
            open_parquet(str(tmp_path / "t.parquet"))
            held = [each for each in gc.get_objects() if type(each).__name__ == "_WithoutContent"]
            assert held == []
    finally:
        gc.unfreeze()


def test_a_file_without_columns_is_opened(tmp_path: Path) -> None:
    pq.write_table(pa.table({}), tmp_path / "t.parquet")
    assert open_parquet(str(tmp_path / "t.parquet")).metadata.num_columns == 0
