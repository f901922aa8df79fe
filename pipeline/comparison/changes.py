"""List what changed between two systems: boundaries that one found and the other did not.

The tables of a run contain no boundaries, so its inputs are read again and must not have changed.
A reference boundary is right where the edit measures pair it with a boundary of the system and of
its type, at most n_t - 1 away; a false alarm is a boundary of a system without such a partner. Two
false alarms are one that was kept where they are as near to each other.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from segscore.pipeline.comparison.document_outcomes import (
    ReferencePlace,
    SystemOutcome,
    outcomes_of,
    reopen_single,
)
from segscore.pipeline.comparison.runs import System
from segscore.pipeline.comparison.samples import Sample
from segscore.pipeline.errors import Refused
from segscore.pipeline.measures.edit_list import list_edits
from segscore.pipeline.results.names import explain_command
from segscore.pipeline.scoring.finished_scoring import FinishedScoring
from segscore.pipeline.scoring.reopen import Reopened
from segscore.pipeline.statistics.mcnemar import clustered_mcnemar

BOUNDARIES, ALARMS = "reference boundaries", "false alarms"
SPLIT, SPANNING = "split reference segments", "spanning hypothesis segments"

_Row = dict[str, Any]


def require_two(systems: Sequence[System]) -> tuple[System, System]:
    """Return the two systems that are compared; reference points do not count.

    Raises:
        Refused: there are fewer or more.
    """
    own = [system for system in systems if not system.is_point]
    if len(own) != 2:
        labels = ", ".join(system.label for system in own)
        raise Refused(
            f"--changes: shows what changed from one system to another, and there are {len(own)}: "
            f"{labels}; name two in their order with --systems"
        )
    return own[0], own[1]


def find_changes(
    runs: Sequence[FinishedScoring], systems: Sequence[System], sample: Sample
) -> tuple[list[_Row], list[_Row]]:
    """Return the counts of what changed between two systems, and each boundary that did.

    Args:
        runs: the runs, whose inputs are read again.
        systems: the systems, of which exactly two are no reference points: before and after.
        sample: the documents that both share, with their resampling units.

    Raises:
        Refused: as ``require_two``; an input has changed, or has several trials of a system.
    """
    two = require_two(systems)
    opened: dict[int, Reopened] = {}
    outcomes = []
    for system in two:
        run = runs[system.run]
        if system.run not in opened:
            opened[system.run] = reopen_single(run, "--changes")
        outcomes.append(outcomes_of(opened[system.run], system.hypothesis, sample.documents))
    near = opened[two[0].run].settings.near_limit
    places = sorted(outcomes[0].keys() & outcomes[1].keys())
    changed = [row for place in places for row in _changed(place, outcomes, near)]
    url, after = runs[two[1].run].url, two[1].hypothesis
    commands = {
        document: explain_command(url, document, after)
        for document in {row["document_id"] for row in changed}
    }
    names = {"system_before": two[0].label, "system_after": two[1].label}
    listed = [names | row | {"command": commands[row["document_id"]]} for row in changed]
    counts = [*_counts(listed, sample), *_segments(places, outcomes)]
    shown = [row for row in listed if row["change"] in LISTED_CHANGES]
    return [names | row for row in counts], shown


LISTED_CHANGES = ("fixed", "broken", "gone", "new")
"""Changes that are listed; what is the same for both systems is counted."""


_CHANGES = {
    (True, True): "both right",
    (False, True): "fixed",
    (True, False): "broken",
    (False, False): "both wrong",
}


def _changed(
    place: ReferencePlace, outcomes: Sequence[Mapping[ReferencePlace, SystemOutcome]], near: int
) -> Iterator[_Row]:
    """Yield each reference boundary and each false alarm of a document."""
    before, after = (each[place] for each in outcomes)
    names = {"document_id": place[0], "reference": place[1]}
    for position, *right in zip(before.reference, before.right, after.right, strict=True):
        change = _CHANGES[right[0], right[1]]
        yield {**names, "what": BOUNDARIES, "change": change, "position": position}
    for edit in list_edits(before.alarms, after.alarms, near):
        change = {"miss": "gone", "false_alarm": "new"}.get(edit.kind, "kept")
        place_of = edit.other_position if edit.position is None else edit.position
        yield {**names, "what": ALARMS, "change": change, "position": place_of}


_PAIRED = {BOUNDARIES: ("fixed", "broken"), ALARMS: ("gone", "new")}
"""What is tested -> the changes for the better and for the worse."""


def _counts(changed: Sequence[_Row], sample: Sample) -> Iterator[_Row]:
    """Yield how often each change occurs, with the test of those for the better and worse."""
    units = sample.units
    ids = sample.documents.to_pylist()
    unit_of = dict(zip(ids, units.index.tolist(), strict=True))
    for what, (better, worse) in _PAIRED.items():
        rows = [row for row in changed if row["what"] == what]
        differences = dict.fromkeys(unit_of.values(), 0)
        for row in rows:
            sign = (row["change"] == better) - (row["change"] == worse)
            differences[unit_of[row["document_id"]]] += sign
        p = clustered_mcnemar([*differences.values()])
        names = _CHANGES.values() if what == BOUNDARIES else ("kept", better, worse)
        for change in names:
            number = sum(row["change"] == change for row in rows)
            tested = p if change in (better, worse) else None
            documents = len({row["document_id"] for row in rows if row["change"] == change})
            yield _count(what, change, number, documents, tested)


def _count(what: str, change: str, number: int, documents: int, p: float | None) -> _Row:
    return {"what": what, "change": change, "number": number, "documents": documents, "p": p}


def _segments(
    places: Sequence[ReferencePlace], outcomes: Sequence[Mapping[ReferencePlace, SystemOutcome]]
) -> Iterator[_Row]:
    """Yield how many segments are split, and how many span several, before and after."""
    for what in (SPLIT, SPANNING):
        for when, of_system in zip(("before", "after"), outcomes, strict=True):
            numbers = {
                place: of_system[place].split if what == SPLIT else of_system[place].spanning
                for place in places
            }
            documents = len({document for (document, _), n in numbers.items() if n})
            yield _count(what, when, sum(numbers.values()), documents, None)
