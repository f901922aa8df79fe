"""Score single answers of language models, as `segscore import` and `segscore score` would."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from segscore.api.measures import require_measure, table_of_measures
from segscore.api.metric import Metric
from segscore.api.score import Score, pair_settings, parameters_of, score
from segscore.api.segmentation import Segmentation
from segscore.api.settings import read_settings
from segscore.pipeline.errors import Refused
from segscore.pipeline.importing.answers.breaks import BREAK_KINDS
from segscore.pipeline.importing.answers.from_settings import answer_options
from segscore.pipeline.importing.answers.options import (
    ANSWER_FORMATS,
    AUTO,
    NONE,
    NUMBERED,
    REFUSE,
    REWRITTEN,
    STARTS,
    AnswerOptions,
)
from segscore.pipeline.importing.answers.placing import place_answer
from segscore.pipeline.importing.settings import ImportSettings
from segscore.pipeline.measures import PAIRS
from segscore.pipeline.settings.ranges import one_of
from segscore.pipeline.tables import strict_json
from segscore.pipeline.tables.rows import NO_LINE, RowPlace

MAIN = ("boundary_similarity", "pk", "window_diff", "f1")
"""The measures of an answer if none are named."""

CHARGED = "failed"
"""Name of the count of answers that could not be used."""

_READING = (
    *("breaks", "headings", "answer", "labels", "numbers", "quotes"),
    *("first_number", "strict", "max_edits", "max_unplaced", "tokens", "failed", "truncated"),
)
_DEFAULTS = {CHARGED: NONE, "numbers": STARTS}
_COUNTING = ("n_t", "window", "rounding", "pairing")
"""Settings that change counts. Formulas need only ``n_t``, which is kept with the counts."""

_ANSWER, _TARGET = RowPlace("answer", NO_LINE), RowPlace("target", NO_LINE)


class ScoredAnswer(NamedTuple):
    """An answer that was scored.

    Attributes:
        score: the score of the pair; a failed answer has no boundaries.
        failure: why the answer cannot be used; None if it can be.
        counts: the counts of the measures, how many answers failed, 0 or 1, and ``n_t``, which the
            formulas of some measures use.
        values: the value of each measure; None if it is undefined.
    """

    score: Score
    failure: str | None
    counts: dict[str, int]
    values: dict[str, float | None]


def _number(value: Any) -> Any:
    """Return a whole number that a command line gave as text; other values as they are."""
    return int(value) if isinstance(value, str) and value.isdecimal() else value


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
        options: options of `segscore import` that say how answers are read (breaks, headings,
            answer, labels, numbers, quotes, first_number, strict, truncated, max_edits,
            max_unplaced, tokens), and of `segscore score` that say how pairs are counted (n_t,
            window, rounding, pairing).
            ``failed`` says what becomes of an answer that cannot be used: `none`, the default,
            scores it as an answer without boundaries, `refuse` ends the evaluation.  What numbers
            are is `starts` if it is not said.

    Types of breaks are read and left out: all boundaries are alike.

    Raises:
        Refused: an option is invalid, or missing, or the window depends on all references.
        TypeError: there is no such option.
    """

    def __init__(self, format: str, *, measures: Sequence[str] = MAIN, **options: Any) -> None:
        one_of("format", format, ANSWER_FORMATS)
        counting = {name: _number(options.pop(name)) for name in _COUNTING if name in options}
        metric = Metric(*measures, **counting)  # type: ignore[arg-type]
        self.measures, self._settings = metric.measures, {**counting, "measures": metric.measures}
        reading = read_settings(ImportSettings, {**_DEFAULTS, **options}, _READING)
        self._options = answer_options(ImportSettings((), "-", format_name=format, **reading))
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
            raise Refused("units is empty; pass at least one text")
        reference = self._reference(target, units)
        placed = place_answer(answer, units, self._options, _ANSWER)
        failed = placed.failure is not None
        if failed and self._options.failed == REFUSE:
            raise Refused(f"the answer cannot be used: {placed.failure}; failed=none charges it")
        found = Segmentation([] if failed else [*dict.fromkeys(placed.boundaries)], len(units))
        scored = score(reference=reference, hypothesis=found, **self._settings)
        counts = {**scored.counts, "n_t": scored.settings.near_limit, CHARGED: int(failed)}
        values = {name: scored[name] for name in self.measures}
        return ScoredAnswer(scored, placed.failure, counts, values)

    def _reference(self, target: Any, units: Sequence[str]) -> Segmentation:
        if isinstance(target, str):
            if not target.strip():
                raise Refused("target: is empty; the list [] says that there is no boundary")
            if target.lstrip().startswith("["):
                target = strict_json.loads(target, _TARGET)
            else:
                rewritten = Segmentation.from_text(units, target, self._options.breaks)
                target = [*dict.fromkeys(rewritten.boundaries)]
        return Segmentation(target, len(units))


def _require_named(options: AnswerOptions) -> None:
    """Refuse to guess from one answer what `segscore import` finds out from all.

    Raises:
        Refused: it is not said what marks a break, or what the first number is; or failed answers
            are to be left out.
    """
    one_of(CHARGED, options.failed, (REFUSE, NONE))
    if options.format_name == REWRITTEN and options.breaks == AUTO:
        kinds = ", ".join(BREAK_KINDS)
        raise Refused(f"breaks: say what marks a break in the prompt: {kinds} or pattern:REGEX")
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
    return _average(measure, rows=False)


def macro_average(measure: str) -> Aggregation:
    """Return the function that averages the values of answers, without undefined ones.

    >>> from segscore.integrations.answers import macro_average
    >>> counts = {"pk_misses": 1, "pk_false_alarms": 1, "windows": 4}
    >>> macro_average("pk")([counts, {"pk_misses": 0, "pk_false_alarms": 0, "windows": 1}])
    0.25

    Raises:
        Refused: there is no such measure of pairs.
    """
    return _average(measure, rows=True)


def _average(measure: str, *, rows: bool) -> Aggregation:
    """Return the function of counts that averages values, or applies the formula to their sums."""
    require_measure(measure, PAIRS.measures)
    table, settings = table_of_measures((measure,)), pair_settings({})

    def average(answers: Iterable[Mapping[str, Any]]) -> float:
        given = [*answers]
        counts = {name: np.array([each[name] for each in given]) for name in table.counts}
        sums = {name: column.sum() for name, column in counts.items()}
        n_t = given[0].get("n_t", settings.near_limit) if given else settings.near_limit
        parameters = {**parameters_of(settings, (1,), sums), "n_t": n_t}
        values = table.values(counts if rows else sums, parameters, rows=rows)[measure]
        known = values[np.isfinite(values)]
        return float(known.mean()) if known.size else np.nan

    return average
