"""Consensus references: the boundaries that enough of a document's coders marked.

Kazantseva & Szpakowicz 2012, section 6, make one reference out of several: boundaries of at least
50 % of the coders, of at least 30 %, or of any.
"""

import re
from fractions import Fraction

import numpy as np

from segscore.pipeline.arrays.kernel import kernel
from segscore.pipeline.arrays.ragged import Ints, Positions, Ragged
from segscore.pipeline.errors import Refused

_OPTION = "--consensus"
LABEL = "consensus:"
ANY = "any"
_DECIMAL = re.compile(r"([0-9]{0,9})(?:\.([0-9]{0,99}))?")


@kernel
def _merge(
    offsets: Ints,
    positions: Positions,
    first: Ints,
    least: Ints,
    merged_offsets: Ints,
    merged: Positions,
) -> None:
    """Merge each document's references; write the positions marked at least ``least`` times."""
    coders = 0
    for d in range(len(first) - 1):
        coders = max(coders, first[d + 1] - first[d])
    next_entry = np.zeros(coders, np.int64)
    written = 0
    merged_offsets[0] = 0
    for d in range(len(first) - 1):
        h = first[d + 1] - first[d]
        next_entry[:h] = offsets[first[d] : first[d + 1]]
        stops = offsets[first[d] + 1 : first[d + 1] + 1]
        while True:
            position = np.iinfo(np.int64).max
            for a in range(h):
                if next_entry[a] < stops[a]:
                    position = min(position, int(positions[next_entry[a]]))
            if position == np.iinfo(np.int64).max:
                break
            marks = 0
            for a in range(h):
                if next_entry[a] < stops[a] and positions[next_entry[a]] == position:
                    marks += 1
                    next_entry[a] += 1
            if marks >= least[d]:
                merged[written] = position
                written += 1
        merged_offsets[d + 1] = written


def consensus(references: Ragged, first: Ints, share: Fraction) -> Ragged:
    """Return the positions marked by at least a share of each document's coders (docs/measures.md).

    Args:
        references: boundary positions, one row per reference; positions do not repeat in a row.
        first: document d has the reference rows first[d]..first[d+1]-1, shape (documents + 1,).
        share: share of the coders, in [0, 1], compared exactly; 0 is the union, any coder suffices.

    Returns:
        Boundary positions, one row per document; a row may be empty.
    """
    coders, group = np.unique(np.diff(first), return_inverse=True)
    # The least integer >= share * h, in Python's integers, so that no denominator is too large.
    needed = [-(-share.numerator * h // share.denominator) for h in coders.tolist()]
    least = np.array(needed, np.int64)[group]
    offsets = np.empty(len(first), np.int64)
    capacity = references.offsets[first[-1]] - references.offsets[first[0]]
    values = np.empty(capacity, np.int32)
    _merge(references.offsets, references.values, first, least, offsets, values)
    return Ragged(offsets, values[: offsets[-1]])


def parse_share(text: str) -> tuple[str, Fraction]:
    """Parse one share of ``--consensus``: a decimal number, exactly, or ``any``.

    Returns:
        The name of the consensus coder (``consensus:0.5``, the same for ``.50``), and the share;
        0 for ``any``.

    Raises:
        Refused: the text is neither ``any`` nor in (0, 1]; the message names the option and the
            value.
    """
    if text == ANY:
        return LABEL + ANY, Fraction(0)
    number = _DECIMAL.fullmatch(text)
    whole, decimals = number.groups(default="") if number else ("", "")
    digits = whole + decimals
    share = Fraction(int(digits or "0"), 10 ** len(decimals))
    if not 0 < share <= 1:
        raise Refused(f"{_OPTION} {text}: must be {ANY}, or a share in (0, 1] such as 0.5")
    decimals = decimals.rstrip("0")
    return LABEL + str(int(whole or "0")) + ("." + decimals if decimals else ""), share


def parse_shares(text: str) -> dict[str, Fraction]:
    """Parse all of ``--consensus``, such as ``0.5,0.3,any``: shares by coder name, in order.

    Raises:
        Refused: as in ``parse_share``, or a share is given twice.
    """
    named = [parse_share(share) for share in text.split(",")]
    if len(dict(named)) < len(named):
        raise Refused(f"{_OPTION} {text}: names a share twice")
    return dict(named)
