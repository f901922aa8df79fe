"""Print tables of results on the terminal."""

from collections.abc import Iterator
from dataclasses import replace

from rich.text import Text

from segscore.jobs.show.fitted import as_it_is, print_fitted
from segscore.jobs.show.sentences import STYLES
from segscore.pipeline.statistics.result_table import Column, ResultTable
from segscore.pipeline.statistics.sentences import Tone


def print_result(table: ResultTable, *, last: bool = False) -> None:
    """Print the first rows of a table.

    Names of rows that failed are in the color of failures, and the best values are bold.

    Args:
        table: the table.
        last: whether lines about the run follow, and no other table, so that no empty line does.
    """
    table = table.shortened()
    sections = {*table.sections, *[table.rows - table.apart - 1] * bool(table.apart)}
    print_fitted(
        [one for column in table.for_people for one in _styled(column, table)],
        title=table.title,
        caption=table.caption,
        elsewhere=table.elsewhere,
        sections=sections,
        whole=table.whole,
        last=last,
    )


def _styled(column: Column, table: ResultTable) -> Iterator[Column]:
    """Yield a column whose cells are marked and have styles, and that of its intervals."""
    if not (table.failed or table.dim or column.best is not None):
        yield column
        return
    cells = []
    for row, cell in enumerate(column.cells):
        is_best = column.best is not None and row in column.best
        text = Text(cell, "bold" if is_best else "")
        if column.is_name and row in table.failed:
            text.stylize(STYLES[Tone.FAILED])
        if row in table.dim:
            text.stylize("dim")
        cells.append(text)
    yield replace(column, values=cells, write=as_it_is, ends=())
    yield from [*column.for_terminal()][1:]
