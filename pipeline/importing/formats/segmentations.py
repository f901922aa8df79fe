"""Positions of boundaries as they are: CSV, JSON of segeval, strings of NLTK."""

import csv
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import accumulate, chain
from textwrap import shorten
from typing import TypeVar

import numpy as np

from segscore.pipeline.errors import Refused, nearest
from segscore.pipeline.importing.conversion.names import names_of_files
from segscore.pipeline.importing.formats.answers import describe_answer
from segscore.pipeline.importing.formats.flag_edges import BETWEEN, END, START, FlagEdges
from segscore.pipeline.importing.formats.format import (
    CSV_ENDINGS,
    JSON_LINES_ENDINGS,
    TEXT_ENDINGS,
    Format,
    Head,
)
from segscore.pipeline.importing.formats.interval_columns import has_start
from segscore.pipeline.importing.formats.values import object_of
from segscore.pipeline.importing.opened_file import OpenedFile
from segscore.pipeline.importing.settings import ImportSettings
from segscore.pipeline.importing.shapes import STATED_ROWS, Positions, positions_of
from segscore.pipeline.tables import strict_json
from segscore.pipeline.tables.columns import SEGMENTATIONS
from segscore.pipeline.tables.json_blocks import BLOCK, JsonLines
from segscore.pipeline.tables.parsed_table import parsed_table
from segscore.pipeline.tables.read import Rows
from segscore.pipeline.tables.rows import (
    Defaults,
    ParsedRow,
    RowPlace,
    integer_of,
    is_given,
    list_of,
    numbered,
    option_hint,
    optional_lists,
    printable,
    repeated,
    role_of,
    row_number,
    stem,
    text_of,
)
from segscore.schemas.input_columns import BY_SEGMENT, INPUT_TYPES, ROLE

_T = TypeVar("_T")
LONGEST_FIELD = 2**31 - 1
# int() raises its own error for more than 4300 digits.
_WHOLE = re.compile(r"([+-]?[0-9]{1,4000})(?:\.0*)?")
_DECIMAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_BETWEEN = re.compile(r"\s*;\s*|\s+")
_IN_BRACKETS = re.compile(r"\s*[,;]\s*|\s+")
DELIMITERS = ("\t", ",", ";")
_LONGEST_HEADER = 400
"""Characters of a wrong header that a message shows."""

_FIELDS = {*INPUT_TYPES, ROLE}


def read_csv(
    lines: Iterable[str],
    source: str,
    defaults: Defaults,
    bad_lines: list[tuple[int, str]] | None = None,
) -> Iterator[ParsedRow]:
    """Parse a CSV text into rows; the delimiter is the first of tab, comma and ';' in the header.

    An empty document_id, coder or role is taken from `defaults`; empty boundaries mean one segment;
    any other empty cell is absent. Columns with other names are attributes and remain text.
    Raises Refused for a missing, repeated or unnamed column, a record with another number of cells,
    a value of the wrong type, or unclosed quotes. A row's line is the one its record starts on.
    If `bad_lines` is given, it receives the number (from 0) and the message of every record that
    cannot be read, which is then left out; the header and the quotes must be right all the same.
    """
    csv.field_size_limit(LONGEST_FIELD)
    texts = (f"{text}\n" for _, text in numbered(lines))
    first = next(texts, "")
    delimiter = next((mark for mark in DELIMITERS if mark in first), ",")
    records = csv.reader(chain([first], texts), delimiter=delimiter, strict=True)
    header: list[str] = []
    line = 1
    try:
        for cells in records:
            place, line = RowPlace(source, line), records.line_num + 1
            if not header:
                header = _header(cells, defaults, place)
            elif cells:
                try:
                    row = _row(_record(header, cells, place), defaults, place)
                    if bad_lines is not None:
                        parsed_table([row])  # refuses values that do not fit their column
                except Refused as refusal:
                    if bad_lines is None:
                        raise
                    bad_lines.append((place.line - 1, str(refusal)))
                else:
                    yield row
    except csv.Error as error:
        raise RowPlace(source, line).refusal(f"not CSV: {error}; check the quotes") from error


def _header(cells: list[str], defaults: Defaults, place: RowPlace) -> list[str]:
    """Check the column names and return them."""
    needed = [name for name in SEGMENTATIONS.required if getattr(defaults, name, None) is None]
    if missing := [name for name in needed if name not in cells]:
        lacks = "; ".join(f"no {name}{nearest(name, cells)}{option_hint(name)}" for name in missing)
        columns = shorten(", ".join(map(printable, cells)), _LONGEST_HEADER, placeholder=" ...")
        raise place.refusal(f"the header has {lacks}; its columns are {columns or 'empty'}")
    if "" in cells:
        raise place.refusal(f"column {cells.index('') + 1} has no name; name it or remove it")
    if len(set(cells)) < len(cells):
        raise place.refusal(f"the column {repeated(cells)} occurs twice in the header; remove one")
    return cells


def _record(header: list[str], cells: list[str], place: RowPlace) -> dict[str, str]:
    """Return the cells that are not empty, by column."""
    if len(cells) != len(header):
        raise place.refusal(f"{len(cells)} cells; expected {len(header)}, as in the header")
    return {name: cell for name, cell in zip(header, cells, strict=True) if cell.strip()}


