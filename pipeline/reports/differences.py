"""Differences between pairs of systems, and whether they could be due to chance."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from segscore.pipeline.comparison.averages import average
from segscore.pipeline.comparison.pair_rows import better_first
from segscore.pipeline.comparison.samples import Sample
from segscore.pipeline.comparison.settings import CompareSettings
from segscore.pipeline.comparison.tables import compare_sample
from segscore.pipeline.reports import charts
from segscore.pipeline.reports.page import Cell, Figure, NumberCell, PageTable
from segscore.pipeline.reports.ranking import Ranking
from segscore.pipeline.scoring.finished_scoring import FinishedScoring
from segscore.pipeline.statistics.p_values import shown_p

COMPARED = 20
"""Maximum number of systems that are compared pair by pair, the best ones."""

SIGNIFICANT = 0.05

LISTED = ("difference", "ci_low", "ci_high", "p_permutation", "p_permutation_holm")
_HEADINGS = ("system, better first", "against", "difference", "95 % from", "to", "p", "p (Holm)")

PairRows = Mapping[tuple[str, str], Mapping[str, Any]]
"""Names of two systems -> their row of the table comparisons."""


def compare_best(run: FinishedScoring, sample: Sample, ranking: Ranking) -> PairRows:
    """Compare the best systems pair by pair, as `segscore compare` does."""
    sample = _select_systems(sample, ranking.order(sample)[:COMPARED])
    scored = run.score_settings()
    settings = CompareSettings(
        (run.url,), (ranking.measure.name,), replicates=scored.replicates, seed=scored.seed
    )
    averages = average(sample, settings.seed, settings.replicates)
    tables = compare_sample(sample, averages, [run], settings)
    return {
        (row["system"], row["other"]): row
        for row in tables["comparisons"]
        if row["average"] == ranking.average
    }


def difference_figure(pairs: PairRows, sample: Sample, ranking: Ranking) -> Figure:
    """Draw the differences between pairs of systems."""
    left = len(sample.systems) - COMPARED
    best = [sample.systems[i].label for i in ranking.order(sample)[:COMPARED]]
    cells: list[list[Cell]] = [
        [row["system"], row["other"], *(_difference_cell(name, row[name]) for name in LISTED)]
        for row in map(better_first, pairs.values())
    ]
    more = f" The best {COMPARED} systems; {left} more are left out." if left > 0 else ""
    return Figure(
        f"Difference in {ranking.measure.name}{ranking.measure.arrow}, row minus column",
        f"{ranking.average.capitalize()} averages. * p < {SIGNIFICANT} in a paired permutation "
        "test, adjusted by Holm for all these pairs. Blue: the system of the row is better. The "
        f"command segscore compare runs more tests.{more}",
        PageTable(_HEADINGS, cells),
        charts.graded([*_cells(best, pairs)], "difference", ranking.measure.better, middle=0.0),
        wide=True,
    )


def _select_systems(sample: Sample, systems: Sequence[int]) -> Sample:
    """Select some of the systems, in the order of the sample."""
    indices = sorted(systems)
    return replace(
        sample,
        systems=[sample.systems[i] for i in indices],
        counts={name: counts[indices] for name, counts in sample.counts.items()},
        values={name: values[indices] for name, values in sample.values.items()},
        parameters=[sample.parameters[i] for i in indices],
    )


def _difference_cell(column: str, value: float) -> Cell:
    known = _or_none(value)
    return NumberCell(shown_p(known), known) if column.startswith("p_") else known


def _cells(best: Sequence[str], pairs: PairRows) -> Iterator[charts.MarkValues]:
    for name in best:
        for other in (system for system in best if system != name):
            row, sign = (
                (pairs[name, other], 1) if (name, other) in pairs else (pairs[other, name], -1)
            )
            mark = "*" if row["p_permutation_holm"] < SIGNIFICANT else ""
            value = _or_none(row["difference"])
            value = None if value is None else sign * value
            text = "–" if value is None else f"{round(value, 3) + 0:+.3f}{mark}"
            yield {"row": name, "column": other, "value": value, "text": text, "mark": mark}


def _or_none(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
