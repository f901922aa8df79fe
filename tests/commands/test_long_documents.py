"""Reference points of the longest documents there can be: refused, or made from the boundaries."""

from pathlib import Path

import pytest

from segscore.pipeline.scoring.density_matched import OWN_POINTS
from segscore.pipeline.scoring.reference_points import PER_UNIT, REFERENCE_POINTS
from segscore.pipeline.storage import read_table, write_table
from tests.support.command_line import Segscore
from tests.support.hostile import table

LONGEST = 2**31 - 1
POINTS = {*REFERENCE_POINTS, *OWN_POINTS} - {"human"}
FEW = POINTS - {*PER_UNIT}


def score(segscore: Segscore, folder: Path, points: str, *options: str) -> tuple[int, str]:
    """Score a document of the greatest length with reference points; return code and message."""
    for name, coder in (("ref", "ann"), ("hyp", "sys")):
        path = str(folder / f"{name}.parquet")
        write_table(path, table(["a", "b"], coder, LONGEST, [3, LONGEST - 1]))
    files = (folder / "ref.parquet", folder / "hyp.parquet", "--output", folder / "run")
    result = segscore("score", *files, "--reference-points", points, *options)
    return result.code, result.err


@pytest.mark.parametrize("point", sorted(PER_UNIT))
def test_points_that_do_not_fit_into_memory_are_refused(
    segscore: Segscore, tmp_path: Path, point: str
) -> None:
    code, message = score(segscore, tmp_path, point, "--memory-limit", "2GB")
    assert code == 2
    assert f"--reference-points {point}: a has 2,147,483,647 units, which takes" in message
    assert "raise --memory-limit, or omit" in message
    assert "Traceback" not in message
    assert not (tmp_path / "run" / "summary").exists()


def test_points_that_depend_on_boundaries_alone_are_made(
    segscore: Segscore, tmp_path: Path
) -> None:
    """Shuffled segments take memory for boundaries, and not for units."""
    points = ",".join(sorted(FEW - {"regular-mean-size"}))
    code, message = score(segscore, tmp_path, points, "--memory-limit", "2GB")
    assert code == 0, message
    made = set(read_table(str(tmp_path / "run" / "scores")).column("hypothesis").to_pylist())
    assert {"sys", "point:none", "point:regular", "point:shuffled-own:sys"} <= made
