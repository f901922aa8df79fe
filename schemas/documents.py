"""The input table `documents`: unit lengths, and attributes to group by."""

import pyarrow as pa
import pyarrow.compute as pc

from segscore.schemas.input_columns import DOCUMENT_COLUMNS, MOST_WORDS
from segscore.schemas.rules import (
    RowRule,
    at_least,
    check_rows,
    elements,
    input_schema,
    no_null_inside,
    not_empty,
    passing_rows,
    rule_column,
)


def as_many_as_units(name: str) -> RowRule:
    """Require one element of the list per unit."""

    def rule(table: pa.Table) -> pa.Array:
        lengths = pc.list_value_length(rule_column(table, name))
        return pc.fill_null(pc.equal(lengths, rule_column(table, "n_units")), True)

    return rule


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
    check_rows(
        "document_id_given", not_empty("document_id"), "document_id must be neither null nor empty"
    ),
    check_rows("n_units_given", not_empty("n_units"), "n_units must not be null"),
    check_rows("n_units_positive", at_least("n_units", 1), "n_units must be at least 1"),
]

_LENGTH_RULES = [
    check_rows(
        "unit_lengths_parallel",
        as_many_as_units("unit_lengths"),
        "unit_lengths must have one length per unit",
    ),
    check_rows(
        "unit_lengths_no_null", no_null_inside("unit_lengths"), "no unit length may be null"
    ),
    check_rows(
        "unit_lengths_not_negative",
        elements("unit_lengths", lambda lengths: pc.greater_equal(lengths, 0)),
        "unit lengths must be at least 0",
    ),
    check_rows("unit_lengths_not_all_zero", not_all_zero, "unit lengths must add up to at least 1"),
    check_rows(
        "unit_lengths_in_range", total_in_range, "unit lengths must add up to at most 2^31 - 1"
    ),
]

_WEIGHT_RULES = [
    check_rows(
        "unit_weights_parallel",
        as_many_as_units("unit_weights"),
        "unit_weights must have one weight per unit",
    ),
    check_rows(
        "unit_weights_no_null", no_null_inside("unit_weights"), "no unit weight may be null"
    ),
    check_rows(
        "unit_weights_not_negative",
        elements("unit_weights", lambda weights: pc.greater_equal(weights, 0)),
        "unit weights must be at least 0",
    ),
]

DOCUMENTS = input_schema(
    "documents",
    DOCUMENT_COLUMNS,
    {"n_units": _RULES, "unit_lengths": _LENGTH_RULES, "unit_weights": _WEIGHT_RULES},
    "document",
)
