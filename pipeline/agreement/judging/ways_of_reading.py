"""Say which coders read the guidelines in another way than the others."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from segscore.pipeline.agreement.coefficients import PAIR_COUNTS
from segscore.pipeline.agreement.judging.pair_counts import CoderPairCounts, pooled
from segscore.pipeline.agreement.judging.step import AuditRows, Kind, Step, StepColumn
from segscore.pipeline.agreement.judging.view import Columns, View
from segscore.pipeline.agreement.sentences import IN_WORDS
from segscore.pipeline.arrays.ragged import Flags, Ints
from segscore.pipeline.statistics.shown_numbers import shown_as
from segscore.pipeline.tables.units import PER_SECOND

_WAYS = (None, "common", "other")
_PAIR = 2


class WaysOfReading(Step):
    """Two ways of reading, by which nobody is to blame."""

    columns = (
        StepColumn(
            "reading_ratio",
            Kind.NUMBER,
            "how clearly coders read the guidelines in two ways: largest eigenvalue of the "
            "residuals of pairs, divided by its limit; 1 or more if they do; null if unknown",
        ),
        StepColumn(
            "reading",
            Kind.NAME,
            "way in which the coder seems to read the guidelines, if coders read in two ways",
            ("common", "other"),
        ),
        StepColumn(
            "same_reading_similarity",
            Kind.SHARE,
            "similarity of the coders who read as this one does among themselves",
        ),
        StepColumn("other_reading_similarity", Kind.SHARE, "their similarity to the other coders"),
        StepColumn(
            "reading_document",
            Kind.NAME,
            "id of a document in which the two ways of reading differ clearly; null without two, "
            "and in the rows of groups",
        ),
        StepColumn(
            "reading_position",
            Kind.POSITION,
            "a boundary there that the coders of one way marked, and those of the other did not, "
            "as far as there is one, in the unit of the run",
        ),
    )

    def judge(self, view: View) -> Columns:
        """Say how each coder reads; the example is found among the documents later."""
        way = view.readings.way
        same, other = np.full((2, len(way)), np.nan)
        for coder in np.flatnonzero(way).tolist():
            same[coder], other[coder] = _similarities(view, way, coder)
        return {
            "reading_ratio": np.full(len(way), view.readings.ratio),
            "reading": np.array([_WAYS[each] for each in way], object),
            "same_reading_similarity": same,
            "other_reading_similarity": other,
        }

    def say(self, audit: AuditRows) -> Iterator[str]:
        """Describe two ways of reading, unless only a pair reads in another way."""
        others = [row for row in audit.coders if row.get("reading") == "other"]
        if len(others) <= _PAIR:
            return
        names = [row["coder"] for row in others]
        known = sum(row.get("reading") is not None for row in audit.coders)
        same, other = others[0]["same_reading_similarity"], others[0]["other_reading_similarity"]
        yield (
            f"{', '.join(names[:-1])} and {names[-1]} seem to read the guidelines differently: "
            f"{IN_WORDS} {shown_as(same, '.2f')} among themselves, {shown_as(other, '.2f')} with "
            f"the other {known - len(names)}{_example(others[0], audit.unit)}."
        )


def _similarities(view: View, way: Ints, coder: int) -> tuple[float, float]:
    """Return how well those agree who read as a coder does, and these with the others."""
    pairs, judging = view.evidence.pairs, view.evidence.judging
    own, known = way == way[coder], way > 0
    first, second = own[pairs.first], own[pairs.second]
    both = known[pairs.first] & known[pairs.second]
    same, other = (
        float(pooled(_sums(pairs, both & chosen), judging.similarity, judging.n_t)[0])
        for chosen in (first & second, first != second)
    )
    return same, other


def _sums(pairs: CoderPairCounts, chosen: Flags) -> dict[str, Ints]:
    """Add up the counts of some pairs of coders, shape (1,) each."""
    return {name: pairs.counts[name][0, chosen].sum(keepdims=True) for name in PAIR_COUNTS}


def _example(row: Mapping[str, Any], unit: str | None) -> str:
    """Return where the two ways of reading differ clearly, if it is known."""
    document, position = row.get("reading_document"), row.get("reading_position")
    if document is None or position is None:
        return ""
    per_second = PER_SECOND.get(unit or "")
    where = str(position) if per_second is None else f"{position / per_second:.1f} s"
    return f"; for example in {document} at {where}"
