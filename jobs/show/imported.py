"""Say what an import or a projection wrote."""

from collections.abc import Iterator

from segscore.jobs.show.fitted import out
from segscore.pipeline.importing.account import Imported
from segscore.pipeline.statistics.shown_numbers import counted


def warn_of_imported(imported: Imported) -> Iterator[str]:
    """Yield warnings about what was adapted, not used, or contradicts other rows."""
    if imported.adapted:
        yield "; ".join(imported.adapted)
    yield from (*imported.unused, *imported.warnings, *imported.contradictions)
    if imported.contradictions:
        yield "written as they are; a run will reject these rows"


def print_tables(output: str, imported: Imported) -> None:
    """Print the tables of an output folder, with their numbers of rows and segments."""
    for name, rows in imported.rows.items():
        numbers = [counted(rows, "row")]
        if name in imported.segments:
            numbers.append(counted(imported.segments[name], "segment"))
        out().print(f"{output}/{name}: {', '.join(numbers)}", markup=False)
