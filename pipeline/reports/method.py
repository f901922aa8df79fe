"""A sentence for a paper about how a run measured."""

from collections.abc import Mapping, Sequence

from segscore.pipeline.errors import Refused
from segscore.pipeline.measures.bibliography import (
    ADJUSTMENT,
    INTERVAL_METHOD,
    Publication,
    publications_of,
)
from segscore.pipeline.measures.published import published_name
from segscore.pipeline.measures.selection import normal_form, select
from segscore.pipeline.measures.several_references import COMPARED, computed_from
from segscore.pipeline.plain_text import latex_name, named_list
from segscore.pipeline.reports.method_material import (
    counted_in,
    describe_material,
    describe_near_misses,
)
from segscore.pipeline.reports.method_systems import describe_systems
from segscore.pipeline.runs.finished import FinishedRun
from segscore.pipeline.settings.measuring import settings_without_effect
from segscore.pipeline.settings.signature import fields, resampled_attribute
from segscore.pipeline.statistics.formatted_numbers import counted

_WINDOWS = {
    "per-pair": "half the mean segment size of each reference",
    "per-document": "half the mean segment size of a document's references",
    "per-run": "half the mean segment size of all references",
}

_ROUNDINGS = {"half-even": "half to even", "half-up": "half up"}

_AVERAGES = {
    "micro": "micro averages, the measure of the summed counts of all documents",
    "macro": "macro averages, the mean of the values of the documents",
}


def describe_method(run: FinishedRun, measures: Sequence[str], average: str) -> str:
    """Describe in LaTeX how a run measured: measures, settings, average, intervals, tests.

    Raises:
        Refused: the compared runs differ in a setting that the sentence would tell.
    """
    affecting = _affecting(run, measures)
    texts = [f"We compute {named_list([_cited(name) for name in measures])} with segscore"]
    texts[0] += rf" {run.record['versions']['segscore']}~\cite{{segscore}}"
    texts += describe_material(run)
    unit = latex_name(counted_in(run) or "") or None
    if "n_t" in affecting:
        texts.append(describe_near_misses(run, int(affecting["n_t"])))
    if "window" in affecting:
        texts.append(f"the window is {_window(affecting['window'], unit or 'unit')}")
    if "tol" in affecting:
        texts.append(f"the tolerance is {_tolerance(affecting['tol'], unit or 'position')}")
    texts += _hypotheses(run)
    verb = "systems are compared by" if run.command == "compare" else "averages are"
    averages = f"{verb} {_AVERAGES[average]}"
    if INTERVAL_METHOD in of_statistics(run):
        averages += rf", with 95\,\% intervals by the jackknife~\cite{{{INTERVAL_METHOD.key}}}"
        if (attribute := resampled_attribute(run.signature)) is not None:
            name = latex_name(attribute)
            averages += f", which leaves out all documents of one {name} together"
    return f"{'; '.join([*texts, averages, *_tests(run)])}."


def _hypotheses(run: FinishedRun) -> list[str]:
    """Say what boundaries of a system are where that is a choice; compared runs may differ."""
    stated = {name: "" if "/" in text else text for name, text in fields(run.signature).items()}
    texts = []
    if threshold := stated.get("threshold"):
        texts.append(f"boundaries are the candidates with a score of at least {_least(threshold)}")
    if stated.get("missing"):
        texts.append("documents without a hypothesis count as documents without boundaries")
    return [*texts, *describe_systems(run)]


def _least(threshold: str) -> str:
    """Write a threshold, or several by system, as a signature states them."""
    by_system = [part.rpartition("=") for part in threshold.split(",")]
    return named_list(
        [f"{number} for {latex_name(name)}" if name else number for name, _, number in by_system]
    )


def _tolerance(stated: str, unit: str) -> str:
    if stated.endswith("%"):
        return rf"{stated[:-1]}\,\% of the positions of a document"
    return counted(int(stated), unit)


def of_statistics(run: FinishedRun) -> list[Publication]:
    """Return the publications on how the intervals and tests of a run were computed."""
    by_jackknife = fields(run.signature).get("ci", "").startswith("jackknife")
    intervals = [INTERVAL_METHOD] if by_jackknife else []
    return [*intervals, ADJUSTMENT] if run.command == "compare" else intervals


def _tests(run: FinishedRun) -> list[str]:
    if ADJUSTMENT not in of_statistics(run):
        return []
    return [
        "differences are tested in pairs by the same method, with p values and intervals "
        rf"adjusted by Holm's method~\cite{{{ADJUSTMENT.key}}}"
    ]


def _affecting(run: FinishedRun, measures: Sequence[str]) -> Mapping[str, str]:
    """Return the fields of the signature that the sentence tells, if they affect the measures."""
    without = settings_without_effect(select(normal_form(map(computed_from, measures))))
    told = {"n_t", "window", "tol"} - without
    affecting = {name: text for name, text in fields(run.signature).items() if name in told}
    for name, text in affecting.items():
        if "/" in text:
            raise Refused(
                f"{run.url}: the compared runs differ in {name} ({text}); name each of them instead"
            )
    return affecting


def _window(signed: str, unit: str) -> str:
    """Describe a window as a signature states it: `fixed,10`, or `per-pair,half-even,min2`."""
    window, rounding, *_ = signed.split(",")
    if window == "fixed":
        return counted(int(rounding), unit)
    return f"{_WINDOWS[window]}, rounded {_ROUNDINGS[rounding]}"


def _cited(measure: str) -> str:
    keys = [work.key for work in publications_of([COMPARED[measure]]) if work.fields]
    name = published_name(measure).replace("_", r"\_")
    if measure == "boundary_similarity":
        name = f"boundary similarity ({name})"
    return rf"{name}~\cite{{{','.join(keys)}}}" if keys else name
