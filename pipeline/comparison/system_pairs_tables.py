"""Tables of the pairs of systems of a comparison: their differences and the tests of these."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from segscore.pipeline.comparison.pair_rows import (
    is_directed,
)
from segscore.pipeline.comparison.sentences import within_margin
from segscore.pipeline.measures.several_references import COMPARED
from segscore.pipeline.statistics.formatted_numbers import format_p, shown_change, shown_number
from segscore.pipeline.statistics.result_table import Column, ResultTable, more_in
from segscore.schemas.rows import PairRow

_ROWS = 1000
"""Maximum number of rows of a page's table."""


def columns_of_pairs(rows: Sequence[PairRow]) -> list[Column]:
    """Return the difference of each pair, whose better system comes first, and its tests."""
    heading = "system, better first" if any(map(is_directed, rows)) or not rows else "system"
    return [
        Column(heading, [row["system"] for row in rows], is_name=True),
        Column("against", [row["other"] for row in rows], is_name=True),
        Column(
            "difference",
            [row["difference"] for row in rows],
            ends=[(row["ci_low"], row["ci_high"]) for row in rows],
            interval="{} (Holm)",
            write=shown_change,
        ),
        Column("p", [row["p"] for row in rows], write=format_p),
        Column("p (Holm)", [row["p_holm"] for row in rows], write=format_p),
    ]


def _within(rows: Sequence[PairRow], margin: float | None) -> list[Column]:
    """Return whether pairs are equal within a margin, if there is one."""
    return [] if margin is None else [Column(f"within {margin:g}", [*map(within_margin, rows)])]


def all_pairs_table(rows: Sequence[PairRow], measure: str, margin: float | None) -> ResultTable:
    """Show the differences of all pairs in a measure.

    Args:
        rows: the pairs, the better system of each first; of one average.
        measure: the measure.
        margin: the difference within which systems count as equal; None without one.
    """
    documents = Column("documents", [row["documents"] for row in rows])
    return ResultTable(
        [*columns_of_pairs(rows), *_within(rows, margin), documents],
        title=f"differences in {measure}",
    )


def differences_table(
    rows: Sequence[PairRow], groups: Sequence[str], measure: str, margin: float | None
) -> ResultTable:
    """Show the differences in a measure in all groups, for a page.

    Args:
        rows: the pairs, the better system of each first; of one average.
        groups: the name of each one's group.
        measure: the measure.
        margin: the difference within which systems count as equal; None without one.
    """
    return ResultTable(
        [
            Column("group", groups, is_name=True),
            *all_pairs_table(rows, measure, margin).columns,
            Column("smallest difference", [_smallest_difference(row) for row in rows]),
        ],
        title=f"Differences in {measure}{COMPARED[measure].arrow}",
        guide="The better system of each pair comes first.",
        most=_ROWS,
        rest=partial(more_in, "comparisons"),
    )


def drawn_pairs_table(marks: Sequence[Mapping[str, Any]], first: str) -> ResultTable:
    """Show the numbers behind a chart of the first system minus each other one.

    Args:
        marks: ``name``, ``value``, ``low``, ``high`` and ``p`` of each other system.
        first: the first system.
    """
    return ResultTable(
        [
            Column("system", [mark["name"] for mark in marks], is_name=True),
            Column(
                f"{first} minus it",
                [mark["value"] for mark in marks],
                write=shown_change,
                ends=[(mark["low"], mark["high"]) for mark in marks],
                interval="{} (Holm)",
            ),
            Column("p (Holm)", [mark["p"].removeprefix("p ") for mark in marks]),
        ]
    )


def _smallest_difference(row: PairRow) -> str | None:
    """Write the range of the smallest difference that the documents can show."""
    low, high = row["smallest_difference_low"], row["smallest_difference_high"]
    return None if low is None else f"{shown_number(low)} to {shown_number(high)}"
