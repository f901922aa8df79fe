"""Many nights in one command: they are scored several at once, and judged in order."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest

from segscore.pipeline.nightly.scoring import ScoredAhead
from segscore.pipeline.nightly.settings import NightSettings
from segscore.pipeline.runs.executor import Outcome
from segscore.pipeline.runs.executors import Threads
from segscore.pipeline.runs.tasks import ignore_progress
from tests.support.command_line import Segscore
from tests.support.night_metrics import WORSE
from tests.support.nights import DAYS, GOOD, Archive

LAST = 7


class Together(Threads):
    """Threads in which a task begins when as many have been given."""

    def __init__(self, count: int) -> None:
        super().__init__(count)
        self.barrier = Barrier(count)

    def run_calls(
        self, task: Callable[..., Any], calls: Mapping[str, tuple[Any, ...]], shared: Any
    ) -> Iterator[Outcome]:
        def begin(*arguments: Any) -> Any:
            self.barrier.wait(60)
            return task(*arguments)

        return super().run_calls(begin, calls, shared)


def deliver(archive: Archive) -> None:
    """Deliver nights: the third waits, a system falls on the fifth, a file of the sixth is bad."""
    for index, night in enumerate(DAYS[:LAST]):
        archive.deliver(night, WORSE if index == 4 else GOOD)
    Path(archive.folder, "references", f"date={DAYS[2]}", "part.jsonl").unlink()
    Path(archive.folder, "hypotheses", f"date={DAYS[5]}", "other.jsonl").write_text("{")


def said(archive: Archive, night: str) -> dict[str, Any] | None:
    """Return the verdict on a night, without its times."""
    verdict: dict[str, Any] | None = archive.read(night, "night.json")
    if verdict is not None:
        del verdict["finished_at"], verdict["first_published_at"]
    return verdict


def scores(archive: Archive, night: str) -> list[bytes]:
    """Return the scores of a night."""
    folder = Path(archive.folder_of(night))
    return [path.read_bytes() for path in sorted(folder.glob("*/*.parquet"))]


@pytest.mark.long
def test_nights_of_a_range_end_as_one_after_the_other(segscore: Segscore, tmp_path: Path) -> None:
    archive = Archive(tmp_path / "archive", tmp_path, segscore)
    deliver(archive)
    found = []
    for runs in ("one", "range"):
        archive.runs = str(tmp_path / runs)
        archive.settle()
        if runs == "one":
            codes = [archive.run(night).code for night in DAYS[:LAST]]
            assert codes == [0, 0, 75, 0, 1, 75, 0]
        else:
            dates = ("--from", DAYS[0], "--to", DAYS[LAST - 1], "--workers", "4")
            result = segscore("nightly", "--settings", archive.file, *dates)
            outcomes = ["passed", "passed", "waiting", "passed", "failed", "partial", "passed"]
            expected = [f"{day}: {each}" for day, each in zip(DAYS, outcomes, strict=False)]
            assert result.code == 1 and result.out.splitlines() == expected
            assert DAYS[4] in result.err and "Traceback" not in result.err
        nights = DAYS[:LAST]
        found.append([(said(archive, night), scores(archive, night)) for night in nights])
    assert found[0] == found[1]


def settings_of(archive: Archive) -> NightSettings:
    """Return the settings of the archive's nights."""
    tables = (
        f"{archive.folder}/references/date={{date}}",
        f"{archive.folder}/hypotheses/date={{date}}",
    )
    return NightSettings(*tables, archive.runs)


def delivered(archive: Archive, number: int) -> list[NightSettings]:
    """Deliver the first nights, and return their settings."""
    for night in DAYS[:number]:
        archive.deliver(night)
    settings = settings_of(archive)
    return [replace(settings, date=date.fromisoformat(night)) for night in DAYS[:number]]


def test_nights_are_scored_at_the_same_time(segscore: Segscore, tmp_path: Path) -> None:
    archive = Archive(tmp_path / "archive", tmp_path, segscore)
    nights = delivered(archive, 4)
    with Together(4) as executor, ScoredAhead(nights, executor) as ahead:
        for each in nights:
            scored, unusable = ahead.wait(each, executor, ignore_progress, pytest.fail)
            assert scored is not None and unusable == ()
            assert json.loads(Path(scored.url, "run.json").read_text())["pairs"] == 80


def test_nights_that_nobody_waits_for_are_not_scored(segscore: Segscore, tmp_path: Path) -> None:
    archive = Archive(tmp_path / "archive", tmp_path, segscore)
    nights = delivered(archive, 3)

    def interrupted() -> None:
        with Threads(1) as executor, ScoredAhead(nights, executor) as ahead:
            ahead.wait(nights[0], executor, ignore_progress, pytest.fail)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert archive.read(DAYS[0], "run.json") is not None
    assert archive.read(DAYS[2], "run.json") is None
