"""`segscore nightly`: score, publish and judge the data of one date or several, once or again."""

from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta
from typing import TYPE_CHECKING, Annotated, Any

import typer

from segscore.jobs.cli import startup
from segscore.jobs.cli.log import LOG
from segscore.jobs.cli.options import Workers
from segscore.jobs.cli.signature import problems_of, read_fields
from segscore.jobs.show.formats import ResultFormat, print_text
from segscore.jobs.show.nights import (
    Result,
    print_dry_run,
    print_night,
    print_night_as_data,
    print_nights,
    say_outcome,
)
from segscore.jobs.show.progress import Bar
from segscore.pipeline.errors import Failed, NotYet, Refused
from segscore.pipeline.nightly.calendar import OFF
from segscore.pipeline.nightly.dates import read_date
from segscore.pipeline.nightly.settings import NightSettings
from segscore.pipeline.scoring.settings import ScoreSettings
from segscore.pipeline.settings.options import Panel
from segscore.pipeline.statistics.formatted_numbers import counted

if TYPE_CHECKING:
    from segscore.pipeline.nightly.scoring import ScoredAhead
    from segscore.pipeline.runs.executor import Executor

SCORE = "score"
_MOST_NIGHTS = 3660
_NIGHTS_WITH_OWN_WARNINGS = 3
_DATE = "{date}"
_MESSAGE = "message"


def nightly(
    context: typer.Context,
    chosen: NightSettings,
    first: Annotated[
        str | None,
        typer.Option(
            "--from",
            help="First date of several nights, up to --to.",
            rich_help_panel=Panel.INPUTS,
        ),
    ] = None,
    last: Annotated[
        str | None,
        typer.Option("--to", help="Last date of several nights.", rich_help_panel=Panel.INPUTS),
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option(
            help="Where to run: local, processes or tcp://host:port. The default is cluster in "
            "\\[score], else local.",
            rich_help_panel=Panel.RUNNING,
        ),
    ] = None,
    workers: Workers = None,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run",
            "--explain-plan",
            help="Check settings and input; write nothing.",
            rich_help_panel=Panel.RUNNING,
        ),
    ] = False,
    replay: Annotated[
        bool,
        typer.Option(
            "--replay",
            help="Say what rules would say of published nights.",
            rich_help_panel=Panel.GATE,
        ),
    ] = False,
    message: Annotated[
        bool,
        typer.Option(
            "--message",
            help="Print only a text for a chat: the outcome and three facts.",
            rich_help_panel=Panel.OUTPUT,
        ),
    ] = False,
    format_name: ResultFormat = "text",
) -> None:
    r"""Score the data of a date, publish the run, and exit 1 if a system got worse.

    The table \[score] of --settings sets how to score.
    """
    scoring: dict[str, Any] = (context.obj or {}).get(SCORE, {})
    try:
        chosen = replace(chosen, scoring=read_fields(ScoreSettings, scoring))
    except Refused as problem:
        every = "; ".join(problems_of(ScoreSettings, scoring))
        raise Refused(every or str(problem)) from problem
    for note in chosen.ignored:
        _warn(note)
    nights = _dates(chosen.date, first, last)
    published = replay or chosen.rejudge
    expected = [night for night in nights if published or not chosen.days.is_off(night)]
    if not expected:
        _print_off(nights, format_name)
        return
    nights = expected
    if replay:
        from segscore.jobs.show.replayed import print_replayed

        startup.work()
        print_replayed(chosen, _published(chosen.runs, nights, "--replay"), format_name)
        return
    if message and (first is not None or dry_run or format_name != "text"):
        raise Refused("--message: is about one night that is run; give --date alone")
    if chosen.rejudge and first is not None:
        nights = _published(chosen.runs, nights, "--rejudge")
    chosen = replace(chosen, date=nights[0])
    if dry_run:
        # Nights are removed after the last one.
        before = [replace(chosen, date=night, keep=None) for night in nights[:-1]]
        print_dry_run([*before, replace(chosen, date=nights[-1])], format_name)
        return
    from segscore.pipeline.runs import executors

    address = cluster or scoring.get("cluster") or "local"
    startup.work()
    with executors.connect(
        address, workers or scoring.get("workers"), chosen.score.memory_limit
    ) as executor:
        if first is None:
            _run_one(chosen, executor, _MESSAGE if message else format_name)
        else:
            _run_several(chosen, nights, executor, format_name)


def _print_off(nights: list[date], format_name: str) -> None:
    """Say that no night is expected on any of some dates, which is no error."""
    for night in nights if LOG.structured else ():
        LOG.say("info", "no night is expected", date=str(night), outcome=OFF, exit_code=0)
    print_nights([Result(night, OFF, "") for night in nights], format_name)


def _dates(night: date | None, first: str | None, last: str | None) -> list[date]:
    """Return the dates of the nights to run.

    Raises:
        Refused: there is neither a date nor a range, both, or the range is empty or too long.
    """
    if first is None and last is None:
        if night is None:
            raise Refused("--date: give the date of the night, or --from and --to for several")
        return [night]
    if night is not None or first is None or last is None:
        raise Refused("--from, --to: give both and no --date")
    start, end = read_date("--from", first), read_date("--to", last)
    days = (end - start).days + 1
    if not 1 <= days <= _MOST_NIGHTS:
        raise Refused(
            f"--from {first} --to {last}: must be 1 to {_MOST_NIGHTS} nights, the earlier date "
            "first"
        )
    return [start + timedelta(days=day) for day in range(days)]


