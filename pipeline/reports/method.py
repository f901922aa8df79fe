"""A sentence for a paper about how a run measured."""

from collections.abc import Sequence
from dataclasses import replace

from segscore.pipeline.measures import ALL
from segscore.pipeline.measures.bibliography import publications_of
from segscore.pipeline.measures.published import published_name
from segscore.pipeline.scoring.finished_scoring import FinishedScoring
from segscore.pipeline.settings.signature import fields
from segscore.pipeline.statistics.shown_numbers import counted

_WINDOWS = {
    "per-pair": "half the mean segment size of each reference",
    "per-document": "half the mean segment size of a document's references",
    "per-run": "half the mean segment size of all references",
}

_ROUNDINGS = {"half-even": "half to even", "half-up": "half up"}


def describe_method(run: FinishedScoring, measures: Sequence[str]) -> str:
    """Describe in LaTeX how a run measured: measures, settings, average, intervals.

    Args:
        run: the run.
        measures: the measures that are reported.
    """
    settings = run.score_settings()
    affecting = fields(replace(settings, measures=tuple(measures)).signature("", (1,), ""))
    texts = [f"We compute {_listed([_cited(name) for name in measures])} with segscore"]
    texts[0] += rf" {run.record['versions']['segscore']}~\cite{{segscore}}"
    if "n_t" in affecting:
        texts.append(
            f"boundaries at most {counted(settings.n_t - 1, 'position')} apart are near misses"
            if settings.n_t > 1
            else "there are no near misses"
        )
    if "window" in affecting:
        texts.append(f"the window is {_window(settings.window, settings.rounding)}")
    if "tol" in affecting:
        texts.append(f"the tolerance is {counted(settings.tolerance, 'position')}")
    averages = "averages are micro averages, the measure of the summed counts of all documents"
    if settings.replicates:
        averages += f", with 95\\,\\% intervals from {settings.replicates:,} bootstrap replicates"
    return f"{'; '.join([*texts, averages])}."


def _window(window: str | int, rounding: str) -> str:
    if isinstance(window, int):
        return f"{window} units"
    return f"{_WINDOWS[window]}, rounded {_ROUNDINGS[rounding]}"


def _cited(measure: str) -> str:
    keys = [work.key for work in publications_of([ALL[measure]]) if work.fields]
    name = published_name(measure).replace("_", r"\_")
    return rf"{name}~\cite{{{','.join(keys)}}}" if keys else name


def _listed(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