def _row(record: dict[str, str], defaults: Defaults, place: RowPlace) -> ParsedRow:
    def many(name: str, check: Callable[[object, str, RowPlace], _T]) -> tuple[_T, ...] | None:
        cell = record.get(name)
        return None if cell is None else list_of(check, elements(cell), name, place)

    return ParsedRow(
        document_id=is_given(record.get("document_id", defaults.document_id), "document_id", place),
        coder=is_given(record.get("coder", defaults.coder), "coder", place),
        role=role_of(record.get(ROLE, defaults.role), ROLE, place),
        n_units=_integer(is_given(record.get("n_units"), "n_units", place), "n_units", place),
        boundaries=many("boundaries", _integer) or (),
        **optional_lists(many, _integer, _number),
        collapsed_boundaries=_whole(record, "collapsed_boundaries", place),
        trial=_whole(record, "trial", place),
        segment_labels=_labels(record),
        attributes={name: cell for name, cell in record.items() if name not in _FIELDS},
        source=place.source,
        line=place.line,
    )


def _whole(record: dict[str, str], name: str, place: RowPlace) -> int | None:
    cell = record.get(name)
    return None if cell is None else _integer(cell, name, place)


def _labels(record: dict[str, str]) -> tuple[str | None, ...] | None:
    """Return the labels of segments, between semicolons; one that is empty stands for none."""
    cell = record.get(BY_SEGMENT)
    return None if cell is None else tuple(part.strip() or None for part in cell.split(";"))


def elements(cell: str) -> list[str]:
    """Split a list in one cell: `3 5`, `3;5`, or in brackets `[3, 5]`."""
    cell = cell.strip()
    if not (cell.startswith("[") and cell.endswith("]")):
        return _BETWEEN.split(cell) if cell else []
    inside = cell[1:-1].strip()
    return _IN_BRACKETS.split(inside) if inside else []


def _integer(value: object, name: str, place: RowPlace) -> int:
    """Parse an integer; int() would also accept 1_000 and the digits of other scripts."""
    digits = str(value).strip()
    found = _WHOLE.fullmatch(digits)
    return integer_of(int(found[1]) if found else value, name, place)


def _number(value: object, name: str, place: RowPlace) -> float:
    """Parse a decimal number; float() would also accept nan, inf and 1_0."""
    digits = str(value)
    return row_number(float(digits) if _DECIMAL.fullmatch(digits) else value, name, place)


def read_segeval(lines: Iterable[str], source: str, defaults: Defaults) -> Iterator[ParsedRow]:
    """Parse a segeval JSON text into rows, one per item and coder; masses become positions.

    Items are documents. Coders are named in the file; the role is the default, because the format
    has no roles. Other properties, which segeval itself does not use in its counts, are dropped.
    A row's line is 1, because the whole text is one value.
    Raises Refused for a segmentation_type other than linear, missing items, or a mass below 1.
    """
    place = RowPlace(source, 1)
    text = "\n".join(line for _, line in numbered(lines))
    value = strict_json.loads(text, place)
    if isinstance(value, list):
        raise place.refusal(
            "a list, where segeval's JSON is an object; write records as JSON Lines, one a line, "
            "into a file named .jsonl"
        )
    whole = object_of(value, "the file", place)
    if whole.get("segmentation_type") != "linear":
        raise place.wrong("segmentation_type", whole.get("segmentation_type"), '"linear"')
    for item, codings in object_of(whole.get("items"), "items", place).items():
        document_id = text_of(item, "an item's name", place)
        for coder, masses in object_of(codings, f"items.{item}", place).items():
            name = text_of(coder, f"a coder's name in items.{item}", place)
            sizes = _masses(masses, f"items.{item}.{coder}", place)
            ends = tuple(accumulate(sizes))
            yield ParsedRow(
                document_id, name, defaults.role, ends[-1], ends[:-1], source=source, line=1
            )


def _masses(value: object, name: str, place: RowPlace) -> tuple[int, ...]:
    masses = list_of(_mass, value, name, place)
    if not masses:
        raise place.wrong(name, value, "at least one mass")
    return masses


def _mass(value: object, name: str, place: RowPlace) -> int:
    mass = integer_of(value, name, place)
    if mass < 1:
        raise place.wrong(name, value, "a mass of at least 1 unit")
    return mass


