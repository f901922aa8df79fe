"""Rows become tables: references, hypotheses, and what is known of each document."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import pyarrow as pa

from segscore.pipeline.tables.formats.attributes import as_typed, document_attributes, infer_types
from segscore.pipeline.tables.formats.rows import ParsedRow, is_given

COLUMNS = {
    "document_id": pa.string(),
    "coder": pa.string(),
    "n_units": pa.int32(),
    "boundaries": pa.list_(pa.int32()),
    "boundary_types": pa.list_(pa.int32()),
    "boundary_scores": pa.list_(pa.float64()),
    "unit_lengths": pa.list_(pa.int32()),
    "unit_weights": pa.list_(pa.int32()),
}
BY_UNIT = ("unit_lengths", "unit_weights")
SEGMENTATION = ("document_id", "coder", "n_units", "boundaries")


@dataclass(frozen=True, slots=True)
class _Gathered:
    """The tables of an import, and (source, line) of each table's rows in order."""

    references: pa.Table
    hypotheses: pa.Table
    documents: pa.Table
    reference_places: list[tuple[str, int]]
    hypothesis_places: list[tuple[str, int]]
    document_places: list[tuple[str, int]]


def gather_tables(rows: Iterable[ParsedRow]) -> _Gathered:
    """Rows of any files as three tables; references and hypotheses keep the order of the rows.

    An attribute is a column of documents if no document has two values of it, else of the
    segmentations that have it. documents has a row for each document with unit_lengths or such an
    attribute, by ascending document_id. The order and range of boundaries are not judged.
    Raises Refused, with file and line, for a missing document_id, a value beyond its column's type,
    an attribute named as a column of ours, two different unit_lengths of one document.
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
        _table(documents, ["document_id", "n_units", *_held(documents, *BY_UNIT)], common),
        *(_places(chosen) for chosen in (references, hypotheses, documents)),
    )


def segmentation_table(rows: Iterable[ParsedRow]) -> pa.Table:
    """Rows of one file as one table, whatever their roles; every attribute is a column.

    What a lenient reader left as None is null. Raises Refused as gather does, but for a missing
    document_id, which is null too, and for unit_lengths, which are left out.
    """
    found = list(rows)
    types = infer_types(found)
    return _segmentations(as_typed(found, types), types)


def document_table(rows: Iterable[ParsedRow]) -> pa.Table:
    """Rows of a file that describes documents as one table, row by row: no row is merged.

    What a lenient reader left as None is null. Raises Refused as segmentation_table does.
    """
    found = list(rows)
    types = infer_types(found)
    names = ["document_id", "n_units", *_held(found, *BY_UNIT)]
    return _table(as_typed(found, types), names, types)


def _segmentations(rows: Sequence[ParsedRow], attributes: dict[str, pa.DataType]) -> pa.Table:
    held = {name for row in rows for name in row.attributes}
    kept = {name: kind for name, kind in attributes.items() if name in held}
    return _table(rows, [*SEGMENTATION, *_held(rows, "boundary_types", "boundary_scores")], kept)


def _documents(rows: Iterable[ParsedRow], shared: set[str]) -> list[ParsedRow]:
    """One row a document that has something to say, with all of its shared attributes."""
    by_document: dict[str, list[ParsedRow]] = {}
    for row in rows:
        document_id = is_given(row.document_id, "document_id", row.place)
        if any(getattr(row, name) is not None for name in BY_UNIT) or (
            shared & row.attributes.keys()
        ):
            by_document.setdefault(document_id, []).append(row)
    return [_merged(by_document[document_id], shared) for document_id in sorted(by_document)]


def _merged(rows: Sequence[ParsedRow], shared: set[str]) -> ParsedRow:
    """The first row with unit lengths, else the first, with what the others say of the document."""
    measured = [row for row in rows if row.unit_lengths is not None]
    stated = [(name, x) for row in rows for name, x in row.attributes.items() if name in shared]
    return replace(
        (measured or rows)[0],
        attributes=dict(stated),
        unit_lengths=_agreed(rows, "unit_lengths"),
        unit_weights=_agreed(rows, "unit_weights"),
    )


def _agreed(rows: Sequence[ParsedRow], name: str) -> tuple[int | None, ...] | None:
    """The one list that the rows of a document give."""
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


def _held(rows: Sequence[ParsedRow], *names: str) -> list[str]:
    return [name for name in names if any(getattr(row, name) is not None for row in rows)]


def _table(
    rows: Sequence[ParsedRow], names: Iterable[str], attributes: dict[str, pa.DataType]
) -> pa.Table:
    columns = {
        name: _column(rows, name, [getattr(row, name) for row in rows], COLUMNS[name])
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
    """Raise Refused for the one value that does not fit; in a list, for its element."""
    if isinstance(value, tuple):
        for index, element in enumerate(value):
            _check_fit(row, f"{name}[{index}]", element, kind.value_type)
        return
    try:
        pa.array([value], kind)
    except (ValueError, OverflowError) as error:
        raise row.place.wrong(name, value, f"a value that fits {kind}") from error
