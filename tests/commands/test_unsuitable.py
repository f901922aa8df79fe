"""Input that does not suit the settings: refused, with the folder free, and no advice to resume."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from segscore.pipeline.storage import write_table
from tests.support.command_line import CommandResult, Segscore
from tests.support.paths import DATA

TALK = DATA / "stargazer.jsonl"


def require_refused(result: CommandResult, run: Path, message: str) -> None:
    """Check for a message without advice to resume, and a folder that other settings may use."""
    assert result.code == 2, result.err
    line = result.err.splitlines()[-1]
    assert line.startswith(f"segscore: error: {message}")
    assert "resume" not in line
    assert not [*run.glob("*")]


def test_declared_types_of_boundaries_without_types(segscore: Segscore, tmp_path: Path) -> None:
    """The columns show it, so that no task begins."""
    run = tmp_path / "run"
    result = segscore("score", TALK, TALK, "--boundary-types", "1,2,3", "--output", run)
    message = f"--boundary-types 1,2,3: {TALK} and {TALK} have no column boundary_types; "
    require_refused(result, run, message)
    assert not run.exists()
    one = segscore("score", TALK, TALK, "--boundary-types", "1", "--output", run)
    assert one.code == 0, one.err


def test_more_coders_than_memory_can_pair(segscore: Segscore, tmp_path: Path) -> None:
    coders, run = 100_000, tmp_path / "run"
    codings = {
        "document_id": ["a"] * coders,
        "coder": [f"coder-{i}" for i in range(coders)],
        "n_units": [10] * coders,
        "boundaries": pa.array([[3]] * coders, pa.list_(pa.int32())),
    }
    write_table(str(tmp_path / "codings.parquet"), pa.table(codings))
    result = segscore("agree", tmp_path / "codings.parquet", "--output", run)
    require_refused(result, run, "a: has 100000 coders, whose 4999950000 pairs take more than ")


@pytest.mark.long
def test_more_segments_than_an_alignment_counts(segscore: Segscore, tmp_path: Path) -> None:
    segments, run = 2**23, tmp_path / "run"
    everywhere = pa.array(np.arange(1, segments, dtype=np.int32))
    offsets = pa.array([0, len(everywhere), 2 * len(everywhere)], pa.int32())
    table = {
        "document_id": ["a", "a"],
        "coder": ["one", "two"],
        "role": ["reference", "hypothesis"],
        "n_units": [segments] * 2,
        "boundaries": pa.ListArray.from_arrays(offsets, pa.concat_arrays([everywhere] * 2)),
    }
    file = tmp_path / "long.parquet"
    write_table(str(file), pa.table(table))
    result = segscore("score", file, file, "--measures", "alignment", "--output", run)
    message = "two segmentations of a document of 8388608 units have 8388608 segments or more: "
    require_refused(result, run, message)
