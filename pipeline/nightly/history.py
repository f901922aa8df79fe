"""Combine the summaries of many runs into one table, and find the nights that are missing."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise

import pyarrow as pa

from segscore.pipeline import storage
from segscore.pipeline.errors import Failed, Refused, place_and_reason
from segscore.pipeline.nightly.calendar import USUAL_CALENDAR, Calendar
from segscore.pipeline.nightly.kept_verdicts import ReplacedVerdict, read_replaced, verdict_table
from segscore.pipeline.nightly.nights import Nights
from segscore.pipeline.nightly.restatements import Restatement, read_restatements, restatement_table
from segscore.pipeline.nightly.retention import remove_old
from segscore.pipeline.nightly.settings import require_keep
from segscore.pipeline.nightly.summaries import (
    EARLIER_COLUMNS,
    RunRows,
    concatenate_summaries,
    night_of,
    read_removed,
    read_run_rows,
)
from segscore.pipeline.nightly.summary_cache import HISTORY_FOLDER, SummaryCache
from segscore.pipeline.runs import run_folder
from segscore.pipeline.storage.placement import is_inside, require_apart

_FILE = "history.parquet"

_RESTATEMENTS = "_restatements/restatements.parquet"
"""File of the restatements, for dashboards; readers of Parquet folders skip its name."""

_VERDICTS = "_verdicts/verdicts.parquet"
"""File of the verdicts; likewise."""

_LONGEST_STEP = timedelta(days=7)
"""Longest step that is regular in days; months, for example, differ in length."""


@dataclass(frozen=True)
class Gathered:
    """The history, and messages about the runs in the folder.

    Attributes:
        table: the history, as in schemas/nights.py.
        url: URL of the file that was written.
        removed: dates of the old nights that were removed.
        missing: dates on which a night is missing, ascending; see ``missing_dates``.
        wrong: messages about runs that could not be read and old nights that were not removed.
        restatements: how nights changed that were scored again.
        replaced: the verdicts that were replaced by others.
    """

    table: pa.Table
    url: str
    missing: list[date]
    removed: list[date]
    wrong: list[str]
    restatements: list[Restatement]
    replaced: list[ReplacedVerdict]


def require_folder(runs: str) -> None:
    """Refuse a folder that does not exist or is empty."""
    if not storage.names(runs):
        raise Refused(f"{runs}: no such folder, or it is empty")


def gather_history(
    runs: str, output: str | None, keep: int | None, calendar: Calendar = USUAL_CALENDAR
) -> Gathered:
    """Write the summaries of the runs of a folder as one table, atomically.

    Args:
        runs: folder with runs of `segscore score` or `segscore nightly`.
        output: folder to write the table to; None for `history` in the folder of the runs.
        keep: days after which nights are removed, before reading; None to keep all.
        calendar: says on which days no night is missing.

    Raises:
        Refused: the folder has no finished run that can be read, or the table would overwrite
            something else.
        Failed: the table cannot be written.
    """
    require_keep(keep)
    require_folder(runs)
    url = storage.join(output or storage.join(runs, HISTORY_FOLDER), _FILE)
    _require_free(runs, url)
    removed, warnings = ([], []) if keep is None else remove_old(Nights(runs), keep)
    before = SummaryCache(runs)
    finished, left_out = _read_runs(runs, warnings, before)
    before.save({run.name for run in finished})
    if not finished:
        raise _without_runs(runs, warnings)
    table = concatenate_summaries(finished, read_removed(runs))
    storage.write_table(url, table, plain=())
    nights = [*table.column("date").unique().to_pylist(), *left_out]
    missing = missing_dates([night for night in nights if night is not None])
    missing = [night for night in missing if not calendar.is_off(night)]
    restatements = read_restatements(runs, warnings)
    url_of_restatements = storage.join(url.rpartition("/")[0], _RESTATEMENTS)
    storage.write_table(url_of_restatements, restatement_table(restatements), plain=())
    replaced = read_replaced(runs, warnings)
    url_of_verdicts = storage.join(url.rpartition("/")[0], _VERDICTS)
    storage.write_table(url_of_verdicts, verdict_table(runs, replaced), plain=())
    return Gathered(table, url, missing, removed, warnings, restatements, replaced)


def _without_runs(runs: str, warnings: Sequence[str]) -> Refused:
    """Return the error to raise if a folder has no finished run."""
    reason = f" ({warnings[0]})" if warnings else ""
    if run_folder.RECORD in storage.names(runs):
        reason = "; it is a run itself: name the folder that contains the runs"
    return Refused(f"{runs}: contains no finished run of segscore score or nightly{reason}")


def read_history(runs: str) -> tuple[pa.Table, list[str]]:
    """Return the table that ``gather_history`` writes, and messages about runs left out.

    Raises:
        Refused: the folder has no finished run that can be read.
    """
    require_folder(runs)
    warnings: list[str] = []
    finished, _ = _read_runs(runs, warnings, SummaryCache(runs))
    if not finished:
        raise _without_runs(runs, warnings)
    return concatenate_summaries(finished, read_removed(runs)), warnings


def _read_runs(
    runs: str, warnings: list[str], before: SummaryCache
) -> tuple[list[RunRows], list[date | None]]:
    """Read the finished runs of a folder, and list the dates of those left out."""
    finished, left_out = [], []
    for name in storage.names(runs):
        try:
            run = read_run_rows(runs, name, warnings, before)
        except (Refused, Failed, OSError) as problem:
            warnings.append(f"{name} was left out: {place_and_reason(problem)}")
            left_out.append(night_of(name))
        else:
            finished += [run] if run is not None else []
    return finished, left_out


def _require_free(runs: str, url: str) -> None:
    """Refuse to write the table into a run, or over a file that is not such a table."""
    storage.require_writable_store("--output", url)
    folder = url.rpartition("/")[0]
    folders = [folder, *(storage.join(runs, name) for name in storage.names(runs))]
    target = storage.canonical(url)
    enclosing = [path for path in folders if is_inside(target, storage.canonical(path))]
    require_apart(url, {"RUN": [path for path in enclosing if _is_run(path)]}, is_file=True)
    if _FILE in storage.names(folder) and not {*storage.column_names(url)} >= EARLIER_COLUMNS:
        raise Refused(
            f"{url}: is not a table of `segscore trend --table`; name another folder with --output"
        )


def _is_run(folder: str) -> bool:
    return not {run_folder.RECORD, run_folder.UNFINISHED}.isdisjoint(storage.names(folder))


def missing_dates(nights: Collection[date]) -> list[date]:
    """Return the dates between the first and the last night that lack a night, ascending.

    The step is the most frequent time between two successive nights, the shortest of several that
    are as frequent.  A night is missing where a time is longer, one for each further step, but not
    on a day of the week that never has a night and was passed over at least twice, such as Sunday.
    If the step is longer than a week, no date is missing.
    """
    present = sorted(set(nights))
    gaps = Counter(later - earlier for earlier, later in pairwise(present))
    if not gaps:
        return []
    step = min(gaps, key=lambda gap: (-gaps[gap], gap))
    if step > _LONGEST_STEP:
        return []
    expected = [
        earlier + index * step
        for earlier, later in pairwise(present)
        for index in range(1, -((earlier - later) // step))
    ]
    workdays = {night.weekday() for night in present}
    passed_over = Counter(day.weekday() for day in expected)
    return [day for day in expected if day.weekday() in workdays or passed_over[day.weekday()] == 1]
