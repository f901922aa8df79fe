"""Print tables of results on the terminal."""

from dataclasses import replace

from rich.text import Text

from segscore.jobs.show.fitted import as_it_is, print_fitted
from segscore.jobs.show.sentences import STYLES
from segscore.pipeline.statistics.sentences import Tone
from segscore.pipeline.statistics.shown_tables import Column, ShownTable


def print_shown(table: ShownTable) -> None:
    """Print the first rows of a table.

    Names of rows that failed are in the color of failures, and the best values are marked.
    """
    table = table.shortened()
    sections = {*table.sections, *[table.rows - table.apart - 1] * bool(table.apart)}
    print_fitted(
        [_styled(column, table) for column in table.for_people],
        title=table.title,
        caption=table.caption,
        sections=sections,
        whole=table.whole,
    )


def _styled(column: Column, table: ShownTable) -> Column:
    """Return a column whose cells are marked and have styles."""
    if not (table.failed or table.dim or column.best is not None):
        return column
    cells = []
    for row, cell in enumerate(column.cells):
        is_best = column.best is not None and row in column.best
        mark = "" if column.best is None else "*" if is_best else " "
        text = Text(f"{cell}{mark}", "bold" if is_best else "")
        if column.is_name and row in table.failed:
            text.stylize(STYLES[Tone.FAILED])
        if row in table.dim:
            text.stylize("dim")
        cells.append(text)
    return replace(column, values=cells, write=as_it_is)
