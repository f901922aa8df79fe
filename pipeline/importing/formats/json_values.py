"""Check the types of JSON values that annotation tools and other programs write."""

from collections.abc import Mapping, Sequence

from segscore.pipeline.importing.formats.asked import Asked, OpenedFile
from segscore.pipeline.importing.formats.json_fields import named_id, object_of, required
from segscore.pipeline.tables.rows import RowPlace, shown

_DOCUMENT = "document_id"


def json_objects(value: object, name: str, place: RowPlace) -> list[Mapping[str, object]]:
    """Return the value if it is a list of objects; raise Refused otherwise."""
    if not isinstance(value, list):
        raise place.wrong(name, value, "a list of objects")
    return [object_of(one, f"{name}[{index}]", place) for index, one in enumerate(value)]


def json_offset(record: Mapping[str, object], name: str, place: RowPlace) -> int:
    """Return a field that is a whole number and not negative; raise Refused otherwise."""
    value = required(record, name, "a span", place)
    if isinstance(value, str) and value.isdecimal() and value.isascii() and len(value) < 10:
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise place.wrong(name, value, "a whole number from 0 on")
    return value


def json_document(
    records: Sequence[Mapping[str, object]], asked: Asked, place: RowPlace
) -> str | None:
    """Return the document's name: `--document-field`, else document_id, in the first that has it.

    Raises Refused if `--document-field` is given and in none of the records.
    """
    path = asked.document_field or _DOCUMENT
    for record in records:
        value: object = record
        for part in path.split("."):
            value = value.get(part) if isinstance(value, dict) else None
        if name := named_id(value, path, place):
            return name
    if asked.document_field is None:
        return None
    fields = ", ".join(shown(name) for record in records for name in record)
    raise place.refusal(f"there is no {path}; --document-field names one of: {fields}")


def without_json_ending(file: OpenedFile) -> str:
    """Return the name of a file without the endings of JSON and of compressed files."""
    name = file.name
    for ending in (".gz", ".zst", ".jsonl", ".ndjson", ".json"):
        name = name[: -len(ending)] if name.lower().endswith(ending) else name
    return name
