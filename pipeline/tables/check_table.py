"""Check a table without a run, for every row that a run would reject."""

from dataclasses import dataclass

import pyarrow as pa

from segscore.pipeline import storage
from segscore.pipeline.errors import Failed, Refused
from segscore.pipeline.tables import columns
from segscore.pipeline.tables.columns import segmentations_contract
from segscore.pipeline.tables.contradictions import describe, without_contradictions
from segscore.pipeline.tables.find import find_table
from segscore.pipeline.tables.read import Rows, read_valid

DOCUMENTS = "documents"
SEGMENTATIONS = "segmentations"


@dataclass(frozen=True)
class _Checked:
    """The result of a check.

    Attributes:
        kind: `segmentations` or `documents`.
        rows: number of rows read.
        rejects: the rejected rows (schemas/rejects.py).
        warnings: what was adapted to read the table.
    """

    kind: str
    rows: int
    rejects: pa.Table
    warnings: tuple[str, ...]


def check_table(url: str, kind: str, tolerance: int = 0) -> _Checked:
    """Check every row of a table, and the rows against each other.

    Args:
        url: a file, a directory or a glob.
        kind: `segmentations` or `documents`.
        tolerance: units by which the lengths of a document's segmentations may differ.

    Raises:
        Refused: the table does not exist.
        Failed: a file cannot be read as such a table, or the table has no rows.
    """
    storage.find(url)
    model = columns.DOCUMENTS if kind == DOCUMENTS else segmentations_contract(tolerance)
    try:
        table = find_table(kind, url, model)
        rows, broken = read_valid(table, model)
    except Refused as problem:
        raise Failed(str(problem)) from problem
    rejects = [broken, *between_rows(rows, kind, tolerance)]
    return _Checked(kind, len(rows) + broken.num_rows, pa.concat_tables(rejects), table.warnings)


def between_rows(rows: Rows, kind: str, tolerance: int = 0) -> list[pa.Table]:
    """List the valid rows that contradict each other, as tables of rejects."""
    if kind == DOCUMENTS:
        return [describe(rows).rejects]
    return without_contradictions(rows, None, tolerance)[1]
