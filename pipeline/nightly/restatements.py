"""Record how numbers changed when a night was scored again, and the verdicts on the old ones.

Before a published night is replaced, what it said is written to `restatements/_before`.  When the
new run has been judged, each average of a rule that changed becomes a row of a file of its own in
`restatements`, whose name depends on both runs, and what it said before is removed.  If the process
is killed in between, the next run of the date ends it; of two processes, the first writes the file.
"""

import hashlib
import json
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any, cast

import pyarrow as pa

from segscore.pipeline import storage
from segscore.pipeline.errors import Failed, Refused
from segscore.pipeline.nightly.gate.rule import GateRule
from segscore.pipeline.nightly.gate.rules import kind_of_check
from segscore.pipeline.nightly.nights import Night, Nights, read_night, system_rows
from segscore.pipeline.nightly.verdict import Verdict
from segscore.pipeline.statistics.formatted_numbers import counted, shown_number
from segscore.pipeline.storage.json_records import Shape, read_record
from segscore.schemas.columns import arrow_type
from segscore.schemas.nights import RESTATEMENTS

FOLDER = "restatements"
"""Folder of the table in that of the runs."""

_BEFORE = "_before"
"""Folder of what nights said that are being scored again; readers of Parquet folders skip it."""

_DIGITS = 16

_SHOWN = 4
"""Most averages that a sentence names."""

_COLUMNS = {name: arrow_type(column) for name, column in RESTATEMENTS.columns.items()}
_SCHEMA = pa.schema([*_COLUMNS.items()])

_Key = tuple[str, str, str]
"""System, measure, average."""


_SHAPE = Shape(
    {
        **dict.fromkeys(("date", "run", "judged", "reason"), "string"),
        "values[][]": "string or float or null",
        "references[][]": "string or int",
    }.items()
)
"""What is noted before a night is scored again."""


@dataclass(frozen=True)
class _Before:
    """What a night said before it was scored again.

    Attributes:
        date: the night.
        run: fingerprint of its run.
        judged: when that was judged.
        reason: why it is scored again, by its settings and inputs.
        values: value of each average of a rule.
        references: document, name and digest of each reference.
    """

    date: str
    run: str
    judged: str
    reason: str
    values: Mapping[_Key, float | None]
    references: Set[tuple[Any, ...]]


@dataclass(frozen=True)
class Restatement:
    """How the averages of a night changed when it was scored again.

    Attributes:
        rows: a row of the table for each average that changed.
        resting: dates of the later nights whose verdicts still rest on the run that was replaced.
    """

    rows: Sequence[Mapping[str, Any]]
    resting: Sequence[date]

    @property
    def date(self) -> date:
        """The night."""
        return cast("date", self.rows[0]["date"])

    @property
    def sentence(self) -> str:
        """What happened, in a sentence."""
        first = self.rows[0]
        numbers = [
            f"{row['system']}: {'macro ' * (row['average'] == 'macro')}{row['measure']} "
            f"{shown_number(row['after'])}, was {shown_number(row['before'])}"
            for row in self.rows
        ]
        if len(numbers) > _SHOWN:
            numbers[_SHOWN:] = [f"and {counted(len(numbers) - _SHOWN, 'more average')}"]
        when = f"{first['restated_at']:%Y-%m-%d}"
        return f"{self.date} was restated on {when}, {first['reason']}: {'; '.join(numbers)}"


def note_before(runs: str, night: date, rules: Sequence[GateRule], reason: str) -> None:
    """Write what a published night says, as it is about to be scored again.

    What was written before and is not a row yet stays: it is what readers last knew.

    Raises:
        Refused: the night cannot be read, or permission is missing.
        Failed: it cannot be written, or no server answers.
    """
    found = read_night(runs, night)
    if found is None:
        return
    judged = "" if found.verdict is None else found.verdict.finished_at
    wanted = {(rule.measure, rule.average) for rule in rules}
    before = {
        "date": str(night),
        "run": found.fingerprint,
        "judged": judged,
        "reason": reason,
        "values": [[*key, value] for key, value in _values(found, wanted).items()],
        "references": sorted(_references(found)),
    }
    with suppress(FileExistsError):
        storage.write_new_text(_before_url(runs, night), json.dumps(before))


def record_restatement(runs: str, night: Night) -> None:
    """Write the rows about a night that was scored again, if it was, now that it is judged.

    Raises:
        Refused: a night cannot be read, or permission is missing.
        Failed: the rows cannot be written, or no server answers.
    """
    url = _before_url(runs, night.date)
    text = storage.read_text(url)
    if text is None:
        return
    before = _read_before(url, text)
    if before is not None and before.run != night.fingerprint:
        about = json.dumps([before.run, before.judged, night.fingerprint])
        digest = hashlib.sha256(about.encode()).hexdigest()[:_DIGITS]
        name = f"date={night.date}-{digest}.parquet"
        rows = [*_rows(before, night, Nights(runs))]
        if rows and name not in storage.names(storage.join(runs, FOLDER)):
            storage.write_table(storage.join(runs, FOLDER, name), _to_table(rows), plain=())
    storage.remove(url)
    storage.remove_temporary(url)


