"""Pair the boundaries of a reference with those of a hypothesis: boundary edit distance.

Fournier 2013, section 3.1, as specified in docs/measures.md. The code of a boundary is its position
times the range of types, plus its type minus the lowest type. With one type, it is the position.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from segscore.pipeline.arrays.kernel import kernel, kernel_of_steps
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
# None means "no", so that numba compiles, and a new process loads, only what a run needs.
Types = tuple[Positions, Positions] | None
Optimal = Literal[True] | None


class OnePair(NamedTuple):
    """The boundaries of two segmentations of one document.

    Attributes:
        ref: positions in the reference, strictly ascending together with the types.
        hyp: positions in the hypothesis, strictly ascending together with the types.
        n_units: number N of units of the document.
    """

    ref: Positions
    hyp: Positions
    n_units: int


class TypedSides(NamedTuple):
    """The boundary types of a run, and the type of each boundary in two tables.

    Attributes:
        declared: the declared types, distinct.
        references: type of each boundary of the references; may be None if there is one type.
        hypotheses: type of each boundary of the hypotheses; may be None if there is one type.
    """

    declared: Sequence[int] = (1,)
    references: Positions | None = None
    hypotheses: Positions | None = None


ONE_TYPE = TypedSides()


class Rules(NamedTuple):
    """The rules that decide which boundaries can be a pair.

    Attributes:
        n_t: near misses lie 1..n_t-1 positions apart; at least 1.
        lowest: the lowest of the declared types.
        type_range: highest - lowest + 1; 1 if there is one type.
        n_types: number of declared types.
    """

    n_t: int
    lowest: int
    type_range: int
    n_types: int


def rules_of(n_t: int, types: Sequence[int]) -> Rules:
    """Derive the rules from n_t and the declared types, which must be distinct."""
    return Rules(n_t, min(types), max(types) - min(types) + 1, len(types))


def least_cost(pairing: str) -> Optimal:
    """Return True if pairs are chosen at least cost, None if in the published order.

    Raises:
        Refused: the pairing is neither ``greedy`` nor ``optimal``.
    """
    if pairing not in _PAIRINGS:
        raise Refused(f"pairing {pairing}: must be one of {', '.join(_PAIRINGS)}")
    return True if pairing == "optimal" else None


def types_of(pairs: SegmentationPairs, types: TypedSides) -> Types:
    """Return the types of the boundaries on both sides, or None if only one type is declared.

    Raises:
        Refused: types are missing, too few or too many, or outside the range of those declared.
    """
    declared, *sides = types
    declaration = f"boundary types {', '.join(map(str, declared))} are declared"
    for rows, side in zip((pairs.references, pairs.hypotheses), sides, strict=True):
        if side is None:
            if len(declared) > 1:
                raise Refused(f"{declaration}, but a table has no boundary types")
        elif len(side) != len(rows.values):
            raise Refused(
                f"{len(rows.values)} boundaries, {len(side)} types: each boundary needs one type"
            )
        elif len(side) and not min(declared) <= side.min() <= side.max() <= max(declared):
            raise Refused(f"{declaration}, but a table has types from {side.min()} to {side.max()}")
    if types.references is None or types.hypotheses is None or len(declared) == 1:
        return None
    return types.references, types.hypotheses


@kernel
def _encode(positions: Positions, types: Positions, rules: Rules, code: Ints) -> None:
    """Write the code of each boundary, computed from its position and its type."""
    for i in range(len(positions)):
        code[i] = np.int64(positions[i]) * rules.type_range + types[i] - rules.lowest


@kernel
def type_differences(ref: Codes, hyp: Codes, code: Ints, in_ref: Ints) -> int:
    """Write the boundaries that only one side has, ascending; return how many there are.

    Args:
        ref: codes of the reference, strictly ascending.
        hyp: codes of the hypothesis, strictly ascending.
        code: output: codes of these boundaries, shape (at least len(ref) + len(hyp),).
        in_ref: output: 1 where that side is the reference, else 0, same shape.
    """
    differences = 0
    r = h = Index(0)
    ref_end, hyp_end = Index(len(ref)), Index(len(hyp))
    while r < ref_end or h < hyp_end:
        a = int(ref[r]) if r < ref_end else _BEYOND
        b = int(hyp[h]) if h < hyp_end else _BEYOND
        # Write always and advance only at a difference, to avoid an unpredictable branch.
        code[differences] = min(a, b)
        in_ref[differences] = a < b
        differences += a != b
        r += Index(a <= b)
        h += Index(b <= a)
    return differences


@kernel
def _distinct(positions: Positions, output: Ints) -> int:
    """Write each distinct position once; return how many there are."""
    size = 0
    for i in range(len(positions)):
        if i == 0 or positions[i] != positions[i - 1]:
            output[size] = positions[i]
            size += 1
    return size


@kernel
def differences_in_position(one_pair: OnePair, scratch: Ints) -> int:
    """Write the positions that only one side has, whatever the types, in the layout of ``pair``."""
    refs, hyps = _distinct(one_pair.ref, scratch[3]), _distinct(one_pair.hyp, scratch[4])
    return type_differences(scratch[3, :refs], scratch[4, :hyps], scratch[0], scratch[1])


@kernel_of_steps(lambda two, _, rules, *_rest: len(two.hyp) * rules.n_t)
def pair(one_pair: OnePair, types: Types, rules: Rules, optimal: Optimal, scratch: Ints) -> int:
    """Pair the boundaries of two segmentations; no other function decides this.

    A pair at one position is a substitution, a pair of one type is a near miss, and a boundary
    without a partner is a miss (reference) or a false alarm. Matches are not written.

    Args:
        one_pair: the two segmentations.
        types: types of both, or None if there is one type.
        rules: the rules of the run.
        optimal: True for least cost, None for the published order.
        scratch: shape (5, at least len(ref) + len(hyp)). Rows 0 to 2 are output: codes of the
            boundaries that only one side has, ascending; 1 where that is the reference; partner's
            index or -1.

    Returns:
        How many boundaries are written.
    """
    ref, hyp, n_units = one_pair.ref, one_pair.hyp, one_pair.n_units
    code, in_ref, partner = scratch[0], scratch[1], scratch[2]
    if types is None:
        differences = type_differences(ref, hyp, code, in_ref)
    else:
        ref_code, hyp_code = scratch[3, : len(ref)], scratch[4, : len(hyp)]
        _encode(ref, types[0], rules, ref_code)
        _encode(hyp, types[1], rules, hyp_code)
        differences = type_differences(ref_code, hyp_code, code, in_ref)
    partner[:differences] = -1
    n_t, type_range = rules.n_t, rules.type_range
    if optimal is None and types is None:
        # With the literal 1, the compiler drops the code that types need.
        near_misses(code, in_ref, differences, min(n_t, n_units), 1, partner)
    elif optimal is None:
        near_misses(code, in_ref, differences, min(n_t, n_units), type_range, partner)
        substitutions(code, in_ref, differences, type_range, partner)
    elif types is None:
        align(code[:differences], in_ref[:differences], n_t, n_t - 1, partner[:differences])
    else:
        assign(code[:differences], in_ref[:differences], n_t, type_range, partner[:differences])
    return differences
