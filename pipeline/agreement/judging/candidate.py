"""Test whether a candidate, such as a language model, may replace a person.

The alternative annotator test (Calderon, Reichart & Dror 2025, "The alternative annotator test for
LLM-as-a-judge"): each person is left out in turn, and the candidate is compared with this person
by their similarity to the others.  The candidate wins where it agrees with them as well as the
person does, allowing a margin for what a person costs; it may replace a person if it wins against
half of them.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from segscore.pipeline.agreement.extra_tallies import COUNTS
from segscore.pipeline.agreement.group import Group
from segscore.pipeline.agreement.judging.step import AuditRows, Kind, Part, Row, Step, StepColumn
from segscore.pipeline.agreement.persons import by_coder
from segscore.pipeline.agreement.sentences import copying_pairs
from segscore.pipeline.arrays.document_ids import Hashes
from segscore.pipeline.arrays.ragged import Floats, Ints
from segscore.pipeline.statistics.formatted_numbers import counted, percent
from segscore.pipeline.statistics.jackknife import Estimate
from segscore.pipeline.statistics.multiple_tests import benjamini_yekutieli

ADJUSTED_LEVEL = 0.05
"""The candidate wins where the adjusted p value is at most this."""

_SHARES = ("as_good", "coder_as_good")

WINNING_RATE = 0.5
"""A candidate that wins against this share of the coders may replace one."""


_FEWEST_PEOPLE = 3
_FEWEST_DOCUMENTS = 30
"""The smallest numbers for which the test of a candidate was proposed."""


class Candidate(Step):
    """Whether a candidate may replace a person."""

    columns = (
        StepColumn(
            "candidate_documents",
            Kind.WHOLE,
            "documents with the candidate, this coder and another one; 0 without --candidate",
        ),
        StepColumn(
            "candidate_share",
            Kind.SHARE,
            "share of these documents in which the candidate agrees with the other coders at "
            "least as well as this coder does",
        ),
        StepColumn(
            "coder_share",
            Kind.SHARE,
            "share of them in which this coder agrees with the other coders at least as well as "
            "the candidate does",
        ),
        StepColumn(
            "candidate_p",
            Kind.SHARE,
            "p of coder_share - candidate_share being at least --margin, one-sided, by a "
            "jackknife, adjusted for all coders (Benjamini & Yekutieli 2001)",
        ),
        StepColumn(
            "candidate_wins",
            Kind.MARK,
            "the candidate agrees with the other coders as well as this coder: candidate_p is at "
            "most 0.05",
        ),
        StepColumn(
            "candidate_worse",
            Kind.MARK,
            "the candidate is worse than this coder: the p of coder_share - candidate_share being "
            "at most --margin, adjusted likewise, is at most 0.05",
        ),
    )
    part = Part.LAST

    def count(self, group: Group) -> Iterator[Row]:
        """Yield what is known of the candidate, undefined without one."""
        counts = [*by_coder(group, "candidate", COUNTS["candidate"])]
        compared = [advantage(own, units, grouped=group.choices.grouped) for own, units in counts]
        p = [p_of_margin(estimate, group.choices.margin) for estimate in compared]
        worse = [p_of_more(estimate, group.choices.margin) for estimate in compared]
        adjusted = zip(benjamini_yekutieli(p), benjamini_yekutieli(worse), strict=True)
        for (own, _), (value, of_more) in zip(counts, adjusted, strict=True):
            documents = int(own["documents"].sum())
            with np.errstate(divide="ignore", invalid="ignore"):
                shares = (np.float64(own[name].sum()) / documents for name in _SHARES)
                candidate_share, coder_share = shares
            yield {
                "candidate_documents": documents,
                "candidate_share": float(candidate_share),
                "coder_share": float(coder_share),
                "candidate_p": float(value),
                "candidate_wins": None if np.isnan(value) else bool(value <= ADJUSTED_LEVEL),
                "candidate_worse": None if np.isnan(of_more) else bool(of_more <= ADJUSTED_LEVEL),
            }

    def say(self, audit: AuditRows) -> Iterator[str]:
        """Say whether the candidate may replace a coder, by the alternative annotator test."""
        if audit.candidate is not None:
            yield replacement(audit.coders, audit.candidate, audit.margin, audit.peers)


def advantage(counts: dict[str, Ints], units: Hashes, *, grouped: bool = False) -> Estimate:
    """Return how much more often the coder is at least as good, a share of the documents.

    Args:
        counts: ``documents``, ``as_good`` and ``coder_as_good`` of each unit, shape (units,) each.
        units: names of the units, ascending.
        grouped: whether a unit is several documents, such as a show.
    """
    known = counts["documents"] > 0
    documents = counts["documents"][known].astype(np.float64)
    more = (counts["coder_as_good"] - counts["as_good"])[known].astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        value = float(np.float64(more.sum()) / documents.sum())
        without: Floats = (more.sum() - more) / (documents.sum() - documents)
    return Estimate(value, units[known], without, documents, grouped=grouped)


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


def p_of_more(estimate: Estimate, margin: float) -> float:
    """Return the one-sided p value of the advantage being at most the margin: the other side."""
    turned = replace(estimate, value=-estimate.value, without=-estimate.without)
    return p_of_margin(turned, -margin)


def replacement(
    coders: Sequence[Mapping[str, Any]],
    candidate: str,
    margin: float,
    peers: Sequence[Mapping[str, Any]] = (),
) -> str:
    """Say whether a candidate may replace a coder, by the alternative annotator test.

    Args:
        coders: rows of the persons.
        candidate: name of the candidate.
        margin: of the test.
        peers: rows of pairs of persons, of whom some may have copied.
    """
    tested = [row for row in coders if row.get("candidate_p") is not None]
    if len(tested) < _FEWEST_PEOPLE:
        return (
            f"It cannot be said whether {candidate} may replace a person: at least "
            f"{_FEWEST_PEOPLE} people must each share 5 documents with {candidate} and another "
            f"person, and {len(tested)} do."
        )
    won = sum(row.get("candidate_wins") is True for row in tested)
    rate = won / len(tested)
    shares = [share for row in tested if (share := row.get("candidate_share")) is not None]
    fewest = min(int(row.get("candidate_documents") or 0) for row in tested)
    few = (
        f" Some share only {counted(fewest, 'document')} with {candidate}; the test was proposed "
        f"for {_FEWEST_DOCUMENTS} or more."
    ) * (fewest < _FEWEST_DOCUMENTS)
    worse = sum(row.get("candidate_worse") is True for row in tested)
    people = f"{len(tested)} people"
    if rate >= WINNING_RATE:
        said = f"{candidate} may replace a person: it agrees as well as {won} of {people}"
        done = ""
    elif 2 * worse >= len(tested):
        all_of = f"all {people}" if worse == len(tested) else f"{worse} of {people}"
        said = f"{candidate} is worse than {all_of}"
        done = " Do not put it in a person's place."
    else:
        said = (
            f"It is undecided whether {candidate} may replace a person: it agrees as well as {won} "
            f"of {people}, is worse than {worse}"
        )
        done = " More documents would tell."
    return (
        f"{said}, within {margin:g} (alternative annotator test, Calderon, Reichart & Dror 2025). "
        f"In {percent(sum(shares) / len(shares))} of the documents, on average, it agrees with the "
        f"others at least as well as the person who is left out.{done}{few}"
        f"{''.join(_of_copying(tested, candidate, peers))}"
    )


def _of_copying(
    tested: Sequence[Mapping[str, Any]], candidate: str, peers: Sequence[Mapping[str, Any]]
) -> Iterator[str]:
    """Yield a sentence about each pair of whom one may have copied, if either was compared with."""
    names = {row["coder"] for row in tested}
    for one, other in copying_pairs(peers):
        if not names.isdisjoint((one, other)):
            yield (
                f" {one} and {other} may have the same tool, have worked together, or copied: each "
                f"agrees better with the others for having the other among them, which is to the "
                f"disadvantage of {candidate}; leave one of them out by --without."
            )
