"""Packets of rows by document: what is written by several tasks is read by partition."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from segscore.pipeline.errors import Failed
from segscore.pipeline.runs.packets import read_packets, write_packets

FILES, ROWS = 3, 200


def write(folder: Path, partitions: int) -> dict[str, np.ndarray]:
    """Write files whose documents occur in all of them; the value of a row is its number."""
    random = np.random.default_rng(5)
    edges = {}
    for number in range(FILES):
        ids = pa.array([f"d{each}" for each in random.integers(40, size=ROWS)])
        rows = pa.table({"document_id": ids, "value": range(number * ROWS, (number + 1) * ROWS)})
        url = str(folder / f"{number}.arrows")
        edges[url] = write_packets(url, rows, ids, partitions)
    return edges


@pytest.mark.parametrize("partitions", [1, 2, 7, 300])
def test_every_row_is_in_one_partition_with_its_document(tmp_path: Path, partitions: int) -> None:
    edges = write(tmp_path, partitions)
    values: list[int] = []
    documents: list[set[str]] = []
    for number in range(partitions):
        packets = read_packets(edges, number)
        assert [*packets] == [url for url in edges if url in packets]
        of_partition = [each for packet in packets.values() for each in packet["value"].to_pylist()]
        assert of_partition == sorted(of_partition)  # rows keep their order
        values += of_partition
        documents.append(
            {d for packet in packets.values() for d in packet["document_id"].to_pylist()}
        )
    assert sorted(values) == [*range(FILES * ROWS)]
    assert sum(map(len, documents)) == len(set[str]().union(*documents))


def test_a_file_that_is_gone_is_said(tmp_path: Path) -> None:
    edges = write(tmp_path, 2)
    (tmp_path / "1.arrows").unlink()
    with pytest.raises(Failed, match=r"another job has finished or claimed this run"):
        read_packets(edges, 0)
