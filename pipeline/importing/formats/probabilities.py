"""Probabilities of a boundary, one for each unit: candidate boundaries with scores, for `sweep`."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from math import exp, isfinite

from segscore.pipeline.importing.formats.flag_edges import BETWEEN, END, START
from segscore.pipeline.importing.formats.format import (
    CSV_ENDINGS,
    JSON_LINES_ENDINGS,
    PARQUET_ENDINGS,
    Format,
)
from segscore.pipeline.importing.formats.label_records import (
    CODER_FIELDS,
    DOCUMENT_FIELDS,
    OF_UNITS,
    no_document,
)
from segscore.pipeline.importing.formats.table_rows import TableRows, read_table_rows
from segscore.pipeline.importing.opened_file import OpenedFile
from segscore.pipeline.importing.settings import ImportSettings
from segscore.pipeline.importing.shapes import Positions, positions_of
from segscore.pipeline.tables.rows import ParsedRow, RowPlace, role_of, stem
from segscore.schemas.input_columns import ROLE

NAME = "probabilities"
_LOGITS = ("logits", "logit")
"""Fields with numbers of which the logistic function makes probabilities."""

_FIELDS = (NAME, "probability", "probs", "prob", "scores", "score", *_LOGITS)
"""Fields that may have them, if --set flags= names none."""

_CODERS = (*CODER_FIELDS, "system", "model")

_Record = tuple[Mapping[str, object], Sequence[object], RowPlace]
"""The fields of a document, its probabilities, and where it begins."""


def read(file: OpenedFile, settings: ImportSettings) -> Iterator[Positions]:
    """Yield the rows of all documents: every place between units, with its probability as score.

    A row of the table is a document, if it has a list, or else a unit of one.

    Raises:
        Refused: nothing says what a probability is of, a field is missing, no column names the
            documents of rows of units, or a value is not a number from 0 to 1.
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
    name = _field(table, settings.flags)
    naming = _naming(table, name, settings)
    records = [*_records(table, file, name, naming)]
    read = _of_logit if name in _LOGITS else _probability
    for number, (fields, values, place) in enumerate(records, start=1):
        scores = [read(value, n, place) for n, value in enumerate(values)]
        between = {END: scores[:-1], START: scores[1:], BETWEEN: scores}[settings.marks]
        own_name = f"{stem(file.url)}/{number}" if len(records) > 1 else stem(file.url)
        coder = fields.get(naming["coder"]) or defaults.coder
        if coder is None:
            raise place.refusal("no coder; name it with --coder")
        role = fields.get(ROLE)
        yield ParsedRow(
            document_id=str(fields.get(naming["document"]) or defaults.document_id or own_name),
            coder=str(coder),
            role=defaults.role if role is None else role_of(role, ROLE, place),
            n_units=len(between) + 1,
            boundaries=tuple(range(1, len(between) + 1)),
            boundary_scores=tuple(between),
            source=file.url,
            line=place.line,
        )


def _field(table: TableRows, asked: str | None) -> str:
    known = (asked,) if asked else _FIELDS
    name = next((each for each in known if each in table.header), None)
    if name is None:
        raise table.place.refusal(
            f"no probabilities among {', '.join(table.header)}; name their field with --set "
            "flags=NAME"
        )
    return name


def _naming(table: TableRows, name: str, settings: ImportSettings) -> dict[str, str]:
    """Return the columns that name documents, coders and roles; an absent one has no values."""
    of_units = any(not isinstance(cells.get(name), list) for _, cells in table.cells)
    usual = [each for each in DOCUMENT_FIELDS if not of_units or each not in OF_UNITS]
    document = settings.document_field or next((n for n in usual if n in table.header), None)
    if document is None and of_units and settings.document_id is None:
        raise no_document(table)
    coder = next((each for each in _CODERS if each in table.header), _CODERS[0])
    return {"document": document or DOCUMENT_FIELDS[0], "coder": coder, ROLE: ROLE}


def _records(
    table: TableRows, file: OpenedFile, name: str, naming: Mapping[str, str]
) -> Iterator[_Record]:
    groups: dict[tuple[object, ...], list[tuple[int, Mapping[str, object]]]] = defaultdict(list)
    for line, cells in table.cells:
        value = cells.get(name)
        if isinstance(value, list) and value:
            yield cells, value, file.place(line)
        else:
            groups[tuple(cells.get(part) for part in naming.values())].append((line, cells))
    for rows in groups.values():
        line, first = rows[0]
        yield first, [cells.get(name) for _, cells in rows], file.place(line)


def _probability(value: object, index: int, place: RowPlace) -> float:
    try:
        number = float(value) if isinstance(value, int | float | Decimal | str) else -1.0
    except ValueError:
        number = -1.0
    if isinstance(value, bool) or not 0 <= number <= 1:
        expected = "a number from 0 to 1; logits are in a field of this name"
        raise place.wrong(f"probability {index + 1}", value, expected)
    return number


def _of_logit(value: object, index: int, place: RowPlace) -> float:
    try:
        number = float(value) if isinstance(value, int | float | Decimal | str) else float("nan")
    except ValueError:
        number = float("nan")
    if isinstance(value, bool) or not isfinite(number):
        raise place.wrong(f"logit {index + 1}", value, "a number")
    return 1 / (1 + exp(-number)) if number > 0 else exp(number) / (1 + exp(number))


FORMATS = (
    Format(
        NAME,
        read,
        shared=(*JSON_LINES_ENDINGS, *CSV_ENDINGS, *PARQUET_ENDINGS),
        options=("flags", "marks", "document_field", "skip_lines"),
    ),
)
