"""Trials: several hypotheses of one system for one document, such as with several seeds.

A row of `scores` is about all trials of a system for a document: its values are their means, and
its counts their sums, extended to a number of trials that is the same for all rows of a run, so
that the counts of documents add up whatever their numbers of trials.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import lcm

import numpy as np

from segscore.pipeline.arrays.ragged import Categorical, Floats, Ints
from segscore.pipeline.errors import Unsuitable
from segscore.pipeline.scoring.counting import Pairs
from segscore.pipeline.tables.trial_numbers import NO_TRIAL

NUMBER = "trials"
"""The column of `scores` that says how many trials a row is about."""

_MOST_SCALE = 5040
"""Largest common multiple of numbers of trials that counts are extended to. A document with 11
trials beside others with 4 has counts rounded to this part of one."""

_FITS = 2**62


@dataclass(frozen=True)
class Trials:
    """Which hypotheses are trials of one answer: of one system for one document.

    Attributes:
        answer: number of the document and system of each hypothesis, ascending, so that their
            trials follow each other, shape (hypotheses,).
        label: trial of each hypothesis, as text, shape (hypotheses,).
        scale: number of trials that the counts of all rows are extended to.
    """

    answer: Ints
    label: Categorical
    scale: int

    def part(self, start: int, end: int) -> "Trials":
        """Return the trials of hypotheses start..end-1."""
        label = Categorical(self.label.code[start:end], self.label.names)
        return Trials(self.answer[start:end], label, self.scale)

    def of_pairs(self, pairs: Pairs) -> "PairTrials":
        """Bring the pairs of each answer with one reference together."""
        answer = self.answer[pairs.hyp_row]
        order = np.lexsort((pairs.hyp_row, pairs.ref_row, answer))
        ordered = np.stack([answer[order], pairs.ref_row[order]])
        starts = np.flatnonzero(np.append(True, (np.diff(ordered) != 0).any(axis=0)))
        return PairTrials(order, starts[: len(order)], pairs.hyp_row, self.scale)


@dataclass(frozen=True)
class PairTrials:
    """The pairs of each answer with one reference.

    Attributes:
        order: the pairs, of which those of an answer with one reference follow each other.
        starts: index into ``order`` of the first pair of each, shape (rows,).
        hyp_row: hypothesis of each pair, shape (pairs,).
        scale: number of trials that the counts of all rows are extended to.
    """

    order: Ints
    starts: Ints
    hyp_row: Ints
    scale: int

    @property
    def row(self) -> Ints:
        """The row that each pair is one of the trials of, shape (pairs,)."""
        row = np.empty(len(self.order), np.int64)
        row[self.order] = np.repeat(np.arange(len(self.starts)), self.number)
        return row

    @property
    def number(self) -> Ints:
        """How many trials each row is about, shape (rows,)."""
        return np.diff(np.append(self.starts, len(self.order)))

    def first(self, pairs: Pairs) -> Pairs:
        """Return the pair of the first trial of each row."""
        chosen = self.order[self.starts]
        one_to_one = pairs.one_to_one and len(chosen) == len(pairs.ref_row)
        return Pairs(pairs.ref_row[chosen], pairs.hyp_row[chosen], one_to_one)

    def totals(self, values: Ints) -> Ints:
        """Add up the values of all trials of each row, shape (rows,)."""
        if not len(self.starts):
            return values[:0]
        return np.asarray(np.add.reduceat(values[self.order], self.starts))

    def extended(self, counts: Mapping[str, Ints]) -> dict[str, Ints]:
        """Return the mean counts of each row, in multiples of 1 / ``scale``, shape (rows,) each.

        Raises:
            Unsuitable: a count does not fit into 64 bits.
        """
        number = self.number
        found = {}
        for name, row in counts.items():
            total = self.totals(row)
            if len(total) and int(np.abs(total).max()) >= _FITS // self.scale:
                raise Unsuitable(
                    f"the count {name} of a document is too large to average over trials; give all "
                    "documents the same number of trials, or choose other --measures"
                )
            found[name] = (2 * total * self.scale + number) // (2 * number)
        return found

    def means(self, values: Mapping[str, Floats]) -> dict[str, Floats]:
        """Return the mean of each row over the trials where a value is defined, NaN without any."""
        found = {}
        for name, row in values.items():
            defined = ~np.isnan(row)
            total = self._added(np.where(defined, row, 0.0))
            with np.errstate(invalid="ignore", divide="ignore"):
                found[name] = total / self.totals(defined.astype(np.int64))
        return found

    def _added(self, values: Floats) -> Floats:
        """Add up values one trial after the other, so that the last bits are always the same."""
        number, total = self.number, np.zeros(len(self.starts))
        for trial in range(int(number.max(initial=0))):
            has = number > trial
            total[has] += values[self.order[self.starts[has] + trial]]
        return total


def order_by_answer(coder: Ints, document: Ints, trial: Ints) -> tuple[Ints, Ints]:
    """Return the order in which the trials of each answer follow each other, and their answers.

    Answers are in the order of their first rows, and their trials by number.
    """
    if not len(coder):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    key = document * (int(coder.max()) + 1) + coder
    _, first, inverse = np.unique(key, return_index=True, return_inverse=True)
    order = np.lexsort((trial, first[inverse]))
    answer = np.cumsum(np.append(0, np.diff(first[inverse][order]) != 0))
    return order, answer


def labelled(trial: Ints) -> Categorical:
    """Return trials as text; empty where a row states none."""
    numbers, code = np.unique(trial, return_inverse=True)
    names = ["" if number == NO_TRIAL else str(number) for number in numbers.tolist()]
    return Categorical(code.astype(np.int64), names)


def common_scale(numbers: Iterable[int]) -> int:
    """Return the number of trials that documents with these numbers of trials are extended to.

    >>> common_scale([3, 5]), common_scale([1]), common_scale([])
    (15, 1, 1)
    """
    return min(lcm(1, *numbers), _MOST_SCALE)


def numbers_of_trials(answer: Ints | None) -> set[int]:
    """Return how many trials there are of answers; each once."""
    if answer is None or not len(answer):
        return set()
    return {*np.unique(np.bincount(answer)[np.unique(answer)]).tolist()}


def blocks(answer: Ints | None, rows: int, at_once: int) -> Iterator[tuple[int, int]]:
    """Divide rows into blocks of about ``at_once`` that keep the trials of an answer together."""
    start = 0
    while start < rows:
        end = min(start + at_once, rows)
        if answer is not None and end < rows:
            end = int(np.searchsorted(answer, answer[end], "left"))
            if end <= start:  # one answer has more trials than a block has rows
                end = int(np.searchsorted(answer, answer[start], "right"))
        yield start, end
        start = end
