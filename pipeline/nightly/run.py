"""Score and publish one night, judge it against an earlier one, and write its metrics.

A night can be run again.  Its scores are kept if its input has not changed, and replaced as a whole
if it has; the verdict of the gate is stored beside the run and reported again.
"""

from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from time import monotonic
from typing import Any

from segscore.pipeline import storage
from segscore.pipeline.errors import (
    Absent,
    Failed,
    NothingPaired,
    NotYet,
    OtherRole,
    Refused,
    TooManyUnpaired,
    reason_of,
    require_extra,
)
from segscore.pipeline.nightly import judge, metrics, nights
from segscore.pipeline.nightly.kept_verdicts import publish
from segscore.pipeline.nightly.nights import Night, Nights
from segscore.pipeline.nightly.restatements import record_restatement
from segscore.pipeline.nightly.retention import remove_old
from segscore.pipeline.nightly.scoring import ScoredNight, ScoreNight, Warn, score_night
from segscore.pipeline.nightly.settings import NightSettings
from segscore.pipeline.nightly.verdict import OTHER_NIGHT, Verdict
from segscore.pipeline.nightly.verdict_inputs import changed_settings
from segscore.pipeline.runs import run_folder
from segscore.pipeline.runs.executor import Executor
from segscore.pipeline.runs.tasks import Progress
from segscore.pipeline.scoring.finished_scoring import FinishedScoring
from segscore.pipeline.storage.placement import require_apart


@dataclass(frozen=True)
class NightResult:
    """A night that was published and judged.

    Attributes:
        night: the night.
        verdict: the verdict on it.
        scored: its scores; None if it had been scored before.
        before: the verdict on the same scores before; None if there was none.
        removed: dates of the nights that were removed.
    """

    night: Night
    verdict: Verdict
    scored: FinishedScoring | None
    before: Verdict | None = None
    removed: tuple[date, ...] = ()

    @property
    def fields(self) -> dict[str, Any]:
        """What a log line says about the night: outcome, run, seconds of each stage."""
        record = self.night.record
        return {
            "date": self.verdict.date,
            "outcome": self.verdict.outcome,
            "good": self.verdict.good,
            "run": self.night.fingerprint,
            "seconds": record["seconds"],
            "duration_seconds": round(sum(record["seconds"].values()), 3),
            "scored_now": self.scored is not None,
        }


def run_night(
    settings: NightSettings,
    executor: Executor,
    progress: Progress,
    warn: Warn,
    score: ScoreNight = score_night,
) -> NightResult:
    """Score, publish and judge a night, write its metrics, and remove old nights.

    ``score`` scores it, unless it is only to be judged again.

    Raises:
        Refused: the input or the settings are wrong.
        Failed: the input does not exist yet, another process is working on this night, or a step
            failed; the message says whether the night was published.
    """
    start = monotonic()
    try:
        return _run_night(settings, executor, progress, warn, score)
    except (Refused, Failed) as problem:
        outcome = metrics.WAITING if isinstance(problem, NotYet) else metrics.BROKEN
        if outcome == metrics.BROKEN and not str(problem).startswith(str(settings.night)):
            problem.args = (f"{settings.night}: broken: {problem}",)
        problem.fields = {
            "date": str(settings.night),
            "outcome": outcome,
            "good": False,
            "duration_seconds": round(monotonic() - start, 3),
        }
        raise


def _run_night(
    settings: NightSettings, executor: Executor, progress: Progress, warn: Warn, score: ScoreNight
) -> NightResult:
    storage.require_resolvable([settings.metrics])
    _require_free_for_metrics(settings)
    if settings.night > _last_date():
        warn(
            f"{settings.night} is in the future; its metrics are replaced by those of the next "
            "night"
        )
    if settings.fixed_input is not None:
        warn(
            f"--hypotheses {settings.fixed_input}: has no {{date}}, so that every night reads the "
            "same files"
        )
    try:
        storage.require_resolvable([settings.runs, *settings.inputs.values()])
        if settings.rejudge:
            score = _keep_scores
        finished = _score_and_judge(settings, executor, progress, warn, score)
    except (run_folder.Taken, run_folder.Overtaken) as problem:
        # The other process writes the metrics.
        raise Failed(
            f"{settings.night}: another process is working on this night: {problem}"
        ) from problem
    except Exception as problem:
        if _is_awaited(problem, settings):
            _write_unfinished_metrics(settings, metrics.WAITING, NotYet.exit_code, warn)
            record = storage.join(settings.score.output, run_folder.RECORD)
            stands = "the night stays as it was published before"
            if storage.read_text(record) is None:
                stands = "nothing was published"
            raise NotYet(
                f"{settings.night}: waiting for input: {problem}; {_unpaired_cause(problem)}"
                f"{stands}; run the date again when the input is complete"
            ) from problem
        _write_unfinished_metrics(
            settings, metrics.BROKEN, 2 if isinstance(problem, Refused) else 1, warn
        )
        raise
    _write_metrics(
        settings, finished.verdict.outcome, finished.verdict.exit_code, finished.night, warn
    )
    if settings.keep is None:
        return finished
    removed, not_removed = remove_old(Nights(settings.runs), settings.keep)
    for warning in not_removed:
        warn(warning)
    return replace(finished, removed=tuple(removed))


def _is_awaited(problem: Exception, settings: NightSettings) -> bool:
    """Return whether a night may succeed when more input is there."""
    if isinstance(problem, OtherRole):
        # Rows of the other role only can be a mistake, unless one file is to contain both roles.
        return settings.score.references == settings.score.hypotheses
    return isinstance(problem, Absent | NothingPaired | TooManyUnpaired)


