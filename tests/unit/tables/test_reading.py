"""An input that changes between planning and reading."""

import os
from pathlib import Path

import pytest

from segscore.pipeline.errors import Failed, Refused
from segscore.pipeline.storage import write_table
from segscore.pipeline.tables.columns import SEGMENTATIONS
from segscore.pipeline.tables.find import find_table
from segscore.pipeline.tables.read import read_slice
from tests.support.hostile import table

LINE = '{"document_id": "d", "coder": "a", "n_units": 9, "boundaries": [3]}\n'


@pytest.mark.parametrize("name", ["codings.parquet", "codings.jsonl"])
def test_a_file_replaced_after_planning_is_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / name

    def write(boundary: int) -> None:
        if name.endswith(".jsonl"):
            path.write_text(LINE.replace("3", str(boundary)))
        else:
            write_table(str(path), table(["d"], "a", 9, [boundary]))

    write(3)
    found_table = find_table("codings", str(path), SEGMENTATIONS)
    (piece,) = found_table.slices
    assert len(read_slice(piece, found_table.further)) == 1
    write(4)
    os.utime(path, ns=(0, 1))
    with pytest.raises(Failed, match=f"{path}: was replaced while the run was reading it"):
        read_slice(piece, found_table.further)
    path.unlink()
    with pytest.raises((Failed, Refused), match=f"{path}: (no such file|was removed)"):
        read_slice(piece, found_table.further)
