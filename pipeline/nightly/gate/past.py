"""The averages of a night and of those before it, and which of them count for each system."""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import islice, pairwise
from math import nan
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from segscore.pipeline.arrays.ragged import Flags, Floats
from segscore.pipeline.measures import ALL
from segscore.pipeline.nightly.dates import NIGHT
from segscore.pipeline.nightly.gate.rule import GateRule
from segscore.pipeline.nightly.nights import Night, Nights, differences_of
from segscore.pipeline.nightly.renames import rename_history, rename_rows
from segscore.pipeline.nightly.summaries import RUN_COLUMNS, history_name, read_removed, rows_of_run
from segscore.pipeline.nightly.summary_cache import SummaryCache
from segscore.pipeline.nightly.verdict import ALL_SYSTEMS, NOT_COMPARABLE
from segscore.pipeline.results.names import is_point
from segscore.pipeline.statistics.averages import SUMMARY_COLUMNS, summary_groups
from segscore.pipeline.statistics.jackknife import error_of_interval
from segscore.pipeline.statistics.sums import GroupKey

_Key = tuple[str, str, str, GroupKey]
"""System, measure, average, group."""

USUAL_NIGHTS = 60
"""Good nights before a night with which its densities are compared; as many nights are read for
rules that are not about levels."""

_DIGITS = 24

_COLUMNS = (
    "hypothesis",
    "measure",
    "average",
    "value",
    "ci_low",
    "ci_high",
    "effective",
    "freedom",
)
"""Columns from which averages are read; summaries of earlier versions lack the last one or two."""

_CACHED = 4096
"""Nights whose averages are kept in memory, for several nights that are run in one command."""


@dataclass(frozen=True)
class PastAverage:
    """An average of a night, from its summary: NaN where unknown."""

    value: float
    error: float
    low: float
    high: float


@dataclass(frozen=True)
class PastNight:
    """A night as later ones see it.

    Attributes:
        date: date of the night.
        averages: (system, measure, average, group) -> the average.
        good: whether later nights of a system are compared with it.
        restarts: whether a system, by a rule, is judged against this night and later ones alone,
            because what it did was accepted.
        densities: (system, or None for the references, and group in words) -> boundaries by unit.
    """

    date: date
    averages: Mapping[_Key, PastAverage]
    good: Callable[[str], bool]
    restarts: Callable[[str, GateRule], bool]
    densities: Mapping[tuple[str | None, str | None], float] = field(default_factory=dict)


