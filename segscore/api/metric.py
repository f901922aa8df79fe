"""Add up the counts of many pairs, as a metric in a training loop does."""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from types import NoneType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from segscore.api.batches import Batch, from_labels, from_masks, from_positions, from_starts
from segscore.api.counting import count_batch, count_pair
from segscore.api.measures import require_measure
from segscore.api.score import (
    as_pair,
    defined,
    pair_settings,
    parameters_of,
    require_sum,
)
from segscore.api.segmentation import are_times
from segscore.api.settings import plain_value
from segscore.api.wording import for_python, warn_user
from segscore.pipeline.errors import Refused
from segscore.pipeline.measures import PAIRS
from segscore.pipeline.settings.measuring import MeasuringSettings, settings_without_effect
from segscore.pipeline.statistics.averages import exact_mean
from segscore.pipeline.statistics.formatted_numbers import counted
from segscore.pipeline.statistics.jackknife import (
    P_SEG_COUNTS,
    Estimate,
    UnitSums,
    macro_estimates,
    micro_estimates,
)
from segscore.pipeline.statistics.resampling import BUCKETS, buckets, estimator
from segscore.pipeline.statistics.sums import HALF
from segscore.pipeline.tables.units import MILLISECOND, NEAR, PER_SECOND

if TYPE_CHECKING:
    from typing import Unpack

    from numpy.typing import ArrayLike

    from segscore.api.segmentation import Segmentation, WholeNumbers
    from segscore.api.typed import MeasureName, MetricKeywords
    from segscore.pipeline.arrays.ragged import Ints

Averaging = Literal["micro", "macro"]
_AVERAGES = ("micro", "macro")
_NAME, _NAMES = (str, NoneType), (Sequence, NoneType)
_N_T_OF_TIMES = (
    f"near misses are boundaries less than {NEAR} milliseconds apart, because the n_t of a metric "
    f"is {NEAR} by default, whatever its pairs are; give n_t={NEAR * PER_SECOND[MILLISECOND]} for "
    f"less than {NEAR} seconds, as in segscore.evaluate"
)
_MARK = 3
"""How many numbers at the end of a state are not sums of a resampling unit."""

_DIGITS = 4
"""Columns of a state for the values of a measure: three digits, and how often it is defined."""


