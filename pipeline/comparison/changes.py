"""List what changed between two systems: boundaries that one found and the other did not.

The tables of a run contain no boundaries, so its inputs are read again and must not have changed.
A reference boundary is right where the edit measures pair it with a boundary of the system and of
its type, at most n_t - 1 away; a false alarm is a boundary of a system without such a partner. Two
false alarms are one that was kept where they are as near to each other.
"""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from segscore.pipeline.arrays.ragged import Flags
from segscore.pipeline.comparison.boundary_outcomes import MATCH, NEAR_MISS, find_outcomes
from segscore.pipeline.comparison.runs import System
from segscore.pipeline.comparison.samples import Sample
from segscore.pipeline.comparison.where import scored_hypotheses
from segscore.pipeline.errors import Refused
from segscore.pipeline.measures.edit_list import list_edits
from segscore.pipeline.scoring.boundaries import side_from_rows
from segscore.pipeline.scoring.counting import pair_up
from segscore.pipeline.scoring.finished_scoring import FinishedScoring
from segscore.pipeline.scoring.hypotheses import Accepted
from segscore.pipeline.scoring.reopen import Reopened, reopen
from segscore.pipeline.statistics.mcnemar import clustered_mcnemar

BOUNDARIES, ALARMS = "reference boundaries", "false alarms"
SPLIT, SPANNING = "split reference segments", "spanning hypothesis segments"

_Row = dict[str, Any]
_Place = tuple[str, str]
"""A document and a reference of it."""


@dataclass(frozen=True)
class Outcome:
    """What a system did in a document, against one reference.

    Attributes:
        reference: positions of the reference boundaries, with types repeated.
        right: whether each was found.
        hypothesis: positions of the system's boundaries.
        alarms: positions of those that are false alarms, ascending.
    """

    reference: Sequence[int]
    right: Sequence[bool]
    hypothesis: Sequence[int]
    alarms: Sequence[int]

    @property
    def split(self) -> int:
        """The number of reference segments with a false alarm inside."""
        return _occupied(self.reference, self.alarms)

    @property
    def spanning(self) -> int:
        """The number of the system's segments with a missed reference boundary inside."""
        missed = [p for p, right in zip(self.reference, self.right, strict=True) if not right]
        return _occupied(self.hypothesis, missed)


def _occupied(boundaries: Sequence[int], positions: Sequence[int]) -> int:
    """Return in how many segments between boundaries some positions are."""
    inside = np.setdiff1d(np.array(positions, np.int64), np.array(boundaries, np.int64))
    return len(np.unique(np.searchsorted(np.unique(np.array(boundaries, np.int64)), inside)))


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
        if run.tables is not None:
            raise Refused(f"--changes: reads inputs again, and {run.name} is not in a folder")
        if (run.record.get("trials") or 1) > 1:
            raise Refused(
                f"--changes: {run.name} has several trials of a system; score one trial of each"
            )
        if system.run not in opened:
            opened[system.run] = reopen(run)
        outcomes.append(_outcomes(opened[system.run], system.hypothesis, sample.documents))
    near = opened[two[0].run].settings.near_limit
    places = sorted(outcomes[0].keys() & outcomes[1].keys())
    changed = [row for place in places for row in _changed(place, outcomes, near)]
    commands = {row["document_id"]: _command(row["document_id"], two[1], runs) for row in changed}
    names = {"system_before": two[0].label, "system_after": two[1].label}
    listed = [names | row | {"command": commands[row["document_id"]]} for row in changed]
    counts = [*_counts(listed, sample), *_segments(places, outcomes)]
    shown = [row for row in listed if row["change"] in SHOWN]
    return [names | row for row in counts], shown


SHOWN = ("fixed", "broken", "gone", "new")
"""Changes that are listed; what is the same for both systems is counted."""


def _command(document: str, system: System, runs: Sequence[FinishedScoring]) -> str:
    arguments = ["--document", document, "--hypothesis", system.hypothesis]
    return shlex.join(["segscore", "explain", runs[system.run].url, *arguments])


def _outcomes(opened: Reopened, system: str, documents: pa.StringArray) -> dict[_Place, Outcome]:
    """Return what a system did in each of some documents, against each reference."""
    shared = np.zeros(len(opened.references.documents), bool)
    indices = opened.references.documents.find(documents)
    shared[indices[indices >= 0]] = True
    found: dict[_Place, Outcome] = {}
    for accepted in scored_hypotheses(opened, [system], shared):
        found |= _of_block(opened, accepted, shared)
    return found


def _of_block(opened: Reopened, accepted: Accepted, shared: Flags) -> dict[_Place, Outcome]:
    chosen = shared[accepted.document]
    rows, document = accepted.rows.keep(chosen), accepted.document[chosen]
    references = opened.references
    side = side_from_rows(rows, document, references.words, typed=opened.inputs.typed)
    pairs = pair_up(document, references.first)
    outcomes = find_outcomes(opened, side, pairs)
    right = np.isin(outcomes.kind, (MATCH, NEAR_MISS))
    typed = references.side.typed
    ends = np.cumsum(typed.lengths[pairs.ref_row])
    alarm_ends = np.searchsorted(outcomes.alarm_pair, np.arange(len(pairs.ref_row)), "right")
    ids, found = rows.ids, {}
    for i, (ref, hyp) in enumerate(
        zip(pairs.ref_row.tolist(), pairs.hyp_row.tolist(), strict=True)
    ):
        first, last = typed.offsets[ref : ref + 2]
        start, end = side.boundaries.offsets[hyp : hyp + 2]
        alarms = outcomes.alarm_position[alarm_ends[i - 1] if i else 0 : alarm_ends[i]]
        place = ids[hyp].as_py(), references.coder[ref].as_py()
        found[place] = Outcome(
            typed.values[first:last].tolist(),
            right[ends[i] - (last - first) : ends[i]].tolist(),
            side.boundaries.values[start:end].tolist(),
            np.unique(alarms).tolist(),
        )
    return found


_CHANGES = {
    (True, True): "both right",
    (False, True): "fixed",
    (True, False): "broken",
    (False, False): "both wrong",
}


def _changed(
    place: _Place, outcomes: Sequence[Mapping[_Place, Outcome]], near: int
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
    places: Sequence[_Place], outcomes: Sequence[Mapping[_Place, Outcome]]
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
