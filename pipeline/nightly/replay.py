"""What rules would have said of nights that are published, each judged after the one before it.

Nothing is written: the verdicts are those of the given settings, also where later nights depend on
which earlier ones were good.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date

from segscore.pipeline.nightly.judge import judge
from segscore.pipeline.nightly.nights import Nights
from segscore.pipeline.nightly.settings import NightSettings
from segscore.pipeline.nightly.verdict import EVERY, FAILED, Verdict


@dataclass(frozen=True)
class Replayed:
    """What rules would have said of a night, and what was said; None if it was not judged."""

    date: date
    verdict: Verdict
    recorded: Verdict | None

    @property
    def failing(self) -> list[str]:
        """The systems that would have failed, by name; all together last."""
        checks = (*self.verdict.checks, *self.verdict.group_checks)
        names = {
            check.system
            for check in checks
            if check.fails and self.verdict.accepts(check.system, check.rule) is None
        }
        return sorted(names, key=lambda name: (name == EVERY, name))


def replay(
    settings: NightSettings, dates: Iterable[date], warn: Callable[[str], None]
) -> Iterator[Replayed]:
    """Judge published nights again, without writing; others are skipped.

    Args:
        settings: settings of the nights; their date does not count.
        dates: dates of the nights, ascending.
        warn: called with a message about each night that cannot be read.

    Raises:
        Refused: a file of a night cannot be read.
        Failed: the server does not answer.
    """
    nights = Nights(settings.runs, may_write=False)
    for day in dates:
        night = nights.find(day)
        if night is None:
            continue
        unusable = () if night.verdict is None else night.verdict.unusable
        own = replace(settings, date=day, rejudge=True)
        verdict = judge(night, own, nights, unusable)
        nights.put(replace(night, verdict=verdict))
        yield Replayed(day, verdict, night.verdict)
    for problem in nights.unreadable:
        warn(f"night ignored: {problem}")


def count_alarms(replayed: Iterable[Replayed]) -> int:
    """Return the number of nights that fail after one that does not."""
    alarms, failed = 0, False
    for each in replayed:
        fails = each.verdict.outcome == FAILED
        alarms += fails and not failed
        failed = fails
    return alarms
