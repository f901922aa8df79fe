"""Differences between pairs of systems, and whether they could be due to chance."""

from collections.abc import Iterator, Sequence
from itertools import permutations

from segscore.pipeline.comparison.certainty import PairRows
from segscore.pipeline.comparison.pair_rows import (
    SIGNIFICANT,
    better_first,
    by_difference,
    has_point,
    is_significant,
)
from segscore.pipeline.comparison.samples import Sample
from segscore.pipeline.reports.chart_parts import MarkValues
from segscore.pipeline.reports.matrices import heat
from segscore.pipeline.reports.page import Cell, Figure, NumberCell, PageTable
from segscore.pipeline.reports.ranking import Ranking
from segscore.pipeline.scoring.names import is_point
from segscore.pipeline.statistics.shown_numbers import shown_p
from segscore.schemas.rows import PairRow, number_in

_SHOWN = 20
"""Maximum number of systems whose pairs are shown, the best ones."""

LISTED = ("difference", "ci_low", "ci_high", "p", "p_holm")
_HEADINGS = ("system, better first", "against", "difference", "from (Holm)", "to", "p", "p (Holm)")


def difference_figure(pairs: PairRows, sample: Sample, ranking: Ranking) -> Figure:
    """Draw the differences between pairs of systems; list those of reference points, too."""
    left = len(sample.systems) - _SHOWN
    best = [sample.systems[i].label for i in ranking.order(sample)[:_SHOWN]]
    systems = [name for name in best if not is_point(name)]
    cells: list[list[Cell]] = [
        [row["system"], row["other"], *(_difference_cell(row, name) for name in LISTED)]
        for row in sorted(map(better_first, pairs.values()), key=_systems_first)
        if {row["system"], row["other"]} <= {*best}
    ]
    is_matrix = len(systems) >= _LEAST_OF_MATRIX
    read = "Each cell: the system of the row is better than that of the column, by so much; "
    more = f" The best {_SHOWN} systems; {left} more are left out." if left > 0 else ""
    return Figure(
        f"Difference in {ranking.measure.name}{ranking.measure.arrow}",
        f"{ranking.average.capitalize()} averages. {read if is_matrix else ''}"
        f"{'* ' if is_matrix else ''}p < {SIGNIFICANT} in a paired test, adjusted by "
        "Holm for the pairs of two systems, and apart from them for those with a reference point. "
        f"The command segscore compare runs more tests.{more}",
        table=PageTable(_HEADINGS, cells),
        chart=heat([*_cells(systems, pairs)], "difference") if is_matrix else None,
        folded=is_matrix,
        wide=True,
    )


_LEAST_OF_MATRIX = 3
"""Number of systems from which a matrix shows more than a table does."""


def _systems_first(row: PairRow) -> tuple[bool, tuple[bool, float]]:
    """Return a sort key: pairs of systems, the largest difference first; then reference points."""
    return has_point(row), by_difference(row)


def _difference_cell(row: PairRow, column: str) -> Cell:
    value = number_in(row, column)
    return NumberCell(shown_p(value), value) if column.startswith("p") else value


def _cells(systems: Sequence[str], pairs: PairRows) -> Iterator[MarkValues]:
    """Yield a cell for each pair of systems, in the row of the better one."""
    for name, other in permutations(systems, 2):
        row = better_first(pairs.get((name, other)) or pairs[other, name])
        if row["system"] == name:
            difference = row["difference"]
            mark = "*" if is_significant(row) else ""
            value = None if difference is None else abs(difference)
            text = "–" if value is None else f"{value:.3f}{mark}"
            yield {"row": name, "column": other, "value": value, "text": text, "mark": mark}
