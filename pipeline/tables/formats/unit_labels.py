"""Labels per unit in JSON Lines, JSON and Parquet: flags, names or sizes of segments, by paths."""

from collections.abc import Container, Iterable, Iterator
from itertools import chain, islice

from segscore.pipeline.tables.formats.asked import Asked, InputFile
from segscore.pipeline.tables.formats.field_paths import FieldPath, field_path
from segscore.pipeline.tables.formats.json_fields import array_of, named_id
from segscore.pipeline.tables.formats.label_records import LabelRecord, label_records
from segscore.pipeline.tables.formats.label_settings import LabelSettings, label_settings
from segscore.pipeline.tables.formats.rows import Attribute, role_of, stem
from segscore.pipeline.tables.formats.shapes import Shape, Sizes
from segscore.schemas.input_columns import ROLE

_TURN = "turn"
_DIALOGUE_FLAGS = field_path("the path", "turns[].segmentation_label")
_DOCUMENT = ("document_id", "doc_id", "dial_id", "dialogue_id", "video_id", "id")
_CODER = ("coder", "annotator")
"""Names of fields that say which document and whose labels it is, unless options name them."""


def read(file: InputFile, asked: Asked) -> Iterator[Shape]:
    """Yield a segmentation for each record.

    A field with one value is an attribute, lists and objects are none.
    Raises Refused unless one of --flags, --ids and --sizes is given (files of SuperDialseg's form
    need none), for flags without --marks, a path that leads nowhere, or a list that is empty, has
    other values, or another length than --units.
    """
    settings = label_settings(file, asked)
    records = label_records(file, settings.records)
    first = list(islice(records, 2))
    if not first:
        raise file.place(1).refusal("no record in it; expected the labels of one document at least")
    for number, record in enumerate(chain(first, records), start=1):
        # A record without a name has the file's, with a number if it is one of several.
        own_name = f"{asked.document_id or stem(file.url)}/{number}" if len(first) > 1 else None
        yield _segmentation(record, settings, own_name)


def _segmentation(record: LabelRecord, settings: LabelSettings, own_name: str | None) -> Sizes:
    """Return the segmentation of a record; `own_name` names a document without a name."""
    path = settings.labels or (_DIALOGUE_FLAGS if record.dialogue else None)
    if path is None:
        raise record.place.refusal(
            "nothing says where the labels are; name their field with --flags, --ids or --sizes"
        )
    name = f"{record.name}.{path.text}" if record.name else path.text
    labels = path.value(record.fields, record.name, record.place)
    sizes = settings.sizes_of(labels, name=name, place=record.place)
    if settings.units is not None:
        _check_length(record, settings.units, sum(sizes), name)
    document, document_field = _name(record, settings.document, _DOCUMENT)
    coder, coder_field = _name(record, settings.coder, _CODER)
    role = record.fields.get(ROLE)
    used = {path.steps[0], document_field, coder_field, ROLE}
    return Sizes(
        place=record.place,
        unit=_TURN,
        document_id=document or own_name,
        coder=coder,
        role=None if role is None else role_of(role, ROLE, record.place),
        attributes=_attributes(record, used),
        sizes=sizes,
    )


def _check_length(record: LabelRecord, units: FieldPath, labelled: int, name: str) -> None:
    value = units.value(record.fields, record.name, record.place)
    count = len(array_of(value, units.text, record.place))
    if count != labelled:
        raise record.place.refusal(
            f"{name} is for {labelled} units, and {units.text} has {count}; expected the same "
            "number; check --marks and --units"
        )


def _name(
    record: LabelRecord, path: FieldPath | None, usual: Iterable[str]
) -> tuple[str | None, str | None]:
    """Return the name of a record's document or coder, and the field it is in."""
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


def _attributes(record: LabelRecord, used: Container[str | None]) -> dict[str, Attribute]:
    """Return the fields with one value that are not used otherwise; null and NaN are absent."""
    return {
        name: value
        for name, value in record.fields.items()
        if name not in used and isinstance(value, str | int | float) and value == value
    }
