"""Find coders who interpret the guidelines differently from the others."""

from collections.abc import Iterator, Mapping, Sequence
from math import log
from typing import Any

import numpy as np

from segscore.pipeline.agreement.coefficients import PAIR_COUNTS
from segscore.pipeline.agreement.judging.pair_counts import pooled
from segscore.pipeline.agreement.judging.rate import times
from segscore.pipeline.agreement.judging.step import AuditRows, Kind, Part, Step, StepColumn
from segscore.pipeline.agreement.judging.view import Columns, View
from segscore.pipeline.agreement.sentences import IN_WORDS
from segscore.pipeline.arrays.ragged import Ints
from segscore.pipeline.plain_text import named_list
from segscore.pipeline.statistics.formatted_numbers import shown_as
from segscore.pipeline.tables.units import PER_SECOND

_WAYS = (None, "common", "other")
_PAIR = 2
_NAMES = 8
"""The most names of a way of reading; the others are counted."""

_RATIO = 1.2
"""From this ratio of rates on, those of one way are said to mark more."""


class WaysOfReading(Step):
    """Two ways of reading, by which nobody is to blame."""

    columns = (
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
            "reading_ratio_of_rates",
            Kind.NUMBER,
            "boundaries of the coders of the less common way / those of the others, in the same "
            "documents",
        ),
        StepColumn(
            "reading_offset",
            Kind.NUMBER,
            "how much later the coders of the less common way mark boundaries than the others, in "
            "the unit of the run",
        ),
    )
    part = Part.READINGS

    def judge(self, view: View) -> Columns:
        """Say how each coder reads."""
        way = view.readings.way
        same, other = np.full((2, len(way)), np.nan)
        for coder in np.flatnonzero(way).tolist():
            same[coder], other[coder] = _similarities(view, way, coder)
        rates, offset = _differ(view, way) if way.any() else (np.nan, np.nan)
        return {
            "reading_ratio_of_rates": np.where(way > 0, rates, np.nan),
            "reading_offset": np.where(way > 0, offset, np.nan),
            "reading": np.array([_WAYS[each] for each in way], object),
            "same_reading_similarity": same,
            "other_reading_similarity": other,
        }

    def say(self, audit: AuditRows) -> Iterator[str]:
        """Describe two ways of reading, unless only a pair reads in another way."""
        others = [row for row in audit.coders if row.get("reading") == "other"]
        if len(others) <= _PAIR:
            return
        common = [row["coder"] for row in audit.coders if row.get("reading") == "common"]
        names = [row["coder"] for row in others]
        same, other = others[0]["same_reading_similarity"], others[0]["other_reading_similarity"]
        how = _how(others[0], audit.unit)
        # Who marks later has the boundary, too: no example shows that one lacks it.
        example = f" {audit.example}" * bool(audit.example and "er than" not in how)
        yield (
            f"The guidelines are read in two ways, and neither is wrong: A ({_some(names)}) "
            f"{how} B ({_some(common)}). {IN_WORDS.capitalize()} is "
            f"{shown_as(same, '.2f')} within A and {shown_as(other, '.2f')} between A and "
            f"B.{example} Decide which is meant."
        )


def _some(names: Sequence[str]) -> str:
    more = len(names) - _NAMES
    return named_list([*names[:_NAMES], f"{more} others"] if more > 1 else names)


def _how(row: Mapping[str, Any], unit: str | None) -> str:
    """Say how those who read in the less common way differ: fewer, later, or others."""
    ratio, offset = row.get("reading_ratio_of_rates"), row.get("reading_offset")
    per_second = PER_SECOND.get(unit or "")
    scale, noun, least = (1, " units", 0.3) if per_second is None else (per_second, " s", 0.5)
    said = []
    if ratio is not None and abs(log(ratio)) >= log(_RATIO):
        said.append(f"marks {times(ratio)} boundaries as")
    if offset is not None and abs(offset) / scale >= least:
        side = "later" if offset > 0 else "earlier"
        said.append(f"marks {abs(offset) / scale:.1f}{noun} {side} than")
    return " and ".join(said) or "marks other boundaries than"


def _differ(view: View, way: Ints) -> tuple[float, float]:
    """Return the ratio of the rates of both ways, and the offset between them."""
    pairs = view.evidence.pairs
    sign = np.sign(way[pairs.second] - way[pairs.first])
    across = (sign != 0) & (way[pairs.first] > 0) & (way[pairs.second] > 0)
    weight = pairs.counts["documents"][0]
    found = []
    for values in (view.evidence.log_ratios[0], view.evidence.offsets[0]):
        known = across & np.isfinite(values)
        total = weight[known].sum()
        found.append(float((weight * sign * values)[known].sum() / total) if total else np.nan)
    return float(np.exp(found[0])), found[1]


def _similarities(view: View, way: Ints, coder: int) -> tuple[float, float]:
    """Return how well those agree who read as a coder does, and these with the others."""
    pairs, judging = view.evidence.pairs, view.evidence.judging
    own, known = way == way[coder], way > 0
    first, second = own[pairs.first], own[pairs.second]
    both = known[pairs.first] & known[pairs.second]
    found = []
    for chosen in (first & second, first != second):
        counts = {
            name: pairs.counts[name][0, both & chosen].sum(keepdims=True) for name in PAIR_COUNTS
        }
        found.append(float(pooled(counts, judging.similarity, judging.n_t)[0]))
    return found[0], found[1]
