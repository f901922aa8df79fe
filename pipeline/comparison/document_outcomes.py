"""Outcomes of systems in each document of a run, boundary by boundary.

The tables of a run contain no boundaries, so its inputs are read again and must not have changed.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from segscore.pipeline.arrays.ragged import Flags
from segscore.pipeline.comparison.boundary_outcomes import MATCH, NEAR_MISS, find_outcomes
from segscore.pipeline.comparison.where_systems_differ import scored_hypotheses
from segscore.pipeline.errors import Refused
from segscore.pipeline.scoring.boundaries import side_from_rows
from segscore.pipeline.scoring.counting import pair_up
from segscore.pipeline.scoring.finished_scoring import FinishedScoring
from segscore.pipeline.scoring.hypotheses import Accepted
from segscore.pipeline.scoring.reopen import Reopened, reopen

ReferencePlace = tuple[str, str]
"""A document and a reference of it."""


@dataclass(frozen=True)
class SystemOutcome:
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


def reopen_single(run: FinishedScoring, option: str) -> Reopened:
    """Read the inputs of a run again, in which each system has one answer for a document.

    Raises:
        Refused: the run is in no folder, has trials, or an input has changed.
    """
    if run.tables is not None:
        raise Refused(f"{option}: reads inputs again, and {run.name} is not in a folder")
    if (run.record.get("trials") or 1) > 1:
        raise Refused(f"{option}: {run.name} has several trials of a system; score one of each")
    return reopen(run)


def outcomes_of(
    opened: Reopened, system: str, documents: pa.StringArray
) -> dict[ReferencePlace, SystemOutcome]:
    """Return what a system did in each of some documents, against each reference."""
    shared = np.zeros(len(opened.references.documents), bool)
    indices = opened.references.documents.find(documents)
    shared[indices[indices >= 0]] = True
    found: dict[ReferencePlace, SystemOutcome] = {}
    for accepted in scored_hypotheses(opened, [system], shared):
        found |= _of_block(opened, accepted, shared)
    return found


def _of_block(
    opened: Reopened, accepted: Accepted, shared: Flags
) -> dict[ReferencePlace, SystemOutcome]:
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
        found[place] = SystemOutcome(
            typed.values[first:last].tolist(),
            right[ends[i] - (last - first) : ends[i]].tolist(),
            side.boundaries.values[start:end].tolist(),
            np.unique(alarms).tolist(),
        )
    return found
