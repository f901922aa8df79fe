"""Every verdict that was published, and how each differs from the one that replaced it.

A verdict is a file of its own in `verdicts`, in the folder of the runs, with the text of the
night.json of its time; it is never changed, and stays when the night is removed.  A verdict is
written there before night.json, which another job may replace at once.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date
from itertools import pairwise
from typing import Any, NamedTuple

import pyarrow as pa

from segscore.pipeline import storage
from segscore.pipeline.errors import Failed, Refused
from segscore.pipeline.nightly import nights
from segscore.pipeline.nightly.dates import NIGHT, read_date
from segscore.pipeline.nightly.nights import Night, Nights
from segscore.pipeline.nightly.restatements import read_restatements
from segscore.pipeline.nightly.sentences import problems
from segscore.pipeline.nightly.verdict import (
    ALL_SYSTEMS,
    Check,
    UnreadableVerdict,
    Verdict,
    read_verdict,
)
from segscore.pipeline.nightly.verdict_inputs import changed_settings
from segscore.pipeline.plain_text import first_named
from segscore.schemas.columns import arrow_type
from segscore.schemas.nights import VERDICTS

FOLDER = "verdicts"
"""Folder of the verdicts in that of the runs."""

_DIGITS = 12


class ReplacedVerdict(NamedTuple):
    """A verdict that was published, and the next one on the same night, which replaced it.

    Attributes:
        before: the verdict.
        now: the next one.
        scored_again: why the night was scored again in between, if its averages changed.
    """

    before: Verdict
    now: Verdict
    scored_again: str = ""

    @property
    def row(self) -> dict[str, Any]:
        """What was said, by which rules, from when to when, and why that ended."""
        return _row(self.before) | {
            "replaced_at": self.now.finished_at,
            "replaced_by": self.now.outcome,
            "reason": self.reason,
        }

    @property
    def reason(self) -> str:
        """Why it was replaced."""
        before, now = self.before, self.now
        if before.run != now.run:
            reason = f" ({self.scored_again})" if self.scored_again else ""
            return f"the night was scored again{reason}"
        if before.acceptances != now.acceptances:
            reason = f": {now.reason}" if now.reason else ""
            return f"what is accepted changed{reason}"
        if changed := changed_settings(before, now):
            return f"the settings of the gate changed ({'; '.join(changed)})"
        return "it was judged again, after other nights had changed"

    @property
    def sentence(self) -> str:
        """What was said, when, and what replaced it."""
        row = self.row
        return (
            f"{row['date']} was {row['outcome']} by the verdict of {_minute(row['judged_at'])}"
            f"{': ' * bool(row['said'])}{row['said']}; {row['replaced_by']} since "
            f"{_minute(row['replaced_at'])}, because {row['reason']}"
        )


def _minute(time: str) -> str:
    return f"{time[:10]} {time[11:16]}"


def said_in_words(verdict: Verdict) -> str:
    """Say for what a night did not pass, or what was accepted; empty if there is nothing."""
    return ". ".join(problems(verdict, f"{NIGHT}{verdict.date}"))


def publish(runs: str, night: Night, verdict: Verdict) -> None:
    """Make a verdict that of a night, if it is another one; keep it, and the one before.

    Raises:
        Refused: permission is missing.
        Failed: a file cannot be written, or no server answers.
    """
    if night.written is not None:
        _keep(runs, night.date, night.written)
    if night.written is None or verdict != night.verdict:
        _keep(runs, night.date, verdict.text())
        nights.save_verdict(night.url, verdict)


def keep_verdict(runs: str, day: date) -> None:
    """Keep the verdict on a night that is about to be removed."""
    night = nights.read_night(runs, day)
    if night is not None and night.written is not None:
        _keep(runs, day, night.written)


def _keep(runs: str, day: date, text: str) -> None:
    """Write a verdict, unless it is there."""
    there = _names(runs).get(day, [])
    digest = hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]
    if not any(name.endswith(f"-{digest}.json") for name in there):
        name = f"{NIGHT}{day}-{len(there) + 1:04d}-{digest}.json"
        with suppress(FileExistsError):
            storage.write_new_text(storage.join(runs, FOLDER, name), text)


def _names(runs: str) -> Mapping[date, list[str]]:
    """Return the names of the files of each night, in the order in which they were written."""
    found: dict[date, list[str]] = {}
    for name in storage.names(storage.join(runs, FOLDER)):
        with suppress(Refused):
            if name.startswith(NIGHT) and name.endswith(".json"):
                day = read_date("", name.removeprefix(NIGHT)[:10])
                found.setdefault(day, []).append(name)
    return found


def read_replaced(runs: str, warnings: list[str], day: date | None = None) -> list[ReplacedVerdict]:
    """Return the verdicts that were replaced, by night and time.

    Args:
        runs: folder of the nights.
        warnings: gets a message about each file that cannot be read.
        day: the only night that is meant; None for all.
    """
    found: list[tuple[Verdict, Verdict]] = []
    for night, names in sorted(_names(runs).items()):
        if len(names) > 1 and day in (None, night):
            found += pairwise(_read(runs, names, warnings))
    restated = read_restatements(runs, []) if found else []
    reasons = {
        (row["run_before"], row["run"]): row["reason"] for each in restated for row in each.rows
    }
    return [
        ReplacedVerdict(before, now, reasons.get((before.run, now.run), ""))
        for before, now in found
    ]


def verdicts_on(runs: str, until: date, warnings: list[str]) -> list[Verdict]:
    """Return the last verdict of each night that was published by the end of a day, UTC."""
    names = _names(runs)
    standing = []
    published = Nights(runs, may_write=False)
    for night in sorted({*names, *published.dates}):
        kept = [*_read(runs, names.get(night, []), warnings)]
        if not kept and (found := published.find(night)) is not None and found.verdict is not None:
            kept = [found.verdict]  # of a version that kept none
        standing += [each for each in kept if each.finished_at[:10] <= str(until)][-1:]
    return standing


def verdict_table(runs: str, replaced: Sequence[ReplacedVerdict]) -> pa.Table:
    """Return every verdict that was published: those that were replaced, and the last ones."""
    lasting = [_row(verdict) for verdict in verdicts_on(runs, date.max, [])]
    rows = [*(each.row for each in replaced), *lasting]
    rows.sort(key=lambda row: (row["date"], row["judged_at"], row["replaced_at"] is None))
    for row in rows:
        row["date"] = date.fromisoformat(row["date"])
    return pa.table(
        {
            name: pa.array([row[name] for row in rows], arrow_type(column))
            for name, column in VERDICTS.columns.items()
        }
    )


def _row(verdict: Verdict) -> dict[str, Any]:
    """Return what a verdict said, by which rules and since when; nothing replaced it."""
    return {
        "date": verdict.date,
        "judged_at": verdict.finished_at,
        "rules": verdict.asked.get("gate", []),
        "outcome": verdict.outcome,
        "said": said_in_words(verdict),
        "run": verdict.run,
        "replaced_at": None,
        "replaced_by": None,
        "reason": None,
    }


def _read(runs: str, names: Sequence[str], warnings: list[str]) -> Iterator[Verdict]:
    """Yield the verdicts on a night, without those that only repeat the one before."""
    before: Verdict | None = None
    for name in names:
        url = storage.join(runs, FOLDER, name)
        try:
            verdict = read_verdict(url, storage.read_text(url) or "")
        except (UnreadableVerdict, Refused, Failed) as problem:
            warnings.append(str(problem))
            continue
        if before is None or not _is_repeated(before, verdict):
            yield verdict
        before = verdict


def _is_repeated(before: Verdict, verdict: Verdict) -> bool:
    """Return whether two verdicts differ only in their times, as those of two jobs at once do."""
    times = {name: getattr(before, name) for name in ("finished_at", "first_published_at")}
    return replace(verdict, **times) == before


def change_in_words(before: Verdict | None, now: Verdict) -> str:
    """Return what changed since a night was judged before; empty if nothing did.

    That is its outcome, and what was found: which systems got worse, in which group and by which
    rule, what is missing, and which nights are not comparable.

    Args:
        before: the verdict before; None if there was none.
        now: the verdict now.
    """
    if before is None:
        return ""
    found_before, found = [*_findings(before)], [*_findings(now)]
    parts = [
        *_named("no longer", [finding for finding in found_before if finding not in found]),
        *_named("new", [finding for finding in found if finding not in found_before]),
    ]
    if before.outcome != now.outcome:
        return "; ".join([f"{before.outcome} before, {now.outcome} now", *parts])
    return "; ".join([f"{now.outcome}, as before", *parts]) if parts else ""


def _named(label: str, findings: Sequence[str]) -> list[str]:
    distinct = [*dict.fromkeys(findings)]
    return [f"{label}: {first_named(distinct)}"] if distinct else []


def _findings(verdict: Verdict) -> Iterator[str]:
    """Yield everything for which a night may not pass."""
    yield from map(_worse, verdict.failed)
    for name in (*verdict.missing, *verdict.missing_groups):
        yield f"{name} is missing"
    for other in verdict.differences:
        yield f"not comparable with {other}"


def _worse(check: Check) -> str:
    who = "all systems" if check.system == ALL_SYSTEMS else check.system
    place = "" if check.group is None else f" in {check.group}"
    return f"{who} got worse{place} ({check.rule})"
