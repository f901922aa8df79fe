"""Where systems go wrong: boundaries missed and false alarms by story, position and prominence.

The tables of a run have no boundaries, so its inputs are read again; they must be as they were.
Each decision of boundary edit distance counts once for each reference, so that a boundary many
coders marked counts as often: a miss there costs more (Kazantseva & Szpakowicz 2012, 5).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pipeline.agreement.prominence import marked
from pipeline.comparing.runs import ScoredRun
from pipeline.comparing.samples import System
from pipeline.counting import Pairs, meet
from pipeline.inputs import cut
from pipeline.kernel import kernel
from pipeline.measures.pairing import (
    Optimal,
    Rules,
    Types,
    least_cost,
    pair,
    rules_of,
    types_of,
)
from pipeline.references import References
from pipeline.reopening import Reopened, reopen
from pipeline.scoring import Accepted, Receipt, accept
from pipeline.segmentations import Flags, Ints, Positions, Ragged, numbers
from pipeline.sides import Side, side_of
from pipeline.spreading import duplicates, holds

ANALYSES = ("story_length", "position", "prominence")
KINDS = ("matches", "near_misses", "substitutions", "misses", "false_alarms")
MATCH, NEAR_MISS, SUBSTITUTION, MISS, FALSE_ALARM = range(len(KINDS))
TENTHS = 10
QUARTERS = 4
NOWHERE = -1


@kernel
def _kind(code: Ints, partner: Ints, k: int, type_range: int) -> int:
    """What became of a boundary of the reference that is no match."""
    other = partner[k]
    if other < 0:
        return MISS
    same_place = code[other] // type_range == code[k] // type_range
    return SUBSTITUTION if same_place else NEAR_MISS


@kernel
def _decide(
    ref_offsets: Ints,
    ref_positions: Positions,
    hyp_offsets: Ints,
    hyp_positions: Positions,
    types: Types,
    ref_row: Ints,
    hyp_row: Ints,
    n_units: Ints,
    rules: Rules,
    optimal: Optimal,
    kind: NDArray[np.int8],
    alarm_pair: Ints,
    alarm_position: Ints,
) -> int:
    """Write what became of each pair's reference boundaries, and its false alarms; count these."""
    room = np.empty((5, 0), np.int64)
    written = alarms = 0
    for i in range(len(ref_row)):
        r, r_end = ref_offsets[ref_row[i]], ref_offsets[ref_row[i] + 1]
        h, h_end = hyp_offsets[hyp_row[i]], hyp_offsets[hyp_row[i] + 1]
        ref, hyp = ref_positions[r:r_end], hyp_positions[h:h_end]
        if len(ref) + len(hyp) > room.shape[1]:
            room = np.empty((5, 2 * (len(ref) + len(hyp))), np.int64)
        if types is None:
            found = pair(ref, hyp, None, n_units[i], rules, optimal, room)
        else:
            both = (types[0][r:r_end], types[1][h:h_end])
            found = pair(ref, hyp, both, n_units[i], rules, optimal, room)
        code, in_ref, partner = room[0], room[1], room[2]
        k = 0
        for j in range(len(ref)):
            own = np.int64(ref[j])
            if types is not None:
                own = own * rules.type_range + types[0][r + j] - rules.lowest
            while k < found and (code[k] < own or not in_ref[k]):
                k += 1
            unequal = k < found and code[k] == own
            kind[written] = _kind(code, partner, k, rules.type_range) if unequal else MATCH
            written += 1
        for k in range(found):
            if not in_ref[k] and partner[k] < 0:
                alarm_pair[alarms] = i
                alarm_position[alarms] = code[k] // rules.type_range
                alarms += 1
    return alarms


@dataclass(frozen=True)
class Decided:
    """What was decided about the pairs of some hypotheses.

    Attributes:
        pair: of each reference boundary, shape (decisions,).
        boundary: index into the references' boundaries, shape (decisions,).
        kind: of ``KINDS``, shape (decisions,).
        alarm_pair: of each false alarm, shape (alarms,).
        alarm_position: in the unit of the run, shape (alarms,).
    """

    pair: Ints
    boundary: Ints
    kind: NDArray[np.int8]
    alarm_pair: Ints
    alarm_position: Ints


