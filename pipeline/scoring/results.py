"""Describe and average the results of a run."""

from dataclasses import asdict
from typing import Any

import numpy as np
import pyarrow as pa

from segscore.pipeline.results.names import CHANCE
from segscore.pipeline.scoring.finished_scoring import FinishedScoring
from segscore.pipeline.scoring.inputs import Inputs
from segscore.pipeline.scoring.records import PartSums, TaskResults
from segscore.pipeline.scoring.settings import ScoreSettings
from segscore.pipeline.statistics import averages
from segscore.pipeline.statistics.resampling import estimator
from segscore.pipeline.tables.answer_accounts import stated_accounts


def describe_results(
    settings: ScoreSettings, results: TaskResults, inputs: Inputs, totals: PartSums
) -> dict[str, Any]:
    """Return the fields of run.json that describe what was computed."""
    types = results.rule.types if inputs.typed else None
    units = np.zeros(0, np.uint64) if totals.pairs is None else totals.pairs.unit
    resampling = estimator(units, settings.resample_by)
    return {
        "signature": settings.signature(
            resampling,
            types,
            inputs.made,
            trials=(results.trials or 1) > 1,
        ),
        # Not whether it started over: a run that was resumed has the same record.
        "settings": {name: one for name, one in asdict(settings).items() if name != "fresh"},
        "boundary_types": types,
        "p_seg": None if np.isnan(results.p_seg) else results.p_seg,
        "levels": [_without_nan(asdict(each)) for each in results.levels],
        "trials": results.trials,
        "answers": stated_accounts(inputs.hypotheses.accounts),
        "pairs": results.pairs,
        "test_set": results.test_set.record,
    }


def _without_nan(parameters: dict[str, Any]) -> dict[str, Any]:
    return {name: None if number != number else number for name, number in parameters.items()}


def summarise_results(results: TaskResults, totals: PartSums, scoring: FinishedScoring) -> pa.Table:
    """Compute the summary table of a run from the sums of all its rows."""
    selection = results.rule.selection
    kind_sums = [(selection.pairs, totals.pairs), (selection.panels, totals.panels)]
    kinds = [(kind, sums) for kind, sums in kind_sums if sums is not None]
    groups = results.rule.summary_groups
    return averages.summarise(kinds, groups, scoring.group_parameters, CHANCE)
