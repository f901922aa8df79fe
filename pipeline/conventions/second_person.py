"""Score each coder of a document against the others: the value that a second person gets.

It is the reference point ``human`` of a run, for one measure and without types of boundaries.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from segscore.pipeline.arrays.document_ids import hash_names
from segscore.pipeline.arrays.ragged import Ints, add_up
from segscore.pipeline.conventions.document_sample import reference_rows_of
from segscore.pipeline.scoring.counting import DocumentSides, Pairs, Rule, count_pairs
from segscore.pipeline.scoring.references import References
from segscore.pipeline.statistics.formatted_numbers import (
    counted,
    or_none,
    shown_interval,
    shown_number,
)
from segscore.pipeline.statistics.jackknife import FEWEST, UnitSums, micro_estimates


@dataclass(frozen=True)
class SecondPerson:
    """The value that people get against each other.

    Attributes:
        value: micro average over all pairs of two coders of a document; None if undefined.
        low, high: ends of its 95 % interval; None if there is none.
        documents: number of documents with two coders or more.
    """

    value: float | None
    low: float | None
    high: float | None
    documents: int

    @property
    def ends(self) -> tuple[float, float] | None:
        """The ends of the 95 % interval; None if there is none."""
        return None if self.low is None or self.high is None else (self.low, self.high)

    def in_words(self, measure: str, faults: str) -> str:
        """Say what a second person gets, and which faults give it.

        Args:
            measure: the measure.
            faults: what a system does that gets such a value; empty if no fault gives it.
        """
        several = f"{counted(self.documents, 'document')} with two coders or more"
        if self.value is None:
            return f"What a second person gets here is undefined by {measure}, on {several}."
        said = f"A second person gets {shown_number(self.value)} here, on {several}"
        few = f": at least {FEWEST} documents are needed" if self.documents < FEWEST else ""
        interval = f"no interval{few}"
        if self.ends is not None:
            interval = f"95 % interval {shown_interval(*self.ends)}"
        like = f", like a system that {faults}" if faults else ""
        return f"{said} ({interval}){like}."


def second_person(
    measure: str, rule: Rule, references: References, blocks: Iterable[Ints]
) -> SecondPerson | None:
    """Measure each coder against each other coder of the same document.

    Args:
        measure: the measure.
        rule: how pairs are counted.
        references: the references.
        blocks: numbers of the documents to measure, in blocks that are counted at once.

    Returns:
        None if no document has two coders.
    """
    coders = np.diff(references.first)
    found = [_count(rule, references, block[coders[block] > 1]) for block in blocks]
    document = np.concatenate([each for each, _ in found])
    if not len(document):
        return None
    counts = {
        name: np.concatenate([counted[name] for _, counted in found if counted])
        for name in next(counted for _, counted in found if counted)
    }
    hashes = hash_names(references.documents.ids).hashes[document]
    units, place = np.unique(hashes, return_inverse=True)
    sums = UnitSums(
        units, {name: add_up(each, place, len(units)) for name, each in counts.items()}, {}, {}
    )
    parameters: dict[str, Any] = dict(rule.settings.parameters(references.p_seg))
    p_seg_of = sums if rule.settings.p_seg is None else None
    estimates = micro_estimates(rule.selection.pairs, sums, parameters, p_seg_of)
    low, high = estimates[measure].interval()
    value = or_none(estimates[measure].value)
    return SecondPerson(value, or_none(low), or_none(high), len(units))


def _count(rule: Rule, references: References, documents: Ints) -> tuple[Ints, Mapping[str, Ints]]:
    """Count the pairs of some documents; return the document of each, and the counts."""
    if not len(documents):
        return np.empty(0, np.int64), {}
    coders = np.diff(references.first)[documents]
    document = np.repeat(documents, coders)
    rows, others = reference_rows_of(references, documents), np.repeat(coders, coders)
    ref_row = np.repeat(rows, others)
    first = np.repeat(references.first[document], others)
    nth = np.arange(len(ref_row)) - np.repeat(np.cumsum(others) - others, others)
    pairs = Pairs(ref_row, first + nth)
    apart = pairs.ref_row != pairs.hyp_row
    pairs = Pairs(pairs.ref_row[apart], pairs.hyp_row[apart])
    every = np.repeat(np.arange(len(references.documents)), np.diff(references.first))
    counts = count_pairs(DocumentSides(every, references.side), pairs, references, rule)
    return every[pairs.ref_row], counts
