"""The outcome of each boundary in many pairs, from the pairing that the edit measures count."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from segscore.pipeline.arrays.kernel import kernel, kernel_of_steps
from segscore.pipeline.arrays.ragged import Ints, row_values
from segscore.pipeline.measures.pairing import (
    OnePair,
    Optimal,
    Rules,
    TypedSides,
    Types,
    least_cost,
    pair,
    rules_of,
    types_of,
)
from segscore.pipeline.measures.segmentation_pairs import SegmentationPairs, pair_rows
from segscore.pipeline.scoring.boundaries import Side
from segscore.pipeline.scoring.counting import Pairs
from segscore.pipeline.scoring.reopen import Reopened

KINDS = ("matches", "near_misses", "substitutions", "misses", "false_alarms")
MATCH, NEAR_MISS, SUBSTITUTION, MISS, FALSE_ALARM = range(len(KINDS))


class _Outcomes(NamedTuple):
    """Arrays that ``_fill_outcomes`` fills, with room for every false alarm."""

    kind: NDArray[np.int8]
    alarm_pair: Ints
    alarm_position: Ints


@kernel
def _kind(code: Ints, partner: Ints, k: int, type_range: int) -> int:
    """Return the outcome of a reference boundary that is not a match."""
    other = partner[k]
    if other < 0:
        return MISS
    same_place = code[other] // type_range == code[k] // type_range
    return SUBSTITUTION if same_place else NEAR_MISS


@kernel_of_steps(lambda pairs, _, rules, *_rest: len(pairs.hypotheses.values) * rules.n_t)
def _fill_outcomes(
    pairs: SegmentationPairs, types: Types, rules: Rules, optimal: Optimal, outcomes: _Outcomes
) -> int:
    """Write outcomes of reference boundaries and the false alarms; return the number of alarms."""
    room = np.empty((5, 0), np.int64)
    written = alarms = 0
    for i in range(len(pairs.ref_row)):
        ref = row_values(pairs.references, pairs.ref_row[i])
        hyp = row_values(pairs.hypotheses, pairs.hyp_row[i])
        two = OnePair(ref, hyp, pairs.n_units[i])
        r = pairs.references.offsets[pairs.ref_row[i]]
        if len(ref) + len(hyp) > room.shape[1]:
            room = np.empty((5, 2 * (len(ref) + len(hyp))), np.int64)
        if types is None:
            unequal_count = pair(two, None, rules, optimal, room)
        else:
            h = pairs.hypotheses.offsets[pairs.hyp_row[i]]
            pair_types = types[0][r : r + len(ref)], types[1][h : h + len(hyp)]
            unequal_count = pair(two, pair_types, rules, optimal, room)
        code, in_ref, partner = room[0], room[1], room[2]
        k = 0
        for j in range(len(ref)):
            ref_code = np.int64(ref[j])
            if types is not None:
                ref_code = ref_code * rules.type_range + types[0][r + j] - rules.lowest
            while k < unequal_count and (code[k] < ref_code or not in_ref[k]):
                k += 1
            unequal = k < unequal_count and code[k] == ref_code
            kind = _kind(code, partner, k, rules.type_range) if unequal else MATCH
            outcomes.kind[written] = kind
            written += 1
        for k in range(unequal_count):
            if not in_ref[k] and partner[k] < 0:
                outcomes.alarm_pair[alarms] = i
                outcomes.alarm_position[alarms] = code[k] // rules.type_range
                alarms += 1
    return alarms


@dataclass(frozen=True)
class BoundaryOutcomes:
    """The outcomes of the boundaries in some pairs.

    Attributes:
        pair: index of each reference boundary's pair, shape (decisions,).
        boundary: index into the references' boundaries, shape (decisions,).
        kind: outcome, an index into ``KINDS``, shape (decisions,).
        alarm_pair: index of each false alarm's pair, shape (alarms,).
        alarm_position: position of each false alarm, in the unit of the run, shape (alarms,).
    """

    pair: Ints
    boundary: Ints
    kind: NDArray[np.int8]
    alarm_pair: Ints
    alarm_position: Ints


def find_outcomes(opened: Reopened, hypotheses: Side, pairs: Pairs) -> BoundaryOutcomes:
    """Find the outcome of each boundary in each pair, as the edit measures pair boundaries."""
    settings, references = opened.settings, opened.references
    types = opened.rule.types
    ref, hyp = references.side, hypotheses
    lengths = ref.typed.lengths[pairs.ref_row]
    room = int(hyp.typed.lengths[pairs.hyp_row].sum())
    outcomes = _Outcomes(
        np.empty(int(lengths.sum()), np.int8), np.empty(room, np.int64), np.empty(room, np.int64)
    )
    rows = pair_rows(
        ref.typed, hyp.typed, pairs.ref_row, pairs.hyp_row, references.size[pairs.ref_row]
    )
    row_types = types_of(rows, TypedSides(types, ref.types, hyp.types))
    optimal = least_cost(settings.pairing)
    rules = rules_of(settings.near_limit, types)
    alarms = _fill_outcomes(rows, row_types, rules, optimal, outcomes)
    number = np.repeat(np.arange(len(lengths)), lengths)
    before = np.cumsum(lengths) - lengths
    start = ref.typed.offsets[pairs.ref_row] - before
    boundary = np.arange(len(outcomes.kind)) + np.repeat(start, lengths)
    alarm_pair, alarm_position = outcomes.alarm_pair[:alarms], outcomes.alarm_position[:alarms]
    return BoundaryOutcomes(number, boundary, outcomes.kind, alarm_pair, alarm_position)
