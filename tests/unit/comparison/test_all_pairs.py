"""All pairs at once have the p values, adjusted, and the rows of pairs one by one."""

from typing import TYPE_CHECKING, cast

import numpy as np
import pytest

import segscore
from segscore.pipeline.comparison.all_pairs import AllPairs
from segscore.pipeline.comparison.averages import Averages
from segscore.pipeline.comparison.runs import chosen_measures, find_systems, resampled_by
from segscore.pipeline.comparison.samples import GroupSamples, read_samples
from segscore.pipeline.comparison.settings import CompareSettings
from segscore.pipeline.comparison.tables import adjusted_rows, as_in_table, compare_pair
from segscore.pipeline.scoring.finished_scoring import FinishedScoring

if TYPE_CHECKING:
    from segscore.api.typed import MeasureChoice

Row = dict[str, object]
KINDS = ("ordinary", "unequal", "perfect", "undefined", "few", "alike")


def rows(kind: str) -> tuple[list[Row], list[Row]]:
    """Make references and hypotheses of eight systems."""
    draw = np.random.default_rng(KINDS.index(kind))
    documents = 4 if kind == "few" else 15
    references, hypotheses = [], []
    for document in range(documents):
        n = 2000 if kind == "unequal" and document == 0 else 60
        boundaries = np.flatnonzero(draw.random(n - 1) < 0.1) + 1
        if kind == "undefined" and document < 3:
            boundaries = boundaries[:0]
        row = {"document_id": f"d{document}", "n_units": n}
        references.append(row | {"coder": "r", "boundaries": boundaries.tolist()})
        for system in range(8):
            kept = boundaries[draw.random(len(boundaries)) < 1 - system / 10]
            if kind == "perfect" and (system < 4 or document):
                kept = boundaries
            if kind == "alike":
                kept = boundaries if system % 2 else boundaries[:0]
            if kind == "undefined" and document < 3 and system > 3:
                kept = np.array([5])
            hypotheses.append(row | {"coder": f"s{system}", "boundaries": kept.tolist()})
    return references, hypotheses


def group_of(run: FinishedScoring, measure: str) -> GroupSamples:
    """Read the samples of a run."""
    systems = find_systems([run], ())
    (chosen,) = chosen_measures([measure])
    return read_samples([run], systems, *chosen, (), resampled_by([run], None)).groups[0]


@pytest.mark.first
@pytest.mark.parametrize("measure", ["pk", "boundary_similarity", "f1"])
@pytest.mark.parametrize("kind", KINDS)
def test_all_pairs_are_pairs_one_by_one(kind: str, measure: str) -> None:
    evaluation = segscore.evaluate(
        *rows(kind), measures=cast("MeasureChoice", measure), reference_points="none"
    )
    group = group_of(evaluation.run, measure)
    (sample,) = group.paired
    averages, chosen = Averages(sample), sample.measures[0]
    for average in ("micro", "macro"):
        pairs = [compare_pair(averages, chosen, average, i) for i in range(len(averages.pairs))]
        settings = CompareSettings(("run",), (measure,))
        expected = as_in_table(adjusted_rows(pairs, settings, power=False))
        found = AllPairs(group, chosen, average)
        assert [*found] == [(row["system"], row["other"]) for row in expected]
        for row in expected:
            same = {
                name: pytest.approx(x, rel=1e-9) if isinstance(x, float) else x
                for name, x in row.items()
            }
            assert found[row["system"], row["other"]] == same
