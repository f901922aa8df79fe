"""The tables of an import of JSON Lines, made row by row from what docs/jobs/import.md says."""

import json
from collections.abc import Sequence
from typing import Any

LISTS = ("unit_lengths", "unit_weights")
OWN = ("document_id", "coder", "role", "n_units", "boundaries", *LISTS)

Row = dict[str, Any]


def naive_import(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """Return the rows of references, hypotheses and documents, without missing values."""
    rows = _with_text(rows)
    attributes = sorted({name for row in rows for name in row} - {*OWN})
    documents: dict[str, list[Row]] = {row["document_id"]: [] for row in rows}
    for row in rows:
        documents[row["document_id"]].append(row)
    shared = [
        name
        for name in attributes
        if all(
            len({repr(row[name]) for row in own if name in row}) <= 1 for own in documents.values()
        )
    ]
    tables = {
        name: [_segmentation(row, shared) for row in rows if row["role"] == role]
        for name, role in (("references", "reference"), ("hypotheses", "hypothesis"))
    }
    described = [_document(own, [*LISTS, *shared]) for _, own in sorted(documents.items())]
    return {**tables, "documents": [document for document in described if document]}


def _with_text(rows: Sequence[Row]) -> list[Row]:
    """Return rows in which an attribute with values of several types is text."""
    kinds: dict[str, set[str]] = {}
    for row in rows:
        for name in row.keys() - {*OWN}:
            kinds.setdefault(name, set()).add(_kind(row[name]))
    for found in kinds.values():
        if any(kind.startswith("list of") for kind in found):
            found.discard("list")
    return [
        {
            name: json.dumps(value, ensure_ascii=False)
            if len(kinds.get(name, ())) > 1 and not isinstance(value, str)
            else value
            for name, value in row.items()
        }
        for row in rows
    ]


def _kind(value: object) -> str:
    """Name the type of a value, and of the values in a list; an empty list is just a list."""
    if not isinstance(value, list):
        return type(value).__name__
    kinds = [type(element).__name__ for element in value if element is not None]
    return f"list of {kinds[0]}" if kinds else "list"


def _segmentation(row: Row, shared: Sequence[str]) -> Row:
    return {name: value for name, value in row.items() if name not in (*LISTS, *shared, "role")}


def _document(rows: Sequence[Row], stating: Sequence[str]) -> Row | None:
    """Return what the rows of one document say about it; None if nothing."""
    describing = [row for row in rows if any(name in row for name in stating)]
    if not describing:
        return None
    lengths = [row for row in rows if "unit_lengths" in row]
    weights = [row for row in rows if "unit_weights" in row]
    document = {
        "document_id": rows[0]["document_id"],
        "n_units": (lengths or weights or describing)[0]["n_units"],
    }
    for name in stating:
        values = [row[name] for row in rows if name in row]
        if values:
            document[name] = values[0]
    return document