def decide(opened: Reopened, hypotheses: Side, pairs: Pairs) -> Decided:
    """Decide about each boundary of each pair, by the pass that the edit measures count.

    Args:
        opened: the run.
        hypotheses: of the pairs.
        pairs: who meets whom.
    """
    settings, references = opened.settings, opened.job.references
    types = opened.job.rule.types
    ref, hyp = references.side, hypotheses
    lengths = ref.typed.lengths[pairs.ref_row]
    kind = np.empty(int(lengths.sum()), np.int8)
    room = int(hyp.typed.lengths[pairs.hyp_row].sum())
    alarm_pair, alarm_position = np.empty(room, np.int64), np.empty(room, np.int64)
    alarms = _decide(
        ref.typed.offsets,
        ref.typed.values,
        hyp.typed.offsets,
        hyp.typed.values,
        types_of((ref.typed, hyp.typed), (ref.types, hyp.types), types),
        pairs.ref_row,
        pairs.hyp_row,
        references.size[pairs.ref_row],
        rules_of(settings.n_t, types),
        least_cost(settings.pairing),
        kind,
        alarm_pair,
        alarm_position,
    )
    number = np.repeat(np.arange(len(lengths)), lengths)
    before = np.cumsum(lengths) - lengths
    start = ref.typed.offsets[pairs.ref_row] - before
    boundary = np.arange(len(kind)) + np.repeat(start, lengths)
    return Decided(number, boundary, kind, alarm_pair[:alarms], alarm_position[:alarms])


@dataclass(frozen=True)
class Classes:
    """How one analysis parts the boundaries.

    Attributes:
        low: lower end of each class, shape (classes,).
        high: upper end, shape (classes,).
        of_boundary: class of each reference boundary, -1 for none, shape (boundaries,).
    """

    low: list[float]
    high: list[float]
    of_boundary: Ints


