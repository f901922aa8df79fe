"""The input table `documents`: unit lengths, and attributes to group by."""

import pandera.pyarrow as pap
import pyarrow as pa
import pyarrow.compute as pc

from segscore.schemas.input_columns import DOCUMENT_COLUMNS, MOST_WORDS
from segscore.schemas.rules import (
    at_least,
    check_rows,
    elements_at_least,
    given,
    input_schema,
    one_per,
    passing_rows,
    rule_column,
)


def not_all_zero(table: pa.Table) -> pa.Array:
    """Require a sum of lengths of at least 1."""
    lists = rule_column(table, "unit_lengths")
    rows, values = pc.list_parent_indices(lists), pc.list_flatten(lists)
    positive = pc.unique(rows.filter(pc.greater(values, 0)))
    has_list = pc.fill_null(pc.greater(pc.list_value_length(lists), 0), False)
    listed = pc.indices_nonzero(has_list).cast(pa.int64())
    return passing_rows(table, listed.filter(pc.invert(pc.is_in(listed, value_set=positive))))


def total_in_range(table: pa.Table) -> pa.Array:
    """Require a sum of lengths of at most 2^31 - 1, because positions in words are int32."""
    lists = rule_column(table, "unit_lengths")
    rows, values = pc.list_parent_indices(lists), pc.list_flatten(lists)
    lengths = pa.table({"row": rows, "length": values.cast(pa.int64())})
    totals = lengths.group_by("row").aggregate([("length", "sum")])
    broken = pc.greater(totals.column("length_sum"), MOST_WORDS)
    return passing_rows(table, totals.column("row").filter(pc.fill_null(broken, False)))


_RULES = [
    given("document_id", "document_id must be neither null nor empty"),
    given("n_units", "n_units must not be null"),
    check_rows("n_units_positive", at_least("n_units", 1), "n_units must be at least 1"),
]


def _list_rules(part: str) -> list[pap.Check]:
    """Return the rules of a list that has a number from 0 for each unit."""
    name = f"unit_{part}s"
    not_negative = elements_at_least(name, 0)
    return [
        *one_per("unit", part, "n_units"),
        check_rows(f"{name}_not_negative", not_negative, f"unit {part}s must be at least 0"),
    ]


_TOTAL_RULES = [
    check_rows("unit_lengths_not_all_zero", not_all_zero, "unit lengths must add up to at least 1"),
    check_rows(
        "unit_lengths_in_range", total_in_range, "unit lengths must add up to at most 2^31 - 1"
    ),
]

DOCUMENTS = input_schema(
    "documents",
    DOCUMENT_COLUMNS,
    {
        "n_units": _RULES,
        "unit_lengths": [*_list_rules("length"), *_TOTAL_RULES],
        "unit_weights": _list_rules("weight"),
    },
    "document",
)
