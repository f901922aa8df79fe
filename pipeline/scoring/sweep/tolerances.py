"""Tolerance sweeps: the sums of the tolerance counts of hypotheses at several tolerances.

The hypotheses are read once. Each pair is counted at every tolerance, so that a row of the curve is
the micro average of a scoring run with that tolerance.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from segscore.pipeline.arrays.ragged import Ints, column
from segscore.pipeline.measures import Table, tolerance
from segscore.pipeline.measures.segmentation_pairs import pair_rows
from segscore.pipeline.scoring.boundaries import side_from_rows
from segscore.pipeline.scoring.counting import pair_up
from segscore.pipeline.scoring.hypotheses import Accepted
from segscore.pipeline.scoring.references import References

_FAMILY = Table.of(tolerance.COUNTS, tolerance.MEASURES)


@dataclass(frozen=True)
class ToleranceSums:
    """Sums over the pairs of one coder of hypotheses; ``counts`` has shape (tolerances, 8)."""

    counts: Ints

    def __post_init__(self) -> None:
        """Refuse a wrong shape, because sums may come from a file."""
        if self.counts.ndim != 2 or self.counts.shape[1] != len(_FAMILY.counts):
            raise ValueError("the shape of the sums is not (tolerances, counts)")


def count_at_tolerances(
    accepted: Accepted,
    references: References,
    tolerances: Sequence[int],
    edges: int,
    *,
    typed: bool,
) -> dict[str, ToleranceSums]:
    """Count hypotheses against all references of their documents, at each tolerance.

    Args:
        accepted: the hypotheses.
        references: the accepted references.
        tolerances: largest distances of boundaries that may be paired, in the unit of the run.
        edges: boundaries added to both sides; see ``tolerance.count``.
        typed: whether the run distinguishes boundary types; of several at a position one counts.

    Returns:
        The sums of each coder.
    """
    hypotheses = side_from_rows(accepted.rows, accepted.document, references.words, typed=typed)
    pairs = pair_up(accepted.document, references.first)
    size = references.size[pairs.ref_row]
    sides = references.side.boundaries, hypotheses.boundaries
    coders = accepted.rows.coders
    coder = coders.code[pairs.hyp_row]
    sums = {}
    for number, name in enumerate(coders.names):
        of_coder = np.flatnonzero(coder == number)
        rows = pairs.ref_row[of_coder], pairs.hyp_row[of_coder], size[of_coder]
        compared = pair_rows(*sides, *rows)
        counts = [tolerance.count(compared, limit, edges).sum(axis=1) for limit in tolerances]
        sums[name] = ToleranceSums(np.array(counts))
    return sums


def tabulate_tolerances(
    sums: Mapping[str, Ints], tolerances: Sequence[int], parameters: Mapping[str, float]
) -> pa.Table:
    """Build the table tolerances (schemas/curves.py): by hypothesis, tolerances ascending."""
    counts = dict(zip(_FAMILY.counts, np.concatenate([*sums.values()]).T, strict=True))
    values = _FAMILY.values(counts, parameters, rows=False)
    names = np.repeat(np.arange(len(sums)), len(tolerances))
    return pa.table(
        {
            "hypothesis": pa.array([*sums], pa.string()).take(pa.array(names)),
            "tolerance": column(np.tile(np.array(tolerances, np.int64), len(sums))),
            **{name: column(array) for name, array in (counts | values).items()},
        }
    )
