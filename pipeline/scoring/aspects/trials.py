"""Fill the columns of the summary about the trials of systems."""

from collections.abc import Iterable, Iterator, Mapping
from math import ceil, isnan, nan, sqrt

import numpy as np
import pyarrow as pa

from segscore.pipeline.measures import Table
from segscore.pipeline.runs.record import warn_of_trial_names
from segscore.pipeline.scoring.aspects.aspect import Aspect, Outcome
from segscore.pipeline.scoring.finished_scoring import FinishedScoring
from segscore.pipeline.scoring.pairs import PAIR_ROWS, PANEL_ROWS
from segscore.pipeline.scoring.trial_sums import OWN
from segscore.pipeline.statistics import averages
from segscore.pipeline.statistics.averages import TRIAL_COLUMNS, Average, exact_mean, summary_type
from segscore.pipeline.statistics.jackknife import Estimate
from segscore.pipeline.statistics.sums import GroupKey, Sums

_SHARE = 10
"""The variance of the mean of trials may be this part of that of the average."""

_MOST = 10**6
"""The largest number of trials that is stated."""

_Row = dict[str, float | int | None]


class Trials(Aspect):
    """Several answers of a system to each document."""

    def fill(self, outcome: Outcome) -> pa.Table:
        """Fill the columns about trials; they stay null for systems without several."""
        found, summary = _find_columns(outcome), outcome.summary
        if not found:
            return summary
        keys = ["hypothesis", *averages.summary_groups(summary.column_names), "measure", "average"]
        groups = summary.select(keys).to_pylist()
        rows = [found.get(tuple(row[name] for name in keys), {}) for row in groups]
        for name in TRIAL_COLUMNS:
            values = pa.array([row.get(name) for row in rows], summary_type(name))
            summary = summary.set_column(summary.column_names.index(name), name, values)
        return summary

    def warnings(self, outcome: Outcome) -> Iterable[str]:
        """Warn of systems that are named as a trial of another."""
        return warn_of_trial_names(outcome.systems)


def _find_columns(outcome: Outcome) -> dict[GroupKey, _Row]:
    """Return the columns by system, group, measure and average; empty without trials."""
    selection, totals = outcome.results.rule.selection, outcome.sums
    of_trials = totals.trials
    if of_trials.own is None:
        return {}
    found: dict[GroupKey, _Row] = {}
    own = dict(_own(of_trials.own))
    kinds = {
        PAIR_ROWS: (selection.pairs, totals.pairs),
        PANEL_ROWS: (selection.panels, totals.panels),
    }
    for name, (kind, sums) in kinds.items():
        if sums is not None and name in of_trials.tables:
            found |= _by_average(kind, (sums, of_trials.tables[name]), own, outcome.scoring)
    return found


def _own(sums: Sums) -> Iterator[tuple[GroupKey, _Row]]:
    """Yield how far the trials of each system and group agree, where a document has several."""
    similarity, by_all, by_any = range(len(OWN))
    for group, key in enumerate(sums.groups):
        several = int(sums.digits[by_any, group, 3])
        if not several:
            continue
        placed = [exact_mean(sums.digits[each, group], several) for each in (by_all, by_any)]
        defined = int(sums.digits[similarity, group, 3])
        agreement = exact_mean(sums.digits[similarity, group], defined) if defined else None
        stable = placed[0] / placed[1] if placed[1] else None
        yield key, {"self_agreement": agreement, "stable_boundaries": stable}


def _by_average(
    kind: Table,
    sums: tuple[Sums, Sums],
    own: Mapping[GroupKey, _Row],
    scoring: FinishedScoring,
) -> dict[GroupKey, _Row]:
    """Return the columns by system, group, measure and average.

    Args:
        kind: the counts and measures.
        sums: the sums of all rows, and of each trial.
        own: how far the trials of each system and group agree.
        scoring: the run.
    """
    whole, of_each = sums
    trials: dict[GroupKey, list[int]] = {}
    for number, (system, _, *groups) in enumerate(of_each.groups):
        trials.setdefault((system, *groups), []).append(number)
    found: dict[GroupKey, _Row] = {}
    for group, key in enumerate(whole.groups):
        if key not in own or key not in trials:
            continue
        parameters = scoring.group_parameters(key)
        of_group = averages.averages(kind, whole, group, parameters)
        once = _of_one_trial(parameters)
        values = [averages.averages(kind, of_each, each, once).rows for each in trials[key]]
        for (measure, average), estimate in of_group.estimates.items():
            rows = [row[measure, average] for row in values]
            spread = of_group.rows[measure, average].sd
            found[(*key, measure, average)] = _row(rows, estimate, spread) | own[key]
    return found


def _of_one_trial(parameters: averages.Parameters) -> averages.Parameters:
    """Return the parameters of the rows of one trial, whose P_seg does not vary."""
    return parameters._replace(draws=1, p_seg_of=None)


def _row(of_trials: list[Average], estimate: Estimate, spread: float) -> _Row:
    """Return the columns about the spread of an average.

    Args:
        of_trials: the averages of each trial.
        estimate: the average.
        spread: standard deviation between documents; NaN if only the estimate says it.
    """
    values = np.array([row.value for row in of_trials])
    known = values[~np.isnan(values)]
    between = float(np.std(known, ddof=1)) if len(known) > 1 else nan
    error = estimate.error
    needed = None
    if isnan(spread):
        spread = error * sqrt(estimate.number)
    if not isnan(between) and error > 0:
        needed = min(_MOST, max(1, ceil(_SHARE * between**2 / error**2)))
    return {
        "trials": len(of_trials),
        "sd_trials": None if isnan(between) else between,
        "sd_documents": None if isnan(spread) else spread,
        "trials_needed": needed,
    }
