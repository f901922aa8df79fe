"""Test sets whose segmentations ship: references, and what others' systems made of them."""

from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from segscore.pipeline import storage
from segscore.pipeline.errors import Refused
from segscore.pipeline.storage.placement import require_free
from segscore.pipeline.testsets.registry import KnownSet, own_registry
from segscore.schemas.input_columns import ROLE, TABLE_ROLES

_WRITTEN = ("references", "hypotheses")


def shipped_tables(test_set: KnownSet) -> dict[str, pa.Table]:
    """Return the references and the hypotheses of a test set; nothing if it does not ship."""
    if not test_set.data:
        return {}
    whole = storage.read_table(str(Path(__file__).with_name(test_set.data)))
    tables = {name: whole.filter(pc.field(ROLE) == TABLE_ROLES[name]) for name in _WRITTEN}
    return {
        name: table.select([column for column in table.column_names if _differs(table, column)])
        for name, table in tables.items()
    }


def _differs(table: pa.Table, column: str) -> bool:
    """Return whether a column says more than the name of the table."""
    return column != ROLE and table.column(column).null_count < len(table)


def write_shipped(test_set: KnownSet, folder: str) -> dict[str, pa.Table]:
    """Write the references and the hypotheses of a test set to a folder, and return them.

    Raises:
        Refused: it does not ship, or the folder has such tables already.
    """
    tables = shipped_tables(test_set)
    if not tables:
        shipped = ", ".join(each.name for each in own_registry().sets if each.data)
        raise Refused(
            f"--write {folder}: segscore does not ship {test_set.name}; it ships {shipped}"
        )
    storage.require_writable_store("--write", folder)
    require_free(folder, [*tables], option="--write")
    for name, table in tables.items():
        storage.make_folder(storage.join(folder, name))
        storage.write_table(storage.join(folder, name, f"{name}.parquet"), table)
    return tables
