"""Recognise the test set of the references in a table."""

from segscore.pipeline.arrays.ragged import Ints, Positions, Ragged, numbers, ragged, trimmed
from segscore.pipeline.arrays.row_digests import row_digests
from segscore.pipeline.errors import Absent
from segscore.pipeline.tables.boundary_types import COLUMN, without_faults
from segscore.pipeline.tables.columns import segmentations_contract
from segscore.pipeline.tables.contradictions import without_contradictions
from segscore.pipeline.tables.find import find_table
from segscore.pipeline.tables.read import Rows, read_valid
from segscore.pipeline.testsets.content import Content, count_content
from segscore.pipeline.testsets.digests import digest_rows
from segscore.pipeline.testsets.recognise import Recognition, recognise
from segscore.pipeline.testsets.registry import Registry

_LISTS = ("boundaries", COLUMN)


def read_references(location: str, tolerance: int = 0) -> Rows:
    """Read the references of a table that a run would accept.

    Raises:
        Absent: it has no references.
        Refused: it does not exist, or is not such a table.
    """
    contract = segmentations_contract(tolerance)
    rows, _ = read_valid(find_table("references", location, contract), contract)
    if COLUMN in rows.table.column_names:
        rows, _ = without_faults(rows, ())
    return without_contradictions(rows, None, tolerance)[0]


def digest_references(rows: Rows) -> Ints:
    """Compute a number for each accepted reference: equal references have equal numbers."""
    return row_digests(*_read_numbers(rows))


def content_of(rows: Rows, registry: Registry) -> Content:
    """Count accepted references, in units and with their boundary types, to recognise their set."""
    n_units, boundaries, types = _read_numbers(rows)
    return count_content(digest_rows(n_units, boundaries, types), len(boundaries.values), registry)


def _read_numbers(rows: Rows) -> tuple[Ints, Ragged, Positions | None]:
    """Return lengths, boundaries, and their types if the table has them."""
    n_units = numbers(rows.table.column("n_units").chunk(0)).astype("int64")
    lists = [
        trimmed(ragged(rows.table.column(name).chunk(0)))
        for name in _LISTS
        if name in rows.table.column_names
    ]
    return n_units, lists[0], lists[1].values if len(lists) > 1 else None


def recognise_rows(rows: Rows, registry: Registry) -> Recognition:
    """Recognise the test set of accepted references."""
    content = content_of(rows, registry)
    return recognise(content, len(rows.numbered.documents), registry)


def recognise_table(location: str, registry: Registry, tolerance: int = 0) -> Recognition | None:
    """Recognise the test set of the references in a table; None if it has no references.

    Raises:
        Refused: it does not exist, or is not such a table.
    """
    try:
        return recognise_rows(read_references(location, tolerance), registry)
    except Absent:
        return None
