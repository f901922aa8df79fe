"""`segscore nightly` with tables and nights in an object store."""

from collections.abc import Callable
from pathlib import Path
from random import Random

from segscore.pipeline import storage
from tests.support.command_line import Segscore
from tests.support.night_metrics import WORSE, one_error, outcome_in_metrics, shifted
from tests.support.nights import DAYS, GOOD, Archive
from tests.support.servers import Fault, Proxy

FIRST, SECOND, THIRD = DAYS[:3]


def test_nights_run_in_an_object_store(segscore: Segscore, tmp_path: Path, s3: str) -> None:
    archive = Archive(f"{s3}/{tmp_path.name}", tmp_path, segscore)
    assert archive.run(FIRST).code == 75
    assert outcome_in_metrics(archive) == "waiting"
    nights = [(FIRST, GOOD, 0), (SECOND, WORSE, 1), (THIRD, GOOD, 0)]
    for night, systems, code in nights:
        archive.deliver(night, systems)
        for _ in range(2):
            result = archive.run(night)
            assert result.code == code, result.err
    assert outcome_in_metrics(archive) == "passed"
    archive.deliver(SECOND, GOOD)
    assert archive.run(SECOND).code == 0
    later = shifted(FIRST, 60)
    archive.deliver(later)
    result = archive.run(later, "--keep", 30)
    assert result.code == 0, result.err
    # Two folders keep the summaries of removed nights, and that the second one was scored again.
    assert storage.names(archive.runs) == [f"date={later}", "history", "restatements", "verdicts"]
    gathered = segscore("trend", "--table", archive.runs)
    assert gathered.code == 0, gathered.err
    assert storage.names(archive.runs) == [f"date={later}", "history", "restatements", "verdicts"]


def test_an_unreachable_store_fails_the_night(segscore: Segscore, tmp_path: Path, s3: str) -> None:
    """The night fails instead of waiting for input."""
    archive = Archive("s3://no-such-bucket/archive", tmp_path, segscore)
    result = archive.run(FIRST)
    assert result.code == 2
    assert "no-such-bucket" in one_error(result.err)
    assert outcome_in_metrics(archive) == "broken"


def test_a_night_behind_a_store_that_fails_often_ends(
    segscore: Segscore, tmp_path: Path, s3: str, proxied: Callable[[str], Proxy]
) -> None:
    """Two of five requests fail; the night says what it waits for, and is as an undisturbed one."""
    archive = Archive(f"{s3}/{tmp_path.name}-often", tmp_path, segscore)
    for night in (FIRST, SECOND):
        archive.deliver(night, GOOD)
    undisturbed = archive.run(FIRST)
    draw = Random(5)  # noqa: S311
    proxy = proxied("s3")
    proxy.fault = lambda *_: Fault("answer", 500) if draw.random() < 0.4 else None
    result = archive.run(SECOND)
    assert (undisturbed.code, result.code) == (0, 0), result.err
    assert "requests so far (the last: 500); the command waits for it" in result.err
    assert len(proxy.requests) < 1000
    proxy.fault = lambda *_: None
    assert archive.run(SECOND).code == 0