@dataclass(frozen=True)
class Past:
    """A night and the comparable nights before it, oldest first; the last is the night itself."""

    nights: Sequence[PastNight]
    _good: dict[str, Flags] = field(default_factory=dict, repr=False)
    _spans: dict[tuple[str, str], list[tuple[int, int]]] = field(default_factory=dict, repr=False)

    def digest(self, rules: Sequence[GateRule]) -> str:
        """Return a digest of everything in the nights before the last that a verdict depends on."""
        content = [
            [
                night.date.isoformat(),
                [
                    [*map(str, key), repr(average.value), night.good(key[0])]
                    + [rule.text for rule in rules if night.restarts(key[0], rule)]
                    for key, average in sorted(night.averages.items(), key=str)
                ],
            ]
            for night in self.nights[:-1]
        ]
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()[:_DIGITS]

    @property
    def dates(self) -> list[date]:
        """The dates of the nights."""
        return [night.date for night in self.nights]

    def usual(self) -> list[PastNight]:
        """Return the last good nights before the last, oldest first."""
        return [night for night in self.nights[:-1] if night.good(ALL_SYSTEMS)][-USUAL_NIGHTS:]

    def systems(self, rule: GateRule, group: GroupKey = ()) -> list[str]:
        """Return the systems that have the average of a rule on any night, by name."""
        wanted = rule.measure, rule.average, group
        return sorted(
            {key[0] for night in self.nights for key in night.averages if key[1:] == wanted}
        )

    def groups(self, rule: GateRule) -> list[GroupKey]:
        """Return the groups of tonight's averages, without all documents."""
        wanted = rule.measure, rule.average
        keys = self.nights[-1].averages
        return sorted({key[3] for key in keys if key[1:3] == wanted and key[3]}, key=str)

    def average(self, rule: GateRule, system: str, group: GroupKey = ()) -> PastAverage | None:
        """Return an average of tonight."""
        return self.nights[-1].averages.get((system, rule.measure, rule.average, group))

    def values(self, rule: GateRule, systems: Sequence[str], group: GroupKey = ()) -> Floats:
        """Return averages, NaN where a night has none, shape (nights, systems)."""
        return self._listed(rule, systems, group, lambda average: average.value)

    def errors(self, rule: GateRule, systems: Sequence[str], group: GroupKey = ()) -> Floats:
        """Return the standard errors of the averages, of the same shape."""
        return self._listed(rule, systems, group, lambda average: average.error)

    def good(self, systems: Sequence[str]) -> Flags:
        """Return which nights later ones are compared with; tonight is not, (nights, systems)."""
        for system in systems:
            if system not in self._good:
                found = [night.good(system) for night in self.nights[:-1]]
                self._good[system] = np.array([*found, False])
        listed = [self._good[system] for system in systems]
        return np.stack(listed, axis=1) if listed else np.zeros((len(self.nights), 0), bool)

    def first(self, rule: GateRule, system: str) -> int:
        """Return the index of the night from which on a system is judged: 0, or the accepted one.

        For ``ALL_SYSTEMS``, it is that from which on the part that all systems share is judged.
        """
        return self.spans(rule, system)[-1][0]

    def spans(self, rule: GateRule, system: str) -> list[tuple[int, int]]:
        """Return the first night, and that after the last, of each time between acceptances."""
        key = system, rule.text
        if key not in self._spans:
            starts = [
                index
                for index, night in enumerate(self.nights[:-1])
                if index and night.restarts(system, rule)
            ]
            self._spans[key] = list(pairwise([0, *starts, len(self.nights)]))
        return self._spans[key]

    def _listed(
        self,
        rule: GateRule,
        systems: Sequence[str],
        group: GroupKey,
        quantity: Callable[[PastAverage], float],
    ) -> Floats:
        found = np.full((len(self.nights), len(systems)), nan)
        for row, night in enumerate(self.nights):
            for column, system in enumerate(systems):
                average = night.averages.get((system, rule.measure, rule.average, group))
                if average is not None:
                    found[row, column] = quantity(average)
        return found


def read_past(
    night: Night,
    earlier: Nights,
    rules: Sequence[GateRule],
    by: Sequence[str] = (),
    *,
    from_first: bool,
) -> Past:
    """Read the averages of a night, and of comparable nights before it.

    Nights that were removed are known from the rows that were kept of them.

    Args:
        night: the night.
        earlier: all nights.
        rules: the rules whose averages are read.
        by: the attributes to group by.
        from_first: whether all nights are read, and not only as many as the rules are about.

    Raises:
        Refused: a file of a night cannot be read.
        Failed: the server does not answer.
    """
    wanted = frozenset((rule.measure, rule.average) for rule in rules)
    measures = [rule.measure for rule in rules]
    before: Iterator[Night] = (
        other
        for other in earlier.newest_first(night.date)
        if not differences_of(other.signature, night.signature, measures, other.selection.names)
    )
    if not from_first:
        before = islice(before, USUAL_NIGHTS)
    read = SummaryCache(earlier.runs, {*RUN_COLUMNS, *SUMMARY_COLUMNS} - {*_COLUMNS})
    present = [_of_night(other, read, wanted, tuple(by)) for other in (night, *before)][::-1]
    if earlier.may_write:
        read.save()
    first = present[0].date
    kept = _removed(earlier, night, wanted, by)
    nights = sorted([each for each in kept if each.date < first], key=lambda each: each.date)
    return Past([*nights, *present])


def _of_night(
    night: Night, read: SummaryCache, wanted: frozenset[tuple[str, str]], by: tuple[str, ...]
) -> PastNight:
    verdict = night.verdict
    averages = _read_averages(night, read, wanted, by)
    if verdict is None:
        return PastNight(night.date, averages, lambda _: False, lambda *_: False)
    densities = {(each.system, each.group): each.per_unit for each in verdict.densities}
    return PastNight(
        night.date,
        averages,
        verdict.good_for,
        lambda system, rule: verdict.restarts(system, rule.text),
        densities,
    )