def _read_before(url: str, text: str) -> _Before | None:
    """Read what a night said; None if the file is damaged, or an earlier version wrote it."""
    with suppress(Refused, TypeError, ValueError):
        noted = read_record(url, text, _SHAPE)
        return _Before(
            noted["date"],
            noted["run"],
            noted["judged"],
            noted["reason"],
            {
                (s, m, a): None if value is None else float(value)
                for s, m, a, value in noted["values"]
            },
            {(document, name, digest) for document, name, digest in noted["references"]},
        )
    return None


def read_restatements(runs: str, warnings: list[str]) -> list["Restatement"]:
    """Return how nights were restated, by date and time; what cannot be read adds a warning."""
    found, nights = [], Nights(runs)
    for name in storage.names(storage.join(runs, FOLDER)):
        if name.startswith("date="):
            url = storage.join(runs, FOLDER, name)
            try:
                table = storage.read_columns(url, None)
            except (Refused, Failed) as problem:
                warnings.append(str(problem))
                continue
            if table.num_rows and table.schema.equals(_SCHEMA) and not _lacks_a_value(table):
                rows = table.to_pylist()
                found.append(Restatement(rows, _still_resting(nights, rows[0])))
            else:
                warnings.append(f"{url}: is not a table of restatements; remove it")
    return sorted(found, key=lambda each: (each.date, each.rows[0]["restated_at"]))


def restatement_table(restatements: Sequence[Restatement]) -> pa.Table:
    """Return all rows as one table, with the dates of the verdicts that still rest on the old."""
    rows = [row for each in restatements for row in each.rows]
    resting = [[*each.resting] for each in restatements for _ in each.rows]
    return _to_table(rows).append_column("resting", pa.array(resting, pa.list_(pa.date32())))


def _lacks_a_value(table: pa.Table) -> bool:
    return any(table.column(name).null_count for name in {*_COLUMNS} - {"before", "after"})


def rests_on(verdict: Verdict | None, night: str, run: str, since: str) -> bool:
    """Return whether a verdict rests on a run that a night no longer has.

    It does if it compares with that run, or has rules about levels and was made before a time.
    """
    if verdict is None:
        return False
    compared = [*(each["run"] for each in verdict.against.values() if each["date"] == night)]
    checks = (*verdict.checks, *verdict.group_checks)
    levels = any(kind_of_check(check).has_level for check in checks) and verdict.finished_at < since
    return run in compared or levels


def _still_resting(nights: Nights, row: Mapping[str, Any]) -> list[date]:
    """Return the later nights whose verdicts rest on what a night said before it was restated."""
    since = row["restated_at"].isoformat(timespec="seconds")
    listed = ((day, nights.find(day)) for day in row["later"])
    return [
        day
        for day, found in listed
        if found is not None and rests_on(found.verdict, str(row["date"]), row["run_before"], since)
    ]


def _rows(before: _Before, night: Night, nights: Nights) -> Iterator[dict[str, Any]]:
    """Yield a row for each average of a rule, as the rules were before, that is another one now.

    A measure that the night no longer has is not undefined, but was not asked for.
    """
    old = before.values
    now = _values(night, {key[1:] for key in old})
    measured = {key[1:] for key in now}
    changed = [k for k, value in old.items() if k[1:] in measured and now.get(k) != value]
    if not changed:
        return
    restated = datetime.now(UTC).replace(microsecond=0)
    since = restated.isoformat(timespec="seconds")
    later = [
        day
        for day in nights.dates
        if day > night.date
        and (found := nights.find(day)) is not None
        and rests_on(found.verdict, before.date, before.run, since)
    ]
    documents = _changed_documents(before.references, _references(night))
    reason = f"references of {counted(documents, 'document')} changed" if documents else ""
    for system, measure, average in changed:
        yield {
            "date": night.date,
            "restated_at": restated,
            "system": system,
            "measure": measure,
            "average": average,
            "before": old[system, measure, average],
            "after": now.get((system, measure, average)),
            "documents": documents,
            "reason": reason or before.reason,
            "run_before": before.run,
            "run": night.fingerprint,
            "later": later,
        }


def _values(night: Night, wanted: Collection[tuple[str, str]]) -> dict[_Key, float | None]:
    """Return the wanted averages of measures over all documents."""
    return {
        (row["hypothesis"], row["measure"], row["average"]): row["value"]
        for row in system_rows(night)
        if (row["measure"], row["average"]) in wanted
    }


_REFERENCE = ("document_id", "reference", "reference_digest")


def _references(night: Night) -> set[tuple[Any, ...]]:
    """Return each reference of a night with its digest; none if it has no digests."""
    found: set[tuple[Any, ...]] = set()
    if night.has_digests:
        for part in night.parts("scores", _REFERENCE):
            rows = part.group_by(_REFERENCE).aggregate([])
            found.update(zip(*(rows.column(name).to_pylist() for name in _REFERENCE), strict=True))
    return found


def _changed_documents(old: Set[tuple[Any, ...]], now: Set[tuple[Any, ...]]) -> int:
    """Return the number of documents of both runs that have other references."""
    shared = {row[0] for row in old} & {row[0] for row in now}
    return len({row[0] for row in old ^ now} & shared)


def _to_table(rows: Sequence[Mapping[str, Any]]) -> pa.Table:
    return pa.table(
        {name: pa.array([row[name] for row in rows], kind) for name, kind in _COLUMNS.items()}
    )


def _before_url(runs: str, night: date) -> str:
    return storage.join(runs, FOLDER, _BEFORE, f"date={night}.json")
