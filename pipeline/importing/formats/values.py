"""Check the types of values in JSON and Parquet files."""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from pathlib import PurePosixPath

import numpy as np
import pyarrow as pa

from segscore.pipeline.importing.opened_file import OpenedFile
from segscore.pipeline.importing.settings import ImportSettings
from segscore.pipeline.importing.shapes import Moment
from segscore.pipeline.importing.times import Clock
from segscore.pipeline.tables import strict_json
from segscore.pipeline.tables.rows import RowPlace, shown


def object_of(value: object, name: str, place: RowPlace) -> Mapping[str, object]:
    """Return the value if it is a JSON object; raise Refused otherwise."""
    if not isinstance(value, dict):
        raise place.wrong(name, value, "an object")
    return value


def whole_object(file: OpenedFile) -> Mapping[str, object]:
    """Return the JSON object that a file is, with decimals by their digits; or raise Refused."""
    place = file.place(1)
    return object_of(strict_json.loads(file.text(), place, decimals=True), "the file", place)


def whole_list(file: OpenedFile, *, decimals: bool = False) -> list[Mapping[str, object]]:
    """Return the JSON objects in the list that a file is; `decimals` keeps the digits of times.

    Raises Refused if the file is not such a list.
    """
    place = file.place(1)
    value = strict_json.loads(file.text(), place, decimals=decimals)
    return json_objects(value, "the file", place)


def line_objects(
    file: OpenedFile, *, decimals: bool = False
) -> Iterator[tuple[RowPlace, Mapping[str, object]]]:
    """Yield the JSON object in each line with text; `decimals` keeps the digits of times.

    Raises Refused for a line that is not a JSON object.
    """
    for place, line in file.lines_with_text():
        value = strict_json.loads(line, place, decimals=decimals)
        yield place, object_of(value, "the line", place)


def array_of(value: object, name: str, place: RowPlace) -> Sequence[object]:
    """Return the value if it is a JSON array; raise Refused otherwise."""
    if not isinstance(value, list):
        raise place.wrong(name, value, "a list")
    return value


def required(record: Mapping[str, object], key: str, name: str, place: RowPlace) -> object:
    """Return a field of the object called `name`; raise Refused if it is absent or null."""
    if record.get(key) is None:
        given = (name for name, value in record.items() if value is not None)
        fields = ", ".join(map(shown, given)) or "nothing"
        raise place.refusal(f"{name} has no {key}; it has {fields}")
    return record[key]


def json_time(value: object, name: str, clock: Clock, place: RowPlace) -> Moment:
    """Return a time in JSON, a number of seconds or clock text."""
    return clock.time(_time(value, name, place), place, unit="s")


def json_duration(value: object, name: str, clock: Clock, place: RowPlace) -> Fraction | None:
    """Return a length in JSON in milliseconds; None if there is none."""
    return None if value is None else clock.duration(_time(value, name, place), place, unit="s")


def named_id(value: object, name: str, place: RowPlace) -> str | None:
    """Return a name that is a text or a whole number as text; None if there is none."""
    if value is None or value == "":
        return None
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise place.wrong(name, value, "a text")
    text = str(value)
    if text != text.encode("utf-8", "replace").decode("utf-8"):
        raise place.wrong(name, text, "valid Unicode")
    return text


def brief(text: str) -> str:
    """Return a text from a file as part of a name in messages: shortened and valid."""
    return shown(text).strip('"')


def document_of_path(value: object, name: str, place: RowPlace) -> str | None:
    """Return the name of a media file without folders and ending; None if there is none."""
    path = named_id(value, name, place)
    return None if path is None else PurePosixPath(path.replace("\\", "/")).stem or None


def _time(value: object, name: str, place: RowPlace) -> object:
    if isinstance(value, bool) or not isinstance(value, str | int | Decimal):
        raise place.wrong(name, value, "a number of seconds")
    return value


_DOCUMENT = "document_id"


def json_objects(value: object, name: str, place: RowPlace) -> list[Mapping[str, object]]:
    """Return the value if it is a list of objects; raise Refused otherwise."""
    if not isinstance(value, list):
        raise place.wrong(name, value, "a list of objects")
    return [object_of(one, f"{name}[{index}]", place) for index, one in enumerate(value)]


def json_offset(
    record: Mapping[str, object], name: str, place: RowPlace, *, may_be_text: bool = False
) -> int:
    """Return a field that is a whole number and not negative; raise Refused otherwise.

    A number written as text, such as "5", is refused unless it `may_be_text`.
    """
    value = required(record, name, "a span", place)
    if (
        may_be_text
        and isinstance(value, str)
        and value.isdecimal()
        and value.isascii()
        and len(value) < 10
    ):
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise place.wrong(name, value, "a non-negative integer")
    return value


def json_document(
    records: Sequence[Mapping[str, object]], settings: ImportSettings, place: RowPlace
) -> str | None:
    """Return the document's name: `--document-field`, else document_id, in the first that has it.

    Raises Refused if `--document-field` is given and in none of the records.
    """
    path = settings.document_field or _DOCUMENT
    for record in records:
        value: object = record
        for part in path.split("."):
            value = value.get(part) if isinstance(value, dict) else None
        if name := named_id(value, path, place):
            return name
    if settings.document_field is None:
        return None
    fields = ", ".join(shown(name) for record in records for name in record)
    raise place.refusal(f"no field {path}; name one of these with --document-field: {fields}")


def without_json_ending(file: OpenedFile) -> str:
    """Return the name of a file without the endings of JSON and of compressed files."""
    name = file.name
    for ending in (".gz", ".zst", ".jsonl", ".ndjson", ".json"):
        name = name[: -len(ending)] if name.lower().endswith(ending) else name
    return name


_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


def exact_values(column: pa.ChunkedArray) -> Iterator[object]:
    """Yield the values of a column: floats as their shortest decimals, durations as clock text."""
    kind = column.type
    if pa.types.is_duration(kind) or pa.types.is_time(kind):
        whole = pa.int32() if pa.types.is_time32(kind) else pa.int64()
        for number in column.cast(whole).to_pylist():
            yield None if number is None else _clock_text(number, _PER_SECOND[kind.unit])
        return
    for value in column.to_pylist():
        if isinstance(value, float):
            small = {pa.float32(): np.float32, pa.float16(): np.float16}.get(kind)
            text = str(small(value)) if small else repr(value)
            yield Decimal(text) if np.isfinite(value) else text
        else:
            yield None if value == "" else value


def _clock_text(number: int, per_second: int) -> str:
    seconds, rest = divmod(abs(number), per_second)
    text = f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    fraction = f"{rest * _PER_SECOND['ns'] // per_second:09}"
    return f"{'-' if number < 0 else ''}{text}.{fraction}"
