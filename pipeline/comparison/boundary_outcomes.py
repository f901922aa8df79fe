"""What became of each boundary of many pairs, by the pass that the edit measures count."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from segscore.pipeline.arrays.kernel import kernel
from segscore.pipeline.arrays.ragged import Ints, Positions
from segscore.pipeline.measures.pairing import (
    Optimal,
    Rules,
    Types,
    least_cost,
    pair,
    rules_of,
    types_of,
)
from segscore.pipeline.scoring.boundaries import Side
from segscore.pipeline.scoring.pairs import Pairs
from segscore.pipeline.scoring.reopen import Reopened

KINDS = ("matches", "near_misses", "substitutions", "misses", "false_alarms")
MATCH, NEAR_MISS, SUBSTITUTION, MISS, FALSE_ALARM = range(len(KINDS))


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
    settings, references = opened.settings, opened.references
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
