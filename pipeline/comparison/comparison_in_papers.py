"""Tables of a comparison for a paper: pairs and ranks."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from segscore.pipeline.comparison.pair_rows import better_first
from segscore.pipeline.comparison.system_pairs_tables import columns_of_pairs
from segscore.pipeline.comparison.systems_table import column_of_ranks
from segscore.pipeline.statistics.formatted_numbers import (
    format_p,
    shown_as,
    shown_attribute,
    shown_number,
)
from segscore.pipeline.statistics.result_table import Column, ResultTable
from segscore.schemas.rows import PairRow, SystemRow, group_of


def pairs_for_papers(rows: Sequence[PairRow], by: Sequence[str]) -> ResultTable:
    """Show the difference of each pair, its interval and its tests.

    Args:
        rows: pairs of one average.
        by: the group-by columns.
    """
    pairs = [*map(better_first, rows)]
    system, against, difference, _, p = columns_of_pairs(pairs)
    heading = "difference [interval (Holm)]"
    return ResultTable(
        [
            *_groups(pairs, by),
            Column("measure", [row["measure"] for row in pairs], is_name=True),
            system,
            against,
            replace(difference, heading=heading, write=shown_number),
            p,
        ]
    )


def group_cells(row: Mapping[str, object], by: Sequence[str]) -> list[str]:
    """Return the cells that name the group of a row."""
    return ["all" if part is None else shown_attribute(part) for part in group_of(row, by)]


def _groups(rows: Sequence[Mapping[str, object]], by: Sequence[str]) -> list[Column]:
    """Return a column for each attribute of the groups."""
    cells = [group_cells(row, by) for row in rows]
    return [
        Column(name, [of_row[place] for of_row in cells], is_name=True)
        for place, name in enumerate(by)
    ]


def ranks_for_papers(
    rows: Sequence[SystemRow],
    by: Sequence[str],
    mean_ranks: Sequence[float | None],
    tests: Mapping[str, Sequence[float | None]],
) -> ResultTable:
    """Show the ranks of systems, and the tests of ranks on single documents.

    Args:
        rows: the systems by group and measure, of one average.
        by: the group-by columns.
        mean_ranks: the mean rank of each one over documents.
        tests: heading -> the p value of each row.
    """
    return ResultTable(
        [
            *_groups(rows, by),
            Column("measure", [row["measure"] for row in rows], is_name=True),
            Column("system", [row["system"] for row in rows], is_name=True),
            column_of_ranks(rows),
            Column("mean rank of documents", mean_ranks, write=partial(shown_as, form=".2f")),
            *(Column(heading, values, write=format_p) for heading, values in tests.items()),
        ]
    )
