"""Labels per unit in JSON Lines, JSON and Parquet: flags, names or sizes of segments, by paths."""

from collections.abc import Callable, Iterator, Sized
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice

from segscore.pipeline.tables.formats.asked import Asked, InputFile
from segscore.pipeline.tables.formats.chapters import array_of, named_id
from segscore.pipeline.tables.formats.field_paths import FieldPath, field_path
from segscore.pipeline.tables.formats.label_records import LabelRecord, label_records
from segscore.pipeline.tables.formats.label_values import (
    BETWEEN,
    END,
    START,
    sizes_of_flags,
    sizes_of_ids,
    stated_sizes,
)
from segscore.pipeline.tables.formats.rows import Attribute, RowPlace, role_of, stem
from segscore.pipeline.tables.formats.shapes import Shape, Sizes
from segscore.schemas.input_columns import ROLE

_TURN = "turn"
_DIALOGUE_FLAGS = field_path("the field", "turns[].segmentation_label")
_DOCUMENT = ("document_id", "doc_id", "dial_id", "dialogue_id", "video_id", "id")
_CODER = ("coder", "annotator")
"""Names of fields that say which document and whose labels it is, unless options name them."""


def read(file: InputFile, asked: Asked) -> Iterator[Shape]:
    """Yield a segmentation for each record.

    Fields of a record with one value are attributes, lists and objects are not.
    Raises Refused unless exactly one of --flags, --ids and --sizes is given (files of SuperDialseg's
    form need none), for flags without --marks, a path that leads nowhere, or a list that is empty,
    has other values, or another length than --units.
    """
    labels = _labels(file, asked)
    path = field_path("--records", asked.records) if asked.records else None
    records = label_records(file, path)
    first = list(islice(records, 2))
    if not first:
        raise file.place(1).refusal("no record in it; expected the labels of one document at least")
    for number, record in enumerate(chain(first, records), start=1):
        # A record without a name has the file's, with a number if it is one of several.
        own = f"{asked.document_id or stem(file.url)}/{number}" if len(first) > 1 else None
        yield labels.segmentation(record, own)


@dataclass(frozen=True)
class _Labels:
    """Where the labels are in a record.

    Attributes:
        path: path of the labels; None if only a file of SuperDialseg's form can be read.
        sizes_of: makes sizes of the labels, given their name and place.
        units: path of the list of units, or None; likewise the names of document and coder.
    """

    path: FieldPath | None
    sizes_of: Callable[[object, str, RowPlace], list[int]]
    units: FieldPath | None
    document: FieldPath | None
    coder: FieldPath | None

    def segmentation(self, record: LabelRecord, own_name: str | None) -> Sizes:
        """Return the segmentation of a record; `own_name` is its name if it states none."""
        path = self.path or (_DIALOGUE_FLAGS if record.dialogue else None)
        if path is None:
            raise record.place.refusal(
                "nothing says where the labels are; name their field with --flags, --ids or --sizes"
            )
        name = f"{record.name}.{path.text}" if record.name else path.text
        sizes = self.sizes_of(path.value(record.fields, record.name, record.place), name,
                              record.place)  # fmt: skip
        self._check_length(record, sum(sizes), name)
        document, document_field = _name(record, self.document, _DOCUMENT)
        coder, coder_field = _name(record, self.coder, _CODER)
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

    def _check_length(self, record: LabelRecord, labelled: int, name: str) -> None:
        if self.units is not None:
            value = self.units.value(record.fields, record.name, record.place)
            units = len(array_of(value, self.units.text, record.place))
            if units != labelled:
                raise record.place.refusal(
                    f"{name} is for {labelled} units, and {self.units.text} has {units}; expected "
                    "the same number; check --marks and --units"
                )


def _labels(file: InputFile, asked: Asked) -> _Labels:
    """Read the options about labels."""
    paths = [
        field_path(f"--{option}", text)
        for option in ("flags", "ids", "sizes")
        if (text := getattr(asked, option)) is not None
    ]
    ...
