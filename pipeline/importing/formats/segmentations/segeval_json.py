"""segeval 2's JSON: items -> coder -> masses, the segment sizes (segeval.data.jsonutils)."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import accumulate

from segscore.pipeline.tables import strict_json
from segscore.pipeline.tables.rows import (
    Defaults,
    ParsedRow,
    RowPlace,
    integer_of,
    list_of,
    numbered,
    text_of,
)


def read(lines: Iterable[str], source: str, defaults: Defaults) -> Iterator[ParsedRow]:
    """Parse a segeval JSON text into rows, one per item and coder; masses become positions.

    Items are documents. Coders are named in the file; the role is the default, because the format
    has no roles. Other properties, which segeval itself does not use in its counts, are dropped.
    A row's line is 1, because the whole text is one value.
    Raises Refused for a segmentation_type other than linear, missing items, or a mass below 1.
    """
    place = RowPlace(source, 1)
    text = "\n".join(line for _, line in numbered(lines))
    value = strict_json.loads(text, place)
    if isinstance(value, list):
        raise place.refusal(
            "a list, where segeval's JSON is an object; write records as JSON Lines, one a line, "
            "into a file named .jsonl"
        )
    whole = _object(value, "the file", place)
    if whole.get("segmentation_type") != "linear":
        raise place.wrong("segmentation_type", whole.get("segmentation_type"), '"linear"')
    for item, codings in _object(whole.get("items"), "items", place).items():
        document_id = text_of(item, "an item's name", place)
        for coder, masses in _object(codings, f"items.{item}", place).items():
            name = text_of(coder, f"a coder's name in items.{item}", place)
            sizes = _masses(masses, f"items.{item}.{coder}", place)
            ends = tuple(accumulate(sizes))
            yield ParsedRow(
                document_id, name, defaults.role, ends[-1], ends[:-1], source=source, line=1
            )


def _object(value: object, name: str, place: RowPlace) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise place.wrong(name, value, "an object")
    return value


def _masses(value: object, name: str, place: RowPlace) -> tuple[int, ...]:
    masses = list_of(_mass, value, name, place)
    if not masses:
        raise place.wrong(name, value, "at least one mass")
    return masses


def _mass(value: object, name: str, place: RowPlace) -> int:
    mass = integer_of(value, name, place)
    if mass < 1:
        raise place.wrong(name, value, "a mass of at least 1 unit")
    return mass
