"""One segmentation as a file states it, and the checks that give each of its fields its type."""

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any, TypeVar

import pyarrow as pa

from segscore.pipeline.errors import Refused
from segscore.schemas.input_columns import BY_BOUNDARY, BY_UNIT, INPUT_TYPES, ROLES

Value = TypeVar("Value")
Attribute = str | int | float | bool
SHOWN_CHARACTERS = 40
_WHOLE_NUMBERS = {
    name: pa.types.is_integer(INPUT_TYPES[name].value_type) for name in (*BY_BOUNDARY, *BY_UNIT)
}
"""Optional list -> whether its elements are whole numbers."""
_OPTIONS = {"coder": "--coder", "document_id": "--document-id"}


@dataclass(frozen=True, slots=True)
class RowPlace:
    """Where a value was read: a source and its line, counted from 1."""

    source: str
    line: int

    def refusal(self, message: str) -> Refused:
        """The error to raise for what stands at this place."""
        return Refused(f"{self.source}:{self.line}: {message}")

    def wrong(self, name: str, found: object, expected: str) -> Refused:
        """The error to raise for the field `name` that holds `found`."""
        return self.refusal(f"{name} is {shown(found)}; expected {expected}")


_ElementCheck = Callable[[object, str, RowPlace], float]


@dataclass(frozen=True, slots=True)
class ParsedRow:
    """One segmentation of one document by one coder.

    boundaries are positions: p lies between unit p and unit p+1; boundary_types and
    boundary_scores run parallel to them, unit_lengths (words or ms) and unit_weights have one
    number a unit. None is "not given": of the first five fields, and in lists, only where a reader
    was lenient. Order, range and matching lengths are for validation to judge.
    """

    document_id: str | None
    coder: str | None
    role: str
    n_units: int | None
    boundaries: tuple[int | None, ...] | None
    boundary_types: tuple[int | None, ...] | None = None
    boundary_scores: tuple[float | None, ...] | None = None
    unit_lengths: tuple[int | None, ...] | None = None
    attributes: Mapping[str, Attribute] = field(default_factory=dict)
    source: str = ""
    line: int = 0
    unit_weights: tuple[int | None, ...] | None = None

    @property
    def place(self) -> RowPlace:
        """Where the row was read."""
        return RowPlace(self.source, self.line)


@dataclass(frozen=True, slots=True)
class Defaults:
    """What a row is given where its file does not say; None is no default.

    Raises Refused for a role that is not one of ROLES.
    """

    document_id: str | None = None
    coder: str | None = None
    role: str = "reference"

    def __post_init__(self) -> None:
        """Checked once here, because formats without roles take the default unseen."""
        if self.role not in ROLES:
            raise Refused(f"the default role is {shown(self.role)}; expected one of {ROLES}")


def shown(value: object) -> str:
    """A value as JSON, shortened to fit a message, lone surrogates escaped to be printable."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    text = text if len(text) <= SHOWN_CHARACTERS else text[: SHOWN_CHARACTERS - 3] + "..."
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def numbered(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Lines with their numbers from 1, without LF or CRLF and the first without byte order mark."""
    for number, line in enumerate(lines, start=1):
        text = line.removeprefix("\ufeff") if number == 1 else line
        yield number, text.removesuffix("\n").removesuffix("\r")


def repeated(names: Iterable[str]) -> str:
    """The name that stands among others most often."""
    return Counter(names).most_common(1)[0][0]


def stem(source: str) -> str:
    """The last part of a path or URL without its extension: a document's name of last resort."""
    return PurePosixPath(source).stem


def is_given(value: Value | None, name: str, place: RowPlace) -> Value:
    """The value itself; raises Refused where it is missing."""
    if value is None:
        missing = f"{name} is missing (absent, empty or null); every row needs it"
        hint = f"; or name it with {_OPTIONS[name]}" if name in _OPTIONS else ""
        raise place.refusal(missing + hint)
    return value


def text_of(value: object, name: str, place: RowPlace) -> str:
    """A name of at least one character; raises Refused for anything else."""
    if not isinstance(value, str) or not value:
        raise place.wrong(name, value, "a text of at least one character")
    return value


def role_of(value: object, name: str, place: RowPlace) -> str:
    """One of ROLES; raises Refused for anything else."""
    if value not in ROLES:
        raise place.wrong(name, value, '"reference" or "hypothesis"')
    return str(value)


def integer_of(value: object, name: str, place: RowPlace) -> int:
    """A whole number; raises Refused for anything else, for true and for 3.0 too."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise place.wrong(name, value, "a whole number")
    return value


def row_number(value: object, name: str, place: RowPlace) -> float:
    """A finite number as a float; raises Refused for anything else, for true too."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise place.wrong(name, value, "a number")
    if not abs(value) <= sys.float_info.max:
        raise place.wrong(name, value, "a number within a float's range")
    return float(value)


def list_of(
    check: Callable[[object, str, RowPlace], Value], value: object, name: str, place: RowPlace
) -> tuple[Value, ...]:
    """A list as a tuple of what `check` makes of its elements.

    Raises Refused for anything but a list, and whatever `check` raises, naming the element.
    """
    if not isinstance(value, list):
        raise place.wrong(name, value, "a list")
    return tuple(check(element, f"{name}[{index}]", place) for index, element in enumerate(value))


def optional_lists(
    read: Callable[[str, _ElementCheck], object], integer: _ElementCheck, decimal: _ElementCheck
) -> dict[str, Any]:
    """Read the optional lists of a row, which have one element per boundary or per unit.

    Args:
        read: reads the list of a column, and checks each of its elements.
        integer: the check for whole numbers.
        decimal: the check for other numbers.
    """
    return {
        name: read(name, integer if whole else decimal) for name, whole in _WHOLE_NUMBERS.items()
    }
