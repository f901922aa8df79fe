"""Records with lists of labels, and the paths of their fields."""

import re
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

import pyarrow as pa

from segscore.pipeline.errors import Refused
from segscore.pipeline.importing.formats.format import JSON_LINES_ENDINGS
from segscore.pipeline.importing.formats.values import array_of, brief, named_id, object_of
from segscore.pipeline.importing.opened_file import OpenedFile
from segscore.pipeline.tables import strict_json
from segscore.pipeline.tables.rows import Attribute, RowPlace, shown

_STEP = re.compile(r"([^\[\]]*)((?:\[\])*)")
_MOST_NAMES = 12


@dataclass(frozen=True, slots=True)
class FieldPath:
    """A path, such as turns[].label.

    Attributes:
        option: the option that names it, for messages.
        text: the path as written.
        steps: names of fields; None runs through a list.
    """

    option: str
    text: str
    steps: tuple[str | None, ...]

    def value(self, record: object, name: str, place: RowPlace) -> object:
        """Return the value at the path, or the list of all values if the path has [].

        Args:
            record: where the path starts.
            name: what the record is called in messages; "" for a whole line.
            place: where the record was read.

        Raises:
            Refused: a field is missing, or is not the object or list that the path needs.
        """
        values = [(name, record)]
        for step in self.steps:
            if step is None:
                values = [item for at, value in values for item in self._items(value, at, place)]
            else:
                values = [self._member(value, step, at, place) for at, value in values]
        return [value for _, value in values] if None in self.steps else values[0][1]

    def _items(self, value: object, name: str, place: RowPlace) -> list[tuple[str, object]]:
        if not isinstance(value, list):
            raise place.wrong(name or "the record", value, f"a list, because of {self}")
        return [(f"{name}[{index}]", item) for index, item in enumerate(value)]

    def _member(self, value: object, step: str, name: str, place: RowPlace) -> tuple[str, object]:
        if isinstance(value, list):
            raise place.wrong(
                name or "the record", value, f"an object, because of {self}; [] runs through a list"
            )
        if not isinstance(value, Mapping):
            raise place.wrong(name or "the record", value, f"an object, because of {self}")
        if step not in value:
            fields = ", ".join(map(shown, [*value][:_MOST_NAMES])) or "nothing"
            more = ", ..." if len(value) > _MOST_NAMES else ""
            raise place.refusal(
                f"{name or 'the record'} has no field {shown(step)}; it has {fields}{more}; "
                f"check {self}"
            )
        return f"{name}.{step}" if name else step, value[step]

    def __str__(self) -> str:
        return f"{self.option} {self.text}"


def field_path(option: str, text: str) -> FieldPath:
    """Read a path.

    Raises Refused for an empty name, or brackets that are not a [] after a name.
    """
    steps: list[str | None] = []
    for index, part in enumerate(text.split(".")):
        step = _STEP.fullmatch(part)
        if step is None or not (step[1] or (index == 0 and step[2])):
            raise Refused(
                f"{option} {text}: not a valid path; write names and [], for example turns[].label"
            )
        steps += [step[1]] if step[1] else []
        steps += [None] * (len(step[2]) // 2)
    return FieldPath(option, text, tuple(steps))


DOCUMENT_FIELDS = ("document_id", "doc_id", "dial_id", "dialogue_id", "video_id", "id")
CODER_FIELDS = ("coder", "annotator")
"""Fields that say whose labels of which document they are, unless options name others."""


@dataclass(frozen=True, slots=True)
class LabelRecord:
    """The labels of one document.

    Attributes:
        fields: the fields of the document.
        name: what it is called in messages; "" if it is a whole line or row.
        place: where it was read.
        dialogue: whether it is in a file of SuperDialseg's form.
    """

    fields: Mapping[str, object]
    name: str
    place: RowPlace
    dialogue: bool = False


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


DIALOGUES = "dial_data"
"""The field in which SuperDialseg and TIAGE have their dialogues, by data set."""
_BATCH = 1000


def label_records(file: OpenedFile, path: FieldPath | None) -> Iterator[LabelRecord]:
    """Yield the records of a file; `path` leads to lists of them.

    Raises Refused for text that is not JSON, or a record that is not an object.
    """
    for place, value in _values(file):
        if path is not None:
            lists = [(path.text, path.value(value, "", place))]
        elif isinstance(value, dict) and isinstance(value.get(DIALOGUES), dict):
            lists = [(f"{DIALOGUES}.{brief(key)}", x) for key, x in value[DIALOGUES].items()]
        elif isinstance(value, list):
            lists = [("", value)]
        else:
            yield LabelRecord(object_of(value, "the record", place), "", place)
            continue
        for name, items in lists:
            for index, item in enumerate(array_of(items, name, place)):
                label = f"{name}[{index}]"
                fields = object_of(item, label, place)
                yield LabelRecord(fields, label, place, name.startswith(f"{DIALOGUES}."))


def _values(file: OpenedFile) -> Iterator[tuple[RowPlace, object]]:
    """Yield the lines, the rows counted from 0, or the whole file."""
    if file.is_parquet:
        yield from _rows(file)
        return
    lines = list(file.lines_with_text())
    if not lines or not _has_lines(file, lines):
        yield file.place(1), strict_json.loads(file.text(), file.place(1))
        return
    for place, line in lines:
        yield place, strict_json.loads(line, place)


def _rows(file: OpenedFile) -> Iterator[tuple[RowPlace, object]]:
    """Yield the rows of a Parquet file; refuse dates that Python does not have."""
    count = 0
    for batch in file.table().to_batches(max_chunksize=_BATCH):
        try:
            rows = batch.to_pylist()
        except (ValueError, OverflowError, pa.ArrowException) as error:
            raise file.place(count).refusal(
                f"a value in this row, or in one of the {len(batch) - 1:,} below it, cannot be "
                f"read: {error}"
            ) from error
        for row in rows:
            yield file.place(count), row
            count += 1


def _has_lines(file: OpenedFile, lines: list[tuple[RowPlace, str]]) -> bool:
    """Return whether a file is JSON Lines, by its name, or because a line is a whole object."""
    if {*JSON_LINES_ENDINGS} & {*PurePosixPath(file.name.lower()).suffixes}:
        return True
    try:
        first = strict_json.loads(lines[0][1], file.place(1))
    except Refused:
        return False
    return isinstance(first, dict) and len(lines) > 1
