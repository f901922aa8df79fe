"""Find where quotes of the first words of segments begin in the units of a document.

Each quote gets a unit, in ascending order, so that the sum of the edits between the quotes and the
text from their units on is least; a quote that costs .4 edits for each of its words, or more, stays
without a unit.  Costs are in fifths of an edit, so that this limit is a whole number.
"""

from dataclasses import dataclass

import numpy as np

from segscore.pipeline.alignment.tokens import Tokens
from segscore.pipeline.arrays.kernel import kernel, kernel_of_steps
from segscore.pipeline.arrays.ragged import Bits, Ints, Positions
from segscore.pipeline.errors import Refused

WORDS_OF_QUOTE = 20
"""Number of first words of a quote that count."""

_EDIT = 5
"""Cost of an edit."""

_LIMIT = 2
"""Cost of a word of a quote without a unit, which is .4 of an edit."""

_MOST_CELLS = 1 << 28
"""Largest product of the numbers of quotes and of units, at one byte each."""


@dataclass(frozen=True)
class PlacedQuotes:
    """The units where quotes begin.

    Attributes:
        units: unit of each quote, counted from 1, 0 for a quote without one, shape (quotes,).
        latest: the same for the latest of the best units.
    """

    units: list[int]
    latest: list[int]

    @property
    def unplaced(self) -> int:
        """Number of quotes without a unit."""
        return self.units.count(0)

    @property
    def boundaries(self) -> list[int]:
        """Positions of boundaries, strictly ascending: before each unit but the first."""
        return [unit - 1 for unit in self.units if unit > 1]

    @property
    def uncertain(self) -> int:
        """Number of quotes that fit as well at a later unit."""
        return sum(a != b for a, b in zip(self.units, self.latest, strict=True))


def place_quotes(source: Tokens, quotes: Tokens) -> PlacedQuotes:
    """Find the units where quotes begin; of several best units the earliest.

    Args:
        source: the units of the document.
        quotes: the quotes, each of at least one token, numbered by the same vocabulary.

    Raises:
        Refused: there are too many quotes and units.
    """
    n_units, number = len(source.ends), len(quotes.ends)
    if (n_units + 1) * number > _MOST_CELLS:
        raise Refused(f"{number} quotes and {n_units} units are too many; divide the document")
    starts = np.append(0, source.ends[:-1])
    bounds = np.append(0, quotes.ends)
    costs = np.empty((number, n_units), np.uint8)
    _measure(source.ids, starts, quotes.ids, bounds, costs)
    limits = _LIMIT * np.minimum(np.diff(bounds), WORDS_OF_QUOTE)
    earliest = _choose(costs, limits)
    # From the end of the text backwards, the earliest units are the latest ones.
    mirrored = _choose(costs[::-1, ::-1].copy(), limits[::-1].copy())[::-1]
    latest = np.where(mirrored > 0, n_units + 1 - mirrored, 0)
    return PlacedQuotes(earliest.tolist(), latest.tolist())


@kernel_of_steps(lambda *arguments: arguments[-1].size * WORDS_OF_QUOTE**2)
def _measure(source: Positions, starts: Ints, quotes: Positions, bounds: Ints, costs: Bits) -> None:
    """Write the cost of each quote at each unit: that of the most similar text that begins there.

    Args:
        source: tokens of the source.
        starts: number of tokens before each unit, shape (units,).
        quotes: tokens of the quotes.
        bounds: number of tokens before each quote, and of all, shape (quotes + 1,).
        costs: where costs are written, at most the limit of a quote, shape (quotes, units).
    """
    row = np.empty(WORDS_OF_QUOTE + 1, np.int64)
    for quote in range(len(bounds) - 1):
        size = min(bounds[quote + 1] - bounds[quote], WORDS_OF_QUOTE)
        words = quotes[bounds[quote] : bounds[quote] + size]
        limit = _LIMIT * size
        for unit in range(len(starts)):
            row[:] = np.arange(WORDS_OF_QUOTE + 1) * _EDIT
            least = row[size]
            for token in source[starts[unit] :]:
                diagonal = row[0]
                row[0] += _EDIT
                smallest = row[0]
                for k in range(size):
                    left = row[k + 1]
                    kept = diagonal if words[k] == token else diagonal + _EDIT
                    row[k + 1] = min(kept, min(left, row[k]) + _EDIT)
                    smallest = min(smallest, row[k + 1])
                    diagonal = left
                least = min(least, row[size])
                if smallest >= limit:  # it never falls again
                    break
            costs[quote, unit] = min(least, limit)


@kernel
def _choose(costs: Bits, limits: Ints) -> Ints:
    """Return the unit of each quote, counted from 1; 0 for a quote without one.

    Args:
        costs: cost of each quote at each unit, shape (quotes, units).
        limits: cost of each quote without a unit, shape (quotes,).
    """
    quotes, units = costs.shape
    # What is best for the first quotes and units: the last unit unused, or used, or the last quote
    # without a unit.
    unused, used, alone = np.uint8(0), np.uint8(1), np.uint8(2)
    steps = np.empty((quotes, units + 1), np.uint8)
    before = np.zeros(units + 1, np.int64)
    for quote in range(quotes):
        limit = limits[quote]
        diagonal = before[0]
        before[0] += limit
        steps[quote, 0] = alone
        for unit in range(1, units + 1):
            cost = costs[quote, unit - 1]
            step, best = alone, before[unit] + limit
            if cost < limit and diagonal + cost <= best:
                step, best = used, diagonal + cost
            if before[unit - 1] <= best:
                step, best = unused, before[unit - 1]
            diagonal = before[unit]
            before[unit] = best
            steps[quote, unit] = step
    chosen = np.zeros(quotes, np.int64)
    quote, unit = quotes - 1, units
    while quote >= 0:
        step = steps[quote, unit]
        if step == unused:
            unit -= 1
            continue
        if step == used:
            chosen[quote] = unit
            unit -= 1
        quote -= 1
    return chosen
