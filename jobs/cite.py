"""`segscore cite`: print BibTeX and a sentence about the method of a run."""

from collections.abc import Sequence
from typing import Annotated

import typer


def cite(
    run: Annotated[
        str | None, typer.Argument(help="Folder of a finished scoring run; default: none.")
    ] = None,
    measures: Annotated[
        str | None,
        typer.Option(
            "--measures",
            "--measure",
            help="Measures that you report, separated by commas; default: those that score prints.",
        ),
    ] = None,
) -> None:
    """Print BibTeX of segscore and of the sources of measures, and a sentence about the method."""
    from importlib.metadata import version

    from segscore.jobs.show.formats import print_text
    from segscore.pipeline.measures import ALL, shown_measures
    from segscore.pipeline.measures.bibliography import bibliography
    from segscore.pipeline.reports.method import describe_method
    from segscore.pipeline.scoring.finished_scoring import FinishedScoring

    asked = [] if measures is None else _named(measures.split(","))
    if run is None:
        chosen = asked or list(ALL)
        print_text(bibliography([ALL[name] for name in chosen], version("segscore")))
        return
    finished = FinishedScoring.open(run)
    finished.require(asked)
    rows = finished.table("summary").column("measure").unique().to_pylist()
    chosen = asked or shown_measures(rows)
    of_run = finished.record["versions"]["segscore"]
    lines = [describe_method(finished, chosen), "", f"% {finished.signature}", ""]
    print_text("\n".join(lines) + "\n" + bibliography([ALL[name] for name in chosen], of_run))


def _named(names: Sequence[str]) -> list[str]:
    """Return the names of measures.

    Raises:
        Refused: there is none of one of these names.
    """
    from segscore.pipeline.errors import Refused
    from segscore.pipeline.measures import ALL
    from segscore.pipeline.measures.published import nearest_measure

    for name in names:
        if name not in ALL:
            raise Refused(f"--measures {name}: no such measure{nearest_measure(name, ALL)}")
    return [*names]
