"""Read people's ratings of segmentations: a table with document_id, system and rating."""

import json
import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from segscore.pipeline import storage
from segscore.pipeline.errors import Refused, nearest
from segscore.pipeline.settings.reading import read_file
from segscore.pipeline.storage.csv_rows import csv_records

_OPTION = "--ratings"
_DOCUMENT, _RATING = "document_id", "rating"
_SYSTEM = ("system", "coder", "hypothesis")
"""Names that the column of the system may have."""

Ratings = Mapping[tuple[str, str], float]
"""Document and system -> the mean of their ratings."""


def read_ratings(location: str) -> dict[tuple[str, str], float]:
    """Read ratings from CSV, JSON Lines or Parquet; several of one pair are averaged.

    The columns are document_id, system (or coder) and rating; others, such as that of the rater,
    are not read.

    Raises:
        Refused: the file cannot be read or has no row, a column is missing, or a cell is empty or
            not a number.
    """
    found: dict[tuple[str, str], list[Fraction]] = {}
    for number, row in _rows(location):
        place = f"{_OPTION} {location}:{number}"
        name = _system_column(place, row)
        cells = {key: row.get(key) for key in (_DOCUMENT, name, _RATING)}
        for key, value in cells.items():
            if value is None or (isinstance(value, str) and not value.strip()):
                raise Refused(f"{place}: {key} is empty")
        pair = str(cells[_DOCUMENT]).strip(), str(cells[name]).strip()
        found.setdefault(pair, []).append(_number(place, cells[_RATING]))
    if not found:
        raise Refused(f"{_OPTION} {location}: has no row")
    return {pair: float(sum(each) / len(each)) for pair, each in found.items()}


def _system_column(place: str, row: Mapping[str, Any]) -> str:
    """Return the name of the column of the system; refuse a row that lacks a column."""
    name = next((name for name in _SYSTEM if name in row), _SYSTEM[0])
    for needed in (_DOCUMENT, name, _RATING):
        if needed not in row:
            near = nearest(needed, [*map(str, row)])
            raise Refused(
                f"{place}: has no column {needed}{near}; it needs {_DOCUMENT}, system and {_RATING}"
            )
    return name


def _number(place: str, value: Any) -> Fraction:
    if not isinstance(value, bool) and isinstance(value, int | float | str):
        try:
            number = float(value)
        except (ValueError, OverflowError):
            number = math.nan
        if math.isfinite(number):
            return Fraction(number)
    raise Refused(f"{place}: rating {value!r} is not a number")


def _rows(location: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield the rows of a file with the numbers of their lines, or of rows from 1."""
    if location.endswith(".parquet"):
        yield from enumerate(storage.read_columns(location, None).to_pylist(), start=1)
        return
    text = read_file(_OPTION, location)
    if not storage.is_json_lines(location):
        yield from enumerate(csv_records(f"{_OPTION} {location}", text), start=2)
        return
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), start=1):
        if line.strip():
            yield number, _json_row(f"{_OPTION} {location}:{number}", line)


def _json_row(place: str, line: str) -> Mapping[str, Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as problem:
        raise Refused(f"{place}: is not JSON") from problem
    if not isinstance(row, dict):
        raise Refused(f"{place}: is not an object; write one for each line")
    return row
