"""List the individual edits that the edit measures count.

Fournier 2013, section 3.1, calls a pair of boundaries, or a boundary without a partner, a decision.
"""

from collections.abc import Sequence
from itertools import repeat
from typing import NamedTuple

import numpy as np

from segscore.pipeline.arrays.ragged import from_lists
from segscore.pipeline.measures.pairing import (
    ONE_TYPE,
    OnePair,
    TypedSides,
    least_cost,
    pair,
    rules_of,
    types_of,
)
from segscore.pipeline.measures.segmentation_pairs import pair_rows

End = tuple[int, int]


class Edit(NamedTuple):
    """One decision; position and type are None for a side that has no boundary in it.

    Attributes:
        kind: match, near_miss, substitution, miss or false_alarm.
        position: position in the reference.
        other_position: position in the hypothesis.
        type: boundary type in the reference.
        other_type: boundary type in the hypothesis.
        span: distance between the two positions, >= 0.
    """

    kind: str
    position: int | None
    other_position: int | None
    type: int | None
    other_type: int | None
    span: int


def _edit(end: End | None, other_end: End | None) -> Edit:
    position, kind = end or (None, None)
    other_position, other_kind = other_end or (None, None)
    if position is None or other_position is None:
        name = "false_alarm" if end is None else "miss"
        return Edit(name, position, other_position, kind, other_kind, 0)
    span = abs(position - other_position)
    name = "near_miss" if span else "match" if kind == other_kind else "substitution"
    return Edit(name, position, other_position, kind, other_kind, span)


def list_edits(
    reference: Sequence[int],
    hypothesis: Sequence[int],
    n_t: int = 2,
    pairing: str = "greedy",
    types: TypedSides = ONE_TYPE,
) -> list[Edit]:
    """List the decisions about boundaries, made by the pass that counts them (docs/measures.md).

    Args:
        reference: boundary positions, strictly ascending together with their types.
        hypothesis: boundary positions, strictly ascending together with their types.
        n_t: near misses lie 1..n_t-1 positions apart; at least 1.
        pairing: ``greedy`` (published) or ``optimal`` (least cost).
        types: the boundary types of both segmentations.

    Returns:
        The edits, in text order of their left ends (position, then type); each boundary is in one.

    Raises:
        Refused: a type is outside the range of those declared, or the pairing is unknown.
    """
    row_zero, n_units = np.zeros(1, np.int64), max((*reference, *hypothesis), default=0) + 1
    sides = from_lists([reference]), from_lists([hypothesis])
    pair_types = types_of(pair_rows(*sides, row_zero, row_zero, row_zero + n_units), types)
    rules = rules_of(n_t, types.declared)
    scratch = np.empty((5, len(reference) + len(hypothesis)), np.int64)
    one_pair = OnePair(sides[0].values, sides[1].values, n_units)
    differences = pair(one_pair, pair_types, rules, least_cost(pairing), scratch)
    codes, in_ref, partners = scratch[:3, :differences].tolist()
    ends = [(code // rules.type_range, code % rules.type_range + rules.lowest) for code in codes]
    kinds = repeat(types.declared[0]) if types.references is None else types.references.tolist()
    edits = {end: _edit(end, end) for end in set(zip(reference, kinds, strict=False)) - set(ends)}
    for k, partner in enumerate(partners):
        # Both ends of a pair are in the list; write the pair at its right end.
        if partner <= k:
            other_end = None if partner < 0 else ends[partner]
            edit_ends = (ends[k], other_end) if in_ref[k] else (other_end, ends[k])
            edits[other_end or ends[k]] = _edit(*edit_ends)
    return [edit for _, edit in sorted(edits.items())]
