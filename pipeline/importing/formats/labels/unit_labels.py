"""Labels per unit in JSON Lines, JSON and Parquet: flags, names or sizes of segments, by paths."""

from collections.abc import Iterator
from itertools import chain, islice

from segscore.pipeline.importing.formats.asked import Asked, OpenedFile
from segscore.pipeline.importing.formats.json_fields import array_of
from segscore.pipeline.importing.formats.labels.field_paths import FieldPath, field_path
from segscore.pipeline.importing.formats.labels.label_fields import (
    CODER_FIELDS,
    DOCUMENT_FIELDS,
    attributes_of,
    named_field,
)
from segscore.pipeline.importing.formats.labels.label_records import LabelRecord, label_records
from segscore.pipeline.importing.formats.labels.label_settings import LabelSettings, label_settings
from segscore.pipeline.importing.formats.shapes import Shape, Sizes
from segscore.pipeline.tables.rows import role_of, stem
from segscore.schemas.input_columns import ROLE

_TURN = "turn"
_DIALOGUE_FLAGS = field_path("the path", "turns[].segmentation_label")


def read(file: OpenedFile, asked: Asked) -> Iterator[Shape]:
    """Yield a segmentation for each record.

    Fields with one value are attributes, lists and objects are not.
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
    document, document_field = named_field(record, settings.document, DOCUMENT_FIELDS)
    coder, coder_field = named_field(record, settings.coder, CODER_FIELDS)
    role = record.fields.get(ROLE)
    used = {path.steps[0], document_field, coder_field, ROLE}
    return Sizes(
        place=record.place,
        unit=_TURN,
        document_id=document or own_name,
        coder=coder,
        role=None if role is None else role_of(role, ROLE, record.place),
        attributes=attributes_of(record, used),
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
