"""`segscore measures`: list the meaning of every measure."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table


def measures() -> None:
    """List every measure: name, formula, range, better direction, source."""
    from segscore.jobs.show.printing import out
    from segscore.pipeline.measures import ALL

    table = _table("measure", "formula", "range", "better", "source")
    for measure in ALL.values():
        table.add_row(measure.name, measure.formula, measure.range, measure.better, measure.source)
    out().print(table)
    out().print(_agreement())


def _agreement() -> "Table":
    """List the parts of the coefficients of agreement, (actual - expected) / (1 - expected)."""
    from segscore.pipeline.agreement.coefficients import ACTUAL, ALPHA, EXPECTED

    table = _table("agreement", "similarity", "formula", "source")
    for similarity, measure in ACTUAL.items():
        table.add_row("actual", similarity, measure.formula, measure.source)
    for (coefficient, kind), measure in EXPECTED.items():
        table.add_row(f"expected, {coefficient}", kind, measure.formula, measure.source)
    for measure in ALPHA:
        table.add_row(f"{measure.name}, alpha", "two_category", measure.formula, measure.source)
    return table


def _table(*headings: str) -> "Table":
    from rich.table import Table

    table = Table(show_lines=True)
    for heading in headings:
        table.add_column(heading, overflow="fold")
    return table
