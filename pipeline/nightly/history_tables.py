"""The runs of a folder, which can be compared with the one before, and what else a history says."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from itertools import pairwise
from typing import Any

import pyarrow as pa

from segscore.pipeline.measures import ALL
from segscore.pipeline.nightly.history import Gathered
from segscore.pipeline.nightly.kept_verdicts import ReplacedVerdict, said_in_words
from segscore.pipeline.nightly.nights import differences_of
from segscore.pipeline.nightly.restatements import Restatement
from segscore.pipeline.nightly.summaries import RUN_COLUMNS
from segscore.pipeline.nightly.verdict import Verdict
from segscore.pipeline.settings.signature import signature_differences
from segscore.pipeline.statistics.averages import summary_groups
from segscore.pipeline.statistics.formatted_numbers import counted
from segscore.pipeline.statistics.result_table import Column, ResultTable

LISTED_COLUMNS = (
    "run",
    "date",
    "outcome",
    "signature",
    "differs_from_previous",
    "series",
    "restated_at",
)
_AVERAGES = (
    "hypothesis",
    "measure",
    "average",
    "value",
    "ci_low",
    "ci_high",
    "documents",
    "defined",
    "gate",
)
_SHOWN = 15
_SERIES_SHOWN = 3
_RESTATED_SHOWN = 5

_Row = Mapping[str, Any]


def list_runs(gathered: Gathered) -> list[dict[str, Any]]:
    """List the runs, their outcomes, and how each signature differs from the one before.

    Returns:
        Rows with the columns ``LISTED_COLUMNS``.
    """
    names = ["run", "date", "outcome", "signature"]
    grouped = gathered.table.group_by(names, use_threads=False)
    runs = grouped.aggregate([("measure", "distinct")]).to_pylist()
    runs = [{**row, "measures": row.pop("measure_distinct")} for row in runs]
    runs.sort(key=lambda row: (row["date"] or date.min, row["run"]))
    pairs = pairwise([*runs[:1], *runs])
    restated = {each.date: each.rows[0]["restated_at"] for each in gathered.restatements}
    listed = []
    series = 1
    for row, pair in zip(runs, pairs, strict=True):
        differences = _differences(*pair)
        series += bool(differences)
        listed.append(
            {
                **{name: row[name] for name in names},
                "differs_from_previous": ", ".join(differences),
                "series": series,
                "restated_at": restated.get(row["date"]),
            }
        )
    return listed


def nightly_averages(table: pa.Table, listed: Sequence[_Row]) -> ResultTable:
    """Return every average of a history, each with the series and restatement of its run.

    Args:
        table: the history.
        listed: its runs, as ``list_runs`` returns them.
    """
    of_runs = {row["run"]: row for row in listed}
    added = {
        name: [of_runs[run][name] for run in table.column("run").to_pylist()]
        for name in ("series", "restated_at")
    }
    groups = [name for name in summary_groups(table.column_names) if name not in RUN_COLUMNS]
    names = ["run", "date", "outcome", *groups, *_AVERAGES]
    columns = {name: table.column(name).to_pylist() for name in names}
    return ResultTable([Column(*each) for each in (columns | added).items()])


def _differences(before: _Row, now: _Row) -> list[str]:
    """Return what makes the averages incomparable that a run and the one before both have."""
    shared = sorted({*before["measures"]} & {*now["measures"]} & {*ALL})
    if not shared:
        return signature_differences(before["signature"], now["signature"])
    return differences_of(before["signature"], now["signature"], shared, shared)


def runs_table(listed: Sequence[_Row]) -> ResultTable:
    """Show the newest runs of ``list_runs``."""
    earlier, newest = len(listed) - _SHOWN, listed[-_SHOWN:]
    outcomes = [
        f"{row['outcome'] or '–'}{', restated' * bool(row['restated_at'])}" for row in newest
    ]
    return ResultTable(
        [
            Column("run", [row["run"] for row in newest], is_name=True),
            Column("outcome", outcomes, is_name=True),
            Column("differs from previous", [*map(_describe_series, newest)], is_name=True),
        ],
        caption=f"{earlier} earlier runs are not shown" if earlier > 0 else "",
    )


def _describe_series(row: _Row) -> str:
    """Say why a run cannot be compared with the one before; for a night, a series begins anew."""
    differences = str(row["differs_from_previous"])
    return f"new series: {differences}" if differences and row["date"] else differences


def history_in_words(gathered: Gathered, listed: Sequence[_Row], keep: int | None) -> Iterator[str]:
    """Say which series began, what was restated, is missing or was removed, and what was written.

    Args:
        gathered: the history.
        listed: its runs, as ``list_runs`` returns them.
        keep: days after which nights were removed; None if none were.
    """
    began = [row for row in listed[:-_SHOWN] if row["date"] and row["differs_from_previous"]]
    for row in began[-_SERIES_SHOWN:]:
        yield f"a new series began on {row['date']}: {row['differs_from_previous']}"
    yield from _describe_restatements(gathered.restatements)
    yield from _describe_replaced(gathered.replaced)
    if gathered.missing:
        yield _describe_missing(gathered.missing)
    for removed in gathered.removed:
        yield f"removed night {removed}: more than {keep} days older than the newest"
    yield f"{counted(gathered.table.num_rows, 'row')} written to {gathered.url}"
    if last := _describe_last([row["date"] for row in listed]):
        yield last


def _describe_restatements(restatements: Sequence[Restatement]) -> Iterator[str]:
    """Say how the newest restated nights changed, and which verdicts rest on what they said."""
    yield from (each.sentence for each in restatements[-_RESTATED_SHOWN:])
    if (more := len(restatements) - _RESTATED_SHOWN) > 0:
        yield f"{counted(more, 'restatement')} before: --format json lists all"
    resting = sorted({day for each in restatements for day in each.resting})
    if resting:
        verdicts = (
            "1 later verdict rests" if len(resting) == 1 else f"{len(resting)} later verdicts rest"
        )
        ends = f"--from {resting[0]} --to {resting[-1]}"
        yield (
            f"{verdicts} on what was said before, {resting[0]} to {resting[-1]}: judge them again "
            f"with segscore nightly --settings FILE --rejudge {ends}, FILE being that of the nights"
        )


def _describe_replaced(replaced: Sequence[ReplacedVerdict]) -> Iterator[str]:
    """Say what the newest replaced verdicts said, where the outcome changed."""
    changed = [each for each in replaced if each.before.outcome != each.now.outcome]
    yield from (each.sentence for each in changed[-_RESTATED_SHOWN:])
    if (more := len(changed) - _RESTATED_SHOWN) > 0:
        yield f"{counted(more, 'verdict')} replaced before: --format json lists all"


def verdicts_table(verdicts: Sequence[Verdict], until: date) -> ResultTable:
    """Show how nights ended, as it was known on a day."""
    return ResultTable(
        [
            Column("date", [each.date for each in verdicts], is_name=True),
            Column("outcome", [each.outcome for each in verdicts], is_name=True),
            Column("judged at", [each.finished_at for each in verdicts], is_name=True),
            Column("what was said", [said_in_words(each) for each in verdicts], is_name=True),
        ],
        title=f"verdicts as they were at the end of {until}, UTC",
    )


def _describe_last(dates: Sequence[date | None]) -> str:
    """Say when the last night is, if it is more than a day ago."""
    last = max(filter(None, dates), default=None)
    days = 0 if last is None else (datetime.now(UTC).date() - last).days
    return f"the last night is {last}, {days} days ago" if days > 1 else ""


def _describe_missing(missing: Sequence[date]) -> str:
    """Describe the dates on which a night is missing, the newest first."""
    ranges = list[tuple[date, date]]()
    for day in reversed(missing):
        follows = ranges and (ranges[-1][0] - day).days == 1
        last = ranges.pop()[1] if follows else day
        ranges.append((day, last))
    texts = [f"{first}" if first == last else f"{first} to {last}" for first, last in ranges]
    more = len(texts) - _SHOWN
    if more > 0:
        texts[_SHOWN:] = [f"and {more} earlier"]
    return f"no finished night: {', '.join(texts)}"
