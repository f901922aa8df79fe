"""Place the breaks of a system's text in the units of the source, by least edits.

The cost of cutting the source before some units is the sum, over the segments of the system, of the
edits between the units of a segment and its words.  Of several cheapest ways to cut, the one with
the latest cuts is taken: the last cut first, then the one before it, and so on.  A break that the
earliest cuts place elsewhere is uncertain.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from segscore.pipeline.alignment.edits import (
    EDIT,
    UNREACHED,
    Edits,
    advance,
    band_of,
    begin,
    count_edits,
)
from segscore.pipeline.alignment.tokens import Tokens
from segscore.pipeline.arrays.kernel import inlined, kernel_of_steps
from segscore.pipeline.arrays.ragged import Ints, Positions, offsets_of
from segscore.pipeline.errors import Refused

_LEAST_SLACK = 32
_MOST_CUTS = 1 << 26
"""Largest number of possible cuts kept at once, at four bytes each."""


@dataclass(frozen=True)
class Resegmentation:
    """Where the breaks of one text are in the units of another.

    Attributes:
        cuts: number of units before each break, ascending, shape (segments - 1,).
        earliest: the same for the earliest of the cheapest cuts.
        cost: edits within segments.
        edits: edits without regard to breaks.
        n_units: number of units of the source.
    """

    cuts: list[int]
    earliest: list[int]
    cost: int
    edits: Edits
    n_units: int

    @property
    def boundaries(self) -> list[int]:
        """Positions of boundaries, strictly ascending in 1..n_units-1."""
        return sorted({*self.cuts} - {0, self.n_units})

    @property
    def collapsed(self) -> int:
        """Number of breaks that are at an end of the document, or where another break is."""
        return len(self.cuts) - len(self.boundaries)

    @property
    def uncertain(self) -> list[int]:
        """The cuts that could as well have been earlier."""
        pairs = zip(self.cuts, self.earliest, strict=True)
        return [cut for cut, earliest in pairs if cut != earliest]


def resegment(source: Tokens, output: Tokens, most: float) -> Resegmentation | None:
    """Cut the source where the output is cut.

    Args:
        source: the units of the source.
        output: the segments of the system, at least one, numbered by the same vocabulary.
        most: largest number of edits, without regard to breaks.

    Returns:
        The cuts; None if there are more edits than ``most``.

    Raises:
        Refused: the texts are too long to be aligned.
    """
    edits = count_edits(source, output, most)
    if edits is None or edits.total > most:
        return None
    return place_breaks(source, output, edits)


def place_breaks(source: Tokens, output: Tokens, edits: Edits) -> Resegmentation:
    """Cut the source where the output is cut, given the edits between them.

    Raises:
        Refused: the texts are too long to be aligned.
    """
    width = edits.total + max(_LEAST_SLACK, edits.total // 4)
    cost, latest = _cheapest(source, output, width, latest=True)
    while cost > width:  # it is that of some path, so the next band is wide enough, if there is one
        width = min(cost, 2 * (len(source) + len(output)))
        cost, latest = _cheapest(source, output, width, latest=True)
    _, earliest = _cheapest(source, output, cost, latest=False)
    return Resegmentation(latest.tolist(), earliest.tolist(), cost, edits, len(source.ends))


def _cheapest(source: Tokens, output: Tokens, width: int, *, latest: bool) -> tuple[int, Ints]:
    """Return the cost of the cheapest cuts within a band, and these cuts."""
    rows = np.unique(np.append(source.ends, 0))
    breaks = output.ends[:-1]
    end = len(source) - len(output)
    slack = (width - abs(end)) // 2
    first = np.searchsorted(rows, breaks + min(0, end) - slack)
    last = np.searchsorted(rows, breaks + max(0, end) + slack, "right")
    kept = offsets_of(last - first)
    if kept[-1] > _MOST_CUTS:
        raise Refused(
            f"{len(source)} tokens in {len(source.ends)} units with {len(breaks)} breaks and about "
            f"{width} edits are too much to be aligned; divide the document"
        )
    codes = np.arange(len(rows), dtype=np.int64)
    cuts = _Cuts(rows, codes[::-1].copy() if latest else codes, breaks, first, kept)
    chosen = np.zeros(len(breaks), np.int64)
    pointers = np.zeros(int(kept[-1]), np.int32)
    cost = int(_place(source.ids, output.ids, width, cuts, pointers, chosen))
    return cost, _units_before(source.ends, rows, latest=latest)[chosen]


def _units_before(ends: Ints, rows: Ints, *, latest: bool) -> Ints:
    """Return the number of units before a cut at each row, with units without tokens if latest."""
    if latest:
        return np.searchsorted(ends, rows, "right")
    return np.where(rows > 0, np.searchsorted(ends, rows) + 1, 0)


class _Cuts(NamedTuple):
    """Where the source may be cut, and where the output is.

    Attributes:
        rows: numbers of source tokens at which a unit ends, and 0, strictly ascending.
        codes: what represents each of them in the lower half of a cost: the best is least.
        breaks: number of output tokens before each break, ascending, shape (breaks,).
        first: index of the first of the rows in the band of each break, shape (breaks,).
        kept: number of rows in the bands of the breaks before each, shape (breaks + 1,).
    """

    rows: Ints
    codes: Ints
    breaks: Ints
    first: Ints
    kept: Ints


@kernel_of_steps(lambda source, output, width, *_: min(len(source), width) * len(output))
def _place(
    source: Positions,
    output: Positions,
    width: int,
    cuts: _Cuts,
    pointers: Positions,
    chosen: Ints,
) -> int:
    """Return the cost of the cheapest cuts; it is exact, as they are, if it is at most ``width``.

    The lower half of the cost of a path is the code of its last cut, so that of paths with equal
    numbers of edits the one with the best cut remains.

    Args:
        source: tokens.
        output: tokens.
        width: width of the band.
        cuts: where the source may be cut, and where the output is.
        pointers: room for the cut before each possible cut, shape (cuts.kept[-1],).
        chosen: where the indexes of the cuts among ``cuts.rows`` are written, shape (breaks,).
    """
    rows, columns, breaks = len(source), len(output), len(cuts.breaks)
    column, room = np.empty(rows + 1, np.int64), np.empty(rows + 1, np.int64)
    low, high = band_of(0, rows, columns, width)
    begin(column, high, cuts.codes[0])
    done = 0
    for number in range(columns + 1):
        if number:
            low, high = band_of(number, rows, columns, width)
            advance(column, room, source, output[number - 1], (low, high), 0)
        while done < breaks and cuts.breaks[done] == number:
            _cut(column, (low, high), cuts, done, pointers)
            done += 1
    packed = column[rows]
    if packed >= UNREACHED // 2:
        return packed // EDIT
    for before in range(breaks - 1, -1, -1):
        index = _decoded(packed, cuts.codes)
        chosen[before] = index
        packed = np.int64(pointers[cuts.kept[before] + index - cuts.first[before]])
    return column[rows] // EDIT


@inlined
def _decoded(packed: int, codes: Ints) -> int:
    """Return the index of the row that a code represents."""
    code = packed % EDIT
    return code if codes[0] == 0 else len(codes) - 1 - code


@inlined
def _cut(
    column: Ints, band_rows: tuple[int, int], cuts: _Cuts, number: int, pointers: Positions
) -> None:
    """End a segment: only rows at the end of a unit remain, and the row becomes the path's cut.

    Args:
        column: cost for each number of source tokens; changed in place.
        band_rows: first and last row of the band.
        cuts: where the source may be cut.
        number: number of the break.
        pointers: where the cut before each possible cut is written.
    """
    low, high = band_rows
    following = low
    for place in range(cuts.kept[number], cuts.kept[number + 1]):
        index = cuts.first[number] + place - cuts.kept[number]
        row = cuts.rows[index]
        column[following:row] = UNREACHED
        following = row + 1
        if column[row] < UNREACHED // 2:
            pointers[place] = column[row] % EDIT
            column[row] += cuts.codes[index] - column[row] % EDIT
    column[following : high + 1] = UNREACHED
    for row in range(low + 1, high + 1):  # the next segment may begin with tokens that are missing
        column[row] = min(column[row], column[row - 1])
