"""Count how often each system took one boundary type for another (Fournier 2013, eq 7)."""

from collections.abc import Iterable, Mapping

import numpy as np
import pyarrow as pa

from segscore.pipeline.arrays.ragged import Ints
from segscore.pipeline.measures import edits
from segscore.pipeline.measures.pairing import TypedSides
from segscore.pipeline.measures.segmentation_pairs import pair_rows
from segscore.pipeline.measures.type_confusion import Decisions, class_confusion, no_decisions
from segscore.pipeline.scoring.pairs import Hypotheses, Pairs, Rule
from segscore.pipeline.scoring.references import References

Cells = dict[str, Ints]
"""For each system, decisions by class of the reference and the hypothesis (``Decisions.cells``)."""


def count_classes(
    hypotheses: Hypotheses, pairs: Pairs, references: References, rule: Rule
) -> Cells:
    """Count the decisions of each system with the same pass that counts its edits."""
    system = hypotheses.system.code[pairs.hyp_row]
    ref, hyp = references.side, hypotheses.side
    cells: Cells = {}
    for code in np.unique(system).tolist():
        rows = np.flatnonzero(system == code)
        ref_row, hyp_row = pairs.ref_row[rows], pairs.hyp_row[rows]
        decisions = no_decisions(rule.types)
        edits.count(
            pair_rows(ref.typed, hyp.typed, ref_row, hyp_row, references.size[ref_row]),
            rule.settings.n_t,
            pairing=rule.settings.pairing,
            types=TypedSides(rule.types, ref.types, hyp.types),
            decided=decisions,
        )
        cells[hypotheses.system.names[code]] = decisions.cells
    return cells


def add_cells(parts: Iterable[Cells]) -> Cells:
    """Add up the decisions of disjoint sets of pairs."""
    total: Cells = {}
    for part in parts:
        for name, cells in part.items():
            total[name] = total.get(name, np.zeros_like(cells)) + cells
    return total


def tabulate_confusion(cells: Mapping[str, Ints], rule: Rule) -> pa.Table:
    """Build the confusion table: hypothesis x type x type (schemas/confusion.py)."""
    settings, types = rule.settings, np.array(sorted(rule.types), np.int64)
    near_miss, substitution = settings.edit_constants
    tables = []
    for name in sorted(cells):
        table = class_confusion(
            Decisions(types, cells[name]),
            settings.n_t,
            constant_near_miss=near_miss,
            constant_substitution=substitution,
        )
        names = pa.array([name] * len(table), pa.string())
        tables.append(table.add_column(0, "hypothesis", names))
    return pa.concat_tables(tables)
