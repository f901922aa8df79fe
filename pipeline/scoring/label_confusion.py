"""Count the units for which each system's label stood where the reference has another, or its own.

Two segments that overlap by L units add L to the cell of their labels.
"""

import numpy as np
import pyarrow as pa

from segscore.pipeline.arrays.kernel import kernel
from segscore.pipeline.arrays.ragged import Ints, row_values
from segscore.pipeline.measures.items import ItemArrays
from segscore.pipeline.scoring.boundaries import Labelled
from segscore.pipeline.scoring.view import View

LabelCells = dict[tuple[str, str | None, str | None], int]
"""Units by system, label of the reference and label of the hypothesis; None for no label."""


@kernel
def _count_overlaps(
    items: tuple[ItemArrays, ItemArrays],
    codes: tuple[Ints, Ints],
    rows: tuple[Ints, Ints],
    cells: Ints,
) -> None:
    """Add the units of every overlap of two segments to the cell of their labels."""
    ref, hyp = items
    for i in range(len(rows[0])):
        r, h = ref.ends.offsets[rows[0][i]], hyp.ends.offsets[rows[1][i]]
        ref_ends = row_values(ref.ends, rows[0][i])
        here, end = 0, ref_ends[len(ref_ends) - 1]
        while here < end:
            ref_end, hyp_end = ref.ends.values[r], hyp.ends.values[h]
            until = min(ref_end, hyp_end)
            cells[codes[0][r], codes[1][h]] += until - here
            here = until
            r += until == ref_end
            h += until == hyp_end


def count_labels(view: View) -> LabelCells:
    """Count the labels of all overlaps by system; nothing if a side has no labels."""
    hypotheses, pairs = view.hypotheses, view.pairs
    ref, hyp = view.references.side.labels, hypotheses.side.labels
    if ref is None or hyp is None:
        return {}
    system = hypotheses.system.code[pairs.hyp_row]
    cells: LabelCells = {}
    for code in np.unique(system).tolist():
        of_system = np.flatnonzero(system == code)
        rows = pairs.ref_row[of_system], pairs.hyp_row[of_system]
        counted = _count(ref, hyp, rows)
        name = hypotheses.system.names[code]
        for r, h in zip(*np.nonzero(counted), strict=True):
            cells[name, ref.names[r], hyp.names[h]] = int(counted[r, h])
    return cells


def _count(ref: Labelled, hyp: Labelled, rows: tuple[Ints, Ints]) -> Ints:
    cells = np.zeros((len(ref.names), len(hyp.names)), np.int64)
    items = ref.segments.arrays, hyp.segments.arrays
    _count_overlaps(items, (ref.code, hyp.code), rows, cells)
    return cells


def tabulate_labels(cells: LabelCells) -> pa.Table:
    """Build the table of labels: hypothesis x label x label (schemas/scores.py)."""
    keys = sorted(cells, key=lambda key: (key[0], *((name is not None, name) for name in key[1:])))
    return pa.table(
        {
            "hypothesis": pa.array([key[0] for key in keys], pa.string()),
            "reference_label": pa.array([key[1] for key in keys], pa.string()),
            "hypothesis_label": pa.array([key[2] for key in keys], pa.string()),
            "units": pa.array([cells[key] for key in keys], pa.int64()),
        }
    )
