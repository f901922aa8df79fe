"""`segscore measures`: what every measure means."""


def measures() -> None:
    """List every measure: name, formula, range, which way is better, source."""
    from rich.table import Table

    from jobs.printing import out
    from pipeline.measures import PAIRS, PANELS

    table = Table(show_lines=True)
    for heading in ("measure", "formula", "range", "better", "source"):
        table.add_column(heading, overflow="fold")
    for measure in (*PAIRS.measures.values(), *PANELS.measures.values()):
        upper = "∞" if measure.upper is None else f"{measure.upper:g}"
        table.add_row(
            measure.name, measure.formula, f"0 to {upper}", measure.better, measure.source
        )
    out().print(table)
