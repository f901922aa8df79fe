"""Read the rows of CSV files that are small enough to be read whole."""

import csv
from collections.abc import Iterator
from typing import TypeVar

from segscore.pipeline.errors import Refused

_Row = TypeVar("_Row")


def csv_rows(where: str, text: str, separator: str = ",") -> list[list[str]]:
    """Return the rows of a CSV file with its header.

    Args:
        where: the name of the file, or of the option and the file, for messages.
        text: the content of the file.
        separator: what separates cells.

    Raises:
        Refused: a cell is longer than any that the module ``csv`` reads.
    """
    return [*_guarded(where, csv.reader(_lines(text), delimiter=separator))]


def csv_records(where: str, text: str) -> list[dict[str, str | None]]:
    """Return the rows of a CSV file by the names in its header.

    Args, Raises: as ``csv_rows``.
    """
    return [*_guarded(where, csv.DictReader(_lines(text)))]


def _lines(text: str) -> list[str]:
    return text.removeprefix("\ufeff").splitlines()


def _guarded(where: str, rows: Iterator[_Row]) -> Iterator[_Row]:
    try:
        yield from rows
    except csv.Error as problem:
        raise Refused(f"{where}: cannot be read as CSV: {problem}") from problem
