"""One segmentation as stated in a file, and the checks that give each of its fields its type."""

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import PurePosixPath
from typing import Any, TypeVar

from segscore.pipeline.errors import Refused

Value = TypeVar("Value")
Scalar = str | int | float | bool
Attribute = Scalar | tuple[Scalar | None, ...]
SHOWN_CHARACTERS = 40
_REMEDIES = {
    "coder": "or name it with --coder",
    "document_id": "or name it with --document-id",
    "n_units": "write the number of units of its document into each row, also of hypotheses",
}


NO_LINE = -1
"""Line of values that were not read from a file."""


@dataclass(frozen=True, slots=True)
class RowPlace:
    """The place where a value was read: a source and a line from 1, or a row of Parquet from 0."""

    source: str
    line: int

    def refusal(self, message: str) -> Refused:
        """Return the error to raise for a problem at this place."""
        where = self.source if self.line == NO_LINE else f"{self.source}:{self.line}"
        return Refused(printable(f"{where}: {message}"))

    def wrong(self, name: str, found: object, expected: str) -> Refused:
        """Return the error to raise for the field `name` with the value `found`."""
        return self.refusal(f"{name} is {shown(found)}; expected {expected}")


_ElementCheck = Callable[[object, str, RowPlace], float]


@dataclass(frozen=True, slots=True)
class ParsedRow:
    """One segmentation of one document by one coder.

    boundaries are positions: p lies between unit p and unit p+1. boundary_types and boundary_scores
    have one element per boundary, unit_lengths (words or ms) and unit_weights one per unit, and
    segment_labels one per segment. None means "not given"; in the first five fields and inside
    lists, it occurs only if the reader was lenient, but among labels for a segment without label.
    Order, range and matching lengths are not checked here, but by validation.
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
    collapsed_boundaries: int | None = None
    trial: int | None = None
    segment_labels: tuple[str | None, ...] | None = None

    @property
    def place(self) -> RowPlace:
        """The place where the row was read."""
        return RowPlace(self.source, self.line)


@dataclass(frozen=True, slots=True)
class Defaults:
    """Values for a row whose file does not give them; None means no default.

    Raises Refused for a role that is not one of ROLES.
    """

    document_id: str | None = None
    coder: str | None = None
    role: str = "reference"

    def __post_init__(self) -> None:
        """Check the role here, because formats without roles use the default without a check."""
        from segscore.schemas.input_columns import ROLES  # imports Arrow

        if self.role not in ROLES:
            raise Refused(f"the default role is {shown(self.role)}; expected one of {ROLES}")


def shown(value: object) -> str:
    """Format a value as JSON, shortened to fit a message, with lone surrogates escaped."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    text = text if len(text) <= SHOWN_CHARACTERS else text[: SHOWN_CHARACTERS - 3] + "..."
    return printable(text)


def printable(text: str) -> str:
    """Return a text with lone surrogates, which no terminal can print, escaped."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def numbered(lines: Iterable[str], first: int = 1) -> Iterator[tuple[int, str]]:
    """Number lines from ``first``, and remove LF or CRLF, and a byte order mark in line 1."""
    for number, line in enumerate(lines, start=first):
        text = line.removeprefix("\ufeff") if number == 1 else line
        yield number, text.removesuffix("\n").removesuffix("\r")


def repeated(names: Iterable[str]) -> str:
    """Return the name that occurs most often."""
    return Counter(names).most_common(1)[0][0]


def stem(source: str) -> str:
    """Return the last part of a path or URL without its extension, to name a nameless document."""
    return PurePosixPath(source).stem


def is_given(value: Value | None, name: str, place: RowPlace) -> Value:
    """Return the value; raise Refused if it is None."""
    if value is None:
        raise place.refusal(missing_field(name) + option_hint(name))
    return value


def missing_field(name: str) -> str:
    """Return the message about a field that a row lacks."""
    return f"{name} is missing (absent, empty or null); every row needs it"


def option_hint(name: str) -> str:
    """Return the remark that says how to give a missing field; empty if there is none."""
    return f"; {_REMEDIES[name]}" if name in _REMEDIES else ""


def text_of(value: object, name: str, place: RowPlace) -> str:
    """Return the value if it is a string that is not empty; raise Refused otherwise."""
    if not isinstance(value, str) or not value:
        raise place.wrong(name, value, "a text of at least one character")
    return value


def role_of(value: object, name: str, place: RowPlace) -> str:
    """Return the value if it is one of ROLES; raise Refused otherwise."""
    from segscore.schemas.input_columns import ROLES  # imports Arrow

    if value not in ROLES:
        raise place.wrong(name, value, '"reference" or "hypothesis"')
    return str(value)


def integer_of(value: object, name: str, place: RowPlace) -> int:
    """Return the value if it is an integer, but not true or 3.0; raise Refused otherwise."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise place.wrong(name, value, "a whole number")
    return value


def row_number(value: object, name: str, place: RowPlace) -> float:
    """Return a finite number as a float; raise Refused for anything else, including true."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise place.wrong(name, value, "a number")
    if not abs(value) <= sys.float_info.max:
        raise place.wrong(name, value, "a number within a float's range")
    return float(value)


def list_of(
    check: Callable[[object, str, RowPlace], Value], value: object, name: str, place: RowPlace
) -> tuple[Value, ...]:
    """Return a list as a tuple, with `check` applied to each element.

    Raises Refused if the value is not a list; `check` raises for an element and names it.
    """
    if not isinstance(value, list):
        raise place.wrong(name, value, "a list")
    return tuple(check(element, f"{name}[{index}]", place) for index, element in enumerate(value))


def label_of(value: object, name: str, place: RowPlace) -> str | None:
    """Return the label of a segment, or None for one without; raise Refused for anything else."""
    if value is not None and not isinstance(value, str):
        raise place.wrong(name, value, "a text, or null for a segment without label")
    return value


def optional_lists(
    read: Callable[[str, _ElementCheck], object], integer: _ElementCheck, decimal: _ElementCheck
) -> dict[str, Any]:
    """Read the optional lists of a row, which have one element per boundary or per unit.

    ``read`` reads the list of a column, with a check of each element: one for integers, or one for
    other numbers.
    """
    return {
        name: read(name, integer if whole else decimal) for name, whole in _whole_numbers().items()
    }


@cache
def _whole_numbers() -> dict[str, bool]:
    """Return the optional lists, each with whether its elements are integers."""
    import pyarrow as pa

    from segscore.schemas.input_columns import BY_BOUNDARY, BY_UNIT, INPUT_TYPES

    return {
        name: pa.types.is_integer(INPUT_TYPES[name].value_type) for name in (*BY_BOUNDARY, *BY_UNIT)
    }
