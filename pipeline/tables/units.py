"""The unit of positions and lengths, which the metadata of a Parquet file may state."""

from collections.abc import Mapping

import pyarrow as pa

from segscore.pipeline.errors import Refused

MILLISECOND = "millisecond"
"""The unit of every recording; texts and dialogues have sentence, turn, line, token, character."""

UNIT_KEY = "segscore.unit"
"""Key of a Parquet file's metadata: the unit that is counted, such as millisecond."""

PER_SECOND = {"millisecond": 1000, "second": 1}
"""How many of each unit that is a time make a second."""

_SHOWN = 40
"""Number of characters of a unit's name that are read."""


def with_unit(table: pa.Table, unit: str | None) -> pa.Table:
    """Return a table that records its unit, if that is known."""
    return table if unit is None else table.replace_schema_metadata({UNIT_KEY: unit})


def recorded_unit(schema: pa.Schema) -> str | None:
    """Return the unit that `segscore import` recorded in a file; None if there is none."""
    name = (schema.metadata or {}).get(UNIT_KEY.encode(), b"").decode("utf-8", "replace")
    return "".join(letter for letter in name[:_SHOWN] if letter.isprintable()) or None


def one_unit(units: Mapping[str, str | None]) -> str | None:
    """Return the unit of files or tables; None if none of them states one.

    Args:
        units: file or table -> its unit, None if it states none.

    Raises:
        Refused: there are two different units.
    """
    first: dict[str, str] = {}
    for name, unit in units.items():
        if unit is not None:
            first.setdefault(unit, name)
    if len(first) > 1:
        (one, other), (unit, other_unit) = list(first.values())[:2], list(first)[:2]
        raise Refused(
            f"{other}: its unit is the {other_unit}, but that of {one} is the {unit}; import both "
            "in the same unit"
        )
    return next(iter(first), None)