class Metric:
    """Averages over pairs that are added one at a time or in batches.

    The state is a vector of integers. States can be added: the sum of the states of several devices
    gives exactly the values of all their pairs, in any order.

    >>> import segscore
    >>> metric = segscore.Metric("pk", "window_diff", n_t=2)
    >>> metric.update(reference=[2, 5], hypothesis=[2, 4], n_units=11)
    >>> metric.update(reference=[4], hypothesis=[4], n_units=10)
    >>> metric.compute()
    {'pk': 0.11764705882352941, 'window_diff': 0.11764705882352941}

    To sum over devices, add their states; in torch, `torch.distributed.all_reduce` does this:

    >>> other = segscore.Metric("pk", "window_diff", n_t=2)
    >>> other.update(reference=[3], hypothesis=[], n_units=10)
    >>> metric.state = metric.state + other.state
    >>> metric.pairs, metric.compute()["pk"]
    (3, 0.16)

    A metric can be pickled, so it can be sent to other processes and kept in a checkpoint.

    Attributes:
        settings: how pairs are measured.
        measures: names of the measures.
        average: `micro` or `macro`.
    """

    @for_python
    def __init__(
        self,
        *measures: "MeasureName",
        average: Averaging = "micro",
        **settings: "Unpack[MetricKeywords]",
    ) -> None:
        """Create an empty metric.

        Args:
            measures: names of measures of pairs; by default the same as in a run.
            average: `micro` applies the formula to the sums of counts; `macro` is the mean over
                pairs of the value of each pair, without pairs where it is undefined.
            settings: as in `segscore.score`. Boundary types must be declared.

        Raises:
            Refused: a measure does not exist, or a setting is invalid.
        """
        for name in measures:
            require_measure(name, PAIRS.measures)
        given = {**settings, "measures": measures} if measures else settings
        if average not in _AVERAGES:
            raise Refused(f"average {average!r}: must be micro or macro")
        self._prepare(pair_settings(given), measures, average)
        without_effect = settings_without_effect(self.settings.selection)
        self._n_t_matters = "n_t" not in {*settings, *without_effect}
        self.reset()

    _n_t_matters = False
    """Whether a value depends on n_t, which was not chosen."""

    def _prepare(
        self, settings: MeasuringSettings, measures: tuple[str, ...], average: Averaging
    ) -> None:
        require_sum(settings)
        self.settings, self.average = settings, average
        self._table = settings.selection.pairs
        self.measures = measures or tuple(self._table.measures)
        used = self._table.used_by(self._table.measures)
        if average == "macro" and "p_seg" in used and settings.p_seg is None:
            raise Refused(
                "p_seg: macro averages of a metric need it for some of these measures, because it "
                "is computed from all references; give p_seg=..., or measures without it"
            )
        needed = {*used, *P_SEG_COUNTS} if "p_seg" in used else used
        self._names = [name for name in self._table.counts if name in needed]
        self._columns = 1 + len(self._names)
        if average == "macro":
            self._columns += _DIGITS * len({*self.measures})
        # The state does not depend on the order in which measures were named.
        self._ordered = tuple(name for name in self._table.measures if name in {*self.measures})
        described = repr((settings, self._ordered, average)).encode()
        self._fingerprint = int.from_bytes(sha256(described).digest()[:4], "big") >> 1

    def update(
        self,
        *,
        reference: "Segmentation | WholeNumbers",
        hypothesis: "Segmentation | WholeNumbers",
        n_units: int | None = None,
        document_id: str | None = None,
    ) -> None:
        """Add the counts of one pair.

        >>> import segscore
        >>> metric = segscore.Metric("f1")
        >>> metric.update(reference=[2], hypothesis=[2], n_units=4, document_id="show-1")

        Args:
            reference: a segmentation, or its boundaries.
            hypothesis: a segmentation, or its boundaries.
            n_units: number of units of the document; required if a side is given as boundaries.
            document_id: name of the document. Pairs of one document are resampled together; without
                a name, every pair counts as a document of its own.

        Raises:
            Refused: a side is invalid, or has boundary types that were not declared.
        """
        plain_value("document_id", document_id, _NAME)
        try:
            ref, hyp = as_pair(reference, hypothesis, n_units)
            if are_times((ref, hyp)) and self._n_t_matters:
                warn_user(_N_T_OF_TIMES)
            found = count_pair(ref, hyp, self.settings)
        except Refused as problem:
            if document_id is None:
                raise
            raise Refused(f"{document_id}: {problem}") from None
        if found.typed and not self.settings.boundary_types:
            raise Refused("boundary_types: must be declared, as Metric(..., boundary_types=(1, 2))")
        counts = dict(zip(found.table.counts, found.counts[:, None], strict=True))
        self._add(counts, None if document_id is None else [document_id])

    def update_masks(
        self,
        *,
        reference: "ArrayLike",
        hypothesis: "ArrayLike",
        lengths: "ArrayLike | None" = None,
        document_ids: Sequence[str] | None = None,
    ) -> None:
        """Add a batch of pairs, given as a flag for each potential boundary.

        >>> import numpy, segscore
        >>> metric = segscore.Metric("pk")
        >>> reference = numpy.array([[0, 1, 0, 0, 1], [0, 1, 0, 9, 9]])
        >>> metric.update_masks(reference=reference % 9, hypothesis=reference % 9, lengths=[6, 4])
        >>> metric.pairs, metric.compute()
        (2, {'pk': 0.0})

        Args:
            reference: flags, 0 or 1, shape (documents, columns), of numpy or torch; or a list of
                rows, which may have several lengths. Column i is the potential boundary between
                unit i + 1 and unit i + 2.
            hypothesis: flags, of the same shape.
            lengths: number n of units of each document, shape (documents,): the first n - 1
                columns are read, and the others are padding. By default all columns are read.
            document_ids: names of the documents, as in ``update``.

        Raises:
            Refused: the shapes do not fit, a flag is neither 0 nor 1, or the lengths show that the
                reference has a flag for each unit, as ``update_starts`` reads them.
        """
        self._add_batch(from_masks(reference, hypothesis, lengths), document_ids)

    def update_starts(
        self,
        *,
        reference: "ArrayLike",
        hypothesis: "ArrayLike",
        lengths: "ArrayLike | None" = None,
        document_ids: Sequence[str] | None = None,
    ) -> None:
        """Add a batch of pairs, given as a flag for each unit: 1 for the first of a segment.

        >>> import segscore
        >>> metric = segscore.Metric("pk")
        >>> metric.update_starts(reference=[[1, 0, 1, 0]], hypothesis=[[1, 0, 0, 1]])
        >>> metric.compute()
        {'pk': 0.5}

        Args:
            reference: flags, 0 or 1, shape (documents, columns), of numpy or torch. Column i is
                unit i + 1. Column 0 is not read as a boundary; it is 1 in every document, or 0.
            hypothesis: flags, of the same shape.
            lengths: number of units of each document, shape (documents,): the columns after them
                are padding. By default all columns are read.
            document_ids: names of the documents, as in ``update``.

        Raises:
            Refused: the shapes do not fit, a flag is neither 0 nor 1, or 1 must mark the last unit
                of a segment, because the last flag is 1 in every document and the first is not.
        """
        self._add_batch(from_starts(reference, hypothesis, lengths), document_ids)

    def update_labels(
        self,
        *,
        reference: "ArrayLike",
        hypothesis: "ArrayLike",
        lengths: "ArrayLike | None" = None,
        document_ids: Sequence[str] | None = None,
    ) -> None:
        """Add a batch of pairs, given as a label for each unit; labels change at boundaries.

        >>> import segscore
        >>> metric = segscore.Metric("pk")
        >>> metric.update_labels(reference=[[7, 7, 8, 8]], hypothesis=[[1, 1, 1, 2]])
        >>> metric.compute()
        {'pk': 0.5}

        Args:
            reference: labels, shape (documents, columns).
            hypothesis: labels, of the same shape.
            lengths: number of units of each document, shape (documents,): the columns after them
                are padding. By default all columns are read.
            document_ids: names of the documents, as in ``update``.

        Raises:
            Refused: the shapes do not fit.
        """
        self._add_batch(from_labels(reference, hypothesis, lengths), document_ids)

    def update_positions(
        self,
        *,
        references: "Sequence[WholeNumbers]",
        hypotheses: "Sequence[WholeNumbers]",
        n_units: "ArrayLike",
        document_ids: Sequence[str] | None = None,
    ) -> None:
        """Add a batch of pairs, given as the boundaries of each.

        >>> import segscore
        >>> metric = segscore.Metric("pk")
        >>> metric.update_positions(
        ...     references=[[2, 5], [4]], hypotheses=[[2, 4], [4]], n_units=[11, 10]
        ... )
        >>> metric.compute()
        {'pk': 0.11764705882352941}

        Args:
            references: boundaries of each document.
            hypotheses: boundaries of each document.
            n_units: number of units of each document, shape (documents,).
            document_ids: names of the documents, as in ``update``.

        Raises:
            Refused: the numbers of documents differ, or boundaries are invalid.
        """
        self._add_batch(from_positions(references, hypotheses, n_units), document_ids)

    def _add_batch(self, batch: Batch, document_ids: Sequence[str] | None) -> None:
        if self.settings.select:
            raise Refused(
                "select: a batch has no labels; add each pair with update(), whose sides are "
                "Segmentations with labels"
            )
        if self.settings.boundary_types:
            raise Refused(
                "boundary_types: a batch has no types; add each pair with update(), whose sides "
                "are Segmentations with types"
            )
        names = plain_value("document_ids", document_ids, _NAMES)
        if names is not None and len(names) != len(batch.n_units):
            raise Refused(
                f"document_ids: has {len(names)} names; there are {len(batch.n_units)} pairs"
            )
        if len(batch.n_units):
            self._add(count_batch(*batch, self.settings), names)

    def _add(self, counts: "Mapping[str, Ints]", document_ids: list[str] | None) -> None:
        """Add counts of pairs, each of shape (pairs,)."""
        rows = len(counts[self._names[0]])
        added = np.ones((rows, self._columns), np.int64)
        for column, name in enumerate(self._names, 1):
            added[:, column] = counts[name]
        if self.average == "macro":
            parameters = self.settings.parameters(
                float("nan") if self.settings.p_seg is None else self.settings.p_seg,
                self.settings.boundary_types or (1,),
            )
            values = self._table.values(counts, parameters, rows=True)
            for number, name in enumerate(self._ordered):
                at = 1 + len(self._names) + _DIGITS * number
                added[:, at : at + _DIGITS] = _digits(values[name])
        np.add.at(self._state, self._units(rows, document_ids), added)

    @for_python
    def compute(
        self,
        *,
        intervals: bool = False,
        replicates: int = 0,
        seed: int = 0,  # noqa: ARG002
        undefined: float | None = None,
    ) -> dict[str, float | None]:
        """Return the average of each measure; None, or ``undefined``, if it is undefined.

        >>> import segscore
        >>> metric = segscore.Metric("pk")
        >>> for hypothesis in ([2], [3], [5, 6], []):
        ...     metric.update(reference=[2], hypothesis=hypothesis, n_units=10)
        >>> sorted(metric.compute(intervals=True))
        ['pk', 'pk_ci_high', 'pk_ci_low']

        Args:
            intervals: whether the result also contains the ends of the 95 % interval of each
                measure, such as pk_ci_low and pk_ci_high; None with fewer than 5 documents.
            replicates: of an earlier version; any number but 0 asks for intervals.
            seed: of an earlier version; has no effect.
            undefined: what an undefined value becomes.

        Raises:
            Refused: an argument has another type; or pairs of several states lack a document_id.
        """
        intervals = bool(intervals) or bool(np.any(replicates))
        if intervals and self._nameless > 1:
            raise Refused(
                f"intervals: {self._nameless} of the states that were added have pairs without a "
                "name; give document_id with each pair, so that the sum knows its documents"
            )
        sums = self._state[:, 1 : self._values_at].sum(axis=0)
        totals = dict(zip(self._names, sums, strict=True))
        parameters = self._parameters(totals)
        if not intervals:
            values = self._micro(totals, parameters) if self.average == "micro" else self._macro()
            return {name: defined(values[name], undefined) for name in self.measures}
        estimates = self._estimates(parameters)
        result: dict[str, float | None] = {}
        for name in self.measures:
            low, high = estimates[name].interval()
            result |= {
                name: defined(estimates[name].value, undefined),
                f"{name}_ci_low": defined(low, undefined),
                f"{name}_ci_high": defined(high, undefined),
            }
        return result

    def _estimates(self, parameters: Mapping[str, float]) -> dict[str, Estimate]:
        """Return the average of each measure, and how it depends on each document."""
        sums = self._sums()
        if self.average == "macro":
            return macro_estimates(self._table, sums, self._macro())
        p_seg_of = None if self.settings.p_seg is not None else sums
        return micro_estimates(self._table, sums, parameters, p_seg_of)

    @property
    def _values_at(self) -> int:
        """The column of the state where the digits of values begin."""
        return 1 + len(self._names)

    def _micro(
        self, totals: Mapping[str, np.int64], parameters: Mapping[str, float]
    ) -> dict[str, Any]:
        counts = {name: np.array([total], np.float64) for name, total in totals.items()}
        values = self._table.values(counts, parameters, rows=False)
        return {name: value.item() for name, value in values.items()}

    def _macro(self) -> dict[str, float]:
        digits = self._state[:, self._values_at :].sum(axis=0).reshape(-1, _DIGITS)
        means = (exact_mean(row, int(row[3])) if row[3] else float("nan") for row in digits)
        return dict(zip(self._ordered, means, strict=True))

    def _sums(self) -> UnitSums:
        """Return the sums of the resampling units that have pairs."""
        units = np.flatnonzero(self._state[:, 0])
        state = self._state[units]
        counts = dict(zip(self._names, state[:, 1 : self._values_at].T, strict=True))
        kept = (state.shape[1] - self._values_at) // _DIGITS  # measures; none for micro averages
        digits = state[:, self._values_at :].reshape(len(units), kept, _DIGITS)
        whole, high, low, number = np.moveaxis(digits, 2, 0)
        values = (whole + (high + low / HALF) / HALF).T
        return UnitSums(
            units.astype(np.uint64),
            counts,
            dict(zip(self._ordered, values, strict=False)),
            dict(zip(self._ordered, number.T, strict=False)),
            of_several=self.pairs > BUCKETS,
        )

    def reset(self) -> None:
        """Remove all pairs.

        >>> import segscore
        >>> metric = segscore.Metric("pk")
        >>> metric.update(reference=[2], hypothesis=[2], n_units=4)
        >>> metric.reset()
        >>> metric.pairs, metric.compute()
        (0, {'pk': None})
        """
        self._state = np.zeros((BUCKETS, self._columns), np.int64)
        self._added = 1  # the number of states that this one is the sum of
        self._nameless = 0  # how many of them have pairs without a name

    @property
    def pairs(self) -> int:
        """The number of pairs that were added."""
        return int(self._state[:, 0].sum())

    @property
    def state(self) -> "Ints":
        """A copy of the sums by resampling unit; states of equal metrics can be added.

        >>> import segscore
        >>> segscore.Metric("pk").state.dtype
        dtype('int64')

        The last numbers say how many states it is the sum of, in how many of them pairs have no
        name, and with which settings they were computed. Assigning a state replaces all pairs.

        Raises:
            Refused: the vector is of another metric, or its settings were different.
        """
        mark = [self._nameless, self._added, self._added * self._fingerprint]
        return np.concatenate([self._state.reshape(-1), np.array(mark, np.int64)])

    @state.setter
    def state(self, vector: "Ints") -> None:
        given = np.asarray(vector)
        size = self._state.size + _MARK
        if given.shape != (size,) or given.dtype.kind not in "iu":
            raise Refused(
                f"state: must be {size} integers, the state of a Metric of the same "
                f"measures and average ({self.average}), not {given.dtype} of shape {given.shape}"
            )
        nameless, added, mark = given[-_MARK:].tolist()
        if not 0 <= nameless <= added or added < 1 or mark != added * self._fingerprint:
            raise Refused(
                "state: comes from a Metric with other settings, measures or average; create both "
                f"alike (this one: {self.signature})"
            )
        self._added, self._nameless = added, nameless
        self._state = given[:-_MARK].astype(np.int64).reshape(self._state.shape)

    def __add__(self, other: "Metric | int") -> "Metric":
        """Return a metric with the pairs of two, such as of two processes.

        Raises:
            Refused: the settings, measures or averages differ.
        """
        if not isinstance(other, Metric):
            is_zero = isinstance(other, int) and other == 0  # where `sum` starts
            return self if is_zero else NotImplemented
        if self._fingerprint != other._fingerprint:
            raise Refused("metrics: their settings, measures or averages differ; create both alike")
        both = Metric.__new__(Metric)
        both.__setstate__(self.__getstate__())
        both.state = self.state + other.state
        return both

    __radd__ = __add__

    def __getstate__(self) -> tuple[Any, ...]:
        marks = self._added, self._nameless
        return self.settings, self.measures, self.average, self._state, marks

    def __setstate__(self, kept: tuple[Any, ...]) -> None:
        settings, measures, average, self._state, marks = kept
        self._added, self._nameless = marks
        self._prepare(settings, measures, average)

    @property
    def signature(self) -> str:
        """One line that states how the values are computed.

        >>> import segscore
        >>> segscore.Metric("pk", window=5).signature.split("|")[1]
        'window:fixed,5'
        """
        return self.settings.signature(
            estimator(np.zeros(1, np.uint64)), self.settings.boundary_types or None
        )

    def __repr__(self) -> str:
        return f"Metric({', '.join(map(repr, self.measures))}; {counted(self.pairs, 'pair')})"

    def _units(self, rows: int, document_ids: list[str] | None) -> Any:
        """Return the resampling unit of each pair, shape (rows,)."""
        if document_ids is None:
            self._nameless = max(1, self._nameless)
            return (self.pairs + np.arange(rows)) % BUCKETS
        import pyarrow as pa

        from segscore.pipeline.arrays.document_ids import hash_names

        return buckets(hash_names(pa.array(document_ids, pa.string())).hashes)

    def _parameters(self, counts: Mapping[str, np.int64]) -> dict[str, float]:
        return parameters_of(self.settings, self.settings.boundary_types or (1,), counts)


def _digits(values: Any) -> Any:
    """Split values into three digits and whether they are defined, shape (values, 4)."""
    known = np.isfinite(values)
    number = np.where(known, values, 0.0)
    whole = np.trunc(number)
    high = np.trunc((number - whole) * HALF)
    low = np.rint(((number - whole) * HALF - high) * HALF)
    return np.stack([whole, high, low, known], axis=1).astype(np.int64)
