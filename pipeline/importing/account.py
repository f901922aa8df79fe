"""Account for an import: its counts, what it left out, and the errors and messages about it."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

import pyarrow as pa

from segscore.pipeline import storage
from segscore.pipeline.errors import Refused
from segscore.pipeline.importing.conversion.surveyed import SurveyedShape
from segscore.pipeline.importing.describe import MOST_LISTED, RangeReceipt
from segscore.pipeline.importing.read_part import BAD_ROWS


@dataclass(frozen=True)
class Imported:
    """The result of an import.

    Attributes:
        rows: number of rows of each table written; a table without rows is not written.
        segments: number of segments in references and in hypotheses.
        contradictions: rows that a run will reject because of other rows, by file and line.
        counted: what was left out or read in another way, by file.
        rejected: number of bad rows and lines, which are in the table rejects.
        adapted: a clause about each column that was converted.
        unit: unit of all rows; None if it is not known.
        longest: the largest number of units of a row.
        unused: warnings about options without effect, and files and columns that are not read.
        test_set: which test set the references are, in a sentence; empty if none is known.
        warnings: what seems to be a test set, and is not.
        doubts: warnings of what may have been meant in another way, to be said last.
    """

    rows: dict[str, int]
    segments: dict[str, int]
    contradictions: list[str]
    counted: list[str]
    rejected: int
    adapted: list[str]
    unit: str | None
    longest: int
    unused: list[str] = field(default_factory=list)
    test_set: str = ""
    warnings: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()


def rejects_of(folder: str) -> Iterator[pa.Table]:
    """Read the bad lines and rows of all parts, in the order of the parts."""
    bad_rows = storage.join(folder, BAD_ROWS)
    for name in storage.names(bad_rows):
        if name.endswith(storage.PARQUET):
            yield storage.read_columns(storage.join(bad_rows, name), None)


def require_few(folder: str, number: int, rows: int, max_rejects: float) -> None:
    """Refuse more bad lines and rows than --max-rejects allows, and list the first; or all."""
    too_many = number > max_rejects * rows
    if not too_many and not number == rows > 0:
        return
    listed = (row for table in rejects_of(folder) for row in table.to_pylist())
    lines = [
        f"{row['source']}:{row['row'] + 1}: {row['rule']}: {row['detail']}"
        for row in islice(listed, MOST_LISTED if too_many else 1)
    ]
    if not too_many:
        (first,) = lines
        raise Refused(first if rows == 1 else f"{first}; all {rows} lines are bad")
    share = ""
    if max_rejects:
        share = f"{number} of {rows} lines are bad, more than --max-rejects {max_rejects} allows:\n"
    raise Refused(share + "\n".join(_with_more(lines, number)))


def first_contradictions(receipts: Iterable[RangeReceipt]) -> list[str]:
    """Describe the first rows that contradict others, in the order of their rules and files."""
    found = [*receipts]
    first = sorted(one for receipt in found for one in receipt.first)
    lines = [message for *_, message in first[:MOST_LISTED]]
    return _with_more(lines, sum(receipt.contradictions for receipt in found))


def _with_more(lines: list[str], number: int) -> list[str]:
    more = number - len(lines)
    return [*lines, f"... and {more} more"] if more > 0 else lines


def common_unit(
    surveyed: Sequence[SurveyedShape], unit_stated: str | None, *, others: bool
) -> str | None:
    """Return the unit of all rows; None if it is not known.

    Args:
        surveyed: rows whose files state what they count, which is one unit.
        unit_stated: the unit of other rows; None if it is not known.
        others: whether there are other rows.

    Raises:
        Refused: the unit of the other rows is another one.
    """
    if not surveyed:
        return unit_stated
    unit = surveyed[0].unit
    if unit_stated not in (None, unit):
        raise Refused(
            f"--unit {unit_stated}: {surveyed[0].url} counts {unit}s; leave the option out, or "
            "import files of different units into different folders"
        )
    return None if others and unit_stated is None else unit


def of_many_files(counted: Sequence[str]) -> list[str]:
    """Return lines about files, with one line for a remark that many files share.

    Args:
        counted: lines that begin with the place of a file, then `: `, a remark and its names.
    """
    remarks: dict[str, list[str]] = {}
    for line in counted:
        _, _, said = line.partition(": ")
        remark = said.partition(": ")[0]
        if remark in _SHARED:
            remarks.setdefault(remark, []).append(line)
    shared = {remark: lines for remark, lines in remarks.items() if len(lines) > _MOST_LINES}
    dropped = {line for lines in shared.values() for line in lines}
    kept = [line for line in counted if line not in dropped]
    for remark, lines in shared.items():
        names = dict.fromkeys(
            name for line in lines for name in line.partition(f": {remark}: ")[2].split(", ")
        )
        shown = ", ".join([*names][:MOST_LISTED])
        more = f" and {len(names) - MOST_LISTED} more" if len(names) > MOST_LISTED else ""
        kept.append(f"{len(lines)} files: {remark}: {shown}{more}")
    return _with_sums(kept)


def _with_sums(counted: Sequence[str]) -> list[str]:
    """Return lines about files, with one line of sums for many segmentations with the same remark.

    Args:
        counted: lines such as `FILE: show-1, anna: 2 gaps (80 ms) joined to the segment before`.
    """
    alike: dict[str, list[str]] = {}
    for line in counted:
        if _COUNT.match(_remark_of(line)):
            alike.setdefault(_COUNT.sub(_without_number, _remark_of(line)), []).append(line)
    many = [lines for lines in alike.values() if len(lines) > MOST_LISTED]
    dropped = {line for lines in many for line in lines}
    return [line for line in counted if line not in dropped] + [
        f"{len(lines):,} segmentations: {_summed([*map(_remark_of, lines)])}; the first is "
        f"{lines[0].removesuffix(': ' + _remark_of(lines[0]))}"
        for lines in many
    ]


def _remark_of(line: str) -> str:
    """Return what a line says after the file and the segmentation."""
    return line.partition(": ")[2].partition(": ")[2]


def _without_number(found: re.Match[str]) -> str:
    return f"# {_singular(found[2])}"


def _singular(noun: str) -> str:
    return noun if noun == "ms" else noun.removesuffix("s")


def _summed(remarks: Sequence[str]) -> str:
    """Return a remark with the sums of the numbers of several, which differ in nothing else."""
    numbers = [
        [int(found[1].replace(",", "")) for found in _COUNT.finditer(remark)] for remark in remarks
    ]
    sums = map(sum, zip(*numbers, strict=True))

    def with_sum(found: re.Match[str]) -> str:
        number, noun = next(sums), _singular(found[2])
        return f"{number:,} {noun}{'s' * (number != 1 and noun != 'ms')}"

    return _COUNT.sub(with_sum, remarks[0])


_COUNT = re.compile(r"(\d[\d,]*) (\w+)")
"""A number and its noun, such as `2 gaps`."""

_SHARED = ("tiers not read", "columns not read", "documents named by the file in")
"""Remarks that many files may share."""

_MOST_LINES = 3
"""The most lines with one remark."""
