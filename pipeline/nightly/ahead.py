"""Score the nights of a range several at once, each before its turn to be judged.

Verdicts depend on those of the nights before, and are therefore made in the order of the dates.
Scores do not: the executor works on as many nights as it can do tasks at the same time.
"""

from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import date
from threading import Event

from segscore.pipeline.errors import Failed
from segscore.pipeline.nightly.scoring import ScoredNight, Warn, score_night
from segscore.pipeline.nightly.settings import NightSettings
from segscore.pipeline.runs.executor import Executor
from segscore.pipeline.runs.tasks import Progress, ignore_progress
from segscore.pipeline.storage.placement import require_apart

_MOST = 32
"""Most nights that are scored at the same time."""


class ScoredAhead:
    """Nights that are scored several at once; leaving its context stops those not yet scored."""

    def __init__(self, nights: Sequence[NightSettings], executor: Executor) -> None:
        """Start to score, the earliest night first."""
        self._stop = Event()
        self._pool = ThreadPoolExecutor(max(1, min(executor.at_once, _MOST, len(nights))), "night")
        self._nights = {
            settings.night: _Night(settings, executor, self._stop) for settings in nights
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


class _Night:
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
