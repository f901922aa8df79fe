"""`segscore suspects`: list the boundaries of references that may be wrong."""

from typing import Annotated

import typer

from segscore.jobs.show.formats import ResultFormat, plain_table, print_json, print_table
from segscore.pipeline.settings.options import Option, Panel, TrustInputsOption


def suspects(
    run: Annotated[
        str, typer.Argument(help="Folder of a finished run with three systems or more.")
    ],
    output: Annotated[
        str | None,
        typer.Option(help="Folder for the table; default: that of the run."),
    ] = None,
    accuracy: Annotated[
        float | None,
        Option(
            "Share of true boundaries that references have, and of theirs that are true; "
            "default: from documents with several references, else 0.95.",
            Panel.MEASURES,
            rare=True,
        ),
    ] = None,
    report: Annotated[
        str | None,
        Option("File or URL of a page with drawings; default: none.", Panel.OUTPUT),
    ] = None,
    format_name: ResultFormat = "text",
    trust_inputs: TrustInputsOption = False,
) -> None:
    """List boundaries of references that may be wrong, because nearly all systems say so."""
    from segscore.jobs.cli.log import LOG
    from segscore.jobs.show.suspects import print_suspects
    from segscore.pipeline import storage
    from segscore.pipeline.comparison.suspects import find_suspects
    from segscore.pipeline.comparison.tables import table_of
    from segscore.pipeline.errors import Refused
    from segscore.pipeline.scoring.finished_scoring import FinishedScoring
    from segscore.schemas.comparisons import SUSPECTS

    if accuracy is not None and not 0.5 < accuracy < 1:
        raise Refused(f"--accuracy {accuracy:g}: must be above 0.5 and below 1")
    finished = FinishedScoring.open(run).trusting(everything=trust_inputs)
    found = find_suspects(finished, accuracy)
    table = table_of(found.rows, SUSPECTS, {})
    folder = storage.join(run if output is None else output, SUSPECTS.name)
    storage.write_table(storage.join(folder, f"{SUSPECTS.name}.parquet"), table)
    if format_name == "text":
        print_suspects(found, run, finished.unit)
    elif format_name == "json":
        about = {"systems": list(found.systems), "accuracy": found.accuracy}
        print_json("suspects", {"run": run, **about, "suspects": found.rows})
    else:
        print_table(plain_table(table.column_names, table.to_pylist(), ""), format_name)
    LOG.say("info", f"{folder}: written", output=folder)
    if report is not None:
        from segscore.pipeline.reports.suspects import write_suspects

        size = write_suspects(found, finished, report)
        LOG.say("info", f"{report} ({size / 1e6:.1f} MB): open it in a browser", output=report)