_KNOWN: dict[tuple[object, ...], Mapping[_Key, PastAverage]] = {}
"""Averages of nights that were read, by the run and what was read of it."""


def _read_averages(
    night: Night, read: SummaryCache, wanted: frozenset[tuple[str, str]], by: tuple[str, ...]
) -> Mapping[_Key, PastAverage]:
    """Read the averages of a night over all documents, and those by exactly some attributes."""
    key = night.url, night.fingerprint, wanted, by, night.aliases
    if key not in _KNOWN:
        if len(_KNOWN) >= _CACHED:
            _KNOWN.clear()
        # What is kept beside the nights has the old names.
        old, name = replace(night, aliases=()), f"{NIGHT}{night.date.isoformat()}"
        rows = rows_of_run(old, name, night.written, [], read)
        _KNOWN[key] = dict(_averages(rename_rows(rows, night.aliases), wanted, by))
    return _KNOWN[key]


def _averages(
    table: pa.Table, wanted: frozenset[tuple[str, str]], by: Sequence[str]
) -> Iterator[tuple[_Key, PastAverage]]:
    groups = [name for name in summary_groups(table.column_names) if name not in RUN_COLUMNS]
    by = [history_name(name, by) for name in by]
    names = pa.array(sorted({measure for measure, _ in wanted}), pa.string())
    chosen = table.select([name for name in (*_COLUMNS, *groups) if name in table.column_names])
    chosen = chosen.filter(pc.is_in(chosen.column("measure"), names))
    for row in chosen.to_pylist():
        used = {name for name in groups if row[name] is not None}
        if (row["measure"], row["average"]) not in wanted or is_point(row["hypothesis"]):
            continue
        if not used or used == {*by}:
            group = tuple(row[name] for name in by) if used else ()
            yield (row["hypothesis"], row["measure"], row["average"], group), past_average(row)


def past_average(row: Mapping[str, Any]) -> PastAverage:
    """Return the average of a row of the history, with the error that its interval was made of."""
    value, low, high = (nan if row[n] is None else row[n] for n in ("value", "ci_low", "ci_high"))
    measure = ALL[row["measure"]]
    freedom = row.get("freedom") or max(1.0, (row.get("effective") or nan) - 1)
    bounds = measure.lower, measure.upper
    error = error_of_interval(value, low, high, freedom, bounds)
    return PastAverage(value, error, low, high)


def _removed(
    earlier: Nights, night: Night, wanted: frozenset[tuple[str, str]], by: Sequence[str]
) -> Iterator[PastNight]:
    """Yield the nights that were removed, from the rows of their summaries."""
    table = read_removed(earlier.runs)
    if table is None:
        return
    table = rename_history(table, earlier.aliases, night.date)
    measures = sorted({measure for measure, _ in wanted})
    table = table.filter(pc.is_in(table.column("measure"), pa.array(measures, pa.string())))
    for run in pc.unique(table.column("run")).to_pylist():
        rows = table.filter(pc.equal(table.column("run"), run))
        day, signature = (rows.column(name)[0].as_py() for name in ("date", "signature"))
        if day is not None and not differences_of(signature, night.signature, measures, measures):
            yield _of_rows(day, rows, dict(_averages(rows, wanted, by)))


def _of_rows(day: date, rows: pa.Table, averages: Mapping[_Key, PastAverage]) -> PastNight:
    known = [name for name in ("good", "accepted") if name in rows.column_names]
    good: dict[str, bool] = {}
    accepted: set[tuple[str, str]] = set()
    for row in rows.select(["hypothesis", "measure", "outcome", *known]).to_pylist():
        system = row["hypothesis"]
        usual = row["outcome"] not in (None, "failed", NOT_COMPARABLE)
        good[system] = row["good"] if row.get("good") is not None else usual
        if row.get("accepted") is not None:
            accepted.add((system, row["measure"]))
    systems = {key[0] for key in averages}

    def restarts(system: str, rule: GateRule) -> bool:
        concerned = systems if system == ALL_SYSTEMS else {system}
        return bool(concerned) and all((each, rule.measure) in accepted for each in concerned)

    good[ALL_SYSTEMS] = any(good.values())
    return PastNight(day, averages, lambda system: good.get(system, False), restarts)
