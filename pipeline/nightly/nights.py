"""Read the folder of the nights' runs: which nights exist, their results, and which are good."""

import datetime
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date

import pyarrow as pa

from segscore.pipeline import storage
from segscore.pipeline.errors import Refused
from segscore.pipeline.measures.selection import normal_form, select
from segscore.pipeline.nightly import verdict
from segscore.pipeline.nightly.aliases import Aliases, aliases_of, valid_for
from segscore.pipeline.nightly.dates import NIGHT, folder_of, read_date
from segscore.pipeline.nightly.renames import rename_rows, rename_verdict
from segscore.pipeline.nightly.verdict import UnreadableVerdict, Verdict
from segscore.pipeline.results.names import is_point
from segscore.pipeline.runs.finished import FinishedRun
from segscore.pipeline.scoring.finished_scoring import FinishedScoring
from segscore.pipeline.settings import signature
from segscore.pipeline.settings.measuring import settings_without_effect
from segscore.schemas.rows import AverageRow


@dataclass(frozen=True)
class Night(FinishedScoring):
    """A night that was published; its name is its date, or its folder if it belongs to no night.

    Attributes:
        date: date of the night; ``date.min`` for a run that belongs to no night.
        verdict: verdict of the gate on exactly this run; None if it was not judged yet.
        damaged: why a verdict that was written cannot be read; empty if it can, or there is none.
        written: the text of its night.json; None if there is none.
        aliases: the new names by which it is read.
    """

    date: date
    verdict: Verdict | None
    damaged: str = field(default="", kw_only=True)
    written: str | None = field(default=None, kw_only=True)
    aliases: Aliases = field(default=(), kw_only=True)

    def parts(self, name: str, columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
        """Yield some columns of a table, or all, one file at a time, with the new names."""
        for part in super().parts(name, columns):
            yield rename_rows(part, self.aliases)

    def renamed(self, aliases: Aliases, seen_from: datetime.date) -> "Night":
        """Return the night with the names that it has on a later one."""
        valid = valid_for(aliases, self.date, seen_from)
        if not valid:
            return self
        verdict = None if self.verdict is None else rename_verdict(self.verdict, valid)
        return replace(self, verdict=verdict, aliases=valid)


def dates(runs: str) -> list[date]:
    """Return the dates in the names of the nights' folders, ascending."""
    nights = []
    for name in storage.names(runs):
        if name.startswith(NIGHT):
            try:
                nights.append(read_date("", name.removeprefix(NIGHT)))
            except Refused:  # not the folder of a night
                continue
    return sorted(nights)


def read_night(runs: str, night: date) -> Night | None:
    """Read the run and verdict of a night; return None if nothing is published for the date.

    Raises:
        Refused: run.json cannot be read, or the run is of another command.
    """
    url = folder_of(runs, night)
    run = FinishedRun.find(url)
    if run is None:
        return None
    if run.command != "score":
        raise Refused(f"{url}: contains a run of another command, not a night")
    written = verdict_text(run)
    found, damaged = None, ""
    try:
        found = verdict_on(run, written)
    except UnreadableVerdict as problem:
        damaged = str(problem)
    return Night(
        url, run.record, night, found, damaged=damaged, written=written, name=night.isoformat()
    )


def read_verdict_of(runs: str, night: date) -> Verdict | None:
    """Read the verdict on a night; None if there is none, or it or the run cannot be read."""
    try:
        found = read_night(runs, night)
    except Refused:
        return None
    return None if found is None else found.verdict


def aliases_on(runs: str, night: date) -> Aliases:
    """Return the new names by which a published night read those before; none if it is not read."""
    found = read_verdict_of(runs, night)
    return () if found is None else aliases_of(found.asked.get("aliases", []))


def open_as_night(url: str) -> Night:
    """Open a finished scoring run that belongs to no night.

    Raises:
        Refused: the folder has no finished scoring run.
    """
    message = "contains no finished scoring run"
    run = FinishedRun.open(url, message)
    if run.command != "score":
        raise Refused(f"{url}: {message}")
    return Night(url, run.record, date.min, None, name=url)


def verdict_text(run: FinishedRun) -> str | None:
    """Return the text of the night.json beside a run; None if there is none."""
    return storage.read_text(storage.join(run.url, verdict.FILE))


def verdict_on(run: FinishedRun, text: str | None) -> Verdict | None:
    """Return the gate's verdict on a run; None if there is none, or it is on an earlier run.

    Raises:
        UnreadableVerdict: night.json is not what segscore writes.
    """
    if text is None:
        return None
    read = verdict.read_verdict(storage.join(run.url, verdict.FILE), text)
    return read if read.run == run.fingerprint else None


def find_verdict(run: FinishedRun) -> Verdict | None:
    """Read the gate's verdict on a run; the rest is as for ``verdict_on``."""
    return verdict_on(run, verdict_text(run))


def first_published(night: Night) -> str:
    """Return when a night was judged for the first time, by its night.json; empty if unknown.

    That of a run that was replaced stays until the new one is judged.
    """
    if night.written is None or night.damaged:
        return ""
    read = verdict.read_verdict(night.url, night.written)
    return read.first_published_at or read.finished_at


def system_rows(night: Night) -> list[AverageRow]:
    """Read the rows of a night's summary over all documents, without reference points."""
    return [row for row in night.over_all() if not is_point(row["hypothesis"])]


def systems_of(night: Night) -> tuple[str, ...]:
    """Return the names of the systems that a night scored, without reference points."""
    return tuple(sorted({row["hypothesis"] for row in system_rows(night)}))


def save_verdict(url: str, judgement: Verdict) -> None:
    """Write the verdict on a night, atomically."""
    storage.write_text(storage.join(url, verdict.FILE), judgement.text())


class Nights:
    """The nights of a folder, each read on first use and then cached; some may be unreadable."""

    def __init__(
        self,
        runs: str,
        *,
        may_write: bool = True,
        aliases: Aliases = (),
        seen_from: date = date.max,
    ) -> None:
        """List the nights.

        Args:
            runs: folder of the nights.
            may_write: whether what is read of them may be kept beside them.
            aliases: new names.
            seen_from: the night on which they are read, with its names.
        """
        self.aliases, self._seen_from = aliases, seen_from
        self.runs = runs
        self.may_write = may_write
        self.dates = dates(runs)
        self.unreadable: list[str] = []
        self._read: dict[date, Night | None] = {}

    def find(self, night: date) -> Night | None:
        """Return the night of a date; None if there is none or it cannot be read."""
        if night not in self._read:
            try:
                found = read_night(self.runs, night) if night in self.dates else None
                if found is not None and found.damaged:
                    self.unreadable.append(f"{found.damaged}; run {night} again to judge it again")
                if found is not None:
                    found = found.renamed(self.aliases, self._seen_from)
                self._read[night] = found
            except Refused as problem:
                self.unreadable.append(str(problem))
                self._read[night] = None
        return self._read[night]

    def put(self, night: Night) -> None:
        """Take the place of a night that was read, as if its verdict were another one."""
        self._read[night.date] = night

    def newest_first(self, before: date | None = None) -> Iterator[Night]:
        """Yield all published nights, or those before a date, newest first."""
        for day in reversed(self.dates):
            if before is None or day < before:
                night = self.find(day)
                if night is not None:
                    yield night

    def good(self, before: date | None = None) -> Iterator[Night]:
        """Yield the good nights, newest first."""
        for night in self.newest_first(before):
            if night.verdict is not None and night.verdict.good:
                yield night

    @property
    def newest(self) -> date | None:
        """Date of the newest published night."""
        return next((night.date for night in self.newest_first()), None)


def differences_of(
    before: str, now: str, measures: Sequence[str], available: Collection[str]
) -> list[str]:
    """Return what makes the averages of an earlier run incomparable with those of a later one."""
    missing = [f"it has no {name}" for name in measures if name not in available]
    if missing:  # its signature does not have the settings of the measure either
        return missing
    without_effect = settings_without_effect(select(normal_form(measures)))
    ignored = signature.may_differ(without_effect)
    return signature.signature_differences(before, now, ignored)
