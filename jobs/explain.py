"""`segscore explain`: list and draw the edits of one document."""

from typing import Annotated

import typer


def explain(
    run: Annotated[str, typer.Argument(help="Folder of a finished run.")],
    document: Annotated[str, typer.Option(help="Id of the document.")],
    hypothesis: Annotated[
        str | None, typer.Option(help="Coder of the hypothesis; default: all.")
    ] = None,
) -> None:
    """List the edits between a document's hypotheses and its references, and draw them."""
    from segscore.jobs.show.fitted import out
    from segscore.pipeline.reports import terminal
    from segscore.pipeline.scoring import explain as explaining

    console = out()
    pairs = explaining.explain_pairs(run, [document], hypothesis)
    console.print(terminal.LEGEND, markup=False)
    for pair in pairs:
        console.print()
        console.print(f"{document}: {pair.hypothesis} against {pair.reference}", markup=False)
        drawing = terminal.draw_in_terminal(pair.n_units, pair.edits, console.width, pair.unit)
        for line in drawing:
            console.print(line, markup=False)
        for edit in pair.edits:
            if edit.kind != "match":
                console.print(terminal.describe_edit(edit, pair.unit), markup=False)
