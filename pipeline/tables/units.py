"""Metadata of a Parquet file: the unit, and how it got its boundaries."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from segscore.pipeline.errors import Refused

if TYPE_CHECKING:
    import pyarrow as pa

MILLISECOND = "millisecond"
"""The unit of every recording; texts and dialogues have sentence, turn, line, token, character."""

CHARACTER = "character"
"""The unit of spans of a text."""

UNIT_KEY = "segscore.unit"
"""Key of a Parquet file's metadata: the unit that is counted, such as millisecond."""

ANSWERS_KEY = "segscore.answers"
"""Key of a Parquet file's metadata: how answers of language models were read."""

PROJECTED_KEY = "segscore.projected"
"""Key of a Parquet file's metadata: how its boundaries came from another transcript."""

REGIONS_KEY = "segscore.regions"
"""Key of a Parquet file's metadata: a digest of the regions that its documents were cut to."""

PER_SECOND = {"millisecond": 1000, "second": 1}
"""How many of each unit that is a time make a second."""

NEAR = 2
"""The limit n_t where it was not chosen: in seconds of a recording, and else in units."""

_LONG = 1000
"""Units in a segment, on average, above which the default n_t is surely not what is meant."""

_READ = 100
"""Number of characters of a value that are read."""


def units_per_second(unit: str | None, measured_in: str) -> int | None:
    """Return how many of what positions are measured in make a second; None if it is no time.

    Args:
        unit: unit of the tables; None if it is not known.
        measured_in: what positions are measured in, units or words.
    """
    return PER_SECOND.get(unit or "") if measured_in == "units" else None


def default_n_t(unit: str | None, measured_in: str) -> int:
    """Return the limit n_t of near misses where it was not chosen; see ``units_per_second``."""
    return NEAR * (units_per_second(unit, measured_in) or 1)


def describe_long_segments(name: str, units: int, segments: int) -> list[str]:
    """Return a warning if segments of an unknown unit are long, so that it may be a time.

    Args:
        name: name of the table.
        units: number of units of all segments.
        segments: number of segments.
    """
    if units <= _LONG * segments:
        return []
    return [
        f"{name}: segments have {round(units / segments):,} units on average, and only boundaries "
        f"{NEAR - 1} unit apart are near misses; score with --unit, such as millisecond, if "
        "they are times, or with --n-t, which says what a near miss is"
    ]


def with_unit(
    table: "pa.Table", unit: str | None, stated: Mapping[str, str | None] | None = None
) -> "pa.Table":
    """Return a table whose metadata state its unit and more, as far as that is known."""
    metadata = {
        key: value for key, value in {UNIT_KEY: unit, **(stated or {})}.items() if value is not None
    }
    return table.replace_schema_metadata(metadata) if metadata else table


def recorded_unit(schema: "pa.Schema") -> str | None:
    """Return the unit that `segscore import` recorded in a file; None if there is none."""
    return _recorded(schema, UNIT_KEY)


def recorded_answers(schema: "pa.Schema") -> str | None:
    """Return how an import read answers, as a field of a signature; None if it read none."""
    return _recorded_field(schema, ANSWERS_KEY)


def recorded_projection(schema: "pa.Schema") -> str | None:
    """Return how boundaries were projected, as a field of a signature; None if they were not."""
    return _recorded_field(schema, PROJECTED_KEY)


def recorded_regions(schema: "pa.Schema") -> str | None:
    """Return the digest of the regions that documents were cut to; None if they were not."""
    return _recorded_field(schema, REGIONS_KEY)


def _recorded_field(schema: "pa.Schema", key: str) -> str | None:
    found = _recorded(schema, key)
    return None if found is None else found.replace("|", "")


def _recorded(schema: "pa.Schema", key: str) -> str | None:
    name = (schema.metadata or {}).get(key.encode(), b"").decode("utf-8", "replace")
    return "".join(letter for letter in name[:_READ] if letter.isprintable()) or None


def one_unit(units: Mapping[str, str | None]) -> str | None:
    """Return the unit of files or tables; None if none of them states one.

    Each file or table is given with its unit, None if it states none.

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
