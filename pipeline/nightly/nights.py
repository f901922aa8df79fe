"""The folder of the nights' runs: which there are, what each found, which of them are good."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any

import pyarrow as pa

from segscore.pipeline import storage
from segscore.pipeline.errors import Refused
from segscore.pipeline.nightly import verdict
from segscore.pipeline.nightly.settings import NIGHT, folder_of, read_date
from segscore.pipeline.nightly.verdict import Verdict
from segscore.pipeline.runs import run_folder
from segscore.pipeline.scoring.part import is_point
from segscore.pipeline.statistics.averages import SUMMARY_COLUMNS


@dataclass(frozen=True)
class Night:
    """A night that was published.

    Attributes:
        date: of the night; of a run that is of none, the first there is.
        url: folder of its run.
        record: its run.json.
        verdict: what the gate said of this very run; None if it was not judged yet.
    """

    date: date
    url: str
    record: dict[str, Any]
    verdict: Verdict | None

    @property
    def name(self) -> str:
        """How it is told: by its date, or by its folder."""
        return self.url if self.date == date.min else self.date.isoformat()

    @property
    def run(self) -> str:
        """The fingerprint of its run."""
        return str(self.record.get("fingerprint"))


def is_scoring(record: dict[str, Any]) -> bool:
    """Whether a run.json is of `segscore score`."""
    settings = record.get("settings")
    return isinstance(settings, dict) and "hypotheses" in settings


def dates(runs: str) -> list[date]:
    """The dates that folders of nights are named by, ascending."""
    found = []
    for name in storage.names(runs):
        if name.startswith(NIGHT):
            try:
                found.append(read_date("", name.removeprefix(NIGHT)))
            except Refused:  # somebody else's folder
                continue
    return sorted(found)


def read_night(runs: str, night: date) -> Night | None:
    """Read what a night found; None if nothing is published under its date.

    Raises:
        Refused: its run.json or night.json cannot be read.
    """
    url = folder_of(runs, night)
    text = storage.read_text(storage.join(url, run_folder.RECORD))
    if text is None:
        return None
    record = run_folder.read_status(url).record
    if record is None or not is_scoring(record):
        raise Refused(f"{url}: holds a run of another command, not a night")
    return Night(night, url, record, judged(url, str(record.get("fingerprint"))))


def of_run(url: str) -> Night:
    """Take a finished scoring run that is of no date.

    Raises:
        Refused: it is not one.
    """
    record = run_folder.read_status(url).record
    if record is None or not is_scoring(record):
        raise Refused(f"{url}: holds no finished scoring run")
    return Night(date.min, url, record, None)


def judged(url: str, run: str) -> Verdict | None:
    """What the gate said of a run; None if nothing, or of an earlier run in its place."""
    place = storage.join(url, verdict.FILE)
    text = storage.read_text(place)
    if text is None:
        return None
    found = verdict.read_verdict(place, text)
    return found if found.run == run else None


def summary(url: str, record: dict[str, Any]) -> pa.Table:
    """The summary of a finished run."""
    files = run_folder.files(url, record, "summary")
    return pa.concat_tables([storage.read_columns(each, None) for each in files])


def over_all(night: Night) -> list[dict[str, Any]]:
    """The rows of a night's summary over all documents, those of reference points left out."""
    return [
        row
        for row in summary(night.url, night.record).to_pylist()
        if not is_point(row["hypothesis"])
        and all(row[name] is None for name in row if name not in SUMMARY_COLUMNS)
    ]


def systems_of(night: Night) -> tuple[str, ...]:
    """The systems that a night scored, by name; reference points are none."""
    return tuple(sorted({row["hypothesis"] for row in over_all(night)}))


def keep_night(url: str, found: Verdict) -> None:
    """Write what the gate said of a night, whole."""
    storage.write_text(storage.join(url, verdict.FILE), found.text())


class Nights:
    """The nights of a folder, each read when it is asked for, and once.

    Attributes:
        runs: the folder.
        unreadable: what was wrong with nights that were passed over.
    """

    def __init__(self, runs: str) -> None:
        self.runs = runs
        self.dates = dates(runs)
        self.unreadable: list[str] = []
        self._read: dict[date, Night | None] = {}

    def on(self, night: date) -> Night | None:
        """The night of a date; None if there is none, or it cannot be read."""
        if night not in self._read:
            try:
                self._read[night] = read_night(self.runs, night) if night in self.dates else None
            except Refused as problem:
                self.unreadable.append(str(problem))
                self._read[night] = None
        return self._read[night]

    def newest_first(self, before: date | None = None) -> Iterator[Night]:
        """All nights that are published, or those before a date."""
        for each in reversed(self.dates):
            if before is None or each < before:
                night = self.on(each)
                if night is not None:
                    yield night

    def good(self, before: date | None = None) -> Iterator[Night]:
        """The good ones, newest first."""
        for night in self.newest_first(before):
            if night.verdict is not None and night.verdict.good:
                yield night

    @property
    def newest(self) -> date | None:
        """Date of the newest night that is published."""
        return next((night.date for night in self.newest_first()), None)
