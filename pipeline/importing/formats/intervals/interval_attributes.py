"""Further columns of an interval table: attributes if they have one value in each segmentation."""

from collections.abc import Mapping, Sequence
from decimal import Decimal

from segscore.pipeline.importing.formats.asked import OpenedFile
from segscore.pipeline.importing.formats.intervals.interval_columns import Columns
from segscore.pipeline.tables.attributes import OWN_COLUMNS
from segscore.pipeline.tables.rows import Attribute

_Group = Sequence[Mapping[str, object]]


def common_values(
    groups: Sequence[_Group], columns: Columns, file: OpenedFile
) -> list[dict[str, Attribute]]:
    """Return the attributes of each group of rows; other columns are noted as not taken.

    Args:
        groups: the rows of each document and coder.
        columns: what the columns of the table are for.
        file: the file, whose notes get the names of columns that are not taken.
    """
    attributes: list[dict[str, Attribute]] = [{} for _ in groups]
    for name in columns.further:
        values = [_common(group, name) for group in groups]
        if name in OWN_COLUMNS or any(value is None for value in values):
            file.notes.add("columns_not_taken", name)
            continue
        for own, value in zip(attributes, values, strict=True):
            own.update((name, x) for x in value or ())
    for name in columns.aside:
        file.notes.add("columns_not_taken", name)
    return attributes


def _common(group: _Group, name: str) -> list[Attribute] | None:
    """Return the one value of a column in a list, or no value; None for several or a list."""
    values: dict[object, Attribute] = {}
    for cells in group:
        value = cells.get(name)
        if isinstance(value, Decimal):
            value = float(value)
        if isinstance(value, str | int | float):
            values[type(value), value] = value
        elif value is not None:
            return None
    return list(values.values()) if len(values) <= 1 else None
