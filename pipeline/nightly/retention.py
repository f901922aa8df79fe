"""Remove old nights: only files that nights wrote, and never the night that later ones need."""

import json
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta

from segscore.pipeline import storage
from segscore.pipeline.errors import Failed, Refused, place_and_reason
from segscore.pipeline.nightly import verdict
from segscore.pipeline.nightly.dates import NIGHT, folder_of
from segscore.pipeline.nightly.kept_verdicts import keep_verdict
from segscore.pipeline.nightly.nights import Nights, read_night
from segscore.pipeline.nightly.summaries import keep_rows
from segscore.pipeline.runs import run_folder
from segscore.pipeline.statistics.formatted_numbers import counted
from segscore.pipeline.storage.listed_files import listed

REMOVING = "_removing.json"
"""Name of a night's run.json while the night is being removed, so that removal can be resumed."""

_OWN = (run_folder.RECORD, verdict.FILE, REMOVING)
"""Names of the files of a night beside its tables."""

_NAMED = 15
"""Most nights that a line names."""

_Files = Mapping[str, Sequence[str]]
"""Table -> names of its files."""


def remove_old(nights: Nights, days: int) -> tuple[list[date], list[str]]:
    """Remove nights that are more than some days older than the newest.

    The last good night is kept whatever its age, and so is every folder with a file that its
    run.json does not list, or with an unfinished attempt at a night.  Days are counted back from
    the newest night, or from today if that is earlier, so that neither a wrong clock nor a wrong
    date empties the folder.  The rows of their summaries are kept for the history.

    Returns:
        The dates removed, and a message for each old night that was not removed.
    """
    old, kept = _find_old(nights, days, nights.newest)
    warnings = [_not_removed(url, problem) for url, problem in kept]
    removed = []
    try:
        # First, so that the trend of the archive does not depend on what is removed.
        keep_rows(nights.runs, [f"{NIGHT}{night}" for night, _, _ in old])
    except (Refused, Failed, OSError) as problem:
        return [], [*warnings, *(_not_removed(url, problem) for _, url, _ in old)]
    for night, url, files in old:
        try:
            keep_verdict(nights.runs, night)
            _remove(url, files)
            removed.append(night)
        except (Refused, Failed, OSError) as problem:
            warnings.append(_not_removed(url, problem))
    return removed, warnings


def preview_removal(nights: Nights, days: int, newest: date | None = None) -> list[str]:
    """Say in lines which nights ``remove_old`` would remove, and which old ones it would keep.

    Args:
        nights: the nights.
        days: days after which they are removed.
        newest: a night that will be published before; None if there is none.
    """
    known = [night for night in (nights.newest, newest) if night is not None]
    old, kept = _find_old(nights, days, max(known, default=None))
    dates = [str(night) for night, _, _ in old]
    number = counted(len(old), "night")
    names = dates if len(dates) <= _NAMED else [*dates[:_NAMED], f"and {len(dates) - _NAMED} more"]
    return [
        f"would remove {number} more than {days} days older than the newest"
        + (f": {', '.join(names)}" if names else ""),
        *(f"would not remove {url}: {problem}" for url, problem in kept),
    ]


def _find_old(
    nights: Nights, days: int, newest: date | None
) -> tuple[list[tuple[date, str, _Files]], list[tuple[str, Exception]]]:
    """Find the nights that may be removed, with their files; and the old ones that may not."""
    old, kept = list[tuple[date, str, _Files]](), list[tuple[str, Exception]]()
    if newest is None:
        return old, kept
    newest = min(newest, datetime.now(UTC).date())
    last_good = next((night.date for night in nights.good()), None)
    for night in nights.dates:
        if night < newest - timedelta(days=days) and night != last_good:
            url = folder_of(nights.runs, night)
            try:
                files = _files(nights.runs, night)
                _require_ours(url, files)
                old.append((night, url, files))
            except (Refused, Failed, OSError) as problem:
                kept.append((url, problem))
    return old, kept


def _not_removed(url: str, problem: Exception) -> str:
    return f"{url} is old but was not removed: {place_and_reason(problem)}"


def _files(runs: str, night: date) -> _Files:
    """List the files of a night's tables, from its record.

    Raises:
        Refused: there is no record, or it lists files that no run writes.
    """
    url = folder_of(runs, night)
    published = read_night(runs, night)
    if published is not None and published.damaged:
        raise Refused(published.damaged)  # later nights may need it
    if published is not None:
        return listed(published.record, storage.join(url, run_folder.RECORD))
    removing = storage.join(url, REMOVING)
    text = storage.read_text(removing)
    if text is None and not storage.names(url):
        return {}  # the process that removed it was killed before the last step
    if text is None:
        raise Refused(f"it contains no {run_folder.RECORD}")
    record = None
    with suppress(ValueError, RecursionError):
        record = json.loads(text)
    return listed(record if isinstance(record, dict) else {}, removing)


def _require_ours(url: str, files: _Files) -> None:
    """Check that a folder contains a night and nothing else.

    Raises:
        Refused: the folder contains an unfinished attempt, or a file that the night did not write.
    """
    names = storage.names(url)
    if run_folder.UNFINISHED in names:
        raise Refused("it contains an unfinished attempt")
    others = [name for name in names if not _is_ours(name, (*_OWN, *files))]
    for table in files:
        listing = storage.names(storage.join(url, table))
        others += [f"{table}/{name}" for name in listing if not _is_ours(name, files[table])]
    if others:
        raise Refused(f"it contains {', '.join(others[:3])}, which the night did not write")


def _is_ours(name: str, ours: Collection[str]) -> bool:
    """Return whether a name is one of ours, or what a process left that was killed at one."""
    return name in ours or storage.temporary_for(name) in ours


def _remove(url: str, files: _Files) -> None:
    """Remove a night file by file, its record first, so that readers do not see part of it."""
    record = storage.join(url, run_folder.RECORD)
    text = storage.read_text(record)
    if text is not None:
        storage.write_text(storage.join(url, REMOVING), text)
        storage.remove(record)
    for table, names in files.items():
        folder = storage.join(url, table)
        listing = storage.names(folder)
        storage.remove_files(folder, [name for name in listing if _is_ours(name, names)])
        storage.remove_if_empty(folder)
    for name in storage.names(url):
        if name not in (REMOVING, *files) and _is_ours(name, (*_OWN, *files)):
            storage.remove(storage.join(url, name))
    storage.remove(storage.join(url, REMOVING))
    storage.remove_if_empty(url)
