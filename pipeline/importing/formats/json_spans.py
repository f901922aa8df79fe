"""Spans of chunkers in JSON: a list of them, alone, by document, or in a record of a document."""

import json
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from segscore.pipeline.importing.formats.format import JSON_LINES_ENDINGS, Format, Head
from segscore.pipeline.importing.formats.interval_columns import use_of
from segscore.pipeline.importing.formats.intervals import segments_of
from segscore.pipeline.importing.formats.table_rows import TableRows
from segscore.pipeline.importing.opened_file import OpenedFile
from segscore.pipeline.importing.settings import ImportSettings
from segscore.pipeline.importing.shapes import Intervals
from segscore.pipeline.tables import strict_json
from segscore.pipeline.tables.rows import RowPlace

_Cells = dict[str, object]
_DOCUMENT, _START, _END = "document_id", "start", "end"
_ID = "id"
"""Key of a record that names its document, if no other key does."""

_DOCUMENTS = ("ref_doc_id", "source_id", "source")
"""Keys of a span that name its document likewise."""

_TEXTS = ("page_content", "content")
"""Keys of a chunk's text, whose length says where it ends where there is only a start."""

_STARTS = ("start_index", "split_idx_start")
_OWN = ("text", *_TEXTS, "id_")
"""Keys of what a chunk says of itself, which is neither its label nor its coder."""

_HEAD = 2**16
"""Characters of a record in which a list of pairs begins."""

_SHAPES = (
    "an object with a start, a record with one list of such objects or pairs, or lists by document"
)


def read(file: OpenedFile, settings: ImportSettings) -> Iterator[Intervals]:
    """Yield the spans of each document and coder, as those of a table.

    Raises:
        Refused: the text is not JSON of spans; or as ``segments_of``.
    """
    first = next((text for _, text in file.lines_with_text()), "")
    if file.name.lower().endswith(JSON_LINES_ENDINGS) or _is_whole(first):
        lines = [*file.lines_with_text()]
    else:
        lines = [(file.place(1), file.text())]
    rows = [
        (place.line, cells)
        for place, text in lines
        for cells in _spans(strict_json.loads(text, place, decimals=True), place)
    ]
    for own in _OWN:
        if any(own in cells for _, cells in rows):
            file.notes.add("columns_not_taken", own)
            rows = [(at, {n: x for n, x in cells.items() if n != own}) for at, cells in rows]
    header = dict.fromkeys(name for _, cells in rows for name in cells)
    yield from segments_of(file, TableRows([*header], file.place(1), rows), settings)


def _is_whole(line: str) -> bool:
    """Return whether a line is a JSON object, so that each line is one."""
    return line.startswith("{") and line.rstrip().endswith("}")


def _spans(value: object, place: RowPlace) -> Iterator[_Cells]:
    """Yield the cells of each span in a value, with those of the record around it."""
    for record in value if isinstance(value, list) else [value]:
        if not isinstance(record, dict):
            raise place.wrong("a span", record, _SHAPES)
        cells = _cells(record)
        if any(use_of(name) == "start" for name in cells):
            if not any(use_of(name) == "document" for name in cells):
                _name_document(cells)
            yield cells
        else:
            for around, spans in _lists_of_spans(record, cells, place):
                for span in spans:
                    yield around | (_cells(span) if isinstance(span, dict) else _pair(span))


def _name_document(cells: _Cells) -> None:
    """Take the document of a span from a key that chunkers use for it, if it has one."""
    if (name := next((name for name in _DOCUMENTS if name in cells), None)) is not None:
        cells[_DOCUMENT] = cells.pop(name)


def _lists_of_spans(
    record: Mapping[str, object], cells: _Cells, place: RowPlace
) -> list[tuple[_Cells, list[list[object] | _Cells]]]:
    """Return the lists of spans in a record, with what it says of each."""
    lists: dict[str, Any] = {name: each for name, each in record.items() if _are_spans(each)}
    if lists and len(lists) == len(record):
        by_document: dict[str, _Cells] = {name: {_DOCUMENT: name} for name in lists}
        return [(by_document[name] if len(lists) > 1 else {}, each) for name, each in lists.items()]
    if len(lists) != 1:
        raise place.wrong("the value", dict(record), _SHAPES)
    if _ID in cells and not any(use_of(name) == "document" for name in cells):
        cells[_DOCUMENT] = cells.pop(_ID)
    return [(cells, *lists.values())]


def _cells(record: Mapping[str, object]) -> _Cells:
    """Return the texts and numbers of a record, and those of the objects in it."""
    cells: _Cells = {}
    for name, value in record.items():
        if isinstance(value, dict):
            cells = _cells(value) | cells
        elif isinstance(value, str | int | Decimal) and value != "":
            cells[name] = value
    text = next((record[name] for name in _TEXTS if isinstance(record.get(name), str)), None)
    start = next((cells.pop(name) for name in _STARTS if text is not None and name in cells), None)
    if isinstance(text, str) and isinstance(start, int):
        cells |= {_STARTS[0]: start, "end_index": start + len(text)}
    return cells


def _are_spans(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(map(_is_span, value))


def _is_span(value: object) -> bool:
    if isinstance(value, dict):
        return any(use_of(name) == "start" for name in _cells(value))
    return isinstance(value, list) and len(value) == 2 and all(map(_is_number, value))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | Decimal) and not isinstance(value, bool)


def _pair(span: list[object]) -> _Cells:
    return {_START: span[0], _END: span[1]}


def _has_spans(head: Head) -> bool:
    """Return whether a key in a list or an object names a start, or a record has lists of pairs."""
    last = (path.rpartition(".")[2] for path in head.keys if path.count("[]") <= 2)
    return any(use_of(name) == "start" or name in _STARTS for name in last) or _has_pairs(head)


def _has_pairs(head: Head) -> bool:
    """Return whether a record has one list of pairs of numbers, or only such lists."""
    in_lines = head.ending in JSON_LINES_ENDINGS
    text = next((line for line in head.lines if line.strip()), "") if in_lines else head.text
    if "[[" not in "".join(text[:_HEAD].split()):
        return False
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return False
    record = value[0] if isinstance(value, list) and value else value
    lists = [_are_spans(each) for each in record.values()] if isinstance(record, dict) else []
    return sum(lists) == 1 or (bool(lists) and all(lists))


FORMATS = (
    Format(
        "spans",
        read,
        shared=(".json", *JSON_LINES_ENDINGS),
        content=_has_spans,
        options=("columns",),
    ),
)
