"""Print tables of results on the terminal."""

from dataclasses import replace

from rich.text import Text

from segscore.jobs.show.fitted import print_fitted
from segscore.jobs.show.sentences import STYLES
from segscore.pipeline.statistics.sentences import Tone
from segscore.pipeline.statistics.shown_tables import ShownTable


def print_shown(table: ShownTable) -> None:
    """Print the first rows of a table; those that failed have names in the color of failures."""
    table = table.shortened()
    columns = table.columns
    if table.failed:
        styles = [STYLES[Tone.FAILED] * (place in table.failed) for place in range(table.rows)]
        columns = [
            replace(column, values=[*map(Text, column.cells, styles)]) if column.is_name else column
            for column in columns
        ]
    print_fitted(
        columns,
        title=table.title,
        caption=table.caption,
        sections=table.sections,
        whole=table.whole,
    )
