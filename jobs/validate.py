"""`segscore validate`: list the errors of a table, row by row."""

from typing import Annotated

import typer

_SHOWN = 50


def validate(
    table: Annotated[str, typer.Argument(help="Table to check: a file, folder or glob.")],
    documents: Annotated[
        bool, typer.Option("--documents", help="Check a documents table, not segmentations.")
    ] = False,
    length_tolerance: Annotated[
        int,
        typer.Option(help="Units by which the lengths of a document's segmentations may differ."),
    ] = 0,
) -> None:
    """Check a table and list every row that a run would reject; exit 1 if there is one."""
    from segscore.jobs.cli.log import LOG
    from segscore.jobs.show.fitted import out
    from segscore.pipeline.runs.settings import MOST_UNITS, within
    from segscore.pipeline.tables import check_table

    within("--length-tolerance", length_tolerance, 0, MOST_UNITS)
    kind = check_table.DOCUMENTS if documents else check_table.SEGMENTATIONS
    checked = check_table.check_table(table, kind, length_tolerance)
    for warning in checked.warnings:
        LOG.say("warning", warning)
    console = out()
    rejects = checked.rejects.slice(0, _SHOWN).to_pylist()
    for row in rejects:
        console.print(
            f"{row['source']} row {row['row']} ({row['document_id']}, {row['coder']}): "
            f"{row['rule']}: {row['detail']}",
            markup=False,
        )
    if checked.rejects.num_rows > _SHOWN:
        console.print(f"... and {checked.rejects.num_rows - _SHOWN} more")
    for rule in checked.rejects.column("rule").value_counts().to_pylist():
        console.print(f"{rule['counts']} x {rule['values']}")
    console.print(
        f"{table}: {checked.rejects.num_rows} of {checked.rows} rows break a rule", markup=False
    )
    if checked.rejects.num_rows:
        raise typer.Exit(1)
