"""Warn if the input of a night looks wrong: few documents, repeated values, exchanged tables."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

import pyarrow.compute as pc

from segscore.pipeline.nightly.gate.chosen import FEWEST_NIGHTS
from segscore.pipeline.nightly.gate.tallies import tables
from segscore.pipeline.nightly.nights import Night, Nights, system_rows, systems_of
from segscore.pipeline.nightly.other_references import ReferenceChanges, describe_changed_references
from segscore.pipeline.nightly.verdict import INCOMPLETE, PARTIAL
from segscore.pipeline.plain_text import named_list
from segscore.pipeline.results.names import is_point
from segscore.pipeline.statistics.averages import summary_groups
from segscore.pipeline.statistics.formatted_numbers import counted, shown_attribute

_FEW = 0.5
"""Share of the documents of the night compared with, below which a system has few."""

_RECENT = 7
"""Number of earlier nights whose values are compared with those of the night."""

_USUAL = 0.9
"""Share of the fewest documents of the recent good nights, below which a night or group has few."""

_Averages = dict[tuple[str, str], float | None]


@dataclass(frozen=True)
class InputWarning:
    """A sign that the input of a night is not what it should be.

    Attributes:
        text: the warning.
        systems: the systems that it concerns; empty if it concerns the whole night.
        is_cause: whether it may be the reason why a system failed.
    """

    text: str
    systems: frozenset[str] = frozenset()
    is_cause: bool = True


def probable_causes(warnings: Iterable[InputWarning], systems: Collection[str]) -> Iterator[str]:
    """Yield each warning that concerns any of the systems that failed or are missing."""
    for warning in warnings if systems else ():
        concerned = not warning.systems or not warning.systems.isdisjoint(systems)
        if warning.is_cause and concerned:
            yield warning.text


def warn_of_feed(
    night: Night, others: Mapping[str, Night], earlier: Nights, changes: ReferenceChanges
) -> Iterator[InputWarning]:
    """Yield a warning for each sign that the input of a night is not what it should be."""
    complete = (
        other
        for other in earlier.good(night.date)
        if other.verdict is not None and other.verdict.outcome not in (INCOMPLETE, PARTIAL)
    )
    for other in islice(complete, 1):
        yield from _warn_of_exchange(night, other)
    yield from _warn_of_groups(night, earlier)
    yield from _warn_of_few_documents(night, others)
    yield from _warn_of_other_references(night, others, changes)
    last = [*islice(earlier.newest_first(night.date), _RECENT)]
    had, now = [{*systems_of(other)} for other in last], {*systems_of(night)}
    gone = sorted(set.intersection(*had) - now) if had else []
    yield from _warn_of_new("system", sorted(now.difference(*had)), gone, len(had))
    recent = [*last, *others.values()]
    yield from _warn_of_repeats(night, {each.url: each for each in recent}.values())


def missing_groups(night: Night, earlier: Nights) -> tuple[str, ...]:
    """Return the groups that every one of the recent good nights has and a night lacks, by name.

    The groups are the values of the columns of ``group-by`` in ``[score]``.
    """
    recent = _recent_groups(earlier, night)
    now = _documents_by_group(night)
    expected = set.intersection(*map(set, recent)) if recent else set()
    return tuple(sorted(expected - {*now}))


def _recent_groups(earlier: Nights, night: Night) -> list[dict[str, int]]:
    """Return the documents by group of the last nights that are good for at least one system."""
    usable = (
        other
        for other in earlier.newest_first(night.date)
        if (verdict := other.verdict) is not None and any(map(verdict.good_for, verdict.systems))
    )
    recent = islice(usable, _RECENT)
    return [_documents_by_group(other) for other in recent]


def _documents_by_group(night: Night) -> dict[str, int]:
    """Return the most documents of a system in each group, and over all under the name ""."""
    most: dict[str, int] = {}
    summary = night.table("summary")
    by = summary_groups(summary.column_names)
    columns = ["hypothesis", *by, "documents"]
    for row in summary.select(columns).to_pylist():
        values = [row[name] for name in by if row[name] is not None]
        if not is_point(row["hypothesis"]):
            name = ", ".join(map(shown_attribute, values))
            most[name] = max(most.get(name, 0), row["documents"])
    return most


def _warn_of_groups(night: Night, earlier: Nights) -> Iterator[InputWarning]:
    """Warn of groups without documents, and of groups and nights with fewer than is usual."""
    recent, now = _recent_groups(earlier, night), _documents_by_group(night)
    gone = missing_groups(night, earlier)
    for name in gone:
        usual = _usual([counts[name] for counts in recent])
        yield InputWarning(f"{name}: no documents; {usual}", is_cause=False)
    yield from _warn_of_new("group", sorted({*now} - {*set().union(*recent)}), gone, len(recent))
    few = []
    for name, documents in now.items():
        counts = [before[name] for before in recent if name in before]
        if len(counts) == len(recent) >= FEWEST_NIGHTS and documents < _USUAL * min(counts):
            few.append((name, documents, _usual(counts)))
    explained = gone or any(name for name, _, _ in few)
    for name, documents, usual in few:
        # The total is not said where a group explains it.
        if name or not explained:
            text = f"{name or 'the night'}: {counted(documents, 'document')}; {usual}"
            yield InputWarning(text, is_cause=False)


def _warn_of_new(
    what: str, new: Sequence[str], gone: Sequence[str], nights: int
) -> Iterator[InputWarning]:
    """Announce names that no recent night has; next to names that are gone, ask about them."""
    if new and nights >= FEWEST_NIGHTS:
        verb = "is" if len(new) == 1 else "are"
        text = f"{named_list(new)} {verb} new: no night before has this {what}"
        if gone:
            text += f"; if {named_list(gone)} was renamed, say so in aliases"
        yield InputWarning(text, is_cause=False)


def _usual(counts: Sequence[int]) -> str:
    numbers = f"{min(counts):,}" + f" to {max(counts):,}" * (min(counts) < max(counts))
    nights = "the last good night" if len(counts) == 1 else f"the last {len(counts)} good nights"
    return f"{nights} had {numbers}"


def _warn_of_exchange(night: Night, other: Night) -> Iterator[InputWarning]:
    """Warn if references of another night are systems tonight, and the reverse."""
    new, lost = (
        sorted({*systems_of(first)} - {*systems_of(second)})
        for first, second in ((night, other), (other, night))
    )
    if not new or not lost:
        return
    judged = sorted(_references_of(other).intersection(new))
    references = sorted(_references_of(night).intersection(lost))
    if judged and references:
        yield InputWarning(
            f"references and hypotheses changed places since {other.name}: then, "
            f"{', '.join(references)} {'was' if len(references) == 1 else 'were'} judged by "
            f"{', '.join(judged)}; tonight it is the reverse; exchange --references and "
            "--hypotheses"
        )


def _references_of(night: Night) -> set[str]:
    parts = tables(night, "scores", ["hypothesis"])
    return {name for part in parts for name in pc.unique(part.column("reference")).to_pylist()}


def _warn_of_few_documents(night: Night, others: Mapping[str, Night]) -> Iterator[InputWarning]:
    """Warn of each system that is scored on far fewer documents than it was."""
    listed = {each.url: each for each in (night, *others.values())}.values()
    scored = {
        (each.url, row["hypothesis"]): row["documents"]
        for each in listed
        for row in system_rows(each)
    }
    for system, other in sorted(others.items()):
        documents, before = scored[night.url, system], scored[other.url, system]
        if documents < _FEW * before:
            yield InputWarning(
                f"{system}: scored on {counted(documents, 'document')}, but on {before:,} on "
                f"{other.name}; check that the references and the segmentations of the system "
                "are complete",
                frozenset({system}),
            )


def _warn_of_other_references(
    night: Night, others: Mapping[str, Night], changes: ReferenceChanges
) -> Iterator[InputWarning]:
    """Warn of documents whose references are not those of a night compared with."""
    reused = {*changes.find(night, others.values()).reused}
    for other in {each.url: each for each in others.values()}.values():
        corrected = changes.find(night, [other]).corrected
        if documents := [name for name in corrected if name not in reused]:
            yield InputWarning(describe_changed_references(documents, other.name))


def _warn_of_repeats(night: Night, recent: Iterable[Night]) -> Iterator[InputWarning]:
    """Warn of the systems whose averages are all those of an earlier night."""
    now = {
        system: averages
        for system, averages in _averages_of(night).items()
        if any(value not in (None, 0, 1) for value in averages.values())
    }
    systems = set(now)
    for before in recent:
        then = _averages_of(before)
        repeated = [system for system in now if now[system] == then.get(system)]
        now = {system: now[system] for system in now if system not in repeated}
        if repeated:
            yield InputWarning(
                f"{', '.join(repeated)}: every average equals that of {before.name}; check that "
                "tonight's data is new, unless the same documents are scored every night",
                frozenset() if systems == {*repeated} else frozenset(repeated),
            )


def _averages_of(night: Night) -> dict[str, _Averages]:
    """Return the averages of each system, by measure and kind of average."""
    by_system: dict[str, _Averages] = {}
    for row in system_rows(night):
        averages = by_system.setdefault(row["hypothesis"], {})
        averages[row["measure"], row["average"]] = row["value"]
    return by_system
