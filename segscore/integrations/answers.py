"""Score single answers of language models, as `segscore import` and `segscore score` would."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from segscore.api.measures import require_measure, table_of_measures
from segscore.api.score import Score, pair_settings, parameters_of, score
from segscore.api.segmentation import Segmentation
from segscore.api.settings import read_settings
from segscore.pipeline.errors import Refused
from segscore.pipeline.importing.answers.from_settings import options_of_answers
from segscore.pipeline.importing.answers.options import (
    ANSWER_FORMATS,
    AUTO,
    NONE,
    NUMBERED,
    REFUSE,
    REWRITTEN,
    AnswerOptions,
)
from segscore.pipeline.importing.answers.placing import place_answer
from segscore.pipeline.importing.settings import ImportSettings
from segscore.pipeline.measures import PAIRS
from segscore.pipeline.settings.ranges import one_of
from segscore.pipeline.tables.rows import NO_LINE, RowPlace

MAIN = ("boundary_similarity", "pk", "window_diff", "f1")
"""The measures of an answer if none are named."""

CHARGED = "failed"
"""Name of the count of answers that could not be used."""

_READING = (
    *("breaks", "headings", "answer", "labels", "numbers", "first_number", "strict"),
    *("max_edits", "max_unplaced", "tokens"),
)
_COUNTING = ("n_t", "window", "rounding", "pairing")
"""Settings that change counts; those that change formulas would also have to be averages'."""

_ANSWER, _TARGET = RowPlace("answer", NO_LINE), RowPlace("target", NO_LINE)


class ScoredAnswer(NamedTuple):
    """An answer that was scored.

    Attributes:
        score: the score of the pair; a failed answer has no boundaries.
        failure: why the answer cannot be used; None if it can be.
        counts: the counts of the measures, and how many answers failed, 0 or 1.
        values: the value of each measure; None if it is undefined.
    """

    score: Score
    failure: str | None
    counts: dict[str, int]
    values: dict[str, float | None]


class AnswerScorer:
    r"""Scores answers one at a time; what depends on all answers together must be named.

    >>> from segscore.integrations.answers import AnswerScorer
    >>> scorer = AnswerScorer("rewritten", breaks="heading", measures=["pk"])
    >>> units = ["It rains.", "It snows.", "A draw.", "A win."]
    >>> scorer("# Weather\nIt rains. It snows.\n# Sport\nA draw. A win.", units, [2]).values
    {'pk': 0.0}
    >>> refused = scorer("I cannot help with that.", units, [2])
    >>> refused.failure, refused.counts["failed"]
    ('edits 1.00', 1)

    Args:
        format: `rewritten`, `numbered` or `quoted`, as `--format` of `segscore import`.
        measures: names of measures of pairs.
        failed: what becomes of an answer that cannot be used: `none` scores it as an answer
            without boundaries, `refuse` ends the evaluation.
        options: options of `segscore import` that say how answers are read (breaks, headings,
            answer, labels, numbers, first_number, strict, max_edits, max_unplaced, tokens), and
            of `segscore score` that say how pairs are counted (n_t, window, rounding, pairing).

    Raises:
        Refused: an option is invalid, or missing.
        TypeError: there is no such option.
    """

    def __init__(
        self,
        format: str,  # noqa: A002  (the option is --format)
        *,
        measures: Sequence[str] = MAIN,
        failed: str = NONE,
        **options: Any,
    ) -> None:
        one_of("format", format, ANSWER_FORMATS)
        one_of(CHARGED, failed, (REFUSE, NONE))
        for name in measures:
            require_measure(name, PAIRS.measures)
        counting = {name: options.pop(name) for name in _COUNTING if name in options}
        self.measures = tuple(measures)
        self._settings = {**counting, "measures": self.measures}
        pair_settings(self._settings)
        reading = read_settings(ImportSettings, options, _READING)
        settings = ImportSettings((), "-", format_name=format, failed=failed, **reading)
        self._options = options_of_answers(settings)
        _require_named(self._options)

    def __call__(self, answer: object, units: Sequence[str], target: object) -> ScoredAnswer:
        """Score an answer.

        Args:
            answer: what the model wrote.
            units: the texts of the units that the model was given.
            target: the reference: boundaries, a JSON list of them, or the text with breaks.

        Raises:
            Refused: there are no units, the target cannot be read, or the answer cannot be used
                and ``failed`` is `refuse`.
        """
        if not units:
            raise Refused("units: there is none; give a list of one text or more")
        reference = self._reference(target, units)
        placed = place_answer(answer, units, self._options, _ANSWER)
        if placed.failure is not None and self._options.failed == REFUSE:
            raise Refused(f"the answer cannot be used: {placed.failure}; failed=none charges it")
        boundaries = [] if placed.failure is not None else [*dict.fromkeys(placed.boundaries)]
        hypothesis = Segmentation(boundaries, len(units))
        scored = score(reference=reference, hypothesis=hypothesis, **self._settings)
        counts = {**scored.counts, CHARGED: int(placed.failure is not None)}
        values = {name: scored[name] for name in self.measures}
        return ScoredAnswer(scored, placed.failure, counts, values)

    def _reference(self, target: object, units: Sequence[str]) -> Segmentation:
        if isinstance(target, str):
            text = target.strip()
            if not text:
                raise Refused("target: is empty; the list [] says that there is no boundary")
            if not text.startswith("["):
                return Segmentation.from_text(units, target, self._options.breaks)
            try:
                target = json.loads(text)
            except ValueError:
                raise _TARGET.wrong("boundaries", text, "a list of whole numbers") from None
        return Segmentation(target, len(units))  # type: ignore[arg-type]


