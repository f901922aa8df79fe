"""Show what rules would have said of nights."""

from collections.abc import Sequence
from datetime import date

from segscore.jobs.cli.log import LOG
from segscore.jobs.show.fitted import print_lines
from segscore.jobs.show.formats import plain_table, print_json, print_table
from segscore.jobs.show.progress import Bar
from segscore.jobs.show.shown import print_result
from segscore.pipeline.nightly.settings import NightSettings


def print_replayed(chosen: NightSettings, nights: Sequence[date], format_name: str) -> None:
    """Judge published nights without writing, and print the outcomes beside those recorded."""
    from segscore.pipeline.nightly import replay

    replayed = []
    with Bar("judging", unit="nights") as bar:
        for each in replay.replay(chosen, nights, lambda text: LOG.say("warning", text)):
            replayed.append(each)
            bar.advance(len(replayed), len(nights))
    rows = [each.row for each in replayed]
    if format_name == "json":
        print_json("nightly", {"replayed": rows, "alarms": replay.count_alarms(replayed)})
        return
    if format_name == "text":
        if (table := replay.replayed_table(replayed)).rows:
            print_result(table)
        print_lines(replay.replayed_in_words(replayed))
    else:
        named = [row | {"failing": ", ".join(row["failing"])} for row in rows]
        print_table(plain_table(replay.REPLAYED_COLUMNS, named, ""), format_name)
    LOG.warn([] if chosen.rules else ["no rule was given: see --gate"])
