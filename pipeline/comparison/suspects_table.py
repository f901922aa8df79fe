"""The table of boundaries of references that may be wrong."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from segscore.pipeline.comparison.suspects import kind_in_words
from segscore.pipeline.statistics.formatted_numbers import shown_change, shown_position
from segscore.pipeline.statistics.result_table import Column, ResultTable, WrittenNumber, more_in

LISTED, _ON_A_PAGE = 10, 20
"""Numbers of suspects that a terminal and a page list."""


def suspects_table(rows: Sequence[Mapping[str, Any]], unit: str | None) -> ResultTable:
    """Show where references may be wrong, and which systems say so.

    Args:
        rows: the rows of `suspects`.
        unit: what positions are counted in; None if it is not known.
    """
    systems = [
        WrittenNumber(
            f"{len(row['systems_for'])} of {len(row['systems'])}", len(row["systems_for"])
        )
        for row in rows
    ]
    named = [", ".join(row["systems_for"]) for row in rows]
    return ResultTable(
        [
            Column("document", [row["document_id"] for row in rows], is_name=True),
            Column("reference", [row["reference"] for row in rows], is_detail=True),
            Column("position", [shown_position(row["position"], unit) for row in rows]),
            Column("error", [*map(kind_in_words, rows)]),
            Column("probability", [row["posterior"] for row in rows]),
            Column("systems", systems),
            Column("systems that say so", named, is_detail=True),
            Column("change of B", [row["change"] for row in rows], write=shown_change),
        ],
        title="references that may be wrong, the largest product of change and probability first",
        first=LISTED,
        most=_ON_A_PAGE,
        rest=partial(more_in, "suspects"),
    )
