"""The view of a judging step: counts, the coders to judge by, and what earlier steps found."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segscore.pipeline.agreement.group import Group
from segscore.pipeline.agreement.judging.by_document import (
    ByDocument,
    CodedPairs,
    Effects,
    fit_effects,
)
from segscore.pipeline.agreement.judging.fits import fit_differences, median, standard_error
from segscore.pipeline.agreement.judging.limits import FEWEST_DOCUMENTS, Judging
from segscore.pipeline.agreement.judging.pair_counts import CoderPairCounts, enough
from segscore.pipeline.agreement.judging.readings import Readings, find_readings
from segscore.pipeline.arrays.ragged import Flags, Floats

Columns = Mapping[str, NDArray[Any]]
"""Values by column, one for each coder or for each pair of coders."""


@dataclass(frozen=True)
class CoderEffect:
    """The effect of each coder, NaN where undefined, and its jackknife standard error."""

    value: Floats
    error: Floats

    @classmethod
    def of(cls, effects: Floats, judged: Flags) -> "CoderEffect":
        """Take the value on all documents, and the error from the groups of documents.

        Args:
            effects: on all documents, and without each group, shape (1 + groups, coders).
            judged: coders whose effects are defined.
        """
        known = np.where(judged, effects, np.nan)
        return cls(known[0], standard_error(known))

    def beyond(self, errors: float) -> Flags:
        """Return whether the effect is at least this many standard errors from 0."""
        return np.asarray(np.abs(self.value) >= errors * self.error)


@dataclass(frozen=True)
class Evidence:
    """What is counted in a group of documents, the same whoever the others are judged by."""

    group: Group
    _searched: dict[bytes, Readings] = field(default_factory=dict)

    @property
    def pairs(self) -> CoderPairCounts:
        """Counts of pairs of coders."""
        return self.group.pair_counts

    @property
    def coded(self) -> ByDocument:
        """Counts of pairs of codings."""
        return self.group.by_document

    @property
    def judging(self) -> Judging:
        """How to judge."""
        return self.group.choices.judging

    @cached_property
    def judged(self) -> Flags:
        """Coders to judge, shape (coders,)."""
        return enough(self.pairs, FEWEST_DOCUMENTS)

    @cached_property
    def offsets(self) -> Floats:
        """By how much the second coder of each pair marks later, shape (1 + groups, pairs)."""
        return self.pairs.offsets(self.judging.limits["within"])

    @cached_property
    def log_ratios(self) -> Floats:
        """Logarithm of how many times as many boundaries the second coder marks, likewise."""
        return self.pairs.log_ratios()

    @cached_property
    def similarities(self) -> CodedPairs:
        """The similarity of each pair of codings."""
        return self.coded.pairs(self.judging.similarity, self.judging.n_t)

    def readings(self, included: Flags) -> Readings:
        """Look for two ways of reading among some coders; search once for the same coders."""
        key = included.tobytes()
        if key not in self._searched:
            self._searched[key] = find_readings(self.coded, included, self.judging)
        return self._searched[key]


@dataclass(frozen=True)
class View:
    """The evidence, those to judge by, and the columns that the steps so far have found.

    Attributes:
        evidence: what is counted.
        standard: coders to judge by, shape (coders,).
        copies: numbers of the coders of pairs who agree too well, as far as known.
        ways: the two ways of reading of all coders, within which offsets and rates are judged;
            None if they were not found.
        found: columns by name: each step adds those that it finds.
    """

    evidence: Evidence
    standard: Flags
    copies: tuple[tuple[int, int], ...]
    ways: Readings | None
    found: dict[str, NDArray[Any]] = field(default_factory=dict)

    def __getitem__(self, column: str) -> NDArray[Any]:
        """Return a column of an earlier step."""
        return self.found[column]

    @property
    def limits(self) -> Mapping[str, float]:
        """The limits beyond which coders are named."""
        return self.evidence.judging.limits

    @cached_property
    def readings(self) -> Readings:
        """Who reads alike, and pairs who agree too well."""
        if self.ways is not None:
            return self.ways
        # Who marks later or less often may look as if of another way.
        apart = self["shifted"] | self["outlying_rate"]
        return self.evidence.readings(self.evidence.judged & ~apart)

    def differences(self, values: Floats) -> CoderEffect:
        """Fit differences between coders, of those who read alike."""
        pairs = self.evidence.pairs
        used = ~pairs.among(self.copies)
        if self.ways is not None:
            used &= self.ways.alike(pairs.first, pairs.second)
        effects = fit_differences(values, pairs.neighbours, self.standard, used)
        return CoderEffect.of(effects, self.evidence.judged)

    @property
    def may_differ(self) -> Flags:
        """Coders of whom it can be said that they differ from those who read as they do."""
        judged = self.evidence.judged
        return judged if self.ways is None else self.ways.judged(judged)

    def rows(self, pairs: CodedPairs) -> Flags:
        """Return which rows effects are fitted to."""
        first, second, judged = pairs.first, pairs.second, self.evidence.judged
        by_standard = self.standard[first] | self.standard[second]
        used = by_standard & self.readings.alike(first, second)
        return np.asarray(judged[first] & judged[second] & used)

    @cached_property
    def effects(self) -> tuple[Floats, Effects]:
        """The effects of coders on similarity, median 0: on all documents and without each group.

        The fit to all documents is beside them.
        """
        coded, pairs = self.evidence.coded, self.evidence.similarities
        used = self.rows(pairs)
        whole = fit_effects(pairs, used, coded.coders, np.ones(len(used), bool))
        fold = coded.folds[coded.document]
        without = [
            fit_effects(pairs, used & (fold != f), coded.coders).coder for f in np.unique(fold)
        ]
        effects = np.stack([whole.coder, *without])
        return effects - median(effects[:, self.standard])[:, None], whole