def _published(runs: str, nights: list[date], option: str) -> list[date]:
    """Return those of some nights that are published.

    Raises:
        Refused: none is.
    """
    from segscore.pipeline.nightly.nights import dates

    found = {*dates(runs)}
    published = [night for night in nights if night in found]
    if not published:
        raise Refused(f"{option}: no night from {nights[0]} to {nights[-1]} is published in {runs}")
    return published


def _run_one(chosen: NightSettings, executor: "Executor", format_name: str) -> None:
    """Run a night and print its results, or only a short message.

    Raises:
        Failed: the night does not end with exit code 0.
        NotYet: a part of its input cannot be used.
    """
    from segscore.pipeline.nightly.run import run_night
    from segscore.pipeline.nightly.sentences import failure_message, in_short, night_message

    try:
        with Bar("scoring") as bar:
            ended = run_night(chosen, executor, bar.advance, _warn)
    except (Failed, Refused) as problem:
        if format_name == _MESSAGE:
            print_text(in_short([str(problem)]))
        raise
    if format_name == _MESSAGE:
        print_text(night_message(ended.verdict, chosen.score.output))
    elif format_name == "text":
        print_night(chosen, ended)
    else:
        print_night_as_data(chosen, ended, format_name)
    say_outcome(ended)
    if ended.verdict.exit_code:
        kind = NotYet if ended.verdict.exit_code == NotYet.exit_code else Failed
        failed = kind(failure_message(ended.verdict, chosen.score.output))
        failed.fields = ended.fields
        raise failed


def _warn(text: str) -> None:
    LOG.say("warning", text)


class _Repeated:
    """Warnings about several nights, in which one that many nights share is said once."""

    def __init__(self, nights: int) -> None:
        self._few = nights <= _NIGHTS_WITH_OWN_WARNINGS
        self._nights: dict[str, list[date]] = {}

    def warn_of(self, night: date) -> Callable[[str], None]:
        """Return what is called with the warnings of a night."""
        if self._few or LOG.structured:
            return _warn
        return lambda text: self._nights.setdefault(text.replace(str(night), _DATE), []).append(
            night
        )

    def say(self) -> None:
        """Log the warnings that were kept."""
        for text, nights in self._nights.items():
            own = text.replace(_DATE, str(nights[0]))
            more = len(nights) - 1
            shared = f"; and likewise {counted(more, 'more night')} to {nights[-1]}" if more else ""
            _warn(own + shared)


def _run_several(
    chosen: NightSettings, nights: list[date], executor: "Executor", format_name: str
) -> None:
    """Run nights, whatever the outcome of each; print a line for each.

    They are scored several at once, and judged one after the other.

    Raises:
        Failed: some nights did not end with exit code 0.
        NotYet: no night has its input, or some are partial.
    """
    from segscore.pipeline.nightly.scoring import ScoredAhead

    results = []
    repeated = _Repeated(len(nights))
    listed = [replace(chosen, date=night) for night in nights]
    with ScoredAhead([] if chosen.rejudge else listed, executor) as ahead:
        for own in listed:
            if own.date != nights[-1]:  # metrics and retention are about the newest night
                own = replace(own, metrics=None, keep=None)
            results.append(_run_in_turn(own, executor, ahead, repeated.warn_of(own.night)))
    repeated.say()
    print_nights(results, format_name)
    partial = [result for result in results if result.outcome == "partial"]
    wrong = [
        result
        for result in results
        if result.message and result.outcome not in ("waiting", "partial")
    ]
    if wrong:
        raise Failed(
            f"{len(wrong)} of {len(results)} nights did not end well: "
            + ", ".join(f"{result.night} {result.outcome}" for result in wrong)
        )
    if partial:
        raise NotYet(
            f"{len(partial)} of {len(results)} nights are partial: "
            + ", ".join(str(result.night) for result in partial)
        )
    if all(result.outcome == "waiting" for result in results):
        raise NotYet(f"none of the {len(results)} nights has its input yet")


def _run_in_turn(
    own: NightSettings, executor: "Executor", ahead: "ScoredAhead", warn: Callable[[str], None]
) -> Result:
    """Run one of several nights, and return how it ended."""
    from segscore.pipeline.nightly.kept_verdicts import change_in_words
    from segscore.pipeline.nightly.run import run_night
    from segscore.pipeline.nightly.sentences import failure_message

    try:
        with Bar(str(own.night)) as bar:
            ended = run_night(own, executor, bar.advance, warn, ahead.wait)
    except (Failed, Refused) as problem:
        return Result(own.night, _outcome(problem), str(problem))
    for warning in ended.verdict.warnings:
        warn(f"{own.night}: {warning}")
    message = ""
    if ended.verdict.exit_code:
        message = failure_message(ended.verdict, own.score.output)
    change = change_in_words(ended.before, ended.verdict)
    return Result(own.night, ended.verdict.outcome, message, change)


def _outcome(problem: Failed | Refused) -> str:
    return str(problem.fields.get("outcome", "broken"))
