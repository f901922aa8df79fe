"""`segscore nightly`: one date scored, judged, published; done again, it says the same again."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from segscore.jobs.cli import garbage
from segscore.jobs.cli.log import LOG
from segscore.jobs.cli.options import Fresh, Keep, LogFormat, Settings, Workers
from segscore.jobs.score import settings_of
from segscore.jobs.show.gating import broken, checks_table, moved_lines
from segscore.jobs.show.printing import Bar, out, print_finished, print_record

if TYPE_CHECKING:
    from segscore.pipeline.nightly.run import Ended
    from segscore.pipeline.nightly.settings import NightSettings
    from segscore.pipeline.nightly.verdict import Verdict

SCORE = "score"
_WHERE = ("cluster", "workers", "log_format", "explain_plan")
"""Options of `score` that do not say how to score."""


def nightly(
    context: typer.Context,
    date: Annotated[str, typer.Option(help="Date of the night, such as 2026-01-31.")],
    references: Annotated[
        str, typer.Option(help="Table of references; {date} stands for the night's date.")
    ],
    hypotheses: Annotated[
        str, typer.Option(help="Table of segmentations to judge; {date} as above.")
    ],
    runs: Annotated[
        str, typer.Option(help="Folder of the nights' runs; this one's is date=DATE in it.")
    ],
    documents: Annotated[
        str | None,
        typer.Option(help="Table of unit lengths and attributes; {date} as above."),
    ] = None,
    gate: Annotated[
        str | None,
        typer.Option(
            help="Rules separated by commas: boundary_similarity>=-0.01 may fall by .01, "
            "pk<=+0.02 rise by .02; of micro averages, or macro:pk<=+0.02."
        ),
    ] = None,
    alpha: Annotated[
        float, typer.Option(help="Chance that a night's gate fails by noise alone.")
    ] = 0.05,
    against: Annotated[
        str, typer.Option(help="Night to compare with: last-good, or a date.")
    ] = "last-good",
    not_comparable: Annotated[
        str,
        typer.Option(help="A night with another signature than the other's: fail, or pass."),
    ] = "fail",
    metrics: Annotated[
        str | None, typer.Option(help="Write metrics for Prometheus to this file, *.prom.")
    ] = None,
    keep: Keep = None,
    cluster: Annotated[
        str | None,
        typer.Option(
            help="Where to run: local (threads), processes, or tcp://host:port; "
            "default: as [score] says, else local."
        ),
    ] = None,
    workers: Workers = None,
    fresh: Fresh = False,
    settings: Settings = None,
    log_format: LogFormat = "text",
) -> None:
    """Score, judge and publish one date; how to score is in the table [score] of --settings."""
    from segscore.pipeline.nightly.settings import NightSettings, dated, folder_of, read_date

    night = read_date("--date", date)
    scoring: dict[str, Any] = dict((context.obj or {}).get(SCORE, {}))
    where = {name: scoring.pop(name, None) for name in _WHERE}
    if documents is not None:
        scoring["documents"] = dated("--documents", documents, night)
    chosen = NightSettings(
        date=night,
        runs=runs,
        score=settings_of(
            **scoring
            | {
                "references": dated("--references", references, night),
                "hypotheses": dated("--hypotheses", hypotheses, night),
                "output": folder_of(runs, night),
                "fresh": fresh,
            }
        ),
        gate=gate,
        alpha=alpha,
        against=against,
        not_comparable=not_comparable,
        metrics=metrics,
        keep=keep,
    )
    place, threads = cluster or where["cluster"] or "local", workers or where["workers"]
    ended = _run(chosen, place, threads)
    print_night(chosen, ended)
    if ended.verdict.exit_code:
        from segscore.pipeline.errors import Failed

        raise Failed(said(ended.verdict))


def _run(chosen: "NightSettings", place: str, workers: int | None) -> "Ended":
    from segscore.pipeline.nightly.run import run_night
    from segscore.pipeline.runs import cluster as places

    garbage.work()
    with places.connect(place, workers, chosen.score.memory_limit) as client, Bar() as bar:
        return run_night(chosen, client, bar.advance, lambda text: LOG.say("warning", text))


def print_night(chosen: "NightSettings", ended: "Ended") -> None:
    """Print what a night found, and what the gate says of it."""
    console = out()
    if ended.scored is not None:
        print_finished(chosen.score.output, ended.scored)
    else:
        console.print(f"{ended.verdict.date} was scored before, of the same input", markup=False)
        print_record(chosen.score.output, ended.night.record)
    verdict = ended.verdict
    if verdict.checks:
        console.print(checks_table(verdict.checks, verdict.asked["alpha"]))
    for check in verdict.checks:
        for line in moved_lines(chosen.score.output, check):
            console.print(line, markup=False)
    for removed in ended.removed:
        console.print(f"removed the night {removed}, older than --keep {chosen.keep} days")
    for system in verdict.new if chosen.rules else ():
        console.print(f"{system}: no good night before to compare with", markup=False)
    for problem in problems(verdict) if not verdict.exit_code else ():
        LOG.say("warning", problem)
    console.print(f"{verdict.date}: {verdict.outcome}", markup=False)
    if LOG.structured:
        LOG.say("info", "judged", date=verdict.date, outcome=verdict.outcome, good=verdict.good)


def said(verdict: "Verdict") -> str:
    """Say in one line why a night ends with exit code 1."""
    return f"{verdict.date} is published; {verdict.outcome}: {'; '.join(problems(verdict))}"


def problems(verdict: "Verdict") -> list[str]:
    """Say what is wrong with a night, worst first."""
    found = [broken(check) for check in verdict.checks if check.fails]
    found += [
        f"cannot be compared with {date}: {', '.join(differences)}; run {date} again with these "
        "settings, then this night, or let --not-comparable pass"
        for date, differences in verdict.differences.items()
    ]
    if verdict.missing:
        found.append(
            f"missing tonight: {', '.join(verdict.missing)}; run the date again when it is there"
        )
    return found
