"""`segscore validate`: list the errors of a table, row by row."""

from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

import typer

from segscore.jobs.show.fitted import print_lines
from segscore.jobs.show.formats import ResultFormat

if TYPE_CHECKING:
    import pyarrow as pa

    from segscore.pipeline.tables.check_table import Checked
    from segscore.pipeline.testsets.recognise import Recognition

_SHOWN = 50


def validate(
    table: Annotated[str, typer.Argument(help="Table to check: a file, folder or glob.")],
    documents: Annotated[
        bool, typer.Option("--documents", help="Check a documents table.")
    ] = False,
    length_tolerance: Annotated[
        int,
        typer.Option(help="Units by which lengths of a document may differ."),
    ] = 0,
    format_name: ResultFormat = "text",
) -> None:
    """Check a table and list every row that a run would reject; exit 1 if there is one."""
    from segscore.jobs.cli.log import LOG
    from segscore.jobs.show.formats import plain_table, print_json, print_table
    from segscore.pipeline import storage
    from segscore.pipeline.settings.ranges import MOST_UNITS, check_locations, within
    from segscore.pipeline.tables import check_table

    check_locations({"TABLE": table})
    within("--length-tolerance", length_tolerance, 0, MOST_UNITS)
    kind = check_table.DOCUMENTS if documents else check_table.SEGMENTATIONS
    if not documents and storage.other_files(table):
        checked = _check_text(table, length_tolerance)
    else:
        checked = check_table.check_table(table, kind, length_tolerance)
    recognised = None
    if not documents:
        recognised = _recognise(table, length_tolerance)
    LOG.warn((*checked.warnings, *(recognised.warnings if recognised else ())))
    rejects = checked.rejects
    if format_name == "text":
        _print(rejects)
        verb = "row breaks" if checked.rows == 1 else "rows break"
        broken = f"{rejects.num_rows:,} of {checked.rows:,} {verb} a rule"
        print_lines(f"{table}: {broken}")
        if recognised is not None and recognised.sentence:
            print_lines(recognised.sentence)
    elif format_name == "json":
        counts = {"rows": checked.rows, "rejected": rejects.num_rows}
        listed = {"rejects": rejects.to_pylist(), "warnings": list(checked.warnings)}
        test_set = {"test_set": None if recognised is None else recognised.record}
        print_json("validate", {"table": table, **counts, **listed, **test_set})
    else:
        print_table(plain_table(rejects.column_names, rejects.to_pylist(), ""), format_name)
    if rejects.num_rows:
        raise typer.Exit(1)


def _check_text(file: str, tolerance: int) -> "Checked":
    """Check a file of another format, by importing it as `segscore score` does."""
    from segscore.pipeline.importing.check_text import check_text
    from segscore.pipeline.runs import executors

    with executors.connect("local", None) as executor:
        return check_text(file, tolerance, executor)


def _recognise(table: str, tolerance: int) -> "Recognition | None":
    """Recognise the test set of the references of a table; None if it has none that is valid."""
    from segscore.pipeline.errors import Failed, Refused
    from segscore.pipeline.testsets.registry import own_registry
    from segscore.pipeline.testsets.tables import recognise_table

    with suppress(Refused, Failed):  # what is wrong with the table has been said
        return recognise_table(table, own_registry(), tolerance)
    return None


def _print(rejects: "pa.Table") -> None:
    """Print the first rejected rows, and how many break each rule."""
    from segscore.pipeline.plain_text import shortened
    from segscore.pipeline.tables.validate import owner_of, place_of

    for row in rejects.slice(0, _SHOWN).to_pylist():
        line = f"{place_of(row)} {owner_of(row)}: {row['rule']}: {row['detail']}"
        print_lines(shortened(line))
    if rejects.num_rows > _SHOWN:
        print_lines(f"... and {rejects.num_rows - _SHOWN} more")
    for rule in rejects.column("rule").value_counts().to_pylist():
        print_lines(f"{rule['counts']} x {rule['values']}")