class Places:
    """The boundaries of a run's references by story length, position and prominence."""

    def __init__(self, references: References, shared: Flags) -> None:
        """Part the boundaries into classes.

        Args:
            references: of the run.
            shared: documents to look at, shape (documents,).
        """
        self.references = references
        typed = references.side.typed
        row = np.repeat(np.arange(len(typed)), typed.lengths)
        self.coders = np.diff(references.first)
        once = marked(references.side.boundaries, references.first, references.panel_window)
        self.marked = once.document << 32 | once.position
        self.support = once.coders[0]
        self.lengths = _lengths(references.side.boundaries, references.size)
        self.edges = _quartiles(
            self.lengths.values[np.repeat(shared[references.document], self.lengths.lengths)]
        )
        position = typed.values.astype(np.int64)
        self.classes = {
            "story_length": Classes(*self.edges, self._of_story(row, position)),
            "position": Classes(
                [i / TENTHS for i in range(TENTHS)],
                [(i + 1) / TENTHS for i in range(TENTHS)],
                self._of_position(row, position),
            ),
            "prominence": Classes(
                [0.0, *(i / QUARTERS for i in range(QUARTERS))],
                [0.0, *((i + 1) / QUARTERS for i in range(QUARTERS))],
                self._of_prominence(row, position),
            ),
        }

    def of(self, analysis: str, row: Ints, position: Ints) -> Ints:
        """Find the class of positions of references' documents, -1 for none.

        Args:
            analysis: of ``ANALYSES``.
            row: the reference's, shape (positions,).
            position: in the unit of the run, shape (positions,).
        """
        of = {
            "story_length": self._of_story,
            "position": self._of_position,
            "prominence": self._of_prominence,
        }
        return of[analysis](row, position)

    def _of_story(self, row: Ints, position: Ints) -> Ints:
        """By the length of the story that is opened at the position, or that it lies in."""
        once = self.references.side.boundaries
        keys = np.repeat(np.arange(len(once)), once.lengths) << 32 | once.values
        before = np.searchsorted(keys, row << 32 | position, side="right") - once.offsets[row]
        length = self.lengths.values[self.lengths.offsets[row] + before]
        return np.searchsorted(np.array(self.edges[1]), length).astype(np.int64)

    def _of_position(self, row: Ints, position: Ints) -> Ints:
        """By the tenth of the document."""
        return position * TENTHS // self.references.size[row]

    def _of_prominence(self, row: Ints, position: Ints) -> Ints:
        """By the share of coders who marked the position; of a lone coder's document none."""
        document = self.references.document[row]
        key = document << 32 | position
        at = np.minimum(np.searchsorted(self.marked, key), max(0, len(self.marked) - 1))
        support = np.zeros(len(key), np.int64)
        if len(self.marked):
            support = np.where(self.marked[at] == key, self.support[at], 0)
        coders = self.coders[document]
        return np.where(coders > 1, -(-QUARTERS * support // coders), NOWHERE)


def _lengths(boundaries: Ragged, size: Ints) -> Ragged:
    """Segment sizes of each reference, one more than it has boundaries."""
    offsets = boundaries.offsets + np.arange(len(boundaries.offsets))
    ends = np.empty(offsets[-1], np.int64)
    last = offsets[1:] - 1
    inner = np.ones(len(ends), bool)
    inner[last] = False
    ends[inner] = boundaries.values
    ends[last] = size
    sizes = np.diff(ends, prepend=0)
    sizes[offsets[:-1]] = ends[offsets[:-1]]
    return Ragged(offsets, sizes.astype(np.int32))


def _quartiles(lengths: NDArray[np.int32]) -> tuple[list[float], list[float]]:
    """Shortest and longest story of each quarter of them; equal lengths stay together."""
    ordered = np.sort(lengths)
    places = np.arange(1, QUARTERS + 1) * len(ordered) // QUARTERS - 1
    high = np.unique(ordered[np.maximum(places, 0)])
    low = [
        int(ordered[0]),
        *(int(ordered[np.searchsorted(ordered, h, "right")]) for h in high[:-1]),
    ]
    return [float(each) for each in low], [float(each) for each in high]


def where(
    runs: Sequence[ScoredRun], systems: Sequence[System], documents: pa.StringArray
) -> Iterator[dict[str, object]]:
    """Count what became of the boundaries in each class (schemas/comparisons.py, WHERE).

    Args:
        runs: whose inputs are read again.
        systems: to look at; reference points, which are in no input, are left out.
        documents: to look at.

    Raises:
        Refused: an input has changed since.
    """
    for number, run in enumerate(runs):
        chosen = {each.hypothesis: each for each in systems if each.run == number}
        chosen = {name: each for name, each in chosen.items() if not each.is_point}
        if chosen:
            yield from _of_run(reopen(run.url), run.name, chosen, documents)


Tally = dict[str, Ints]
"""Analysis -> counts by system, class and kind."""


def _of_run(
    opened: Reopened, name: str, systems: Mapping[str, System], documents: pa.StringArray
) -> Iterator[dict[str, object]]:
    references = opened.job.references
    shared = np.zeros(len(references.documents), bool)
    found = references.documents.find(documents)
    shared[found[found >= 0]] = True
    places = Places(references, shared)
    tally = _tallied(opened, places, list(systems), shared)
    for analysis in ANALYSES:
        classes = places.classes[analysis]
        for at, (low, high) in enumerate(zip(classes.low, classes.high, strict=True)):
            for s, system in enumerate(systems.values()):
                counts = dict(zip(KINDS, tally[analysis][s, at].tolist(), strict=True))
                if any(counts.values()):
                    yield _row(analysis, (low, high), system, name, counts)


def _row(
    analysis: str,
    ends: tuple[float, float],
    system: System,
    run: str,
    counts: Mapping[str, int],
) -> dict[str, object]:
    boundaries = sum(counts.values()) - counts["false_alarms"]
    marks = boundaries - counts["misses"] + counts["false_alarms"]
    return {
        "analysis": analysis,
        "low": ends[0],
        "high": ends[1],
        "system": system.label,
        "run": run,
        "hypothesis": system.hypothesis,
        "reference_boundaries": boundaries,
        **counts,
        "miss_rate": counts["misses"] / boundaries if boundaries else None,
        "false_alarm_rate": counts["false_alarms"] / marks if marks else None,
    }


def _tallied(opened: Reopened, places: Places, systems: list[str], shared: Flags) -> Tally:
    """Read the hypotheses part by part; again where a part holds a coder's second row."""
    parts = cut(opened.inputs.hypotheses.slices)
    tallies: dict[str, Tally] = {}
    receipts: dict[str, Receipt] = {}
    for part in parts:
        accepted = accept(opened.job, part, {})
        receipts[part.name] = Receipt(seen=accepted.seen)
        tallies[part.name] = _tally(opened, places, systems, shared, accepted)
    twice = duplicates(receipts.values())
    for part in (each for each in parts if holds(receipts[each.name], twice)):
        tallies[part.name] = _tally(
            opened, places, systems, shared, accept(opened.job, part, twice)
        )
    found = [*tallies.values()]
    return {name: np.sum([tally[name] for tally in found], axis=0) for name in ANALYSES}


def _tally(
    opened: Reopened, places: Places, systems: list[str], shared: Flags, accepted: Accepted
) -> Tally:
    coder = accepted.rows.table.column("coder").chunk(0).dictionary_encode()
    place = {name: i for i, name in enumerate(systems)}
    code = np.array([place.get(name, -1) for name in coder.dictionary.to_pylist()] + [-1])
    system = code[numbers(coder.indices)]
    kept = (system >= 0) & shared[accepted.document]
    rows, document, system = accepted.rows.keep(kept), accepted.document[kept], system[kept]
    references = opened.job.references
    hypotheses = side_of(rows, document, references.words, typed=opened.job.typed)
    pairs = meet(document, references.first)
    decided = decide(opened, hypotheses, pairs)
    by_pair = system[pairs.hyp_row]
    found = {}
    for analysis, classes in places.classes.items():
        of_alarm = places.of(analysis, pairs.ref_row[decided.alarm_pair], decided.alarm_position)
        of_boundary = classes.of_boundary[decided.boundary]
        alarm = np.full(len(of_alarm), FALSE_ALARM)
        kind = np.concatenate([decided.kind, alarm])
        at = np.concatenate([of_boundary, of_alarm])
        who = by_pair[np.concatenate([decided.pair, decided.alarm_pair])]
        inside = at != NOWHERE
        shape = (len(systems), len(classes.low), len(KINDS))
        cell = np.ravel_multi_index((who[inside], at[inside], kind[inside]), shape)
        found[analysis] = np.bincount(cell, minlength=int(np.prod(shape))).reshape(shape)
    return found
