"""Replay rules over published nights, in order.

Nothing is written: the verdicts are those of the given settings, also where later nights depend on
which earlier ones were good.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from segscore.pipeline.nightly.judge import judge
from segscore.pipeline.nightly.nights import Nights
from segscore.pipeline.nightly.settings import NightSettings
from segscore.pipeline.nightly.verdict import ALL_SYSTEMS, FAILED, Verdict
from segscore.pipeline.statistics.formatted_numbers import counted
from segscore.pipeline.statistics.result_table import Column, ResultTable


@dataclass(frozen=True)
class Replayed:
    """The verdict of the replayed rules on a night, and its own; None if it was not judged."""

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
        return sorted(names, key=lambda name: (name == ALL_SYSTEMS, name))

    @property
    def row(self) -> dict[str, Any]:
        """Its date, outcomes and systems, as JSON values."""
        recorded = None if self.recorded is None else self.recorded.outcome
        return {
            "date": str(self.date),
            "outcome": self.verdict.outcome,
            "recorded": recorded,
            "failing": self.failing,
        }


REPLAYED_COLUMNS = ("date", "outcome", "recorded", "failing")
"""The columns of replayed nights."""


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
    dates = [*dates]
    last = max(dates, default=date.max)
    aliases = settings.aliases
    nights = Nights(settings.runs, may_write=False, aliases=aliases, seen_from=last)
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


def replayed_table(replayed: Sequence[Replayed]) -> ResultTable:
    """Show the nights that would fail, or end in another way than recorded."""
    rows = [each.row | {"failing": ", ".join(each.failing)} for each in replayed]
    shown = [row for row in rows if row["outcome"] != row["recorded"] or row["outcome"] == FAILED]
    same = len(rows) - len(shown)
    return ResultTable(
        [
            Column(name, [str(row[name] or "–") for row in shown], is_name=True)
            for name in REPLAYED_COLUMNS
        ],
        caption=f"{counted(same, 'other night')} would end as recorded" if same else "",
    )


def replayed_in_words(replayed: Sequence[Replayed]) -> str:
    """Say how many nights would fail, in how many alarms, and how many failed as recorded."""
    failed = sum(each.verdict.outcome == FAILED for each in replayed)
    recorded = [each.recorded for each in replayed if each.recorded is not None]
    before = sum(verdict.outcome == FAILED for verdict in recorded)
    return (
        f"{failed} of {counted(len(replayed), 'night')} would fail, in "
        f"{counted(count_alarms(replayed), 'alarm')}; {before} failed as recorded"
    )
