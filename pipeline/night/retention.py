"""Old nights removed: nothing that is not surely ours, and never what later nights need."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta

from pipeline import run_folder, storage
from pipeline.errors import Failed, Refused
from pipeline.night import verdict
from pipeline.night.nights import Nights, read
from pipeline.night.settings import folder_of


def remove_old(nights: Nights, days: int) -> tuple[list[date], list[str]]:
    """Remove nights that are more than some days older than the newest.

    Kept are the last good night, whatever its age, and every folder that holds anything but a
    night, or an unfinished attempt at one.  Days are counted back from the newest night, or from
    today if that is earlier: neither a clock nor a date that is wrong empties the folder.

    Args:
        nights: of the folder.
        days: how many to keep.

    Returns:
        The dates removed, and in words what was to be removed and was not.
    """
    if nights.newest is None:
        return [], []
    newest = min(nights.newest, datetime.now(UTC).date())
    last_good = next((night.date for night in nights.good()), None)
    removed, kept = [], []
    for night in nights.dates:
        if night < newest - timedelta(days=days) and night != last_good:
            url = folder_of(nights.runs, night)
            try:
                _require_ours(nights.runs, night)
                _remove(url)
                removed.append(night)
            except (Refused, Failed, OSError) as problem:
                kept.append(f"{url} is old but was not removed: {problem}")
    return removed, kept


def _require_ours(runs: str, night: date) -> None:
    """Make sure that a folder holds a night and nothing else.

    Raises:
        Refused: it does not.
    """
    url = folder_of(runs, night)
    held = storage.names(url)
    if others := [name for name in held if name not in (*_order(), run_folder.UNFINISHED)]:
        raise Refused(f"it holds {', '.join(others[:3])}, which no night does")
    if run_folder.UNFINISHED in held:
        raise Refused("it holds an unfinished attempt")
    # A night without run.json is one whose removal was cut short.
    if read(runs, night) is None and verdict.FILE not in held:
        raise Refused(f"it holds no {run_folder.RECORD}")


def _order() -> Iterator[str]:
    """What a night holds, in the order in which it is removed: readers first miss the record."""
    yield run_folder.RECORD
    yield from run_folder.TABLES
    yield verdict.FILE


def _remove(url: str) -> None:
    for name in _order():
        storage.remove(storage.join(url, name))
    storage.remove(url)
