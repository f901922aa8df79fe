"""Try every convention, and rank those that give the published numbers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np

from segscore.pipeline.arrays.ragged import Floats
from segscore.pipeline.conventions.convention import Answers, Convention, Question
from segscore.pipeline.conventions.published import Published
from segscore.pipeline.conventions.subsamples import share_explained

_DIGITS = 9
"""Decimals up to which values are compared; further ones differ by the rounding of sums."""

_Order = Callable[[Answers], tuple[str, ...]]
"""A sort key of conventions; those with equal keys count alike, and are tried after each other."""

_Evaluate = Callable[[Answers], Sequence[float]]
"""The value of each published number by a convention, NaN if undefined."""


@dataclass(frozen=True)
class Tried:
    """A convention and what it gives.

    Attributes:
        convention: the convention.
        values: value of each published number, NaN if undefined, shape (numbers,).
        fits: whether it gives all of the numbers as printed.
        explained: how many of the numbers it gives as printed.
        distance: largest distance from a published number, in half widths; NaN without a value.
    """

    convention: Convention
    values: tuple[float, ...]
    fits: bool
    explained: int
    distance: float


@dataclass(frozen=True)
class Search:
    """All conventions that were tried on the published numbers of a family.

    Attributes:
        numbers: the published numbers.
        questions: the questions that their measures depend on.
        tried: the conventions; those that fit come first, by the number of changes, then all others
            by their distance.
        default: what segscore computes by default.
        nearby: the numbers of subsamples of the documents, scored by default, shape (subsamples,
            numbers); None where there are none.
    """

    numbers: tuple[Published, ...]
    questions: tuple[Question, ...]
    tried: tuple[Tried, ...]
    default: Tried
    nearby: Floats | None = None

    @cached_property
    def fitting(self) -> tuple[Tried, ...]:
        """The conventions that give all the numbers as printed."""
        return tuple(tried for tried in self.tried if tried.fits)

    @cached_property
    def changes(self) -> int | None:
        """Fewest answers in which a convention that fits differs from a program; None if none."""
        return min((len(tried.convention.changed) for tried in self.fitting), default=None)

    @cached_property
    def simplest(self) -> tuple[Tried, ...]:
        """The conventions that fit with the fewest changes."""
        return tuple(
            tried for tried in self.fitting if len(tried.convention.changed) == self.changes
        )

    @property
    def chance(self) -> float | None:
        """How likely numbers that have nothing to do with the corpus would fit; see ``chance_fit``.

        Only conventions with as few changes as the simplest that fits are counted; None if none
        fits.
        """
        values = self._values_of_simple
        return None if values is None else chance_fit(values, self._half_width)

    @property
    def chance_nearby(self) -> float | None:
        """The share of subsamples of the documents whose numbers would fit; as ``chance``."""
        values = self._values_of_simple
        if values is None or self.nearby is None:
            return None
        return share_explained(self.nearby, values, self._half_width)

    @property
    def easily_fitted(self) -> float | None:
        """The larger of ``chance`` and ``chance_nearby``."""
        if self.chance is None:
            return None
        return max(self.chance, self.chance_nearby or 0.0)

    @property
    def _half_width(self) -> Floats:
        return np.array([number.half_width for number in self.numbers])

    @property
    def _values_of_simple(self) -> Floats | None:
        """The values of conventions with few changes, shape (conventions, numbers)."""
        if self.changes is None:
            return None
        values = [
            tried.values
            for tried in self.tried
            if len(tried.convention.changed) <= self.changes and not np.isnan(tried.values).any()
        ]
        return np.array(values)

    def same_values(self, *, fits: bool) -> list[tuple[Tried, ...]]:
        """Group the conventions that fit, or all others, by their values, in order."""
        groups: dict[tuple[float, ...], list[Tried]] = {}
        for tried in self.tried:
            if tried.fits == fits and not np.isnan(tried.values).any():
                key = tuple(round(value, _DIGITS) for value in tried.values)
                groups.setdefault(key, []).append(tried)
        return [tuple(group) for group in groups.values()]

    def agreed_answers(self) -> dict[str, str]:
        """Return the answers that all of the simplest conventions that fit have in common."""
        return {
            question.name: answers.pop()
            for question in self.questions
            if len(answers := {t.convention.answers[question.name] for t in self.simplest}) == 1
        }


def chance_fit(values: Floats, half_width: Floats) -> float:
    """Bound the probability that some convention gives numbers that were drawn at random.

    Each number is drawn uniformly from the range of its values, widened by half the width w of its
    print on both sides: a range of R = largest - smallest + w. The union of the intervals of width
    w around the values covers a share U of R, so that one number fits with the probability U.
    Several numbers are fitted by one convention with at most the product of their U, and with at
    most m times the product of their w / R, where m is the number of different rows of values.

    Args:
        values: value of each number by each convention, shape (conventions, numbers).
        half_width: half the width of the print of each number, shape (numbers,).
    """
    different = np.unique(values.round(_DIGITS), axis=0)
    ranges = different.max(axis=0) - different.min(axis=0) + 2 * half_width
    covered = [
        _union(np.unique(different[:, number]), half) for number, half in enumerate(half_width)
    ]
    one_by_one = prod((np.array(covered) / ranges).tolist())
    together = len(different) * prod((2 * half_width / ranges).tolist())
    return min(1.0, one_by_one, together)


def _union(values: Floats, half_width: float) -> float:
    """Return the length of the union of intervals around ascending values."""
    return float(np.minimum(np.diff(values), 2 * half_width).sum() + 2 * half_width)


def search_conventions(
    numbers: Sequence[Published],
    questions: Sequence[Question],
    conventions: Sequence[Convention],
    evaluate: _Evaluate,
    order: _Order = lambda _: (),
) -> Search:
    """Try conventions on published numbers.

    Args:
        numbers: the published numbers, at least one.
        questions: the questions that their measures depend on.
        conventions: the conventions to try; the first one is segscore's default.
        evaluate: computes the values of the numbers.
        order: the order in which conventions are tried, which does not change the result.
    """
    in_order = sorted(range(len(conventions)), key=lambda i: order(conventions[i].answers))
    by_number = {i: _try(numbers, conventions[i], evaluate) for i in in_order}
    tried = [by_number[i] for i in range(len(conventions))]
    ranked = sorted(
        tried,
        key=lambda one: (
            not one.fits,
            len(one.convention.changed) if one.fits else -one.explained,
            np.inf if np.isnan(one.distance) else one.distance,
            len(one.convention.changed),
        ),
    )
    return Search(tuple(numbers), tuple(questions), tuple(ranked), tried[0])


def _try(numbers: Sequence[Published], convention: Convention, evaluate: _Evaluate) -> Tried:
    values = evaluate(convention.answers)
    fits = [number.explained_by(value) for number, value in zip(numbers, values, strict=True)]
    distances = [
        abs(value - number.value) / number.half_width
        for number, value in zip(numbers, values, strict=True)
    ]
    return Tried(convention, tuple(values), all(fits), sum(fits), max(distances))