def _require_named(options: AnswerOptions) -> None:
    """Refuse to guess from one answer what `segscore import` finds out from all.

    Raises:
        Refused: it is not said what marks a break, or what the first number is.
    """
    if options.format_name == REWRITTEN and options.breaks == AUTO:
        raise Refused(
            "breaks: say what marks a break in answers, as the prompt asks for it: rule, heading, "
            "blank, newline, or pattern:REGEX"
        )
    if options.format_name == NUMBERED and options.first_number is None:
        raise Refused("first_number: say which number the first unit has in the prompt, 0 or 1")


Aggregation = Callable[[Iterable[Mapping[str, Any]]], float]
"""A function of the counts of many answers; NaN if no answer has a value."""


def micro_average(measure: str) -> Aggregation:
    """Return the function that adds up counts and applies the formula of a measure to the sums.

    >>> from segscore.integrations.answers import micro_average
    >>> counts = {"pk_misses": 1, "pk_false_alarms": 1, "windows": 9}
    >>> micro_average("pk")([counts, {"pk_misses": 0, "pk_false_alarms": 0, "windows": 1}])
    0.2

    Raises:
        Refused: there is no such measure of pairs.
    """
    value = _formula(measure, rows=False)
    return lambda answers: value([*answers])


def macro_average(measure: str) -> Aggregation:
    """Return the function that averages the values of answers, without undefined ones.

    >>> from segscore.integrations.answers import macro_average
    >>> counts = {"pk_misses": 1, "pk_false_alarms": 1, "windows": 4}
    >>> macro_average("pk")([counts, {"pk_misses": 0, "pk_false_alarms": 0, "windows": 1}])
    0.25

    Raises:
        Refused: there is no such measure of pairs.
    """
    value = _formula(measure, rows=True)

    def average(answers: Iterable[Mapping[str, Any]]) -> float:
        known = [each for each in (value([counts]) for counts in answers) if each == each]
        return float(np.mean(known)) if known else np.nan

    return average


def _formula(measure: str, *, rows: bool) -> Callable[[Sequence[Mapping[str, Any]]], float]:
    """Return the function that applies a measure's formula to the sums of the counts of answers."""
    require_measure(measure, PAIRS.measures)
    table, settings = table_of_measures((measure,)), pair_settings({"measures": (measure,)})

    def value(answers: Sequence[Mapping[str, Any]]) -> float:
        common = [name for name in table.counts if all(name in answer for answer in answers)]
        totals = {name: sum(answer[name] for answer in answers) for name in common}
        parameters = parameters_of(settings, (1,), totals)
        counts = {name: np.array([total]) for name, total in totals.items()}
        return float(table.values(counts, parameters, rows=rows)[measure][0])

    return value
