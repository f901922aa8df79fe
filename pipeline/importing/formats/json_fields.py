"""Fields of JSON files: refuse those that are missing or have a wrong type."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from pathlib import PurePosixPath

from segscore.pipeline.importing.formats.asked import OpenedFile
from segscore.pipeline.importing.formats.shapes import Moment
from segscore.pipeline.importing.formats.times import Clock
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
        raise place.refusal(f"{name} has no {key}; there is {fields}")
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
