"""Fields beside the labels of a record: the names of document and coder, and attributes."""

from collections.abc import Container, Iterable

from segscore.pipeline.importing.formats.json_fields import named_id
from segscore.pipeline.importing.formats.labels.field_paths import FieldPath
from segscore.pipeline.importing.formats.labels.label_records import LabelRecord
from segscore.pipeline.tables.rows import Attribute

DOCUMENT_FIELDS = ("document_id", "doc_id", "dial_id", "dialogue_id", "video_id", "id")
CODER_FIELDS = ("coder", "annotator")
"""Fields that say whose labels of which document they are, unless options name others."""


def named_field(
    record: LabelRecord, path: FieldPath | None, usual: Iterable[str]
) -> tuple[str | None, str | None]:
    """Return the name of a document or coder and its field, at a path or in a usual field.

    Raises Refused if there is no name at the path.
    """
    if path is not None:
        value = path.value(record.fields, record.name, record.place)
        name = named_id(value, path.text, record.place)
        if name is None:
            raise record.place.wrong(path.text, value, f"a name, because of {path}")
        return name, path.steps[0]
    for field in usual:
        value = record.fields.get(field)
        if isinstance(value, str | int) and not isinstance(value, bool) and value != "":
            return named_id(value, field, record.place), field
    return None, None


def attributes_of(record: LabelRecord, used: Container[str | None]) -> dict[str, Attribute]:
    """Return the fields with one value that are not used otherwise; null and NaN are absent.

    Dates and decimal numbers of Parquet files become text.
    """
    attributes: dict[str, Attribute] = {}
    for name, value in record.fields.items():
        given = value is not None and value == value  # NaN differs from itself
        if name not in used and given and not isinstance(value, list | dict | bytes):
            attributes[name] = value if isinstance(value, str | int | float) else str(value)
    return attributes
