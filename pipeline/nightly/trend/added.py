"""Scores of another tool, from a CSV file, that a trend shows beside its own and never judges."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from math import isfinite

from segscore.pipeline.errors import Refused
from segscore.pipeline.nightly.dates import read_date
from segscore.pipeline.settings.reading import read_file
from segscore.pipeline.statistics.formatted_numbers import counted
from segscore.pipeline.statistics.result_table import Column, ResultTable
from segscore.pipeline.storage.csv_rows import csv_records, csv_rows

_OPTION = "--add"
_COLUMNS = ("date", "system", "measure", "value")


@dataclass(frozen=True, order=True)
class AddedScore:
    """A value that another tool gave a system on a date."""

    system: str
    date: date
    value: float


def read_added(location: str, measure: str, warnings: list[str]) -> list[AddedScore]:
    """Read the scores by a measure from a CSV file, by system and date.

    A warning counts the rows by other measures.

    Raises:
        Refused: the file cannot be read, lacks a column, or has no row with the measure; or a row
            is incomplete or has the system and the date of another.
    """
    where = f"{_OPTION} {location}"
    text = read_file(_OPTION, location)
    header = (csv_rows(where, text) or [[]])[0]
    for name in _COLUMNS:
        if name not in header:
            raise Refused(f"{where}: has no column {name}; it needs {', '.join(_COLUMNS)}")
    rows = csv_records(where, text)
    scores: dict[tuple[str, date], AddedScore] = {}
    for number, row in enumerate(rows, start=2):
        if (row["measure"] or "").strip() == measure:
            score = _score(f"{where}:{number}", row)
            if scores.setdefault((score.system, score.date), score) is not score:
                raise Refused(f"{where}:{number}: a second row of {score.system} on {score.date}")
    if not scores:
        named = ", ".join(sorted({row["measure"] or "" for row in rows})) or "no row"
        raise Refused(f"{where}: has no row with the measure {measure}; it has {named}")
    if other := len(rows) - len(scores):
        warnings.append(f"{where}: {counted(other, 'row')} by other measures left out")
    return sorted(scores.values())


def _score(place: str, row: dict[str, str | None]) -> AddedScore:
    day, system, _, text = ((row[name] or "").strip() for name in _COLUMNS)
    if not system:
        raise Refused(f"{place}: system is empty")
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not isfinite(value):
        raise Refused(f"{place}: value {text} is not a number")
    return AddedScore(system, read_date(f"{place}: date", day), value)


def added_table(scores: Sequence[AddedScore]) -> ResultTable:
    """Show the dates of each system and the mean of its scores."""
    of: dict[str, list[AddedScore]] = {}
    for score in scores:
        of.setdefault(score.system, []).append(score)
    means = [sum(one.value for one in each) / len(each) for each in of.values()]
    return ResultTable(
        [
            Column("system", [*of], is_name=True),
            Column("first", [str(each[0].date) for each in of.values()]),
            Column("last", [str(each[-1].date) for each in of.values()]),
            Column("dates", [len(each) for each in of.values()]),
            Column("mean", means),
        ],
        title=f"added by {_OPTION}, not judged",
    )