def _unpaired_cause(problem: Exception) -> str:
    """Return why rows may have no reference: systems are stale."""
    if isinstance(problem, NothingPaired):
        return f"every system has {OTHER_NIGHT}; "
    systems = problem.systems if isinstance(problem, TooManyUnpaired) else ()
    subject = "it has" if len(systems) == 1 else "each of them has"
    return f"{subject} {OTHER_NIGHT}; " * bool(systems)


def _require_free_for_metrics(settings: NightSettings) -> None:
    """Refuse to write metrics over an input, into the run, or over another program's file."""
    if settings.metrics is None:
        return
    require_extra("--metrics", "metrics", "prometheus_client")
    inputs = {**settings.inputs, "--runs": settings.score.output}
    require_apart(settings.metrics, inputs, option="--metrics", is_file=True)
    try:
        start = storage.head(settings.metrics, metrics.HEAD)
    except Failed:  # reported when the metrics are written
        return
    if start and not metrics.is_exposition(start):
        raise Refused(
            f"--metrics {settings.metrics}: is a file that segscore nightly did not write; name "
            "another file"
        )


def _score_and_judge(
    settings: NightSettings, executor: Executor, progress: Progress, warn: Warn, score: ScoreNight
) -> NightResult:
    require_apart(settings.score.output, settings.inputs, option="--runs")
    earlier = Nights(settings.runs, aliases=settings.aliases, seen_from=settings.night)
    scored, unusable = score(settings, executor, progress, warn)
    try:
        night = nights.read_night(settings.runs, settings.night)
        if night is None:
            raise Failed(f"{settings.score.output}: another process removed it")
        if night.damaged:
            warn(
                f"{night.damaged}; the night is judged again, without a reason that was given with "
                "--accept: give it again if there was one"
            )
        verdict = judge.judge(night, settings, earlier, unusable)
        _warn_of_other_gate(night.verdict, verdict, warn)
        publish(settings.runs, night, verdict)
        record_restatement(settings.runs, night)
    except (Refused, Failed) as problem:
        raise Failed(
            f"{settings.night} is published but was not judged: {problem}; run the date again"
        ) from problem
    for warning in earlier.unreadable:
        warn(f"night ignored: {warning}")
    return NightResult(replace(night, verdict=verdict), verdict, scored, night.verdict)


def _keep_scores(settings: NightSettings, *_: object) -> ScoredNight:
    """Score nothing: the night is only judged again."""
    night = nights.read_night(settings.runs, settings.night)
    if night is None:
        raise Refused(
            f"{settings.night} is not published, so that it cannot be judged again; run it without "
            "--rejudge"
        )
    return None, () if night.verdict is None else night.verdict.unusable


def _warn_of_other_gate(before: Verdict | None, verdict: Verdict, warn: Warn) -> None:
    """Warn if a night succeeds only because the settings of its gate are other than before."""
    if before is None or verdict.exit_code >= before.exit_code or verdict.acceptances:
        return
    if any(getattr(before, name) != getattr(verdict, name) for name in _NIGHTS):
        return  # it may be because other nights are compared with
    if changed := changed_settings(before, verdict):
        warn(
            f"{verdict.date} is {verdict.outcome} only because the settings of its gate have "
            f"changed ({'; '.join(changed)}); with the former settings it is {before.outcome} "
            "again; to keep it as a good night whatever the settings, run it with --accept REASON"
        )


_NIGHTS = ("against", "past")
"""Fields of a verdict that name the nights compared with."""


def _latest(published: Nights) -> tuple[date | None, str | None]:
    """Return the newest night's date, and when the newest successful night was judged.

    A night in the future has a wrong date, and does not count as the newest.
    """
    verdicts = (
        verdict.verdict for verdict in published.newest_first() if verdict.verdict is not None
    )
    last = next((verdict.finished_at for verdict in verdicts if verdict.exit_code == 0), None)
    dates = (night.date for night in published.newest_first() if night.date <= _last_date())
    return next(dates, None), last


def _last_date() -> date:
    """Return the date of the latest night that there can be, which is tomorrow's east of UTC."""
    return datetime.now(UTC).date() + timedelta(days=1)


def _write_unfinished_metrics(
    settings: NightSettings, outcome: str, exit_code: int, warn: Warn
) -> None:
    """Write the metrics of a night that failed; an error in this is only a warning."""
    try:
        _write_metrics(settings, outcome, exit_code, None, warn)
    except Failed as problem:
        warn(str(problem))


def _write_metrics(
    settings: NightSettings, outcome: str, exit_code: int, night: Night | None, warn: Warn
) -> None:
    """Write the metrics, unless a newer night has been published.

    Raises:
        Failed: the metrics cannot be written.
    """
    if settings.metrics is None:
        return
    try:
        storage.require_resolvable([settings.runs])
        newest, last = _latest(Nights(settings.runs))
    except (OSError, Refused, Failed):  # reported for the night itself
        newest, last = None, None
    if newest is not None and newest > settings.night:
        warn(f"{settings.metrics} was left unchanged: it describes a newer night, {newest}")
        return
    text = metrics.expose(outcome, exit_code, last, night, settings)
    try:
        storage.write_text(settings.metrics, text)
    except (OSError, Refused, Failed) as problem:
        raise Failed(
            f"--metrics {settings.metrics}: cannot be written ({reason_of(problem)})"
        ) from problem
