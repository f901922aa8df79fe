"""Published numbers, as printed."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

from segscore.pipeline import storage
from segscore.pipeline.errors import Absent, Refused
from segscore.pipeline.storage.csv_rows import csv_records

_COLUMNS = ("system", "measure", "value")
_DOCUMENT = "document_id"
_MOST_PERCENT = 100
_LEAST_HALF_WIDTH = 1e-9
"""Numbers that are printed with all digits of a double are compared up to the rounding of sums."""


@dataclass(frozen=True)
class Published:
    """A number in a paper.

    Attributes:
        measure: the measure that the paper names.
        printed: the number as printed, such as .312 or 31.2%.
        value: the number.
        half_width: largest distance of a value that would be printed as this number.
        system: system that it is about; empty for the only one.
        document: id of the document that it is about; None for all documents.
        assumed_percent: whether it was read as a percentage because no measure exceeds 1.
    """

    measure: str
    printed: str
    value: float
    half_width: float
    system: str = ""
    document: str | None = None
    assumed_percent: bool = False

    @property
    def title(self) -> str:
        """The measure, the system and the document, for messages."""
        about = [self.system] if self.system else []
        about += [self.document] if self.document is not None else []
        return f"{self.measure} of {', '.join(about)}" if about else self.measure

    def explained_by(self, value: float) -> bool:
        """Return whether a value would be printed as this number."""
        return abs(value - self.value) <= self.half_width


def read_published(
    row: Mapping[str, Any], half_width: float | None = None, where: str = "--published"
) -> Published:
    """Read a published number.

    Args:
        row: measure and value, and perhaps system and document_id.
        half_width: largest distance of a value that would be printed as this number; None for half
            a unit of the last digit.
        where: where the number is, for messages.

    Raises:
        Refused: the value is not a number.
    """
    printed = str(row["value"]).strip()
    percent = printed.endswith("%")
    try:
        number = Decimal(printed.removesuffix("%").strip())
    except InvalidOperation as problem:
        raise Refused(f"{where} {printed}: must be a number such as 0.312 or 31.2%") from problem
    exponent = number.as_tuple().exponent
    if not isinstance(exponent, int):
        raise Refused(f"{where} {printed}: must be a number such as 0.312 or 31.2%")
    assumed_percent = not percent and abs(number) > 1
    scale = 100 if percent or assumed_percent else 1
    if abs(number) > _MOST_PERCENT * scale / 100:
        raise Refused(f"{where} {printed}: exceeds 100 %, and no measure of a convention exceeds 1")
    if half_width is None:
        half_width = max(_LEAST_HALF_WIDTH, float(Decimal(5).scaleb(exponent - 1)) / scale)
    return Published(
        str(row["measure"]),
        printed,
        float(number) / scale,
        # A value exactly half way may be printed either way.
        half_width * (1 + 1e-9),
        str(row.get("system") or ""),
        str(row[_DOCUMENT]) if row.get(_DOCUMENT) else None,
        assumed_percent,
    )


def read_published_table(location: str, half_width: float | None = None) -> list[Published]:
    """Read the published numbers of a CSV file.

    Args:
        location: the file, with the columns system, measure and value, and perhaps document_id.
        half_width: as for ``read_published``.

    Raises:
        Refused: there is no file, it lacks a column, or has a value that is not a number.
    """
    text = storage.read_text(location)
    if text is None:
        raise Absent(f"--published-table {location}: there is no such file")
    rows = csv_records(f"--published-table {location}", text)
    return published_rows(rows, half_width, location)


def published_rows(
    rows: Iterable[Mapping[str, Any]], half_width: float | None, where: str
) -> list[Published]:
    """Read published numbers from rows with the columns system, measure and value.

    Raises:
        Refused: there is none, a row lacks a column, or a value is not a number.
    """
    numbers = []
    for place, row in enumerate(rows, start=1):
        if not isinstance(row, Mapping):
            raise Refused(
                f"{where} row {place}: {row!r} must name its {', '.join(_COLUMNS)}, as "
                "{'system': 'a', 'measure': 'pk', 'value': 0.2}"
            )
        if missing := [name for name in _COLUMNS if row.get(name) is None and name != "system"]:
            raise Refused(f"{where} row {place}: lacks {', '.join(missing)}")
        numbers.append(read_published(row, half_width, f"{where} row {place}"))
    if not numbers:
        raise Refused(f"{where}: has no rows; list the numbers with system, measure and value")
    return numbers
