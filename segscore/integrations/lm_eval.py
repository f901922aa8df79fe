"""Parts of a task for lm-evaluation-harness: counts of each answer, and averages of counts.

A file beside the YAML of the task names the functions; docs/harnesses.md has both. Nothing here
imports the harness.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from segscore.integrations.answers import CHARGED, AnswerScorer, macro_average, micro_average
from segscore.pipeline.errors import Refused

__all__ = ["macro_average", "micro_average", "results_of"]

Results = Callable[[Mapping[str, Any], Sequence[str]], dict[str, Any]]
"""A function of a record and of the answers to it."""


def results_of(
    format: str, *, source: str = "units", target: str = "boundaries", **options: Any
) -> Results:
    """Return the function `process_results` of a task.

    For each measure it returns the counts of the answer, which `micro_average` adds up, and as
    `failed` whether the answer could not be used: 0 or 1.

    Args:
        format: `rewritten`, `numbered` or `quoted`.
        source: field of a record with the units that the model was given, a list of texts.
        target: field of a record with the reference: boundaries, or the text with breaks.
        options: names of ``measures``, how answers are read and pairs are counted, and ``failed``,
            as `AnswerScorer` says.

    Raises:
        Refused: an option is invalid.
    """
    scored = AnswerScorer(format, **options)

    def process_results(doc: Mapping[str, Any], results: Sequence[str]) -> dict[str, Any]:
        for field in (source, target):
            if field not in doc:
                raise Refused(f"{field}: a record has no field of this name; it has {[*doc]}")
        counts = scored(results[0], doc[source], doc[target]).counts
        return {CHARGED: counts[CHARGED], **dict.fromkeys(scored.measures, counts)}

    return process_results
