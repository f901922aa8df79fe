"""Score and publish one night, judge it against an earlier one, and write its metrics.

A night can be run again.  Its scores are kept if its input has not changed, and replaced as a whole
if it has; the verdict of the gate is stored beside the run and reported again.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date

from segscore.pipeline import storage
from segscore.pipeline.errors import Absent, Done, Failed, Refused
from segscore.pipeline.nightly import judge, metrics, nights
from segscore.pipeline.nightly.nights import Night, Nights
from segscore.pipeline.nightly.retention import remove_old
from segscore.pipeline.nightly.settings import NightSettings
from segscore.pipeline.nightly.verdict import Verdict
from segscore.pipeline.runs import cluster, run_folder
from segscore.pipeline.runs.tasks import Progress
from segscore.pipeline.scoring import run
from segscore.pipeline.storage.placement import require_apart

Say = Callable[[str], None]
"""Called with the text of each warning."""


@dataclass(frozen=True)
class Ended:
    """A night that was published and judged.

    Attributes:
        night: the published night.
        verdict: the verdict of the gate.
        scored: the scoring run; None if the night had been scored before.
        removed: dates of the old nights that were removed.
    """

    night: Night
    verdict: Verdict
    scored: run.Finished | None
    removed: tuple[date, ...] = ()


def run_night(
    settings: NightSettings, client: cluster.Client, progress: Progress, say: Say
) -> Ended:
    """Score, publish and judge a night, write its metrics, and remove old nights.

    Args:
        settings: settings of the night.
        client: client of the cluster that does the work.
        progress: called after each scored part.
        say: called with the text of each warning.

    Raises:
        Refused: the input or the settings are wrong.
        Failed: the input does not exist yet, another process is working on this night, or a step
            failed; the message says whether the night was published.
    """
    _require_free_for_metrics(settings)
    try:
        ended = _work(settings, client, progress, say)
    except (run_folder.Taken, run_folder.Overtaken) as problem:
        # The other process writes the metrics.
        raise Failed(
            f"{settings.date}: another process is at work on this night: {problem}"
        ) from problem
    except Absent as problem:
        _tell_unfinished(settings, metrics.WAITING, 1, say)
        raise Failed(
            f"{settings.date}: waiting for input: {problem}; nothing was published; run the date "
            "again when it is there"
        ) from problem
    except Exception as problem:
        _tell_unfinished(settings, metrics.BROKEN, 2 if isinstance(problem, Refused) else 1, say)
        raise
    _tell(settings, ended.verdict.outcome, ended.verdict.exit_code, ended.night, say)
    if settings.keep is None:
        return ended
    removed, kept = remove_old(Nights(settings.runs), settings.keep)
    for warning in kept:
        say(warning)
    return replace(ended, removed=tuple(removed))


def _require_free_for_metrics(settings: NightSettings) -> None:
    """Refuse to write metrics over an input, into the run, or over another program's file."""
    if settings.metrics is None:
        return
    inputs = {**settings.inputs, "--runs": settings.score.output}
    require_apart(settings.metrics, inputs, option="--metrics", is_file=True)
    try:
        there = storage.head(settings.metrics, metrics.HEAD)
    except Failed:  # reported when the metrics are written
        return
    if there and not metrics.is_exposition(there):
        raise Refused(
            f"--metrics {settings.metrics}: is a file that segscore nightly did not write; name "
            "another file"
        )


def _work(settings: NightSettings, client: cluster.Client, progress: Progress, say: Say) -> Ended:
    require_apart(settings.score.output, settings.inputs, option="--runs")
    earlier = Nights(settings.runs)
    if settings.compared is not None and earlier.on(settings.compared) is None:
        why = "".join(f" ({problem})" for problem in earlier.unreadable)
        raise Refused(f"--against {settings.against}: no such night in {settings.runs}{why}")
    scored = _score(settings, client, progress, say)
    try:
        night = nights.read_night(settings.runs, settings.date)
        if night is None:
            raise Failed("another process removed it")
        verdict = judge.judge(night, settings, earlier)
        if verdict != night.verdict:
            nights.keep_night(night.url, verdict)
    except (Refused, Failed) as problem:
        raise Failed(
            f"{settings.date} is published but was not judged: {problem}; run the date again"
        ) from problem
    for warning in earlier.unreadable:
        say(f"passed over: {warning}")
    return Ended(replace(night, verdict=verdict), verdict, scored)


def _score(
    settings: NightSettings, client: cluster.Client, progress: Progress, say: Say
) -> run.Finished | None:
    """Score the night; return None if the same input was scored before."""
    try:
        outcome = run.run_scoring(settings.score, client, progress)
    except run_folder.OtherRun as other:
        say(f"{settings.date} is scored anew: {'; '.join(other.differences) or 'it was otherwise'}")
        outcome = run.run_scoring(replace(settings.score, fresh=True), client, progress)
    return None if isinstance(outcome, Done) else outcome


def _latest(there: Nights) -> tuple[date | None, str | None]:
    """Return the newest night's date, and when the newest successful night was judged."""
    ends = (each.verdict for each in there.newest_first() if each.verdict is not None)
    last = next((each.finished_at for each in ends if each.exit_code == 0), None)
    return there.newest, last


def _tell_unfinished(settings: NightSettings, outcome: str, exit_code: int, say: Say) -> None:
    """Write the metrics of a night that failed; an error in this is only a warning."""
    try:
        _tell(settings, outcome, exit_code, None, say)
    except Failed as problem:
        say(str(problem))


def _tell(
    settings: NightSettings, outcome: str, exit_code: int, night: Night | None, say: Say
) -> None:
    """Write the metrics, unless a newer night has been published.

    Raises:
        Failed: the metrics cannot be written.
    """
    if settings.metrics is None:
        return
    try:
        newest, last = _latest(Nights(settings.runs))
    except (OSError, Refused, Failed):  # reported for the night itself
        newest, last = None, None
    if newest is not None and newest > settings.date:
        say(f"{settings.metrics} tells of the newest night, {newest}, and stays as it is")
        return
    text = metrics.expose(settings.date, outcome, exit_code, last, night, settings.rules)
    try:
        storage.write_text(settings.metrics, text)
    except (OSError, Refused, Failed) as problem:
        raise Failed(f"--metrics {settings.metrics}: cannot be written ({problem})") from problem
