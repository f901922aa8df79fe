"""Find the attributes that have values of several types, and where the types begin to differ."""

from collections.abc import Callable, Iterable

import pyarrow as pa
import pyarrow.compute as pc

from segscore.pipeline.tables.parsed_table import FirstValues, attribute_names, mixed_attributes
from segscore.pipeline.tables.rows import shown

_NO_VALUES = pa.list_(pa.null())
"""Type of a list without a value, which every list may be."""

Located = tuple[pa.Table, Callable[[int], tuple[str, int]]]
"""Rows as stated, and the file and the line, from 1, of the row with a number."""


def find_first_values(blocks: Iterable[Located], skipped: int = 0) -> dict[str, FirstValues]:
    """Return the first value of each type of each attribute, with lines from 1.

    Each block is a part of the rows, and ``skipped`` is subtracted from all lines.
    """
    found: dict[str, FirstValues] = {}
    for block in blocks:
        mixed = mixed_attributes(block[0])
        for name in attribute_names(block[0]):
            first_values = mixed.get(name) or _first_value(block, name)
            for kind, (url, line, value) in first_values.items():
                found.setdefault(name, {}).setdefault(kind, (url, line - skipped, value))
    return found


def _first_value(block: Located, name: str) -> FirstValues:
    """Return the first value of an attribute that has one type in a block."""
    table, place_of = block
    column = table.column(name).combine_chunks()
    kind = column.type
    rows = pc.indices_nonzero(pc.is_valid(column))
    if pa.types.is_list(kind):
        has_value = pc.is_valid(pc.list_flatten(column))
        with_values = pc.list_parent_indices(column).filter(has_value)
        kind, rows = (kind, with_values) if len(with_values) else (_NO_VALUES, rows)
    if not len(rows):
        return {}
    row = rows[0].as_py()
    return {str(kind): (*place_of(row), shown(column[row].as_py()))}


def describe_mixed(found: Iterable[tuple[dict[str, FirstValues], int]]) -> list[str]:
    """Describe each attribute with values of several types, in a line that names the first two.

    For each part of the input, it is given what ``find_first_values`` returned, and the number to
    add to its lines.
    """
    joined: dict[str, FirstValues] = {}
    for first_values, before in found:
        for name, values in first_values.items():
            for kind, (url, line, value) in values.items():
                joined.setdefault(name, {}).setdefault(kind, (url, line + before, value))
    described = (_describe(name, values) for name, values in sorted(joined.items()))
    return [line for line in described if line is not None]


def _describe(name: str, values: FirstValues) -> str | None:
    empty = str(_NO_VALUES)
    if any(kind.startswith("list") and kind != empty for kind in values):
        values = {kind: place for kind, place in values.items() if kind != empty}
    if len(values) == 1:
        return None
    (first_url, first_line, first), (url, line, value), *_ = values.values()
    return f"{url}:{line}: attribute {name} is {value}, but {first} at {first_url}:{first_line}"
