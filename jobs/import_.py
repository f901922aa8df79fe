"""`segscore import`: convert other formats to tables."""

from typing import Annotated

import typer

from segscore.jobs.cli.log import LOG


def import_(
    files: Annotated[list[str], typer.Argument(help="Files or globs, of any known format.")],
    output: Annotated[
        str, typer.Option(help="Folder for references/, hypotheses/ and documents/.")
    ],
    format_name: Annotated[
        str | None,
        typer.Option(
            "--format", help="jsonl, segeval, choi, nltk or csv; default: by name and content."
        ),
    ] = None,
    role: Annotated[
        str, typer.Option(help="Role of rows whose file does not say: reference or hypothesis.")
    ] = "reference",
    coder: Annotated[
        str | None, typer.Option(help="Coder of rows whose file names no annotator or system.")
    ] = None,
    document_id: Annotated[
        str | None, typer.Option(help="Document of rows whose file names none.")
    ] = None,
) -> None:
    """Import JSONL, segeval JSON, Choi's text, NLTK strings or CSV as Parquet tables."""
    from segscore.jobs.show.printing import out
    from segscore.pipeline.tables.formats.rows import Defaults
    from segscore.pipeline.tables.import_files import import_files

    imported = import_files(files, output, Defaults(document_id, coder, role), format_name)
    for line in imported.contradictions:
        LOG.say("warning", line)
    if imported.contradictions:
        LOG.say("warning", "written as they are; a run will reject these rows")
    for name, rows in imported.rows.items():
        out().print(f"{output}/{name}: {rows} rows", markup=False)
