"""Count the edits between two texts, in a band around the diagonal that is as wide as needed.

A path that edits the source into the output through diagonal d (source tokens less output tokens so
far) inserts or deletes at least |d| tokens before and |d - e| after, where e is the diagonal of the
end.  Therefore a path of cost w or less stays where |d| + |d - e| <= w, and a result of cost w or
less within that band is exact, ties included (Ukkonen 1985).  The width w doubles until it is.
"""

from typing import NamedTuple

import numpy as np

from segscore.pipeline.alignment.tokens import Tokens
from segscore.pipeline.arrays.kernel import inlined, kernel_of_steps
from segscore.pipeline.arrays.ragged import Ints, Positions

EDIT = 1 << 32
"""One edit.  The lower half of a path's cost decides between paths with equal numbers of edits."""

UNREACHED = 1 << 61
"""The cost of what no path reaches."""

LEAST_WIDTH = 32
"""Width of the first band."""

_ANY_SIZE = 1 << 26
"""Largest product of the lengths of two texts whose edits are counted however many they are."""


class Edits(NamedTuple):
    """The fewest edits that turn the source into the output; of several ways, one of most matches.

    Attributes:
        matches: number of tokens that are equal.
        substitutions: number of tokens of the source with another token in their place.
        deletions: number of tokens that only the source has.
        insertions: number of tokens that only the output has.
        missing_tail: number of the last tokens of the source without a counterpart in the output.
    """

    matches: int
    substitutions: int
    deletions: int
    insertions: int
    missing_tail: int

    @property
    def total(self) -> int:
        """Number of edits."""
        return self.substitutions + self.deletions + self.insertions


def count_edits(source: Tokens, output: Tokens, most: float) -> Edits | None:
    """Count the edits between two texts.

    Args:
        source: the tokens of the source.
        output: the tokens of the output, numbered by the same vocabulary.
        most: largest number of edits that matters.

    Returns:
        The edits; None if there are more than ``most`` in texts so long that counting them would
        take long.
    """
    rows, columns = len(source), len(output)
    least = fewest_edits(source, output)
    if rows * columns <= _ANY_SIZE:
        most = max(rows, columns)
    width = max(least, LEAST_WIDTH)
    column = np.empty(rows + 1, np.int64)
    while least <= most:
        packed = int(_edit(source.ids, output.ids, width, column))
        found = packed // EDIT
        if found <= width:
            return _edits(found, packed % EDIT, rows, columns, _missing_tail(column))
        least, width = width + 1, min(2 * width, found)
    return None


def fewest_edits(source: Tokens, output: Tokens) -> int:
    """Return a number of edits that two texts have at least, from how often each token occurs."""
    size = 1 + max((int(ids.max()) for ids in (source.ids, output.ids) if len(ids)), default=0)
    counts = [np.bincount(ids, minlength=size) for ids in (source.ids, output.ids)]
    return max(len(source), len(output)) - int(np.minimum(*counts).sum())


def _edits(total: int, substitutions: int, rows: int, columns: int, tail: int) -> Edits:
    deletions = (total - substitutions + rows - columns) // 2
    insertions = total - substitutions - deletions
    return Edits(rows - substitutions - deletions, substitutions, deletions, insertions, tail)


def _missing_tail(column: Ints) -> int:
    """Return how many of the last tokens of the source a best alignment leaves out.

    Args:
        column: the cost from each beginning of the source to the whole output, and from there to
            the end by leaving out all other tokens.
    """
    return len(column) - 1 - int(np.flatnonzero(column == column[-1])[0])


@inlined
def band_of(column: int, rows: int, columns: int, width: int) -> tuple[int, int]:
    """Return the first and the last row of a column within the band of a width."""
    end = rows - columns
    slack = (width - abs(end)) // 2
    return max(0, column + min(0, end) - slack), min(rows, column + max(0, end) + slack)


@inlined
def begin(column: Ints, high: int, code: int) -> None:
    """Write the costs before the first token of the output.

    Costs are stated as if all remaining tokens of the source were then left out.  So a token that
    is left out changes nothing, a token that is kept saves an edit, and an insertion costs one.
    """
    column[:] = UNREACHED
    column[: high + 1] = (len(column) - 1) * EDIT + code


@inlined
def advance(
    column: Ints, room: Ints, source: Positions, token: int, rows: tuple[int, int], other: int
) -> None:
    """Turn the costs up to the previous token of the output into those up to ``token``.

    The first two loops have no order and count from 0, so that they compile to vector instructions.

    Args:
        column: cost for each number of source tokens, ``UNREACHED`` outside the band; changed.
        room: an array as long as ``column``.
        source: the tokens of the source.
        token: the token of the output.
        rows: first and last row of the band.
        other: the cost of a token in the place of another, less an edit.
    """
    low, high = rows
    start = max(low, 1)
    old, tokens = column[start - 1 : high + 1], source[start - 1 : high]
    for k in range(len(tokens)):
        room[k] = old[k] + (-EDIT if tokens[k] == token else other)
    for k in range(len(tokens)):
        room[k] = min(room[k], old[k + 1] + EDIT)
    above = UNREACHED if low else column[0] + EDIT
    old[0] = above
    for k in range(len(tokens)):
        above = min(above, room[k])
        old[k + 1] = above


@kernel_of_steps(lambda source, output, width, _: min(len(source), width) * len(output))
def _edit(source: Positions, output: Positions, width: int, column: Ints) -> int:
    """Return the cost of a path, in its lower half the number of substitutions.

    It is the best of all if it has at most ``width`` edits.

    Args:
        source: tokens.
        output: tokens.
        width: width of the band.
        column: where the cost of each beginning of the source is written, shape (rows + 1,).
    """
    rows, columns = len(source), len(output)
    room = np.empty(rows + 1, np.int64)
    begin(column, band_of(0, rows, columns, width)[1], 0)
    for number in range(columns):
        rows_in_band = band_of(number + 1, rows, columns, width)
        advance(column, room, source, output[number], rows_in_band, 1)
    return column[rows]
