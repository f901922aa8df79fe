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
from segscore.pipeline.comparison.system_pairs_tables import columns_of_pairs
from segscore.pipeline.reports.chart_parts import MarkValues
from segscore.pipeline.reports.matrices import matrix
from segscore.pipeline.reports.page import Figure, shown_figure
from segscore.pipeline.reports.ranking import Ranking
from segscore.pipeline.results.names import is_point
from segscore.pipeline.statistics.formatted_numbers import short_number
from segscore.pipeline.statistics.result_table import ResultTable
from segscore.schemas.rows import PairRow

_SHOWN = 20
"""Maximum number of systems whose pairs are shown, the best ones."""


def difference_figure(pairs: PairRows, sample: Sample, ranking: Ranking) -> Figure:
    """Draw the differences between pairs of systems; list those of reference points, too."""
    ordered = [sample.systems[i].label for i in ranking.order(sample)]
    points = [name for name in ordered if is_point(name)]
    systems = [name for name in ordered if not is_point(name)][:_SHOWN]
    left = len(ordered) - len(points) - len(systems)
    listed = [
        row
        for row in sorted(map(better_first, pairs.values()), key=_systems_first)
        if {row["system"], row["other"]} <= {*systems, *points}
    ]
    is_matrix = len(systems) >= _LEAST_OF_MATRIX
    read = "Each cell: the system of the row is better than that of the column, by so much; "
    more = f" The best {_SHOWN} systems; {left} more are left out." if left > 0 else ""
    table = ResultTable(
        columns_of_pairs(listed),
        title=f"Difference in {ranking.measure.name}{ranking.measure.arrow}",
        guide=f"{ranking.average.capitalize()} averages. {read if is_matrix else ''}"
        f"{'* ' if is_matrix else ''}p < {SIGNIFICANT} in a paired test, adjusted by "
        "Holm for the pairs of two systems, and apart from them for those with a reference point. "
        f"The command segscore compare runs more tests.{more}",
    )
    chart = matrix([*_cells(systems, pairs)], "difference") if is_matrix else None
    return shown_figure(table, chart, folded=is_matrix, wide=True)


_LEAST_OF_MATRIX = 3
"""Number of systems from which a matrix shows more than a table does."""


def _systems_first(row: PairRow) -> tuple[bool, tuple[bool, float]]:
    """Return a sort key: pairs of systems, the largest difference first; then reference points."""
    return has_point(row), by_difference(row)


def _cells(systems: Sequence[str], pairs: PairRows) -> Iterator[MarkValues]:
    """Yield a cell for each pair of systems, in the row of the better one."""
    for name, other in permutations(systems, 2):
        row = better_first(pairs.get((name, other)) or pairs[other, name])
        if row["system"] == name:
            difference = row["difference"]
            mark = "*" if is_significant(row) else ""
            value = None if difference is None else abs(difference)
            text = short_number(value) + mark * (value is not None)
            yield {"row": name, "column": other, "value": value, "text": text, "mark": mark}
