"""`segscore cite`: print BibTeX and a sentence about the method of a run."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from segscore.pipeline.runs.finished import FinishedRun

MICRO = "micro"
"""The average that `score` and `compare` show by default."""


def cite(
    run: Annotated[
        str | None,
        typer.Argument(help="Folder of a finished run of score, compare or agree; default: none."),
    ] = None,
    measures: Annotated[
        str | None,
        typer.Option(
            "--measures",
            "--measure",
            help="Measures that you report; default: those printed.",
        ),
    ] = None,
    average: Annotated[
        str | None,
        typer.Option(help="Average that you report: micro or macro."),
    ] = None,
) -> None:
    """Print BibTeX of segscore and of the sources of measures, and a sentence about the method."""
    from importlib.metadata import version

    from segscore.jobs.show.formats import print_text
    from segscore.pipeline.errors import Refused
    from segscore.pipeline.measures import ALL
    from segscore.pipeline.measures.agreement_bibliography import AGREEMENT_PUBLICATIONS
    from segscore.pipeline.measures.bibliography import ADJUSTMENT, INTERVAL_METHOD, bibliography
    from segscore.pipeline.reports.method import describe_method, of_statistics
    from segscore.pipeline.runs.finished import FinishedRun
    from segscore.pipeline.settings.ranges import one_of

    one_of("--average", average or MICRO, (MICRO, "macro"))
    if run is not None and (audit := FinishedRun.open(run)).command == "agree":
        if average is not None:
            raise Refused(f"--average {average}: coefficients of agreement are not averages")
        print_text(_of_audit(audit, [] if measures is None else measures.split(",")))
        return
    asked = [] if measures is None else _named(measures.split(","))
    if run is None:
        chosen = [ALL[name] for name in asked or ALL]
        others = () if asked else (INTERVAL_METHOD, ADJUSTMENT, *AGREEMENT_PUBLICATIONS)
        print_text(bibliography(chosen, version("segscore"), others))
        return
    finished, reported = _open(run, asked)
    of_run = finished.record["versions"]["segscore"]
    entries = bibliography([ALL[name] for name in reported], of_run, of_statistics(finished))
    average = average or finished.record.get("average", MICRO)
    lines = [describe_method(finished, reported, average), "", f"% {finished.signature}", ""]
    print_text("\n".join(lines) + "\n" + entries)


def _of_audit(run: "FinishedRun", asked: Sequence[str]) -> str:
    """Return the sentence about the method of an audit, its signature, and BibTeX."""
    from segscore.pipeline.measures.bibliography import bibliography
    from segscore.pipeline.reports.agreement_method import (
        agreement_sources,
        describe_agreement_method,
        reported,
    )

    keys = reported(run, asked)
    entries = bibliography((), run.record["versions"]["segscore"], agreement_sources(run, keys))
    sentence = describe_agreement_method(run, keys)
    return "\n".join([sentence, "", f"% {run.signature}", "", entries])


def _open(url: str, asked: list[str]) -> "tuple[FinishedRun, list[str]]":
    """Open a run of score or compare, and choose the measures that are reported.

    Raises:
        Refused: there is no such run, or it does not have one of the measures.
    """
    from segscore.pipeline.errors import Refused
    from segscore.pipeline.results.leaderboard import PRINTED, measures_to_show
    from segscore.pipeline.runs.finished import FinishedRun
    from segscore.pipeline.scoring.finished_scoring import FinishedScoring

    compared = FinishedRun.open(url)
    if compared.command == "compare":
        available = list(compared.settings["measures"])
        for name in asked:
            if name not in available:
                wanted = ",".join([*available, *asked])
                raise Refused(f"{url}: does not compare {name}; compare with --measure {wanted}")
        return compared, asked or available
    scored = FinishedScoring.open(url)
    scored.require(asked)
    rows = scored.table("summary").column("measure").unique().to_pylist()
    if not rows:
        raise Refused(
            f"{url}: has no averages to report, as no document has several references, which all "
            "its measures need; score again with others"
        )
    return scored, asked or measures_to_show(rows, scored.measures_in_order)[:PRINTED]


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
            raise Refused(
                f"--measures {name}: no such measure{nearest_measure(name, ALL)}; `segscore "
                "measures` lists them all"
            )
    return [*names]
