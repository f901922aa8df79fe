"""Count what a scoring run warns of: attributes that differ between tables, early positions."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from segscore.pipeline.arrays.ragged import Ints, Ragged
from segscore.pipeline.scoring.pairs import Hypotheses, Pairs
from segscore.pipeline.scoring.references import References

Noticed = dict[str, int]
"""Numbers by what they count; those of several parts are added up."""

_DIFFERS, _POSITIONS, _LATE = "differs: ", "positions: ", "late: "
_FEWEST = 3
"""The fewest positions of a table that are said to be early."""


def notice_pairs(
    hypotheses: Hypotheses, pairs: Pairs, references: References, group_by: Collection[str]
) -> Noticed:
    """Count the attributes that differ, and the positions, of some hypotheses and references.

    Args:
        hypotheses: some hypotheses.
        pairs: the hypotheses with their references.
        references: the references of the run.
        group_by: the group-by columns.
    """
    counts: Noticed = {}
    own_names = hypotheses.attributes.column_names
    for name in group_by:
        if name in own_names and name in references.attributes.column_names:
            own = pairs.hypothesis_column(hypotheses.attributes.column(name))
            used = references.attributes.column(name).take(pa.array(pairs.ref_row))
            if own.type != used.type:
                own, used = own.cast(pa.string()), used.cast(pa.string())
            differs = np.asarray(pc.fill_null(pc.not_equal(own, used), False), bool)
            counts[_DIFFERS + name] = len(np.unique(pairs.hyp_row[differs]))
    rows = np.unique(pairs.ref_row)
    units = references.units[references.document]
    sides = {
        "hypotheses": (
            hypotheses.side.in_units,
            np.arange(len(hypotheses.document)),
            references.units[hypotheses.document],
        ),
        "references": (references.side.in_units, rows, units[rows]),
    }
    for table, (boundaries, chosen, n_units) in sides.items():
        positions, late = _count_late(boundaries, chosen, n_units)
        counts |= {_POSITIONS + table: positions, _LATE + table: late}
    return counts


def _count_late(boundaries: Ragged, rows: Ints, n_units: Ints) -> tuple[int, int]:
    """Count the positions of rows, and the rows that have one after a hundredth of the length."""
    lengths = boundaries.lengths[rows]
    filled = lengths > 0
    last = boundaries.values[boundaries.offsets[rows[filled] + 1] - 1].astype(np.int64)
    return int(lengths.sum()), int((last * 100 > n_units[filled]).sum())


def add_noticed(parts: Iterable[Noticed]) -> Noticed:
    """Add up what was noticed in parts of a run."""
    total: Counter[str] = Counter()
    for part in parts:
        total.update(part)
    return dict(total)


def warn_of_noticed(noticed: Mapping[str, int]) -> list[str]:
    """Return a warning for each attribute that differs, and each table of early positions."""
    warnings = []
    for name, number in sorted(noticed.items()):
        if name.startswith(_DIFFERS) and number:
            warnings.append(
                f"--group-by {name.removeprefix(_DIFFERS)}: in {number} hypotheses, it is not what "
                "the references or documents say; their value is used"
            )
        table = name.removeprefix(_POSITIONS)
        if name.startswith(_POSITIONS) and number >= _FEWEST and not noticed[_LATE + table]:
            warnings.append(
                f"{table}: all positions ({number}) are in the first hundredth of their document; "
                "check that boundaries and n_units are in the same unit"
            )
    return warnings
