"""A table with a row for each segment: document, coder, role, start, end or duration, label."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from segscore.pipeline.importing.formats.asked import Asked, OpenedFile
from segscore.pipeline.importing.formats.intervals.interval_attributes import common_values
from segscore.pipeline.importing.formats.intervals.interval_cells import (
    RowCells,
    name_of,
    segment_of,
    value_of,
)
from segscore.pipeline.importing.formats.intervals.interval_columns import Columns, choose_columns
from segscore.pipeline.importing.formats.intervals.table_rows import read_table_rows
from segscore.pipeline.importing.formats.shapes import Intervals, Segment
from segscore.pipeline.tables.rows import RowPlace, role_of
from segscore.pipeline.tables.units import MILLISECOND
from segscore.schemas.input_columns import ROLE

DAY = 24 * 60 * 60 * 1000
"""Milliseconds; plain numbers that make more must say their unit."""

_Key = tuple[str | None, str | None, str | None]
"""Document, coder and role; None where the table does not say."""


def read(file: OpenedFile, asked: Asked) -> Iterator[Intervals]:
    """Yield the segments of each document and coder, in the order of their first rows.

    Raises:
        Refused: the coder or a column is missing, two columns are for one thing, a row has no
            start, a value is not a time or not a level, end and duration differ, or times without
            a unit are longer than a day.
    """
    rows = read_table_rows(file, asked)
    columns = choose_columns(rows.header, asked, rows.place)
    if "coder" not in columns.names and asked.coder is None:
        raise rows.place.refusal(
            f"no coder among the columns {', '.join(rows.header)}; name its column with --columns "
            "coder=NAME, or the coder with --coder"
        )
    if not rows.cells:
        raise file.refusal("there is no segment in it; expected a row for each segment")
    groups: dict[_Key, list[tuple[int, RowCells]]] = defaultdict(list)
    for line, cells in rows.cells:
        groups[_key(cells, columns, file.place(line))].append((line, cells))
    segments = {
        key: [segment_of(cells, columns, asked, file.place(line)) for line, cells in group]
        for key, group in groups.items()
    }
    _require_below_a_day(file, columns, [s for group in segments.values() for s in group])
    attributes = common_values([[cells for _, cells in g] for g in groups.values()], columns, file)
    for (key, group), values in zip(segments.items(), attributes, strict=True):
        document, coder, role = key
        yield Intervals(
            place=file.place(group[0].line),
            unit=MILLISECOND,
            document_id=document,
            coder=coder,
            role=role,
            segments=group,
            attributes=values,
        )


def _key(cells: RowCells, columns: Columns, place: RowPlace) -> _Key:
    document, coder, role = (value_of(cells, columns, use) for use in ("document", "coder", "role"))
    return (
        None if document is None else name_of(document, "document", place),
        None if coder is None else name_of(coder, "coder", place),
        None if role is None else role_of(role, ROLE, place),
    )


def _require_below_a_day(file: OpenedFile, columns: Columns, segments: Sequence[Segment]) -> None:
    """Refuse plain numbers that make more than a day, if nothing says that they are seconds."""
    ends = "end" if "end" in columns.names else "duration"
    plain = [s.start for s in segments] if "start" not in columns.units else []
    plain += [s.end for s in segments if s.end] if ends not in columns.units else []
    last = max((m for m in plain if ":" not in m.text), key=lambda m: m.exact, default=None)
    if last is not None and last.exact > DAY:
        raise file.refusal(
            f"the time {last.text}, taken as seconds, is {int(last.exact) * 24 // DAY} hours; if "
            "it is right, say so with --time-unit s, otherwise --time-unit ms or frames"
        )
