"""The cells of one row of an interval table: names, times and the level."""

import re
from collections.abc import Mapping
from decimal import Decimal

from segscore.pipeline.importing.formats.asked import Asked
from segscore.pipeline.importing.formats.intervals.interval_columns import Columns
from segscore.pipeline.importing.formats.shapes import Moment, Segment
from segscore.pipeline.tables.rows import RowPlace

RowCells = Mapping[str, object]
"""Values of a row that are not empty, by column."""


def value_of(cells: RowCells, columns: Columns, use: str) -> object:
    """Return what a row has for a use; None if the cell is empty, or no column is for it."""
    return cells.get(columns.names.get(use, ""))


def name_of(value: object, use: str, place: RowPlace) -> str:
    """Return the name of a document or coder as text; refuse what is no name."""
    if isinstance(value, bool) or not isinstance(value, str | int | Decimal):
        raise place.wrong(f"the {use}", value, "a name")
    return str(value)


def segment_of(cells: RowCells, columns: Columns, asked: Asked, place: RowPlace) -> Segment:
    """Return the segment that a row states.

    Raises:
        Refused: the start is missing, a value is no time or no level, or end and duration differ.
    """
    value = value_of(cells, columns, "start")
    if value is None:
        column = columns.names["start"]
        raise place.refusal(f"the start ({column}) is empty; expected a time in every row")
    start = asked.clock.time(value, place, unit=columns.units.get("start"))
    label = value_of(cells, columns, "label")
    return Segment(
        start=start,
        end=_end(start, cells, columns, asked, place),
        line=place.line,
        level=_level(value_of(cells, columns, "level"), place),
        label=None if label is None else str(label),
    )


def _end(
    start: Moment, cells: RowCells, columns: Columns, asked: Asked, place: RowPlace
) -> Moment | None:
    """Return the end that a row states, or its start and duration together; None without both."""
    end, duration = (value_of(cells, columns, use) for use in ("end", "duration"))
    stated = None
    if end is not None:
        stated = asked.clock.time(end, place, unit=columns.units.get("end"))
    if duration is None:
        return stated
    length = asked.clock.duration(duration, place, unit=columns.units.get("duration"))
    added = Moment(start.exact + length, f"{start.text} + {duration}")
    if stated is not None and abs(stated.exact - added.exact) >= 1:
        raise place.refusal(
            f"the end is {end}, but start and duration say {added.text}; correct one, or set one "
            "aside with --columns end= or --columns duration="
        )
    return stated or added


def _level(value: object, place: RowPlace) -> int:
    text = "1" if value is None else str(value)
    if not re.fullmatch(r"[0-9]{1,9}(\.0+)?", text) or (level := int(text.split(".")[0])) < 1:
        raise place.wrong("the level", value, "a whole number, 1 for the outermost level")
    return level
