"""Show what rules would have said of nights."""

from collections.abc import Sequence
from datetime import date
from typing import Any

from segscore.jobs.cli.log import LOG
from segscore.jobs.show.fitted import print_fitted, print_lines
from segscore.jobs.show.formats import plain_layout, print_json, print_table
from segscore.jobs.show.progress import Bar
from segscore.pipeline.nightly.settings import NightSettings
from segscore.pipeline.statistics.shown_numbers import counted
from segscore.pipeline.statistics.shown_tables import Column

_FAILED = "failed"
_COLUMNS = ("date", "outcome", "recorded", "failing")


def print_replayed(chosen: NightSettings, nights: Sequence[date], format_name: str) -> None:
    """Judge published nights without writing, and print the outcomes beside those recorded."""
    from segscore.pipeline.nightly.replay import count_alarms, replay

    replayed = []
    with Bar("judging", unit="nights") as bar:
        for each in replay(chosen, nights, lambda text: LOG.say("warning", text)):
            replayed.append(each)
            bar.advance(len(replayed), len(nights))
    rows: list[dict[str, Any]] = [
        {
            "date": str(each.date),
            "outcome": each.verdict.outcome,
            "recorded": None if each.recorded is None else each.recorded.outcome,
            "failing": each.failing,
        }
        for each in replayed
    ]
    alarms = count_alarms(replayed)
    if format_name == "json":
        print_json("nightly", {"replayed": rows, "alarms": alarms})
        return
    named = [{**row, "failing": ", ".join(row["failing"])} for row in rows]
    if format_name == "text":
        _print(named, alarms)
    else:
        print_table(plain_layout(list(_COLUMNS), named, ""), format_name)
    LOG.warn([] if chosen.rules else ["no rule was given: see --gate"])


def _print(rows: Sequence[dict[str, Any]], alarms: int) -> None:
    """Print the nights that would fail, or end in another way than recorded, and how many do."""
    shown = [row for row in rows if row["outcome"] != row["recorded"] or row["outcome"] == _FAILED]
    if shown:
        columns = (
            Column(name, [str(row[name] or "–") for row in shown], is_name=True)
            for name in _COLUMNS
        )
        same = len(rows) - len(shown)
        caption = f"{counted(same, 'other night')} would end as recorded" if same else ""
        print_fitted([*columns], caption=caption)
    failed = sum(row["outcome"] == _FAILED for row in rows)
    before = sum(row["recorded"] == _FAILED for row in rows)
    print_lines(
        f"{failed} of {counted(len(rows), 'night')} would fail, in {counted(alarms, 'alarm')}; "
        f"{before} failed as recorded"
    )
