"""Row rules, mostly about list columns: each returns, for every row, whether it obeys the rule.

A row whose list is null obeys the rules about the list's contents; another rule rejects the null.
"""

from collections.abc import Callable, Mapping, Sequence

import pandera.pyarrow as pap
import pyarrow as pa
import pyarrow.compute as pc
from pandera.pyarrow import PyArrowData

from segscore.schemas.input_columns import InputColumn

RowRule = Callable[[pa.Table], pa.Array]


def check_rows(name: str, rule: RowRule, description: str) -> pap.Check:
    """Make a named Pandera check from a row rule."""

    def judge(data: PyArrowData) -> pa.Array:
        return rule(data.table)

    return pap.Check(judge, name=name, description=description)


def input_schema(
    name: str,
    columns: Sequence[InputColumn],
    rules: Mapping[str, list[pap.Check]],
    description: str,
) -> pap.DataFrameSchema:
    """Make the Pandera schema of an input table.

    The rules are by the name of the column that they are reported under. The description says what
    a row is about.
    """
    return pap.DataFrameSchema(
        {
            column.name: pap.Column(
                column.type,
                rules.get(column.name),
                nullable=True,
                required=column.required,
                description=column.description,
            )
            for column in columns
        },
        name=name,
        strict=False,
        description=description,
    )


def rule_column(table: pa.Table, name: str) -> pa.Array:
    """Return a column as one array."""
    chunks = table.column(name)
    return chunks.chunk(0) if chunks.num_chunks == 1 else chunks.combine_chunks()


def passing_rows(table: pa.Table, broken: pa.Array) -> pa.Array:
    """Return a mask of the rows that obey a rule, from the numbers of those that break it."""
    mask = bytearray(b"\x01") * table.num_rows
    for row in broken.to_pylist():
        mask[row] = 0
    # Convert bytes to bits without creating a Python object per row.
    flags = pa.Array.from_buffers(pa.int8(), table.num_rows, [None, pa.py_buffer(bytes(mask))])
    return pc.cast(flags, pa.bool_())


def given(name: str, description: str) -> pap.Check:
    """Require a value that is neither null nor the empty string."""

    def rule(table: pa.Table) -> pa.Array:
        values = rule_column(table, name)
        present = pc.is_valid(values)
        if pa.types.is_string(values.type):
            return pc.and_(present, pc.fill_null(pc.not_equal(values, ""), False))
        return present

    return check_rows(f"{name}_given", rule, description)


def at_least(name: str, least: int) -> RowRule:
    """Require a number of at least ``least``; null passes."""
    return lambda table: pc.fill_null(pc.greater_equal(rule_column(table, name), least), True)


def no_null_inside(name: str, description: str) -> pap.Check:
    """Require that no element of the list is null."""

    def rule(table: pa.Table) -> pa.Array:
        lists = rule_column(table, name)
        rows, values = pc.list_parent_indices(lists), pc.list_flatten(lists)
        return passing_rows(table, rows.filter(pc.is_null(values)))

    return check_rows(f"{name}_no_null", rule, description)


def elements(name: str, good: Callable[[pa.Array], pa.Array]) -> RowRule:
    """Require that every element of the list satisfies ``good``; null elements pass."""

    def rule(table: pa.Table) -> pa.Array:
        lists = rule_column(table, name)
        rows, values = pc.list_parent_indices(lists), pc.list_flatten(lists)
        return passing_rows(table, rows.filter(pc.invert(pc.fill_null(good(values), True))))

    return rule


def elements_at_least(name: str, least: int) -> RowRule:
    """Require that every element of the list is at least ``least``; null elements pass."""
    return elements(name, lambda values: pc.greater_equal(values, least))


def one_per(whole: str, part: str, counted: str) -> list[pap.Check]:
    """Require that a list has an element, which is not null, for each whole: unit or boundary.

    The list is named after both, such as unit_lengths.  The column ``counted`` says how many wholes
    there are: it is their number, or a list of them.
    """
    name = f"{whole}_{part}s"

    def rule(table: pa.Table) -> pa.Array:
        counts = rule_column(table, counted)
        if pa.types.is_list(counts.type):
            counts = pc.list_value_length(counts)
        return pc.fill_null(pc.equal(pc.list_value_length(rule_column(table, name)), counts), True)

    return [
        check_rows(f"{name}_parallel", rule, f"{name} must have one {part} per {whole}"),
        no_null_inside(name, f"no {whole} {part} may be null"),
    ]
