"""Differences between pairs of systems, and whether they could be due to chance."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from segscore.pipeline.comparison.runs import ScoredRun
from segscore.pipeline.comparison.samples import Sample
from segscore.pipeline.comparison.tables import compare_sample
from segscore.pipeline.reports import charts
from segscore.pipeline.reports.page import Cell, Figure, PageTable
from segscore.pipeline.reports.ranking import Ranking

COMPARED = 20
"""Maximum number of systems that are compared pair by pair, the best ones."""

PERMUTATIONS = 9999
SURE = 0.05

LISTED = ("difference", "ci_low", "ci_high", "p_permutation", "p_permutation_holm")
_HEADINGS = ("system", "other", "difference", "95 % from", "to", "p", "p (Holm)", "better")

_Pairs = Mapping[tuple[str, str], Mapping[str, Any]]


def difference_sections(run: ScoredRun, sample: Sample, ranking: Ranking) -> Figure:
    """Draw the differences between pairs of systems, tested as in `segscore compare`."""
    left = len(sample.systems) - COMPARED
    sample = _only(sample, ranking.order(sample)[:COMPARED])
    settings = run.score_settings()
    made = compare_sample(sample, [run], settings.seed, settings.replicates, PERMUTATIONS)
    pairs = {
        (row["system"], row["other"]): row
        for row in made["comparisons"]
        if row["average"] == ranking.average
    }
    listed: list[list[Cell]] = [
        [*names, *(_known(row[each]) for each in LISTED), row["better"]]
        for names, row in pairs.items()
    ]
    best = [sample.systems[i].label for i in ranking.order(sample)]
    more = f" The best {COMPARED} systems; {left} more are not here." if left > 0 else ""
    return Figure(
        f"Difference in {ranking.measure.name}{ranking.measure.arrow}, row less column",
        f"{ranking.average} averages. * p < {SURE} by a paired permutation test, adjusted by Holm "
        f"for all these pairs. The command segscore compare has more tests.{more}",
        PageTable(_HEADINGS, listed),
        charts.heat([*_cells(best, pairs)], "difference", signed=True),
        wide=True,
    )


def _only(sample: Sample, kept: Sequence[int]) -> Sample:
    """Select some of the systems, in the order of the sample."""
    at = sorted(kept)
    return replace(
        sample,
        systems=[sample.systems[i] for i in at],
        counts={name: counts[at] for name, counts in sample.counts.items()},
        values={name: values[at] for name, values in sample.values.items()},
        parameters=[sample.parameters[i] for i in at],
    )


def _cells(best: Sequence[str], pairs: _Pairs) -> Iterator[charts.DrawnChart]:
    for name in best:
        for other in (each for each in best if each != name):
            row, sign = (
                (pairs[name, other], 1) if (name, other) in pairs else (pairs[other, name], -1)
            )
            value, mark = _known(row["difference"]), "*" if row["p_permutation_holm"] < SURE else ""
            value = None if value is None else sign * value
            says = "–" if value is None else f"{round(value, 3) + 0:+.3f}{mark}"
            yield {"row": name, "column": other, "value": value, "says": says, "mark": mark}


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
