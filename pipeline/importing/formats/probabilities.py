"""Probabilities of a boundary, one for each unit: candidate boundaries with scores, for `sweep`."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal

from segscore.pipeline.importing.formats.flag_edges import BETWEEN, END, START
from segscore.pipeline.importing.formats.format import (
    CSV_ENDINGS,
    JSON_LINES_ENDINGS,
    PARQUET_ENDINGS,
    Format,
)
from segscore.pipeline.importing.formats.table_rows import TableRows, read_table_rows
from segscore.pipeline.importing.opened_file import OpenedFile
from segscore.pipeline.importing.settings import ImportSettings
from segscore.pipeline.importing.shapes import Positions, positions_of
from segscore.pipeline.tables.rows import ParsedRow, RowPlace, role_of, stem
from segscore.schemas.input_columns import ROLE

NAME = "probabilities"
_FIELDS = (NAME, "probability", "probs", "prob", "scores", "score")
"""Fields that may have them, if --set flags= names none."""

_NAMING = ("document_id", "coder", "system", ROLE)

_Record = tuple[Mapping[str, object], Sequence[object], RowPlace]
"""The fields of a document, its probabilities, and where it begins."""


def read(file: OpenedFile, settings: ImportSettings) -> Iterator[Positions]:
    """Yield the rows of all documents: every place between units, with its probability as score.

    A row of the table is a document, if it has a list, or else a unit of one.

    Raises:
        Refused: nothing says what a probability is of, a field is missing, or a value is not a
            number from 0 to 1.
    """
    rows = [*_rows(file, settings)]
    if rows:
        yield positions_of(rows)


def _rows(file: OpenedFile, settings: ImportSettings) -> Iterator[ParsedRow]:
    table, defaults = read_table_rows(file, settings.skip_lines), file.defaults
    if settings.marks is None:
        raise table.place.refusal(
            "a probability can be of the end of a segment, of its start or of a place between "
            f"units; say which: --set marks={END}, {START} or {BETWEEN}"
        )
    records = [*_records(table, file, settings.flags)]
    for number, (fields, values, place) in enumerate(records, start=1):
        scores = [_probability(value, n, place) for n, value in enumerate(values)]
        between = {END: scores[:-1], START: scores[1:], BETWEEN: scores}[settings.marks]
        own_name = f"{stem(file.url)}/{number}" if len(records) > 1 else stem(file.url)
        coder = fields.get("coder") or fields.get("system") or defaults.coder
        if coder is None:
            raise place.refusal("no coder; name it with --coder")
        role = fields.get(ROLE)
        yield ParsedRow(
            document_id=str(fields.get("document_id") or defaults.document_id or own_name),
            coder=str(coder),
            role=defaults.role if role is None else role_of(role, ROLE, place),
            n_units=len(between) + 1,
            boundaries=tuple(range(1, len(between) + 1)),
            boundary_scores=tuple(between),
            source=file.url,
            line=place.line,
        )


def _records(table: TableRows, file: OpenedFile, asked: str | None) -> Iterator[_Record]:
    known = (asked,) if asked else _FIELDS
    name = next((each for each in known if each in table.header), None)
    if name is None:
        raise table.place.refusal(
            f"no probabilities among {', '.join(table.header)}; name their field with --set "
            "flags=NAME"
        )
    groups: dict[tuple[object, ...], list[tuple[int, Mapping[str, object]]]] = defaultdict(list)
    for line, cells in table.cells:
        value = cells.get(name)
        if isinstance(value, list) and value:
            yield cells, value, file.place(line)
        else:
            groups[tuple(cells.get(part) for part in _NAMING)].append((line, cells))
    for rows in groups.values():
        line, first = rows[0]
        yield first, [cells.get(name) for _, cells in rows], file.place(line)


def _probability(value: object, index: int, place: RowPlace) -> float:
    try:
        number = float(value) if isinstance(value, int | float | Decimal | str) else -1.0
    except ValueError:
        number = -1.0
    if isinstance(value, bool) or not 0 <= number <= 1:
        raise place.wrong(f"probability {index + 1}", value, "a number from 0 to 1")
    return number


FORMATS = (
    Format(
        NAME,
        read,
        shared=(*JSON_LINES_ENDINGS, *CSV_ENDINGS, *PARQUET_ENDINGS),
        options=("flags", "marks", "skip_lines"),
    ),
)
