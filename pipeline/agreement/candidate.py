"""Test whether a candidate, such as a language model, may replace a person.

The alternative annotator test (Calderon, Reichart & Dror 2025, "The alternative annotator test for
LLM-as-a-judge"): each person is left out in turn, and the candidate is compared with this person
by their similarity to the others.  The candidate wins where it agrees with them as well as the
person does, allowing a margin for what a person costs; it may replace a person if it wins against
half of them.
"""

from collections.abc import Iterator

import numpy as np

from segscore.pipeline.agreement.aside_tally import COUNTS
from segscore.pipeline.agreement.group import Group
from segscore.pipeline.agreement.persons import by_coder, pooled_estimates
from segscore.pipeline.arrays.document_ids import Hashes
from segscore.pipeline.arrays.ragged import Floats, Ints
from segscore.pipeline.statistics.jackknife import Estimate
from segscore.pipeline.statistics.multiple_tests import benjamini_yekutieli

ADJUSTED_LEVEL = 0.05
"""The candidate wins where the adjusted p value is at most this."""

_SHARES = ("as_good", "coder_as_good")

WINNING_RATE = 0.5
"""A candidate that wins against this share of the coders may replace one."""


def candidate_columns(group: Group) -> Iterator[dict[str, object]]:
    """Yield the columns of `coders` about the candidate, undefined without one."""
    judging = group.choices.judging
    counts = [*by_coder(group, "candidate", COUNTS["candidate"])]
    compared = [advantage(own, units) for own, units in counts]
    p = [p_of_margin(estimate, group.choices.margin) for estimate in compared]
    adjusted = benjamini_yekutieli(p)
    for (own, units), value in zip(counts, adjusted.tolist(), strict=True):
        documents = int(own["documents"].sum())
        with np.errstate(divide="ignore", invalid="ignore"):
            shares = (np.float64(own[name].sum()) / documents for name in _SHARES)
            candidate_share, coder_share = shares
        similar = pooled_estimates(own, units, judging.n_t)[judging.similarity].value
        yield {
            "candidate_documents": documents,
            "candidate_similarity": similar,
            "candidate_share": float(candidate_share),
            "coder_share": float(coder_share),
            "candidate_p": value,
            "candidate_wins": None if np.isnan(value) else value <= ADJUSTED_LEVEL,
        }


def advantage(counts: dict[str, Ints], units: Hashes) -> Estimate:
    """Return how much more often the coder is at least as good, a share of the documents.

    Args:
        counts: ``documents``, ``as_good`` and ``coder_as_good`` of each unit, shape (units,) each.
        units: names of the units, ascending.
    """
    known = counts["documents"] > 0
    documents = counts["documents"][known].astype(np.float64)
    more = (counts["coder_as_good"] - counts["as_good"])[known].astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        value = float(np.float64(more.sum()) / documents.sum())
        without: Floats = (more.sum() - more) / (documents.sum() - documents)
    return Estimate(value, units[known], without, documents)


def p_of_margin(estimate: Estimate, margin: float) -> float:
    """Return the one-sided p value of the advantage being at least the margin.

    If all units have the same value, there is no error to test with. p is then the probability that
    as many documents all have this value by chance.
    """
    from scipy.special import stdtr

    error = estimate.error
    if np.isnan(error):
        return float("nan")
    if error > 0:
        return float(stdtr(estimate.freedom, (estimate.value - margin) / error))
    if estimate.value >= margin:
        return 1.0
    # The most likely values with a mean of the margin: 1 or the value that all have.
    share = (1 - margin) / (1 - estimate.value)
    return float(share**estimate.effective)
