"""Count how often each system took one boundary type for another (Fournier 2013, eq 7)."""

from collections.abc import Iterable

import numpy as np
import pyarrow as pa

from segscore.pipeline.arrays.ragged import Ints
from segscore.pipeline.measures import edits
from segscore.pipeline.measures.pairing import TypedSides
from segscore.pipeline.measures.segmentation_pairs import pair_rows
from segscore.pipeline.measures.type_confusion import Decisions, class_confusion, no_decisions
from segscore.pipeline.scoring.counting import Rule
from segscore.pipeline.scoring.view import View
from segscore.pipeline.settings.measuring import LEVEL

Cells = dict[tuple[str, int | None], Ints]
"""For each system and level (None in a run without levels), decisions by class of the reference and
the hypothesis (``Decisions.cells``)."""


def count_classes(view: View) -> Cells:
    """Count the decisions of each system with the same pass that counts its edits."""
    hypotheses, pairs, references, rule = view.hypotheses, view.pairs, view.references, view.rule
    system = hypotheses.system.code[pairs.hyp_row]
    ref, hyp = references.side, hypotheses.side
    cells: Cells = {}
    for code in np.unique(system).tolist():
        rows = np.flatnonzero(system == code)
        ref_row, hyp_row = pairs.ref_row[rows], pairs.hyp_row[rows]
        decisions = no_decisions(rule.types)
        edits.count(
            pair_rows(ref.typed, hyp.typed, ref_row, hyp_row, references.size[ref_row]),
            rule.settings.near_limit,
            pairing=rule.settings.pairing,
            types=TypedSides(rule.types, ref.types, hyp.types),
            decided=decisions,
        )
        cells[hypotheses.system.names[code], rule.level] = decisions.cells
    return cells


def add_cells(parts: Iterable[Cells]) -> Cells:
    """Add up the decisions of disjoint sets of pairs."""
    total: Cells = {}
    for part in parts:
        for key, cells in part.items():
            total[key] = total.get(key, np.zeros_like(cells)) + cells
    return total


def tabulate_confusion(cells: Cells, rule: Rule) -> pa.Table:
    """Build the confusion table: hypothesis x type x type, by level (schemas/scores.py)."""
    settings = rule.settings
    types = {each.level: np.array(sorted(each.types), np.int64) for each in rule.levels}
    near_miss, substitution = settings.edit_constants
    tables = []
    for name, level in sorted(cells):
        table = class_confusion(
            Decisions(types[level], cells[name, level]),
            settings.near_limit,
            constant_near_miss=near_miss,
            constant_substitution=substitution,
        )
        if level is not None:
            levels = pa.array([level] * len(table), pa.int64())
            table = table.add_column(0, LEVEL, levels)
        names = pa.array([name] * len(table), pa.string())
        tables.append(table.add_column(0, "hypothesis", names))
    return pa.concat_tables(tables)
