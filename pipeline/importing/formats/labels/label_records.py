"""Records of labels: lines of JSON Lines, documents in a JSON file, or rows of a Parquet file."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

import pyarrow as pa

from segscore.pipeline.errors import Refused
from segscore.pipeline.importing.formats.asked import OpenedFile
from segscore.pipeline.importing.formats.format_heads import CSV_ENDINGS, JSON_LINES_ENDINGS
from segscore.pipeline.importing.formats.json_fields import array_of, brief, object_of
from segscore.pipeline.importing.formats.labels.field_paths import FieldPath
from segscore.pipeline.tables import strict_json
from segscore.pipeline.tables.rows import RowPlace

DIALOGUES = "dial_data"
"""The field in which SuperDialseg and TIAGE have their dialogues, by data set."""
_BATCH = 1000


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


def label_records(file: OpenedFile, path: FieldPath | None) -> Iterator[LabelRecord]:
    """Yield the records of a file; `path` leads to lists of them.

    Raises Refused for text that is not JSON, or a record that is no object.
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
    if PurePosixPath(file.name.lower()).suffix in CSV_ENDINGS:
        raise file.refusal("labels are read from JSON Lines, JSON and Parquet, not from CSV")
    lines = [(number, line) for number, line in enumerate(file.lines(), start=1) if line.strip()]
    if not lines or not _has_lines(file, lines):
        yield file.place(1), strict_json.loads(file.text(), file.place(1))
        return
    for number, line in lines:
        yield file.place(number), strict_json.loads(line, file.place(number))


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


def _has_lines(file: OpenedFile, lines: list[tuple[int, str]]) -> bool:
    """Return whether a file is JSON Lines, by its name, or because a line is a whole object."""
    if {*JSON_LINES_ENDINGS} & {*PurePosixPath(file.name.lower()).suffixes}:
        return True
    try:
        first = strict_json.loads(lines[0][1], file.place(1))
    except Refused:
        return False
    return isinstance(first, dict) and len(lines) > 1
