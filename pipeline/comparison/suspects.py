"""List the boundaries of references that may be wrong, because nearly all systems say so."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import sqrt
from typing import Any

import numpy as np

from segscore.pipeline.arrays.ragged import Ints
from segscore.pipeline.comparison.document_outcomes import (
    ReferencePlace,
    SystemOutcome,
    outcomes_of,
    reopen_single,
)
from segscore.pipeline.comparison.runs import find_systems
from segscore.pipeline.comparison.suspect_scores import ScoresIfMended
from segscore.pipeline.comparison.suspicion import Suspicion, Votes, suspect
from segscore.pipeline.errors import Refused
from segscore.pipeline.measures.edit_list import list_edits
from segscore.pipeline.results.names import explain_command
from segscore.pipeline.scoring.finished_scoring import FinishedScoring
from segscore.pipeline.scoring.reopen import Reopened
from segscore.pipeline.statistics.finding import Fact, Finding
from segscore.pipeline.statistics.formatted_numbers import counted
from segscore.pipeline.statistics.sentences import Sentence, Tone

LEAST_SYSTEMS = 3
"""With fewer systems nothing is suspected."""

ACCURACY = 0.95
"""Accuracy of references if no document has several of them."""

LEAST_POSTERIOR = 0.1
"""Places with a lower posterior are not listed."""

_SHIFTED = 0.5
"""Posterior from which a spurious and a missing boundary nearby are taken for a shifted one."""

SPURIOUS, MISSING, SHIFT = "spurious", "missing", "shifted"


@dataclass(frozen=True)
class Suspect:
    """A place where a reference may be wrong.

    Attributes:
        place: document and reference.
        kind: spurious, missing or shifted.
        position: position in the reference, or where a boundary is missing.
        shift: by how much the true boundary is later, of a shifted one.
        posterior: probability that the reference is wrong.
        against: the systems that contradict the reference there.
        agreeing: the systems that agree with it.
    """

    place: ReferencePlace
    kind: str
    position: int
    shift: int | None
    posterior: float
    against: tuple[str, ...]
    agreeing: tuple[str, ...]

    def mended(self, reference: Sequence[int]) -> list[int]:
        """Return the boundaries of the reference if the suspicion were right."""
        positions = {*reference}
        if self.kind != MISSING:
            positions.discard(self.position)
        if self.kind != SPURIOUS:
            positions.add(self.position + (self.shift or 0))
        return sorted(positions)


@dataclass(frozen=True)
class Suspects:
    """The suspects of a run.

    Attributes:
        rows: the suspects, as in schemas/comparisons.py, SUSPECTS, first those that matter most.
        systems: the systems that were asked.
        documents: number of documents with hypotheses of all of them.
        boundaries: number of boundaries of their references.
        accuracy: accuracy of references that was assumed.
        found: what was estimated.
        outcomes: what each system did in each document, against each reference.
    """

    rows: list[dict[str, Any]]
    systems: tuple[str, ...]
    documents: int
    boundaries: int
    accuracy: float
    found: Suspicion
    outcomes: Sequence[Mapping[ReferencePlace, SystemOutcome]]


_SURE = 0.9
"""Probability from which a suspected boundary is probably wrong."""


def suspects_finding(suspects: Suspects) -> Finding:
    """Return how many boundaries of references may be wrong."""
    rows = suspects.rows
    likely = sum(row["posterior"] >= _SURE for row in rows)
    number = counted(len(rows), "boundary").replace("boundarys", "boundaries")
    checked = (
        f"{counted(suspects.documents, 'document')} with {suspects.boundaries:,} reference "
        f"boundaries were checked against {len(suspects.systems)} systems, which count as "
        f"{suspects.found.effective:.1f}; {likely} of the suspected have a probability of "
        f"{_SURE:g} or more."
    )
    return Finding(
        f"{number} of references may be wrong" if rows else "No reference boundary is suspected",
        Tone.UNSURE if rows else Tone.SURE,
        [Sentence(checked)],
        facts=[
            Fact(str(len(rows)), f"suspected of {suspects.boundaries:,} boundaries"),
            Fact(str(likely), f"with a probability of {_SURE:g} or more"),
            Fact(f"{suspects.accuracy:.2f}", "accuracy of the references, assumed"),
        ],
    )


def kind_in_words(row: Mapping[str, Any]) -> str:
    """Return how a reference may be wrong at a place: spurious, missing, or shifted by so much."""
    return str(row["kind"]) if row["shift"] is None else f"shifted by {row['shift']:+d}"


def find_suspects(run: FinishedScoring, accuracy: float | None = None) -> Suspects:
    """Find boundaries of the references of a run that may be wrong.

    Args:
        run: the run, whose inputs are read again.
        accuracy: share of true boundaries that references have, and of theirs that are true; None
            to estimate it from documents with several references.

    Raises:
        Refused: the run has fewer than three systems, or trials, or an input has changed.
    """
    names = [each.hypothesis for each in find_systems([run], ()) if not each.is_point]
    if len(names) < LEAST_SYSTEMS:
        raise Refused(
            f"{run.url}: has {counted(len(names), 'system')}; a reference is suspected where at "
            f"least {LEAST_SYSTEMS} contradict it"
        )
    opened = reopen_single(run, "suspects")
    ids = opened.references.documents.ids
    outcomes = [outcomes_of(opened, name, ids) for name in names]
    places = sorted(set.intersection(*({*each} for each in outcomes)))
    if not any(outcomes[0][place].reference for place in places):
        raise Refused(f"{run.url}: no document with boundaries has hypotheses of all systems")
    if accuracy is None:
        accuracy = _accuracy(outcomes[0], places, opened.settings.near_limit)
    items = [item for place in places for item in _items(place, outcomes, opened)]
    votes = Votes(
        np.array([item.votes for item in items], bool),
        np.array([item.in_reference for item in items], bool),
        max(0.0, _positions(opened, places) - len(items)),
    )
    found = suspect(votes, accuracy)
    suspects = _suspects(items, found, names)
    suspects = [*_with_shifts(suspects, _reach(opened, places))]
    scores = ScoresIfMended(opened, outcomes, places)
    rows = [_row(each, scores, names, run.url) for each in suspects]
    rows.sort(key=_order)
    boundaries = int(votes.reference.sum())
    documents = len({document for document, _ in places})
    return Suspects(rows, tuple(names), documents, boundaries, accuracy, found, outcomes)


def _order(row: Mapping[str, Any]) -> tuple[float, float, str, int]:
    weight = abs(row["change"] or 0.0) * row["posterior"]
    return -weight, -row["posterior"], row["document_id"], row["position"]


def _accuracy(
    outcomes: Mapping[ReferencePlace, SystemOutcome], places: Sequence[ReferencePlace], near: int
) -> float:
    """Return the accuracy of references, from documents with several.

    Two coders who each find true boundaries with that accuracy share its square.
    """
    codings: dict[str, list[Sequence[int]]] = {}
    for place in places:
        codings.setdefault(place[0], []).append(sorted({*outcomes[place].reference}))
    shared = whole = 0
    for of_document in codings.values():
        for one, other in combinations(of_document, 2):
            edits = list_edits(one, other, near)
            shared += 2 * sum(edit.kind in ("match", "near_miss") for edit in edits)
            whole += len(one) + len(other)
    return min(max(sqrt(shared / whole), 0.6), 0.99) if whole else ACCURACY


@dataclass(frozen=True)
class _Item:
    """A place that the reference or a system marked, and which systems did."""

    place: ReferencePlace
    position: int
    in_reference: bool
    votes: tuple[bool, ...]


def _items(
    place: ReferencePlace,
    outcomes: Sequence[Mapping[ReferencePlace, SystemOutcome]],
    opened: Reopened,
) -> Iterator[_Item]:
    """Yield the boundaries of a reference, and clusters of boundaries that are not in it."""
    of_systems = [each[place] for each in outcomes]
    found = [
        {p for p, right in zip(each.reference, each.right, strict=True) if right}
        for each in of_systems
    ]
    for position in sorted({*of_systems[0].reference}):
        yield _Item(place, position, True, tuple(position in each for each in found))
    reach = opened.settings.near_limit - 1
    marks = sorted((p, s) for s, each in enumerate(of_systems) for p in each.alarms)
    cluster: list[tuple[int, int]] = []
    for mark in [*marks, None]:
        if mark is not None and cluster and mark[0] - cluster[0][0] <= reach:
            cluster.append(mark)
            continue
        if cluster:
            positions = [p for p, _ in cluster]
            middle = max(sorted({*positions}), key=positions.count)
            marked = {s for _, s in cluster}
            yield _Item(place, middle, False, tuple(s in marked for s in range(len(outcomes))))
        cluster = [] if mark is None else [mark]


def _positions(opened: Reopened, places: Sequence[ReferencePlace]) -> float:
    """Return the number of potential boundaries, in steps of the distance of near misses."""
    size = _of_references(opened, opened.references.size)
    reach = max(1, 2 * opened.settings.near_limit - 1)
    return sum(max(0, size[place] - 1) for place in places) / reach


def _reach(opened: Reopened, places: Sequence[ReferencePlace]) -> dict[ReferencePlace, int]:
    """Return how far a shifted boundary may be from its place: the window of each reference."""
    window = _of_references(opened, opened.references.window)
    return {place: window[place] for place in places}


def _of_references(opened: Reopened, values: Ints) -> dict[ReferencePlace, int]:
    references = opened.references
    ids, coders = references.documents.ids.to_pylist(), references.coder.to_pylist()
    document = references.document.tolist()
    return {
        (ids[d], coder): int(value)
        for d, coder, value in zip(document, coders, values.tolist(), strict=True)
    }


def _suspects(items: Sequence[_Item], found: Suspicion, names: Sequence[str]) -> list[Suspect]:
    suspects = []
    for item, posterior in zip(items, found.wrong.tolist(), strict=True):
        if posterior >= LEAST_POSTERIOR:
            voted = dict(zip(names, item.votes, strict=True))
            against = tuple(name for name in names if voted[name] != item.in_reference)
            agreeing = tuple(name for name in names if voted[name] == item.in_reference)
            kind = SPURIOUS if item.in_reference else MISSING
            suspects.append(
                Suspect(item.place, kind, item.position, None, posterior, against, agreeing)
            )
    return suspects


def _with_shifts(
    suspects: Sequence[Suspect], reach: Mapping[ReferencePlace, int]
) -> Iterator[Suspect]:
    """Join spurious boundaries and missing ones near them, the closest first."""
    likely = [each for each in suspects if each.posterior >= _SHIFTED]
    by_place: dict[ReferencePlace, list[Suspect]] = {}
    for each in likely:
        by_place.setdefault(each.place, []).append(each)
    joined: set[Suspect] = set()
    for place, of_place in by_place.items():
        pairs = [
            (abs(one.position - other.position), one.position, one, other)
            for one in of_place
            for other in of_place
            if one.kind == SPURIOUS and other.kind == MISSING
        ]
        for distance, _, one, other in sorted(pairs, key=lambda pair: pair[:2]):
            if distance <= reach[place] and joined.isdisjoint({one, other}):
                joined |= {one, other}
                both = tuple(name for name in one.against if name in other.against)
                rest = tuple(name for name in (*one.against, *one.agreeing) if name not in both)
                yield replace(
                    one,
                    kind=SHIFT,
                    shift=other.position - one.position,
                    posterior=min(one.posterior, other.posterior),
                    against=both,
                    agreeing=rest,
                )
    yield from (each for each in suspects if each not in joined)


def _row(each: Suspect, scores: "ScoresIfMended", names: Sequence[str], url: str) -> dict[str, Any]:
    """Return the row of a suspect, with what each system's score would become."""
    before, after = scores.values(each.place, each.mended(scores.reference(each.place)))
    known = [(a, b) for a, b in zip(after, before, strict=True) if a is not None and b is not None]
    document, reference = each.place
    return {
        "document_id": document,
        "reference": reference,
        "position": each.position,
        "kind": each.kind,
        "shift": each.shift,
        "posterior": each.posterior,
        "systems_for": list(each.against),
        "systems_against": list(each.agreeing),
        "change": sum(a - b for a, b in known) / len(known) if known else None,
        "systems": list(names),
        "values": after,
        "command": explain_command(url, document),
    }
