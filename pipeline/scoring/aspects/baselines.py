"""Warn of reference points that are not there, or whose random draws are too few.

The average of a random point is the mean of some draws. What is left of the chance of the draws is
their variance divided by their number. It should be small against the variance between documents,
which is all that the interval of the average is meant to show.
"""

from collections.abc import Collection, Iterable
from math import ceil

import numpy as np

from segscore.pipeline.results.leaderboard import measures_to_show
from segscore.pipeline.results.names import POINT
from segscore.pipeline.scoring.aspects.aspect import Aspect, Outcome
from segscore.pipeline.scoring.draw_sums import DrawSums
from segscore.pipeline.scoring.finished_scoring import FinishedScoring
from segscore.pipeline.scoring.settings import ScoreSettings
from segscore.pipeline.settings.measuring import MOST_DRAWS
from segscore.pipeline.statistics.averages import unit_sums
from segscore.pipeline.statistics.jackknife import micro_estimates
from segscore.pipeline.statistics.sums import Sums

_SHARE = 0.01
"""Largest share of the variance between documents that the variance of the draws may reach."""

_LEAST = 0.01
"""Least share of the squared error that is taken for the variance between documents."""

_STATED = 1
"""Largest share that is stated; beyond it, draws vary more than documents do."""

_ROUND = 50
"""Advised numbers of draws are multiples of this."""


class Baselines(Aspect):
    """Reference points: segmentations without any skill, and held-out coders."""

    def warnings(self, outcome: Outcome) -> Iterable[str]:
        """Warn of the point of coders if there are none, and of too few draws."""
        yield from _warn_of_absent_points(outcome.settings, outcome.scored)
        yield from _warn_of_few_draws(outcome.sums.draws, outcome.sums.pairs, outcome.scoring)


def _warn_of_absent_points(settings: ScoreSettings, scored: Collection[str]) -> list[str]:
    """Return a warning if the reference point ``human`` was asked for and has no segmentation."""
    if "human" not in settings.points or not scored or f"{POINT}human" in scored:
        return []
    return [
        "--reference-points human: no document has references by two coders, so that there is no "
        "coder to score against the others"
    ]


def _warn_of_few_draws(draws: DrawSums, sums: Sums | None, scoring: FinishedScoring) -> list[str]:
    """Return a warning if the draws of a random point vary more than their number makes up for.

    Args:
        draws: the sums of each draw by system.
        sums: the sums of the run by group and resampling unit.
        scoring: the run, whose first measure is judged by its micro average.
    """
    if sums is None or not draws or not scoring.selection.names:
        return []
    shares = _shares(draws, sums, scoring)
    if not shares or max(shares.values()) <= _SHARE:
        return []
    point = max(shares, key=lambda name: (shares[name], name))
    number = scoring.score_settings().draws
    wanted = min(MOST_DRAWS, _ROUND * ceil(number * shares[point] / _SHARE / _ROUND))
    return [_advice(point, number, shares[point], wanted)] * (wanted > number)


def _advice(point: str, number: int, share: float, wanted: int) -> str:
    """Advise a number of draws."""
    if share > _STATED:
        return (
            f"{point}: its average varies more by the chance of its {number} draws than between "
            f"documents; more draws, such as --draws {wanted}, make it more certain"
        )
    return (
        f"{point}: its average rests on {number} random draws, which adds {_percent(share)} to "
        f"its variance; --draws {wanted} makes that about {_percent(share * number / wanted)}"
    )


def _percent(share: float) -> str:
    """Write a share in percent with two digits, without an exponent.

    >>> _percent(0.031), _percent(6.79)
    ('3.1 %', '680 %')
    """
    return f"{float(f'{100 * share:.2g}'):g} %"


def _shares(draws: DrawSums, sums: Sums, scoring: FinishedScoring) -> dict[str, float]:
    """Return the variance of each point's draws as a share of that between documents."""
    settings, kind = scoring.score_settings(), scoring.selection.pairs
    measure = measures_to_show(scoring.selection.names, settings.measures_in_order)[0]
    if measure not in kind.measures:
        return {}
    shares = {}
    for group, key in enumerate(sums.groups):
        of_draws = draws.get(str(key[0]))
        if of_draws is None or any(part is not None for part in key[1:]):
            continue
        parameters = scoring.group_parameters(key)
        counts = dict(zip(kind.counts, of_draws.T.astype(np.float64), strict=True))
        values = kind.values(counts, parameters.values, rows=False)[measure]
        own = unit_sums(kind, sums, group)
        error = micro_estimates(kind, own, parameters.values, None, parameters.draws)[measure].error
        if error > 0 and len(of_draws) > 1:
            of_mean = float(np.var(values, ddof=1)) / len(of_draws)
            # The squared error between documents has the variance of the draws in it, too.
            shares[str(key[0])] = of_mean / max(error**2 - of_mean, _LEAST * error**2)
    return shares