def read_nltk(lines: Iterable[str], source: str, defaults: Defaults) -> Iterator[ParsedRow]:
    """Parse masks into rows: each line is MASK or document_id<TAB>coder<TAB>MASK, or blank.

    A mask has n_units - 1 characters; a 1 at index p-1 is the boundary at position p (the strings
    that nltk.metrics.segmentation compares). A MASK alone is for the document
    <default or stem>/<line number> and needs a default coder; only in a line with three fields may
    the mask be empty, for one unit. Blank lines are skipped.
    Raises Refused for another number of fields, another character, a missing name or coder, or
    lines with a flag for each unit.
    """
    edges = FlagEdges(BETWEEN, _REMEDIES)
    for number, text in numbered(lines):
        place = RowPlace(source, number)
        fields = text.split("\t")
        if len(fields) == 3:
            document_id = text_of(fields[0], "document_id", place)
            coder = text_of(fields[1], "coder", place)
        elif len(fields) > 1:
            raise place.refusal(
                f"{len(fields)} fields; expected MASK or document_id<TAB>coder<TAB>MASK"
            )
        elif text.strip():
            document_id = f"{defaults.document_id or stem(source)}/{number}"
            coder = is_given(defaults.coder, "coder", place)
        else:
            continue
        yield _nltk_row(document_id, coder, fields[-1], defaults, place)
        edges.add([flag == "1" for flag in fields[-1]], coder, defaults.role, place)
    edges.check()


_REMEDIES = {
    marks: f"a mask has a flag for each of the n - 1 places between n units: leave out the {flag} "
    "flag of each line"
    for marks, flag in ((START, "first"), (END, "last"))
}


def _nltk_row(
    document_id: str, coder: str, mask: str, defaults: Defaults, place: RowPlace
) -> ParsedRow:
    for index, character in enumerate(mask):
        if character not in "01":
            raise place.wrong(f"character {index + 1} of the mask", character, "0 or 1")
    return ParsedRow(
        document_id=document_id,
        coder=coder,
        role=defaults.role,
        n_units=len(mask) + 1,
        boundaries=tuple(p for p, character in enumerate(mask, start=1) if character == "1"),
        source=place.source,
        line=place.line,
    )


def _is_nltk(head: Head) -> bool:
    """Return whether all lines are masks; the last of several may be cut, and is not tested."""
    masks = [line.strip(" ") for line in head.lines[:-1] or head.lines if line.strip()]
    return bool(masks) and all(_is_mask(line) for line in masks)


def _is_mask(line: str) -> bool:
    fields = line.split("\t")
    return len(fields) in (1, 3) and set(fields[-1]) <= {"0", "1"}


def _is_csv(head: Head) -> bool:
    """Return whether a table has columns of segmentations, or too few to have segments."""
    return bool({"n_units", "boundaries"} & {*head.header}) or (
        len(head.header) < 2 and not has_start(head.header)
    )


def _is_segeval(head: Head) -> bool:
    """Return whether a JSON text is an object of segeval, or has no keys and is not an answer."""
    return "segmentation_type" in head.keys or not (head.keys or describe_answer(head))


def read_json_lines(file: OpenedFile, settings: ImportSettings) -> Iterator[Positions]:
    """Yield the rows of JSON Lines in blocks, most of which Arrow parses (``tables.json_blocks``).

    Raises:
        Refused: as ``jsonl.read``.
    """
    content = file.content if file.is_utf8 else file.text().encode("utf-8", "surrogatepass")
    reader = JsonLines(
        file.url,
        file.defaults,
        lambda block, line: OpenedFile(file.url, block, first_line=line).lines(),
        adapted=None if settings.strict else file.notes.adapted,
        rejecting=settings.max_rejects > 0,
        bad_lines=file.notes.bad_lines,
    )
    chunks = (content[at : at + BLOCK] for at in range(0, len(content), BLOCK))
    for table, lines in reader.read(chunks, file.first_line):
        yield Rows(STATED_ROWS, table, (file.url,), np.zeros(len(lines), np.int64), lines - 1)


def _read_segeval(file: OpenedFile, _settings: ImportSettings) -> Iterator[Positions]:
    yield from _positions(read_segeval(file.lines(), file.url, file.defaults))


def _read_csv(file: OpenedFile, settings: ImportSettings) -> Iterator[Positions]:
    bad_lines = file.notes.bad_lines if settings.max_rejects > 0 else None
    yield from _positions(read_csv(file.lines(), file.url, file.defaults, bad_lines))


def _read_nltk(file: OpenedFile, settings: ImportSettings) -> Iterator[Positions]:
    """Yield the rows of masks; those that name no document are named by file and line."""
    name = file.defaults.document_id or names_of_files([*file.urls, file.url])[file.url]
    rows = [*read_nltk(file.lines(), file.url, replace(file.defaults, document_id=name))]
    by_line = rows and rows[-1].document_id == f"{stem(file.url)}/{rows[-1].line}"
    if by_line and not settings.document_id:
        file.notes.remarks.append(
            f"documents named by file and line, such as {rows[-1].document_id}; give files whose "
            "lines belong together one name with --document-id"
        )
    yield from _positions(rows)


def _positions(parsed: Iterable[ParsedRow]) -> Iterator[Positions]:
    if rows := [*parsed]:
        yield positions_of(rows)


FORMATS = (
    Format(
        "jsonl",
        read_json_lines,
        shared=JSON_LINES_ENDINGS,
        content=lambda head: "boundaries" in head.keys,
        in_units=True,
    ),
    Format("segeval", _read_segeval, shared=(".json",), content=_is_segeval, in_units=True),
    Format("nltk", _read_nltk, shared=TEXT_ENDINGS, content=_is_nltk, in_units=True),
    Format("csv", _read_csv, shared=CSV_ENDINGS, content=_is_csv, in_units=True),
)
