"""The input table `segmentations`: references, hypotheses and codings alike."""

import pyarrow as pa
import pyarrow.compute as pc

from segscore.schemas.input_columns import SEGMENTATION_COLUMNS
from segscore.schemas.rules import (
    at_least,
    check_rows,
    elements,
    elements_at_least,
    given,
    input_schema,
    no_null_inside,
    one_per,
    passing_rows,
    rule_column,
)


def ascending(table: pa.Table) -> pa.Array:
    """Require strictly ascending positions, or pairs (position, type) with boundary types."""
    lists = rule_column(table, "boundaries")
    rows, values = pc.list_parent_indices(lists), pc.list_flatten(lists)
    good = pc.greater(values[1:], values[:-1])
    if "boundary_types" in table.column_names:
        tie = pc.equal(values[1:], values[:-1])
        types = _types_of(table, rows)
        good = pc.or_(good, pc.and_(tie, pc.fill_null(pc.greater(types[1:], types[:-1]), False)))
    broken = pc.and_(pc.equal(rows[1:], rows[:-1]), pc.invert(pc.fill_null(good, True)))
    return passing_rows(table, rows[1:].filter(broken))


def _types_of(table: pa.Table, rows: pa.Array) -> pa.Array:
    """Return the type of each boundary, given its row; null where there is not one per boundary."""
    types = rule_column(table, "boundary_types")
    lengths = [pc.list_value_length(lists) for lists in (rule_column(table, "boundaries"), types)]
    matched = pc.fill_null(pc.equal(*lengths), False)
    of_matched = pc.list_flatten(pc.if_else(matched, types, None))
    return pc.replace_with_mask(
        pa.nulls(len(rows), types.type.value_type), matched.take(rows), of_matched
    )


def in_range(table: pa.Table) -> pa.Array:
    """Require positions in 1..n_units-1."""
    lists = rule_column(table, "boundaries")
    rows, values = pc.list_parent_indices(lists), pc.list_flatten(lists)
    units = rule_column(table, "n_units").take(rows)
    good = pc.and_(pc.greater_equal(values, 1), pc.less(values, units))
    return passing_rows(table, rows.filter(pc.invert(pc.fill_null(good, True))))


# All rules are attached to n_units although they check the whole row: Pandera copies the failing
# value of a check's column into its report, and an integer is cheaper to copy than a list of
# millions.
_IDENTITY_RULES = [
    given("document_id", "document_id must be neither null nor empty"),
    given("coder", "coder must be neither null nor empty"),
]

_LENGTH_RULE = check_rows("n_units_positive", at_least("n_units", 1), "n_units must be at least 1")

_BOUNDARY_RULES = [
    given("boundaries", "boundaries must not be null; [] is one segment"),
    no_null_inside("boundaries", "no boundary may be null"),
]

_ORDER_RULE = check_rows("boundaries_ascending", ascending, "boundaries must be strictly ascending")

_RULES = [
    *_IDENTITY_RULES,
    given(
        "n_units",
        "n_units must not be null; give it in each row, or in --documents with --length-tolerance",
    ),
    _LENGTH_RULE,
    *_BOUNDARY_RULES,
    check_rows("boundaries_in_range", in_range, "boundaries must lie in 1..n_units-1"),
    _ORDER_RULE,
]

_OPEN_ENDED_RULES = [
    *_IDENTITY_RULES,
    _LENGTH_RULE,
    *_BOUNDARY_RULES,
    check_rows(
        "boundaries_in_range", elements_at_least("boundaries", 1), "boundaries must be at least 1"
    ),
    _ORDER_RULE,
]

_TYPE_RULES = [
    *one_per("boundary", "type", "boundaries"),
    check_rows(
        "boundary_types_positive",
        elements_at_least("boundary_types", 1),
        "boundary types must be at least 1",
    ),
]

_SCORE_RULES = [
    *one_per("boundary", "score", "boundaries"),
    check_rows(
        "boundary_scores_in_range",
        elements(
            "boundary_scores",
            lambda scores: pc.and_(pc.greater_equal(scores, 0), pc.less_equal(scores, 1)),
        ),
        "boundary scores must lie in [0, 1]",
    ),
]


def one_label_per_segment(table: pa.Table) -> pa.Array:
    """Require one label more than there are different positions."""
    lists = rule_column(table, "boundaries")
    rows, values = pc.list_parent_indices(lists), pc.list_flatten(lists)
    again = pc.and_(pc.equal(rows[1:], rows[:-1]), pc.equal(values[1:], values[:-1]))
    repeated = pc.value_counts(rows[1:].filter(pc.fill_null(again, False)))
    segments = pc.fill_null(pc.list_value_length(lists), 0).to_numpy() + 1
    segments[repeated.field("values").to_numpy()] -= repeated.field("counts").to_numpy()
    labels = pc.list_value_length(rule_column(table, "segment_labels"))
    return pc.fill_null(pc.equal(labels, pa.array(segments)), True)


_LABEL_RULES = [
    check_rows(
        "segment_labels_parallel",
        one_label_per_segment,
        "segment_labels must have one label per segment, null for a segment without one",
    ),
]

_COLLAPSED_RULES = [
    check_rows(
        "collapsed_boundaries_not_negative",
        at_least("collapsed_boundaries", 0),
        "collapsed_boundaries must be at least 0",
    ),
]

_OPTIONAL_RULES = {
    "boundary_types": _TYPE_RULES,
    "boundary_scores": _SCORE_RULES,
    "segment_labels": _LABEL_RULES,
    "collapsed_boundaries": _COLLAPSED_RULES,
}

SEGMENTATIONS = input_schema(
    "segmentations",
    SEGMENTATION_COLUMNS,
    {"n_units": _RULES, **_OPTIONAL_RULES},
    "document and coder",
)

OPEN_ENDED = input_schema(
    "segmentations",
    SEGMENTATION_COLUMNS,
    {"n_units": _OPEN_ENDED_RULES, **_OPTIONAL_RULES},
    "document and coder; rows adopt the length of their document, within a tolerance",
)
