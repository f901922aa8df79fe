"""A table with a row for each segment: document, coder, role, start, end or duration, label."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import pairwise

from segscore.pipeline.importing.formats.format import (
    CSV_ENDINGS,
    FRAMES,
    JSON_LINES_ENDINGS,
    PARQUET_ENDINGS,
    Format,
)
from segscore.pipeline.importing.formats.interval_columns import (
    TIMES,
    Columns,
    choose_columns,
    has_start,
)
from segscore.pipeline.importing.formats.table_rows import TableRows, read_table_rows
from segscore.pipeline.importing.opened_file import OpenedFile
from segscore.pipeline.importing.settings import ImportSettings
from segscore.pipeline.importing.shapes import Intervals, Moment, Segment
from segscore.pipeline.importing.times import Clock, Ruler
from segscore.pipeline.tables.attributes import OWN_COLUMNS
from segscore.pipeline.tables.rows import Attribute, RowPlace, role_of
from segscore.pipeline.tables.units import MILLISECOND
from segscore.schemas.input_columns import ROLE

RowCells = Mapping[str, object]
"""Values of a row that are not empty, by column."""


def value_of(cells: RowCells, columns: Columns, use: str) -> object:
    """Return what a row has for a use; None if the cell is empty, or no column is for it."""
    return cells.get(columns.names.get(use, ""))


def name_of(value: object, use: str, place: RowPlace) -> str:
    """Return the name of a document or coder as text; reject values that are not names."""
    if isinstance(value, bool) or not isinstance(value, str | int | Decimal):
        raise place.wrong(f"the {use}", value, "a name")
    return str(value)


def segment_of(cells: RowCells, columns: Columns, clock: Clock | Ruler, place: RowPlace) -> Segment:
    """Return the segment that a row states; the clock reads its start and end.

    Raises:
        Refused: the start is missing, a value is not a time or not a level, or end and duration
            differ.
    """
    value = value_of(cells, columns, "start")
    if value is None:
        column = columns.names["start"]
        raise place.refusal(f"the start ({column}) is empty; expected a time in every row")
    start = clock.time(value, place, unit=columns.units.get("start"))
    label = value_of(cells, columns, "label")
    return Segment(
        start=start,
        end=_end(start, cells, columns, clock, place),
        line=place.line,
        level=_level(value_of(cells, columns, "level"), place),
        label=None if label is None else str(label),
    )


def _end(
    start: Moment, cells: RowCells, columns: Columns, clock: Clock | Ruler, place: RowPlace
) -> Moment | None:
    """Return the end that a row states, or its start and duration together; None without both."""
    end, duration = (value_of(cells, columns, use) for use in ("end", "duration"))
    stated = None
    if end is not None:
        stated = clock.time(end, place, unit=columns.units.get("end"))
    if duration is None:
        return stated
    length = clock.duration(duration, place, unit=columns.units.get("duration"))
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


_Group = Sequence[Mapping[str, object]]


def common_values(
    groups: Sequence[_Group], columns: Columns, file: OpenedFile
) -> list[dict[str, Attribute]]:
    """Return the attributes of each group of rows; the names of other columns are noted."""
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


DAY = 24 * 60 * 60 * 1000
"""Milliseconds; plain numbers that make more must say their unit."""

_Key = tuple[str | None, str | None, str | None]
"""Document, coder and role; None where the table does not say."""


def read(file: OpenedFile, settings: ImportSettings) -> Iterator[Intervals]:
    """Yield the segments of each document and coder, in the order of their first rows.

    Raises:
        Refused: the coder or a column is missing, two columns are for one thing, a row has no
            start, a value is not a time or not a level, end and duration differ, or times without
            a unit are longer than a day.
    """
    yield from segments_of(file, read_table_rows(file, settings.skip_lines), settings)


def segments_of(file: OpenedFile, rows: TableRows, settings: ImportSettings) -> Iterator[Intervals]:
    """Yield the segments of the rows of a table; raises Refused as ``read``."""
    columns = choose_columns(rows.header, settings, rows.place)
    if "coder" not in columns.names and settings.coder is None:
        _name_coder_by_file(file, rows, columns)
    if not rows.cells:
        raise file.refusal("the file contains no segments; write a row for each segment")
    if "document" not in columns.names and settings.document_id is None and columns.further:
        _refuse_several_documents(file, rows, columns, settings)
    groups: dict[_Key, list[tuple[int, RowCells]]] = defaultdict(list)
    for line, cells in rows.cells:
        groups[_key(cells, columns, file.place(line))].append((line, cells))
    clock = _clock(rows, columns, settings)
    segments = {
        key: [segment_of(cells, columns, clock, file.place(line)) for line, cells in group]
        for key, group in groups.items()
    }
    if isinstance(clock, Clock):
        _check_times(file, columns, [s for group in segments.values() for s in group])
    attributes = common_values([[cells for _, cells in g] for g in groups.values()], columns, file)
    for (key, group), values in zip(segments.items(), attributes, strict=True):
        document, coder, role = key
        yield Intervals(
            place=file.place(group[0].line),
            unit=MILLISECOND if isinstance(clock, Clock) else clock.unit,
            document_id=document,
            coder=coder,
            role=role,
            segments=group,
            attributes=values,
        )


def _name_coder_by_file(file: OpenedFile, rows: TableRows, columns: Columns) -> None:
    """Let the name of the file be the coder's where its folder says none.

    The rows must name their documents, or the file's name would rather be that of a document.

    Raises:
        Refused: a column has several texts, so that it may be meant as the coder, or the rows name
            no documents.
    """
    texts = ({cells.get(name) for _, cells in rows.cells} for name in columns.further)
    if "document" not in columns.names or any(
        sum(isinstance(value, str) for value in values) > 1 for values in texts
    ):
        raise rows.place.refusal(
            f"no coder among the columns {', '.join(rows.header)}; name its column with --columns "
            "coder=NAME, or the coder with --coder"
        )
    file.names_coder = True


def _refuse_several_documents(
    file: OpenedFile, rows: TableRows, columns: Columns, settings: ImportSettings
) -> None:
    """Refuse rows that begin again wherever a column without a use changes, as for documents.

    Raises:
        Refused: there is such a column, and nothing names the document.
    """
    clock = _clock(rows, columns, settings)
    segments = [segment_of(own, columns, clock, file.place(line)) for line, own in rows.cells]
    keys = [
        (segment.level, *(value_of(own, columns, use) for use in ("coder", "role")))
        for segment, (_, own) in zip(segments, rows.cells, strict=True)
    ]
    falls = {
        place
        for place, (a, b) in enumerate(pairwise(segments))
        if b.start.exact < a.start.exact and keys[place] == keys[place + 1]
    }
    for name in columns.further if falls else ():
        values = [own.get(name) for _, own in rows.cells]
        changes = {place for place, (a, b) in enumerate(pairwise(values)) if a != b}
        if changes == falls and len({*map(str, values)}) == len(changes) + 1:
            raise rows.place.refusal(
                f"the starts begin again where {name} changes, as if it named documents: say so "
                f"with --columns document={name}, or name the only document with --document-id"
            )


def _clock(rows: TableRows, columns: Columns, settings: ImportSettings) -> Clock | Ruler:
    """Return what reads starts and ends: times, though `--unit` is given, if they are not whole."""
    if columns.counted is None:
        return settings.clock
    values = (value_of(cells, columns, use) for _, cells in rows.cells for use in TIMES)
    if columns.named or all(value is None or str(value).isdecimal() for value in values):
        return Ruler(columns.counted)
    return settings.clock


def _key(cells: RowCells, columns: Columns, place: RowPlace) -> _Key:
    document, coder, role = (value_of(cells, columns, use) for use in ("document", "coder", "role"))
    return (
        None if document is None else name_of(document, "document", place),
        None if coder is None else name_of(coder, "coder", place),
        None if role is None else role_of(role, ROLE, place),
    )


def _check_times(file: OpenedFile, columns: Columns, segments: Sequence[Segment]) -> None:
    """Refuse plain numbers that make more than a day, if nothing says that they are seconds.

    Doubt whole numbers, which may count characters or tokens.
    """
    ends = "end" if "end" in columns.names else "duration"
    plain = [s.start for s in segments] if "start" not in columns.units else []
    plain += [s.end for s in segments if s.end] if ends not in columns.units else []
    plain = [moment for moment in plain if ":" not in moment.text]
    last = max(plain, key=lambda moment: moment.exact, default=None)
    if last is not None and last.exact > DAY:
        raise file.refusal(
            f"the time {last.text}, taken as seconds, is {int(last.exact) * 24 // DAY} hours; if "
            "it is right, say so with --time-unit s, otherwise --time-unit ms or frames; positions "
            "in a text are read with --unit, such as --unit character"
        )
    if plain and all(moment.text.isdecimal() for moment in plain):
        file.notes.doubts.append(
            "whole numbers of starts and ends were read as seconds; positions in a text are read "
            "with --unit, such as --unit character, and --time-unit s says seconds"
        )


FORMATS = (
    Format(
        "intervals",
        read,
        shared=(*CSV_ENDINGS, *JSON_LINES_ENDINGS, *PARQUET_ENDINGS),
        content=lambda head: "start" in head.settings.column_names or has_start(head.header),
        options=("columns", "skip_lines", *FRAMES),
    ),
)
