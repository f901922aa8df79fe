"""`segscore explain`: list and draw the edits of one document."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from segscore.jobs.cli.log import LOG
from segscore.jobs.show.formats import ResultFormat
from segscore.pipeline.settings.options import MOVED_INPUTS, TrustInputsOption

if TYPE_CHECKING:
    from segscore.pipeline.errors import Refused
    from segscore.pipeline.scoring.explain import Explained


def explain(
    run: Annotated[str, typer.Argument(help="Folder of a finished run.")],
    document: Annotated[
        str | None, typer.Option(help="Id of the document; without it some are named.")
    ] = None,
    hypothesis: Annotated[
        str | None, typer.Option(help="Coder of the hypothesis; default: all.")
    ] = None,
    units: Annotated[
        str | None,
        typer.Option(
            help="Texts of the units, to print the words around each edit. It is a file as for "
            "answers --source."
        ),
    ] = None,
    format_name: ResultFormat = "text",
    inputs: Annotated[str | None, typer.Option(help=MOVED_INPUTS)] = None,
    trust_inputs: TrustInputsOption = False,
) -> None:
    """List the edits between a document's hypotheses and its references, and draw them."""
    from segscore.jobs.show.formats import plain_table, print_json, print_table
    from segscore.pipeline.importing.text_around import read_texts, text_around
    from segscore.pipeline.measures.edit_list import Edit
    from segscore.pipeline.scoring import explain as explaining
    from segscore.pipeline.scoring.finished_scoring import FinishedScoring

    if document is None:
        raise _without_document(run)
    finished = FinishedScoring.open(run).trusting(everything=trust_inputs).with_inputs_in(inputs)
    pairs, rejected = explaining.explain_pairs(finished, [document], hypothesis)
    texts = None if units is None else read_texts(units, {document: pairs[0].n_units})[document]

    def words(edit: Edit) -> dict[str, str]:
        position = edit.other_position if edit.position is None else edit.position
        return {"around": text_around(texts, position or 0)} if texts else {}

    if format_name == "text":
        _print(pairs, texts)
    elif format_name == "json":
        rows = [
            asdict(pair) | {"edits": [edit._asdict() | words(edit) for edit in pair.edits]}
            for pair in pairs
        ]
        print_json("explain", {"run": run, "pairs": rows, "rejected": rejected})
    else:
        rows = [
            {name: getattr(pair, name) for name in _NAMES} | edit._asdict() | words(edit)
            for pair in pairs
            for edit in pair.edits
        ]
        columns = [*_NAMES, *Edit._fields, *(["around"] if texts else [])]
        print_table(plain_table(columns, rows, ""), format_name)
    for each in rejected:
        LOG.say("warning", f"rejected by the run: {each}")


_SUGGESTED = 3


def _without_document(run: str) -> "Refused":
    """Return the error of a command that names no document; it names the first ones of the run."""
    from segscore.pipeline.errors import Refused
    from segscore.pipeline.scoring.finished_scoring import FinishedScoring

    first = next(FinishedScoring.open(run).parts("scores", ["document_id"]))
    ids = first.column("document_id").unique().to_pylist()[:_SUGGESTED]
    return Refused(f"--document: name a document of the run, such as {', '.join(ids)}")


_NAMES = ("document", "hypothesis", "reference")


def _print(pairs: "Sequence[Explained]", texts: Sequence[str] | None) -> None:
    """Print a drawing and a list of the edits of each pair, with the words around each."""
    from segscore.jobs.show.fitted import out, print_lines
    from segscore.pipeline.importing.text_around import text_around
    from segscore.pipeline.reports import terminal

    def around(position: int) -> str:
        return text_around(texts or (), position)

    print_lines(*terminal.draw_explained(pairs, out().width, around if texts else None))
