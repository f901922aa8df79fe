"""A scorer for inspect_ai: segmentations by language models, with every answer charged."""

from collections.abc import Callable, Sequence
from typing import Any

from segscore.integrations.answers import (
    CHARGED,
    MAIN,
    Aggregation,
    AnswerScorer,
    macro_average,
    micro_average,
)
from segscore.pipeline.errors import Refused
from segscore.pipeline.measures import PAIRS

try:
    from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, metric, scorer
    from inspect_ai.solver import TaskState
except ImportError as problem:
    raise ImportError(f"{problem}; pip install 'segscore[inspect]' installs it") from problem


@metric  # type: ignore[untyped-decorator]
def micro(*measures: str) -> Metric:
    """Average measures by adding up the counts of all answers; by default those of the scorer.

    The averages are named like the measures, and equal those of `segscore score`.
    """
    return _averages(micro_average, measures, "")


@metric  # type: ignore[untyped-decorator]
def macro(*measures: str) -> Metric:
    """Average the values of answers, as macro_pk and so on; by default for all measures."""
    return _averages(macro_average, measures, "macro_")


def _averages(
    average: Callable[[str], Aggregation], measures: Sequence[str], prefix: str
) -> Metric:
    named = {name: average(name) for name in measures}

    def averages(scores: list[SampleScore]) -> dict[str, float]:
        values = [score.score.value for score in scores]
        of_scorer = [name for each in values[:1] for name in each if name in PAIRS.measures]
        chosen = named or {name: average(name) for name in of_scorer}
        return {prefix + name: aggregate(values) for name, aggregate in chosen.items()}

    return averages


@metric  # type: ignore[untyped-decorator]
def failed() -> Metric:
    """Return the share of answers that could not be used, which were charged in full."""

    def share(scores: list[SampleScore]) -> dict[str, float]:
        number = sum(score.score.value[CHARGED] for score in scores)
        return {CHARGED: number / len(scores)} if scores else {}

    return share


@scorer(metrics=[micro(), macro(), failed()])  # type: ignore[untyped-decorator]
def boundaries(
    format: str,
    source: str = "units",
    measures: Sequence[str] = MAIN,
    failed: str = "none",
    **options: Any,
) -> Scorer:
    """Score the segmentations that a model answers with.

    The target of a sample is its reference: boundaries as a JSON list, such as "[3, 5]", or as a
    list of texts, or the text with breaks. The explanation of a score draws reference and answer.

    Args:
        format: `rewritten`, `numbered` or `quoted`.
        source: field of a sample's metadata that has the units that the model was given, a list of
            texts or a text with a unit a line; `input` for the lines of the sample's input.
        measures: names of measures.
        failed: `none` charges an answer that cannot be used, as one without boundaries; `refuse`
            ends the evaluation.
        options: how answers are read and pairs are counted, as `AnswerScorer` says.

    Raises:
        Refused: an option is invalid, or a sample has no units or no readable target.
    """
    scored = AnswerScorer(format, measures=measures, failed=failed, **options)

    async def score(state: TaskState, target: Target) -> Score:
        answer = state.output.completion
        reference = target.text if len(target) == 1 else f"[{','.join(target)}]"
        try:
            found = scored(answer, _units(state, source), reference)
        except Refused as problem:
            raise Refused(f"sample {state.sample_id}: {problem}") from None
        why = f"failed: {found.failure}\n" if found.failure else ""
        return Score(
            value={**found.values, **found.counts},
            answer=answer,
            explanation=f"{why}{found.score}",
            metadata={"failure": found.failure, "signature": found.score.signature},
        )

    return score


def _units(state: TaskState, source: str) -> list[str]:
    units = state.input_text if source == "input" else state.metadata.get(source)
    if units is None:
        raise Refused(f"source {source}: the metadata have no field of this name")
    return [*filter(str.strip, units.splitlines())] if isinstance(units, str) else [*units]
