"""Build tables from rows: references, hypotheses and documents."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from segscore.pipeline.tables.columns import DOCUMENTS, SEGMENTATIONS, Contract
from segscore.pipeline.tables.formats.attributes import as_typed, document_attributes, infer_types
from segscore.pipeline.tables.formats.rows import ParsedRow, is_given
from segscore.schemas.input_columns import BY_UNIT, INPUT_TYPES


@dataclass(frozen=True, slots=True)
class _Gathered:
    """The tables of an import, and the (source, line) of each row of each table."""

    references: pa.Table
    hypotheses: pa.Table
    documents: pa.Table
    reference_places: list[tuple[str, int]]
    hypothesis_places: list[tuple[str, int]]
    document_places: list[tuple[str, int]]


def gather_tables(rows: Iterable[ParsedRow]) -> _Gathered:
    """Build three tables from rows of any files; references and hypotheses keep the order of rows.

    An attribute is a column of documents if no document has two values of it, otherwise of the
    segmentation tables that have it. documents has a row for each document with unit_lengths,
    unit_weights or such an attribute, by ascending document_id. The order and range of boundaries
    are not checked.
    Raises Refused, with file and line, for a missing document_id, a value that does not fit its
    column's type, an attribute with a reserved name, or different unit_lengths or unit_weights of
    one document.
    """
    stated = list(rows)
    types = infer_types(stated)
    stated = as_typed(stated, types)
    shared = document_attributes(stated)
    references = [row for row in stated if row.role == "reference"]
    hypotheses = [row for row in stated if row.role == "hypothesis"]
    documents = _documents(stated, shared)
    own = {name: kind for name, kind in types.items() if name not in shared}
    common = {name: kind for name, kind in types.items() if name in shared}
    return _Gathered(
        _segmentations(references, own),
        _segmentations(hypotheses, own),
        _table(documents, _present(documents, DOCUMENTS), common),
        *(_places(chosen) for chosen in (references, hypotheses, documents)),
    )


def segmentation_table(rows: Iterable[ParsedRow]) -> pa.Table:
    """Build one table from the rows of a file, whatever their roles; every attribute is a column.

    What a lenient reader left as None is null, even a missing document_id. Lists with one element
    per unit are dropped. Otherwise, raises Refused as gather_tables does.
    """
    found = list(rows)
    types = infer_types(found)
    return _segmentations(as_typed(found, types), types)


def document_table(rows: Iterable[ParsedRow]) -> pa.Table:
    """Build one table from the rows of a file that describes documents, without merging rows.

    What a lenient reader left as None is null. Raises Refused as segmentation_table does.
    """
    found = list(rows)
    types = infer_types(found)
    return _table(as_typed(found, types), _present(found, DOCUMENTS), types)


def _segmentations(rows: Sequence[ParsedRow], attributes: dict[str, pa.DataType]) -> pa.Table:
    present = {name for row in rows for name in row.attributes}
    kept = {name: kind for name, kind in attributes.items() if name in present}
    return _table(rows, _present(rows, SEGMENTATIONS), kept)


def _documents(rows: Iterable[ParsedRow], shared: set[str]) -> list[ParsedRow]:
    """Return one row per document that has a list by unit or any of the shared attributes."""
    by_document: dict[str, list[ParsedRow]] = {}
    for row in rows:
        document_id = is_given(row.document_id, "document_id", row.place)
        if any(getattr(row, name) is not None for name in BY_UNIT) or (
            shared & row.attributes.keys()
        ):
            by_document.setdefault(document_id, []).append(row)
    return [_merged(by_document[document_id], shared) for document_id in sorted(by_document)]


def _merged(rows: Sequence[ParsedRow], shared: set[str]) -> ParsedRow:
    """Merge the rows of a document into the first that has a list by unit, else into the first."""
    measured = [row for name in BY_UNIT for row in rows if getattr(row, name) is not None]
    stated = [(name, x) for row in rows for name, x in row.attributes.items() if name in shared]
    lists: dict[str, Any] = {name: _agreed(rows, name) for name in BY_UNIT}
    return replace((measured or rows)[0], attributes=dict(stated), **lists)


def _agreed(rows: Sequence[ParsedRow], name: str) -> tuple[int | None, ...] | None:
    """Return the list that the rows of a document give; refuse lists that differ."""
    giving = [row for row in rows if getattr(row, name) is not None]
    for row in giving:
        if getattr(row, name) != getattr(giving[0], name):
            raise row.place.refusal(
                f"{name} of {row.document_id} differ from those at "
                f"{giving[0].source}:{giving[0].line}; a document has one list of them"
            )
    return getattr(giving[0], name) if giving else None


def _places(rows: Iterable[ParsedRow]) -> list[tuple[str, int]]:
    return [(row.source, row.line) for row in rows]


def _present(rows: Sequence[ParsedRow], model: Contract) -> list[str]:
    """List a table's columns: the required ones, and the optional ones that some row has."""
    given = [name for name in model.optional if any(getattr(row, name) is not None for row in rows)]
    return [*model.required, *given]


def _table(
    rows: Sequence[ParsedRow], names: Iterable[str], attributes: dict[str, pa.DataType]
) -> pa.Table:
    columns = {
        name: _column(rows, name, [getattr(row, name) for row in rows], INPUT_TYPES[name])
        for name in names
    }
    for name, kind in attributes.items():
        values = [row.attributes.get(name) for row in rows]
        columns[name] = _column(rows, name, values, kind)
    return pa.table(columns)


def _column(
    rows: Sequence[ParsedRow], name: str, values: Sequence[object], kind: pa.DataType
) -> pa.Array:
    try:
        return pa.array(values, kind)
    except (ValueError, OverflowError):
        for row, value in zip(rows, values, strict=True):
            _check_fit(row, name, value, kind)
        raise


def _check_fit(row: ParsedRow, name: str, value: object, kind: pa.DataType) -> None:
    """Raise Refused if a value does not fit its column's type; in a list, name the element."""
    if isinstance(value, tuple):
        for index, element in enumerate(value):
            _check_fit(row, f"{name}[{index}]", element, kind.value_type)
        return
    try:
        pa.array([value], kind)
    except (ValueError, OverflowError) as error:
        raise row.place.wrong(name, value, f"a value that fits {kind}") from error
