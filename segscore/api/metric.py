"""Add up the counts of many pairs, as a metric in a training loop does."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from segscore.api.measures import require_measure
from segscore.api.score import (
    P_SEG_COUNTS,
    as_pair,
    count_pair,
    defined,
    pair_settings,
    parameters_of,
    require_sum,
)
from segscore.pipeline.errors import Refused
from segscore.pipeline.measures import PAIRS
from segscore.pipeline.settings.measuring import MeasuringSettings
from segscore.pipeline.settings.ranges import MOST_REPLICATES, check_seed, within
from segscore.pipeline.statistics.bootstrap import (
    BUCKETS,
    buckets,
    estimator,
    interval,
    replicate_sums,
    weights,
)

if TYPE_CHECKING:
    from segscore.api.segmentation import Segmentation, WholeNumbers
    from segscore.pipeline.arrays.ragged import Ints


class Metric:
    """Micro averages over pairs that are added one at a time.

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

    Attributes:
        settings: how pairs are measured.
    """

    def __init__(self, *measures: str, **settings: Any) -> None:
        """Create an empty metric.

        Args:
            measures: names of measures of pairs; by default the same as in a run.
            settings: as in `segscore.score`. Boundary types must be declared.

        Raises:
            Refused: a measure does not exist, or a setting is invalid.
        """
        for name in measures:
            require_measure(name, PAIRS.measures)
        given = {**settings, "measures": measures} if measures else settings
        self.settings: MeasuringSettings = pair_settings(given)
        require_sum(self.settings)
        self._table = self.settings.selection.pairs
        self.measures = measures or self._table.measures
        used = self._table.used_by(self._table.measures)
        needed = {*used, *P_SEG_COUNTS} if "p_seg" in used else used
        self._names = [name for name in self._table.counts if name in needed]
        self.reset()

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
        ref, hyp = as_pair(reference, hypothesis, n_units)
        counted = count_pair(ref, hyp, self.settings)
        if counted.typed and not self.settings.boundary_types:
            raise Refused("boundary_types: must be declared, as Metric(..., boundary_types=(1, 2))")
        state = self._state[self._unit(document_id)]
        state[0] += 1
        counts = dict(zip(counted.table.counts, counted.counts, strict=True))
        state[1:] += [counts[name] for name in self._names]

    def compute(self, *, replicates: int = 0, seed: int = 0) -> dict[str, float | None]:
        """Return the micro average of each measure; None if it is undefined.

        >>> import segscore
        >>> metric = segscore.Metric("pk")
        >>> for hypothesis in ([2], [3], [5, 6], []):
        ...     metric.update(reference=[2], hypothesis=hypothesis, n_units=10)
        >>> sorted(metric.compute(replicates=100))
        ['pk', 'pk_ci_high', 'pk_ci_low']

        Args:
            replicates: number of bootstrap replicates. Unless it is 0, the result also contains the
                ends of the 95 % interval of each measure, such as pk_ci_low and pk_ci_high.
            seed: seed of the bootstrap.

        Raises:
            Refused: a number is out of range.
        """
        within("--replicates", replicates, 0, MOST_REPLICATES)
        check_seed(seed)
        totals = self._state[:, 1:].sum(axis=0)[None].astype(np.float64)
        # P_seg is fixed for all replicates, as it is in a run.
        counts = dict(zip(self._names, self._state[:, 1:].sum(axis=0)[:, None], strict=True))
        parameters = self._parameters(counts)
        values = self._evaluated(totals, parameters)
        micro = {name: defined(values[name][0]) for name in self.measures}
        if not replicates:
            return micro
        units = np.flatnonzero(self._state[:, 0])
        sums = self._state[units, 1:].astype(np.float64)
        drawn = weights(units.astype(np.uint64), seed, replicates)
        again = self._evaluated(replicate_sums(sums, drawn), parameters)
        result: dict[str, float | None] = {}
        for name, value in micro.items():
            known = value is not None and len(units) > 1
            low, high = interval(again[name]) if known else (float("nan"),) * 2
            result |= {
                name: value,
                f"{name}_ci_low": defined(low),
                f"{name}_ci_high": defined(high),
            }
        return result

    def reset(self) -> None:
        """Remove all pairs.

        >>> import segscore
        >>> metric = segscore.Metric("pk")
        >>> metric.update(reference=[2], hypothesis=[2], n_units=4)
        >>> metric.reset()
        >>> metric.pairs, metric.compute()
        (0, {'pk': None})
        """
        self._state = np.zeros((BUCKETS, 1 + len(self._names)), np.int64)

    @property
    def pairs(self) -> int:
        """The number of pairs that were added."""
        return int(self._state[:, 0].sum())

    @property
    def state(self) -> "Ints":
        """A copy of the sums of counts by resampling unit; states of equal metrics can be added.

        >>> import segscore
        >>> segscore.Metric("pk").state.dtype
        dtype('int64')

        Assigning a state replaces all pairs.

        Raises:
            Refused: the vector does not fit this metric.
        """
        return self._state.reshape(-1).copy()

    @state.setter
    def state(self, vector: "Ints") -> None:
        given = np.asarray(vector)
        if given.shape != (self._state.size,) or given.dtype.kind not in "iu":
            raise Refused(
                f"state: must be {self._state.size} integers, the state of a Metric of the same "
                f"measures, not {given.dtype} of shape {given.shape}"
            )
        self._state = given.astype(np.int64).reshape(self._state.shape)

    @property
    def signature(self) -> str:
        """One line that states how the values are computed.

        >>> import segscore
        >>> segscore.Metric("pk", window=5).signature.split("|")[1]
        'window:fixed,5'
        """
        return self.settings.signature(
            estimator(BUCKETS + 1, 1), self.settings.boundary_types or None
        )

    def __repr__(self) -> str:
        return f"Metric({', '.join(map(repr, self.measures))}; {self.pairs} pairs)"

    def _unit(self, document_id: str | None) -> int:
        """Return the resampling unit of a document."""
        if document_id is None:
            return self.pairs % BUCKETS
        import pyarrow as pa

        from segscore.pipeline.arrays.document_ids import hash_names

        return int(buckets(hash_names(pa.array([document_id], pa.string())).hashes)[0])

    def _parameters(self, counts: Mapping[str, "Ints"]) -> dict[str, float]:
        return parameters_of(self.settings, self.settings.boundary_types or (1,), counts)

    def _evaluated(self, sums: Any, parameters: Mapping[str, float]) -> dict[str, Any]:
        """Compute the measures from sums of counts, shape (n, counts)."""
        counts = dict(zip(self._names, sums.T, strict=True))
        return self._table.values(counts, parameters, rows=False)
