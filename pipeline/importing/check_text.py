"""Check a file that is not a table, as `segscore score` reads it."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa

from segscore.pipeline import storage
from segscore.pipeline.errors import Refused
from segscore.pipeline.importing.conversion.names import without_endings
from segscore.pipeline.importing.run import find_imported, run_import
from segscore.pipeline.importing.settings import ImportSettings
from segscore.pipeline.runs.executor import Executor
from segscore.pipeline.runs.run_folder import REJECTS
from segscore.pipeline.runs.tasks import ignore_progress
from segscore.pipeline.tables.check_table import SEGMENTATIONS, Checked, check_table

_TABLES = ("references", "hypotheses")


def check_text(file: str, tolerance: int, executor: Executor) -> Checked:
    """List the bad lines of a file, and the rows that contradict others, which have no line.

    Raises:
        Refused: the file is of no known format, is malformed, or has no valid row.
    """
    name = without_endings(os.path.basename(file), ())
    with tempfile.TemporaryDirectory(prefix="segscore-") as folder:
        output = os.path.join(folder, "tables")
        settings = ImportSettings(
            (file,), output, role="reference", coder=name, document_id=name, max_rejects=1.0
        )
        with options_of_import():
            found = find_imported(settings)
            imported = run_import(settings, found, executor, ignore_progress, resumable=False)
        tables = [os.path.join(output, each) for each in _TABLES if each in imported.rows]
        checked = [check_table(each, SEGMENTATIONS, tolerance) for each in tables]
        rejects = [_in_file(each.rejects, file) for each in checked]
        if imported.rejected:
            (listed,) = storage.find(os.path.join(output, REJECTS))
            rejects.insert(0, storage.read_table(listed.url))
    rows = imported.rejected + sum(each.rows for each in checked)
    return Checked(SEGMENTATIONS, rows, pa.concat_tables(rejects), imported.doubts)


@contextmanager
def options_of_import() -> Iterator[None]:
    """Say of a refusal which command has the options that it names."""
    try:
        yield
    except Refused as problem:
        if "--" not in str(problem):
            raise
        raise Refused(f"{problem} (the options are those of `segscore import`)") from problem


def _in_file(rejects: pa.Table, file: str) -> pa.Table:
    """Return rejects of an imported table with the file, in which their lines are not known."""
    places = {"source": pa.repeat(file, len(rejects)), "row": pa.nulls(len(rejects), pa.int64())}
    for name, values in places.items():
        rejects = rejects.set_column(rejects.column_names.index(name), name, values)
    return rejects
