"""Check a table without a run, for every row that a run would reject."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain, islice

import pyarrow as pa
import pyarrow.compute as pc

from segscore.pipeline import storage
from segscore.pipeline.errors import OtherFormat, Refused
from segscore.pipeline.storage import InputFile
from segscore.pipeline.tables import columns
from segscore.pipeline.tables.columns import segmentations_contract
from segscore.pipeline.tables.contradictions import describe, without_contradictions
from segscore.pipeline.tables.find import find_table, require_one_table, unreadable_lines
from segscore.pipeline.tables.plain_attributes import find_documents
from segscore.pipeline.tables.read import Rows, read_valid
from segscore.pipeline.tables.units import describe_long_segments
from segscore.pipeline.tables.validate import REJECT_COLUMNS

DOCUMENTS = "documents"
SEGMENTATIONS = "segmentations"
READ_AS_ATTRIBUTES = "{url}: is read as attributes of documents, as it has no n_units"


@dataclass(frozen=True)
class Checked:
    """The result of a check: the kind of table, the number of its rows, rejects and warnings."""

    kind: str
    rows: int
    rejects: pa.Table
    warnings: tuple[str, ...]


def check_table(url: str, kind: str, tolerance: int = 0) -> Checked:
    """Check every row of a table, and the rows against each other.

    The kind is `segmentations` or `documents`. The lengths of a document's segmentations may differ
    by ``tolerance`` units.

    Raises:
        Refused: the table does not exist or has no rows, the folder contains several, or a file
            cannot be read as such a table or must be imported.
    """
    files = storage.find(url)
    require_one_table(kind, url, files)
    model = columns.DOCUMENTS if kind == DOCUMENTS else segmentations_contract(tolerance)
    try:
        table = find_documents(url) if kind == DOCUMENTS else find_table(kind, url, model)
        if table.plain is not None:
            warnings = (*table.warnings, READ_AS_ATTRIBUTES.format(url=url))
            return Checked(kind, len(table.plain), REJECT_COLUMNS.empty_table(), warnings)
        rows, broken = read_valid(table, model)
    except OtherFormat:
        raise
    except Refused as problem:
        raise Refused(_describe_lines(kind, files) or str(problem)) from problem
    rejects = [broken, *between_rows(rows, kind, tolerance)]
    warnings = table.warnings
    if kind == SEGMENTATIONS and table.unit is None:
        warnings = (*warnings, *_warn_of_long_segments(rows))
    return Checked(kind, len(rows) + broken.num_rows, pa.concat_tables(rejects), warnings)


def _warn_of_long_segments(rows: Rows) -> list[str]:
    """Return a warning if the unit of segmentations is not stated, and their segments are long."""
    units = pc.sum(rows.table.column("n_units")).as_py() or 0
    boundaries = pc.sum(pc.list_value_length(rows.table.column("boundaries"))).as_py() or 0
    return describe_long_segments(rows.name, units, boundaries + len(rows))


def _describe_lines(kind: str, files: Iterable[InputFile]) -> str:
    """Describe the first lines of JSON Lines files that cannot be read; empty if there are none."""
    urls = (file.url for file in files if storage.is_json_lines(file.url))
    messages = chain.from_iterable(unreadable_lines(kind, url) for url in urls)
    first = list(islice(messages, _LINES_SHOWN + 1))
    more = "; further lines cannot be read" * (len(first) > _LINES_SHOWN)
    return "; ".join(first[:_LINES_SHOWN]) + more


_LINES_SHOWN = 20
"""Number of lines that cannot be read that a message describes."""


def between_rows(rows: Rows, kind: str, tolerance: int = 0) -> list[pa.Table]:
    """List the valid rows that contradict each other, as tables of rejects."""
    if kind == DOCUMENTS:
        return [describe(rows).rejects]
    return without_contradictions(rows, None, tolerance)[1]
