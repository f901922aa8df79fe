"""Score the input of a night, or of several at once; what cannot be used of it is left out.

Verdicts depend on those of the nights before, and are therefore made in the order of the dates.
Scores do not: the executor works on as many nights as it can do tasks at the same time.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import date
from threading import Event
from typing import TypeVar

from segscore.pipeline import storage
from segscore.pipeline.errors import (
    Absent,
    Done,
    Failed,
    NoResult,
    NotYet,
    Refused,
    TooManyUnpaired,
)
from segscore.pipeline.nightly import nights
from segscore.pipeline.nightly.restatements import note_before
from segscore.pipeline.nightly.settings import NightSettings
from segscore.pipeline.runs import run_folder
from segscore.pipeline.runs.executor import Executor
from segscore.pipeline.runs.tasks import Progress, ignore_progress
from segscore.pipeline.scoring import run
from segscore.pipeline.scoring.finished_scoring import FinishedScoring
from segscore.pipeline.scoring.inputs import find_inputs
from segscore.pipeline.scoring.settings import ScoreSettings
from segscore.pipeline.storage.placement import require_apart
from segscore.pipeline.tables.columns import SEGMENTATIONS
from segscore.pipeline.tables.unusable_files import UnusableFile, unusable_files

_NOT_OF_A_FILE = (Absent, NotYet, NoResult, TooManyUnpaired)
"""Errors that leaving out a file does not mend."""

_OF_THE_FOLDER = (run_folder.OtherRun, run_folder.Taken, run_folder.Overtaken)
"""Errors about what other processes do."""


Warn = Callable[[str], None]
"""Called with the text of each warning."""

_Result = TypeVar("_Result")
_Unusable = tuple[UnusableFile, ...]

ScoredNight = tuple[FinishedScoring | None, _Unusable]
"""A run, or None if the same input was scored before, and the files that were left out."""

ScoreNight = Callable[[NightSettings, Executor, Progress, Warn], ScoredNight]
"""Scores a night; called as ``score_night`` is."""


def score_night(
    settings: NightSettings, executor: Executor, progress: Progress, warn: Warn
) -> ScoredNight:
    """Score a night; files of hypotheses that cannot be read are left out.

    A file that could not be read when the night was scored is not tried again as long as it has not
    changed.

    Returns:
        The run, or None if the same input was scored before; and the files that were left out.

    Raises:
        Refused: the input or the settings are wrong.
        Failed: the night cannot be scored.
    """
    night = _Night(settings, executor, progress, warn)
    return _with_usable(settings, night.score)


def usable(settings: NightSettings) -> tuple[ScoreSettings, _Unusable]:
    """Return how a night would be scored, and the files that it would leave out.

    Raises:
        Refused: the input or the settings are wrong.
        Failed: the server does not answer.
    """

    def checked(scoring: ScoreSettings) -> ScoreSettings:
        find_inputs(scoring)
        return scoring

    return _with_usable(settings, checked)


def _with_usable(
    settings: NightSettings, use: Callable[[ScoreSettings], _Result]
) -> tuple[_Result, _Unusable]:
    """Use the files that can be read; return the result, and the files that were left out."""
    unusable = _still_unusable(settings)
    try:
        return use(_without(settings.score, unusable)), unusable
    except (*_NOT_OF_A_FILE, *_OF_THE_FOLDER):
        raise
    except (Refused, Failed) as problem:
        more = _newly_unusable(settings, unusable)
        if not more:
            raise
        unusable = (*unusable, *more)
        try:
            return use(_without(settings.score, unusable)), unusable
        except Absent:
            raise problem from None  # no file is left


def _without(score: ScoreSettings, unusable: Sequence[UnusableFile]) -> ScoreSettings:
    return replace(score, left_out=tuple(file.url for file in unusable))


def _still_unusable(settings: NightSettings) -> _Unusable:
    """Return the files that could not be read when the night was judged, and are as they were."""
    night = nights.read_verdict_of(settings.runs, settings.night)
    if night is None or not night.unusable:
        return ()
    there = {
        (file.url, file.size, file.version) for file in storage.find(settings.score.hypotheses)
    }
    return tuple(each for each in night.unusable if (each.url, each.size, each.version) in there)


def _newly_unusable(settings: NightSettings, known: Sequence[UnusableFile]) -> _Unusable:
    """Return the files of hypotheses that cannot be read, if others can."""
    score = settings.score
    known_urls = [file.url for file in known]
    try:
        more = unusable_files(
            "hypotheses", score.hypotheses, SEGMENTATIONS, score.memory_limit, known_urls
        )
        files = storage.find(score.hypotheses)
    except (Refused, Failed):  # the first error says more
        return ()
    return tuple(more) if len(more) + len(known) < len(files) else ()


@dataclass(frozen=True)
class _Night:
    """A night that is to be scored."""

    settings: NightSettings
    executor: Executor
    progress: Progress
    warn: Warn

    def score(self, scoring: ScoreSettings) -> FinishedScoring | None:
        """Score the night; None if the same input was scored before.

        If a system delivered the documents of another night, the others are published without it.
        """
        try:
            return self._run(scoring)
        except TooManyUnpaired as problem:
            if not problem.without_them or not problem.systems:
                raise
            return self._run(replace(scoring, max_unpaired=1.0))

    def _as_published(self, scoring: ScoreSettings) -> ScoreSettings:
        """Return the settings with the limits of the night as it was published, if these are wider.

        A night that was published with other limits than usual stays published.
        """
        published = nights.read_night(self.settings.runs, self.settings.night)
        if published is None or scoring.fresh:
            return scoring
        before = published.record["settings"]
        unpaired = before.get("max_unpaired") or before.get("unpaired_by_default", 0)
        return replace(
            scoring,
            max_rejects=max(scoring.max_rejects, before.get("max_rejects", 0)),
            unpaired_by_default=max(scoring.most_unpaired, unpaired),
        )

    def _run(self, scoring: ScoreSettings) -> FinishedScoring | None:
        night = self.settings.night
        try:
            outcome = run.run_scoring(self._as_published(scoring), self.executor, self.progress)
        except run_folder.OtherRun as other:
            reason = "; ".join(other.differences) or "settings or inputs differ"
            self.warn(f"{night} is scored again: {reason}")
            before = nights.read_verdict_of(self.settings.runs, night)
            if before is not None and before.acceptances and self.settings.accept is None:
                reasons = "; ".join(each.reason for each in before.acceptances)
                self.warn(
                    f"{night} was accepted ({reasons}), which no longer holds; if it "
                    "should, run it with --accept again"
                )
            note_before(self.settings.runs, night, self.settings.rules, reason)
            outcome = run.run_scoring(replace(scoring, fresh=True), self.executor, self.progress)
        return None if isinstance(outcome, Done) else outcome


_MOST = 32
"""Most nights that are scored at the same time."""


class ScoredAhead:
    """Nights that are scored several at once; leaving its context stops those not yet scored."""

    def __init__(self, nights: Sequence[NightSettings], executor: Executor) -> None:
        """Start to score, the earliest night first."""
        self._stop = Event()
        self._pool = ThreadPoolExecutor(max(1, min(executor.at_once, _MOST, len(nights))), "night")
        self._nights = {
            settings.night: _NightAhead(settings, executor, self._stop) for settings in nights
        }
        self._scored: dict[date, Future[ScoredNight]] = {
            day: self._pool.submit(night.score) for day, night in self._nights.items()
        }

    def __enter__(self) -> "ScoredAhead":
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._pool.shutdown(cancel_futures=True)

    def wait(
        self, settings: NightSettings, _executor: Executor, progress: Progress, warn: Warn
    ) -> ScoredNight:
        """Return what ``score_night`` returns of a night, or raise its error, once it is scored."""
        night = self._nights.pop(settings.night)
        night.progress = progress
        try:
            return self._scored.pop(settings.night).result()
        finally:
            for text in night.warnings:
                warn(text)


class _NightAhead:
    """A night that is scored ahead; its warnings are kept, its progress is shown in its turn."""

    def __init__(self, settings: NightSettings, executor: Executor, stop: Event) -> None:
        self._settings, self._executor, self._stop = settings, executor, stop
        self.progress: Progress = ignore_progress
        self.warnings: list[str] = []

    def score(self) -> ScoredNight:
        settings = self._settings
        require_apart(settings.score.output, settings.inputs, option="--runs")
        return score_night(settings, self._executor, self._advance, self.warnings.append)

    def _advance(self, done: int, parts: int) -> None:
        """Show the progress, and stop at the next part if nobody waits for the night any more."""
        if self._stop.is_set():
            raise Failed("stopped; finished parts are kept")
        self.progress(done, parts)
