"""Which boundary of the reference goes with which of the hypothesis: boundary edit distance.

Fournier 2013, section 3.1, in docs/measures.md's words. A boundary is a code: its position times
the range of types, plus its type counted from the lowest one. With one type that is its position.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from segscore.pipeline.arrays.kernel import kernel
from segscore.pipeline.arrays.ragged import Ints, Positions
from segscore.pipeline.errors import Refused
from segscore.pipeline.measures.assignment import assign
from segscore.pipeline.measures.greedy import near_misses, substitutions
from segscore.pipeline.measures.prefetch import Index
from segscore.pipeline.measures.segmentation_pairs import SegmentationPairs
from segscore.pipeline.measures.shifts import align

_PAIRINGS = ("greedy", "optimal")
_BEYOND = 1 << 62
Codes = Ints | Positions
# None stands for "no": then numba compiles, and a new process loads, only what a run needs.
Types = tuple[Positions, Positions] | None
Optimal = Literal[True] | None


class OnePair(NamedTuple):
    """The boundaries of two segmentations of one document.

    Attributes:
        ref: positions of the reference; with the types strictly ascending.
        hyp: positions of the hypothesis; with the types strictly ascending.
        n_units: units N of the document.
    """

    ref: Positions
    hyp: Positions
    n_units: int


class TypedSides(NamedTuple):
    """The boundary types of a run, and those of two tables of boundaries.

    Attributes:
        declared: the types declared, distinct.
        references: type of each boundary of the references; may be None for one type.
        hypotheses: type of each boundary of the hypotheses; may be None for one type.
    """

    declared: Sequence[int] = (1,)
    references: Positions | None = None
    hypotheses: Positions | None = None


ONE_TYPE = TypedSides()


class Rules(NamedTuple):
    """What decides which boundaries are a pair.

    Attributes:
        n_t: near misses lie 1..n_t-1 positions apart; at least 1.
        lowest: the lowest of the declared types.
        type_range: highest - lowest + 1; 1 is one type.
        n_types: how many are declared.
    """

    n_t: int
    lowest: int
    type_range: int
    n_types: int


def rules_of(n_t: int, types: Sequence[int]) -> Rules:
    """Take the rules from settings: n_t, and the declared types, distinct."""
    return Rules(n_t, min(types), max(types) - min(types) + 1, len(types))


def least_cost(pairing: str) -> Optimal:
    """Whether to pair at least cost: None where the published order is asked for.

    Raises:
        Refused: the pairing is neither ``greedy`` nor ``optimal``.
    """
    if pairing not in _PAIRINGS:
        raise Refused(f"pairing {pairing}: must be one of {', '.join(_PAIRINGS)}")
    return True if pairing == "optimal" else None


def types_of(pairs: SegmentationPairs, types: TypedSides) -> Types:
    """Take the types of both sides' boundaries; None where only one type is declared.

    Raises:
        Refused: types are missing, not as many, or outside the range of those declared.
    """
    declared, *sides = types
    named = f"boundary types {', '.join(map(str, declared))} are declared"
    for rows, given in zip((pairs.references, pairs.hypotheses), sides, strict=True):
        if given is None:
            if len(declared) > 1:
                raise Refused(f"{named}, but a table has no boundary types")
        elif len(given) != len(rows.values):
            raise Refused(f"{len(rows.values)} boundaries, {len(given)} types: must be as many")
        elif len(given) and not min(declared) <= given.min() <= given.max() <= max(declared):
            raise Refused(f"{named}, but there are types from {given.min()} to {given.max()}")
    if types.references is None or types.hypotheses is None or len(declared) == 1:
        return None
    return types.references, types.hypotheses


@kernel
def _encode(positions: Positions, types: Positions, rules: Rules, code: Ints) -> None:
    """Write each boundary's code, from its position and its type."""
    for i in range(len(positions)):
        code[i] = np.int64(positions[i]) * rules.type_range + types[i] - rules.lowest


@kernel
def type_differences(ref: Codes, hyp: Codes, code: Ints, in_ref: Ints) -> int:
    """Write the boundaries that only one side has, ascending; return how many there are.

    Args:
        ref: codes of the reference, strictly ascending.
        hyp: codes of the hypothesis, strictly ascending.
        code: written, shape (at least len(ref) + len(hyp),).
        in_ref: written: 1 where the reference has it, else 0; of the same shape.
    """
    found = 0
    r = h = Index(0)
    ref_end, hyp_end = Index(len(ref)), Index(len(hyp))
    while r < ref_end or h < hyp_end:
        a = int(ref[r]) if r < ref_end else _BEYOND
        b = int(hyp[h]) if h < hyp_end else _BEYOND
        # Written in any case and kept by counting on: cheaper than a branch nobody can foresee.
        code[found] = min(a, b)
        in_ref[found] = a < b
        found += a != b
        r += Index(a <= b)
        h += Index(b <= a)
    return found


@kernel
def _distinct(positions: Positions, place: Ints) -> int:
    """Write each position once; return how many there are."""
    found = 0
    for i in range(len(positions)):
        if i == 0 or positions[i] != positions[i - 1]:
            place[found] = positions[i]
            found += 1
    return found


@kernel
def differences_in_position(both: OnePair, room: Ints) -> int:
    """Write the positions only one side has, whatever the types there (as ``pair`` does)."""
    refs, hyps = _distinct(both.ref, room[3]), _distinct(both.hyp, room[4])
    return type_differences(room[3, :refs], room[4, :hyps], room[0], room[1])


@kernel
def pair(both: OnePair, types: Types, rules: Rules, optimal: Optimal, room: Ints) -> int:
    """Pair the boundaries of two segmentations: the one place where that is decided.

    Two of a pair at equal positions are a substitution, of equal types a near miss; one alone is
    a miss (reference) or a false alarm. A boundary that is not written at all is a match.

    Args:
        both: the two segmentations.
        types: of both; None where there is one type.
        rules: of the run.
        optimal: least cost; None is the published order.
        room: shape (5, at least len(ref) + len(hyp)). Written: codes of the boundaries only one
            side has, ascending; 1 where that is the reference; index of the partner, -1 if alone.

    Returns:
        How many are written.
    """
    ref, hyp, n_units = both.ref, both.hyp, both.n_units
    code, in_ref, partner = room[0], room[1], room[2]
    if types is None:
        found = type_differences(ref, hyp, code, in_ref)
    else:
        ref_code, hyp_code = room[3, : len(ref)], room[4, : len(hyp)]
        _encode(ref, types[0], rules, ref_code)
        _encode(hyp, types[1], rules, hyp_code)
        found = type_differences(ref_code, hyp_code, code, in_ref)
    partner[:found] = -1
    n_t, type_range = rules.n_t, rules.type_range
    if optimal is None and types is None:
        # A literal 1: what types need is left out when this is compiled.
        near_misses(code, in_ref, found, min(n_t, n_units), 1, partner)
    elif optimal is None:
        near_misses(code, in_ref, found, min(n_t, n_units), type_range, partner)
        substitutions(code, in_ref, found, type_range, partner)
    elif types is None:
        align(code[:found], in_ref[:found], n_t, n_t - 1, partner[:found])
    else:
        assign(code[:found], in_ref[:found], n_t, type_range, partner[:found])
    return found
