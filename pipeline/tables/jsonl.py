"""JSON Lines: one segmentation per line, an object with columns of the segmentations table."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import TypeVar

import pyarrow as pa

from segscore.pipeline.errors import nearest
from segscore.pipeline.tables import strict_json
from segscore.pipeline.tables.columns import SEGMENTATIONS
from segscore.pipeline.tables.rows import (
    Attribute,
    Defaults,
    ParsedRow,
    RowPlace,
    Scalar,
    integer_of,
    label_of,
    list_of,
    missing_field,
    numbered,
    option_hint,
    optional_lists,
    role_of,
    row_number,
    shown,
    text_of,
)
from segscore.schemas.input_columns import BOUNDARY_KINDS, BY_SEGMENT, INPUT_TYPES, ROLE

T = TypeVar("T")
_FIELDS = {*INPUT_TYPES, ROLE}
_FIRST_NUMBERS = {"n_units", "boundaries"}
"""Fields without all of which a list is probably one of them under another name."""


def read(
    lines: Iterable[str],
    source: str,
    defaults: Defaults,
    *,
    lenient: bool = False,
    adapted: set[str] | None = None,
    first: int = 1,
) -> Iterator[ParsedRow]:
    """Parse a JSON Lines text into rows, one object per line; blank lines are skipped.

    A missing or null document_id, coder or role is taken from `defaults`. Other fields are
    attributes, and so are members of an object (published.k -> published_k); null is absent. If
    lenient, missing or null fields and nulls in lists become None, and validation rejects them, and
    attributes that are lists are left out; otherwise those of one type are kept.
    `first` is the number of the first line.
    If `adapted` is given, ids may be integers and whole numbers may be written as 11.0; `adapted`
    receives a clause about each column that is converted or left out.
    Raises Refused for a missing field (unless lenient), a wrong type, or a list that cannot be an
    attribute.
    """
    for number, text in numbered(lines, first):
        if text.strip():
            place = RowPlace(source, number)
            record = strict_json.loads(text, place)
            yield parse_record(record, place, defaults, lenient=lenient, adapted=adapted)


def parse_record(
    record: object,
    place: RowPlace,
    defaults: Defaults,
    *,
    lenient: bool = False,
    adapted: set[str] | None = None,
) -> ParsedRow:
    """Parse one row, as ``read`` does."""
    if not isinstance(record, dict):
        raise place.wrong("the line", record, "one JSON object")
    if adapted is not None:
        record = _converted(record, adapted)
    if not lenient:
        _require(record, defaults, place)
    attributes = _attributes(record, place, adapted, lenient=lenient)
    return _row(record, attributes, place, defaults, lenient=lenient)


def _converted(record: Mapping[str, object], adapted: set[str]) -> dict[str, object]:
    """Return a record with ids as texts and whole numbers as integers."""
    converted = dict(record)
    for name, value in record.items():
        kind = INPUT_TYPES.get(name)
        if kind == pa.string() and isinstance(value, int) and not isinstance(value, bool):
            converted[name] = str(value)
            adapted.add(f"{name} is a number, read as text")
        elif kind in (pa.int32(), pa.list_(pa.int32())):
            values = value if isinstance(value, list) else [value]
            if float in map(type, values):
                whole = [_whole(element) for element in values]
                converted[name] = whole if isinstance(value, list) else whole[0]
                adapted.add(f"{name} is written with decimals, read as whole numbers")
    return converted


def _whole(value: object) -> object:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _require(record: Mapping[str, object], defaults: Defaults, place: RowPlace) -> None:
    """Refuse a record without a required field, before any other fault in it is reported."""
    missing = _missing(record, defaults)
    if not missing:
        return
    others = [name for name in record if name not in _FIELDS]
    own_id = "document_id" in missing and "id" in others
    renamed = "; if id names the document, rename it to document_id" if own_id else ""
    if len(missing) == 1:
        (name,) = missing
        hint = renamed or nearest(name, others) + option_hint(name)
        raise place.refusal(missing_field(name) + hint)
    lists = any(isinstance(record[name], list) for name in others)
    labels = "; lists of labels are named with --flags, --ids or --sizes" if lists else ""
    raise place.refusal(
        f"{', '.join(missing)} are missing; every row needs them, and this one has "
        f"{', '.join(map(shown, record)) or 'nothing'}{renamed}{labels}"
    )


def _missing(record: Mapping[str, object], defaults: Defaults) -> list[str]:
    needed = SEGMENTATIONS.required
    return [n for n in needed if record.get(n) is None and getattr(defaults, n, None) is None]


def _row(
    record: Mapping[str, object],
    attributes: dict[str, Attribute],
    place: RowPlace,
    defaults: Defaults,
    *,
    lenient: bool,
) -> ParsedRow:
    def one(name: str, check: Callable[[object, str, RowPlace], T]) -> T | None:
        left_out = (None, "") if lenient else (None,)
        return None if record.get(name) in left_out else check(record[name], name, place)

    def many(name: str, check: Callable[[object, str, RowPlace], T]) -> tuple[T | None, ...] | None:
        def element(value: object, label: str, at: RowPlace) -> T | None:
            return None if lenient and value is None else check(value, label, at)

        return one(name, lambda value, label, at: list_of(element, value, label, at))

    return ParsedRow(
        document_id=one("document_id", text_of) or defaults.document_id,
        coder=one("coder", text_of) or defaults.coder,
        role=one(ROLE, role_of) or defaults.role,
        n_units=one("n_units", integer_of),
        boundaries=many("boundaries", integer_of),
        **optional_lists(many, integer_of, row_number),
        collapsed_boundaries=one("collapsed_boundaries", integer_of),
        trial=one("trial", integer_of),
        segment_labels=one(BY_SEGMENT, partial(list_of, label_of)),
        attributes=attributes,
        source=place.source,
        line=place.line,
    )


def _attributes(
    record: Mapping[str, object], place: RowPlace, adapted: set[str] | None, *, lenient: bool
) -> dict[str, Attribute]:
    """Return the attributes of a record, with nested members flattened and nulls dropped.

    The loop has its own stack, because objects can be nested more deeply than calls.
    """
    attributes: dict[str, Attribute] = {}
    waiting = [(name, value) for name, value in record.items() if name not in _FIELDS]
    while waiting:
        name, value = waiting.pop()
        attribute = _attribute(value, name, place, lenient=lenient)
        if isinstance(value, dict):
            waiting.extend((f"{name}_{inner}", member) for inner, member in value.items())
        elif attribute is not None:
            if name in attributes:
                raise place.refusal(f"two fields make the attribute {name}; rename one of them")
            attributes[name] = attribute
        elif value is not None and adapted is not None and _FIRST_NUMBERS & record.keys():
            adapted.add(f"{name} is left out: its values are lists")
        elif value is not None:
            missing = ", ".join(_missing(record, Defaults()))
            lacks = f"; the row has no {missing}" if missing else ""
            raise place.wrong(name, value, f"one value: an attribute cannot be a list{lacks}")
    return attributes


def _attribute(value: object, name: str, place: RowPlace, *, lenient: bool) -> Attribute | None:
    """Return a value as an attribute; None if it is left out."""
    if isinstance(value, str | int | float):
        return value
    if isinstance(value, list) and (not lenient or name == BOUNDARY_KINDS):
        return _list_attribute(value, name, place)
    return None


def _list_attribute(values: list[object], name: str, place: RowPlace) -> tuple[Scalar | None, ...]:
    """Return a list of values of one type or null; whole numbers beside others become floats."""
    kinds = {type(value) for value in values if value is not None}
    if kinds == {int, float}:
        return tuple(None if v is None else row_number(v, name, place) for v in values)
    if len(kinds) > 1 or not kinds <= {str, int, float, bool}:
        raise place.wrong(
            name, values, "a list of texts, of numbers, or of true and false; convert or remove it"
        )
    return tuple(value for value in values if value is None or isinstance(value, Scalar))
