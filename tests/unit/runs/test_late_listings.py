"""A store that lists files late loses none of them, and no table of an interrupted import."""

from dataclasses import asdict
from pathlib import Path

import pytest

from segscore.pipeline.errors import Failed
from segscore.pipeline.runs import claims, run_folder
from segscore.pipeline.runs.claims import Claim
from segscore.pipeline.runs.fingerprint import Fingerprint
from segscore.pipeline.runs.publication import tidy
from segscore.pipeline.runs.publish_tables import publish_tables
from segscore.pipeline.runs.run_folder import Attempt, OtherRun

IMPORT = Fingerprint("import", {}, {}, "1")


def attempt_in(folder: Path) -> Attempt:
    """Return an attempt that has claimed a folder, in which no file is listed."""
    claim = Claim(1, "0" * 32, asdict(IMPORT), {}, pid=None)
    attempt = Attempt(str(folder), IMPORT, claim=claim)
    claims.take_claim(attempt.output, claim)
    return attempt


def test_a_file_that_is_not_listed_yet_is_published(tmp_path: Path) -> None:
    attempt = attempt_in(tmp_path)
    attempt.written.add("scores/part-0.parquet")
    assert run_folder.prepared_tables(attempt) == {"scores": ["part-0.parquet"]}
    assert len(run_folder.prepared_files(attempt, "scores")) == 1


def test_a_table_that_is_not_listed_yet_is_not_left_out(tmp_path: Path) -> None:
    attempt = attempt_in(tmp_path)
    attempt.written.add("hypotheses/hypotheses.parquet")
    with pytest.raises(Failed, match="cannot be written"):
        publish_tables(attempt, ["hypotheses"])


def test_a_file_that_is_not_there_is_not_left_out(tmp_path: Path) -> None:
    attempt = attempt_in(tmp_path)
    attempt.written |= {"hypotheses/0.parquet", "hypotheses/1.parquet"}
    prepared = Path(attempt.folder) / "hypotheses" / "0.parquet"
    prepared.parent.mkdir(parents=True)
    prepared.write_bytes(b"rows")
    with pytest.raises(Failed, match=r"cannot be written \(.*1\.parquet"):
        publish_tables(attempt, ["hypotheses"])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["_unfinished"]


def test_an_import_that_has_moved_tables_is_not_started_over(tmp_path: Path) -> None:
    """Its rejects would be lost, as the tables that were moved are not made again."""
    attempt = attempt_in(tmp_path)
    run_folder.claim_next(attempt, step=claims.PUBLISH, stages={claims.MOVED: ["hypotheses"]})
    (tmp_path / "hypotheses").mkdir()
    (tmp_path / "hypotheses" / "0.parquet").write_bytes(b"rows")
    with pytest.raises(OtherRun, match="was interrupted while it published hypotheses"):
        run_folder.examine(attempt.output, IMPORT, fresh=True)
    resumed = run_folder.examine(attempt.output, IMPORT, fresh=False)
    run_folder.claim(resumed, {"read": ["0"]})  # and it fails before it publishes
    with pytest.raises(OtherRun, match="was interrupted while it published hypotheses"):
        run_folder.examine(attempt.output, IMPORT, fresh=True)
    (tmp_path / "hypotheses" / "0.parquet").unlink()
    (tmp_path / "hypotheses").rmdir()
    assert run_folder.examine(attempt.output, IMPORT, fresh=True).state.newest == resumed.claim


def test_what_a_killed_publisher_left_of_a_table_is_removed(tmp_path: Path) -> None:
    attempt = attempt_in(tmp_path)
    prepared = Path(attempt.folder) / "hypotheses" / "0.parquet"
    half, mine = tmp_path / ".hypotheses.0123456789abcdef.tmp", tmp_path / ".mine.tmp"
    for path in (prepared, half / "0.parquet", mine / "0.parquet"):
        path.parent.mkdir(parents=True)
        path.write_bytes(b"rows")
    publish_tables(attempt, ["hypotheses"])
    tidy(attempt, {})
    assert sorted(path.name for path in tmp_path.iterdir()) == [".mine.tmp", "hypotheses"]
    assert (tmp_path / "hypotheses" / "0.parquet").read_bytes() == b"rows"
