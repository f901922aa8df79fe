"""`segscore nightly`: score, publish and judge the data of one date, once or repeatedly."""

import json
from dataclasses import asdict, fields, replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from segscore.jobs.cli import startup
from segscore.jobs.cli.log import LOG
from segscore.jobs.cli.options import Workers
from segscore.jobs.cli.signature import read_fields
from segscore.jobs.show.fitted import out
from segscore.jobs.show.formats import (
    ResultFormat,
    described,
    plain_layout,
    print_json,
    print_table,
)
from segscore.jobs.show.gating import moved_lines, print_checks
from segscore.jobs.show.leaderboard import print_scores
from segscore.jobs.show.printing import Bar, log_finished, print_record, print_written
from segscore.pipeline.nightly.settings import NightSettings
from segscore.pipeline.scoring.settings import ScoreSettings
from segscore.pipeline.settings.options import Panel
from segscore.pipeline.statistics.shown_numbers import counted

if TYPE_CHECKING:
    from segscore.pipeline.nightly.run import Ended
    from segscore.pipeline.nightly.verdict import RejectedSystem, Verdict

SCORE = "score"


def nightly(
    context: typer.Context,
    chosen: NightSettings,
    cluster: Annotated[
        str | None,
        typer.Option(
            help="Where to run: local (threads), processes, tcp://host:port or tls://host:port; "
            "default: cluster in \\[score], else local.",
            rich_help_panel=Panel.RUNNING,
        ),
    ] = None,
    workers: Workers = None,
    format_name: ResultFormat = "text",
) -> None:
    r"""Score the data of a date, publish the run, and exit 1 if a system got worse.

    The table \[score] of --settings sets how to score.
    """
    scoring: dict[str, Any] = (context.obj or {}).get(SCORE, {})
    chosen = replace(chosen, scoring=read_fields(ScoreSettings, scoring))
    address = cluster or scoring.get("cluster") or "local"
    ended = _run(chosen, address, workers or scoring.get("workers"))
    if format_name == "text":
        print_night(chosen, ended)
    else:
        print_night_as_data(chosen, ended, format_name)
    if ended.verdict.exit_code:
        from segscore.pipeline.errors import Failed

        raise Failed(failure_message(ended.verdict, chosen.score.output))


def _run(chosen: NightSettings, address: str, workers: int | None) -> "Ended":
    from segscore.pipeline.nightly.run import run_night
    from segscore.pipeline.runs import executors

    startup.work(address)
    with (
        executors.connect(address, workers, chosen.score.memory_limit) as executor,
        Bar("scoring") as bar,
    ):
        return run_night(chosen, executor, bar.advance, lambda text: LOG.say("warning", text))


def print_night(chosen: NightSettings, ended: "Ended") -> None:
    """Print the results of a night, and the verdict of the gate."""
    console = out()
    if ended.scored is not None:
        print_scores(ended.scored.summary)
        print_record(chosen.score.output, ended.scored.record)
        print_written(chosen.score.output)
    else:
        place = f"{ended.verdict.date}: already scored, with the same input, in"
        console.print(f"{place} {chosen.score.output}", markup=False)
        print_record(chosen.score.output, ended.night.record)
    verdict = ended.verdict
    if verdict.checks:
        print_checks(verdict.checks, verdict.asked["alpha"])
    for check in verdict.checks:
        for line in moved_lines(chosen.score.output, check):
            console.print(line, markup=False)
    for removed in ended.removed:
        days = f"more than {chosen.keep} days older than the newest"
        console.print(f"removed night {removed}: {days}")
    for system in verdict.new if chosen.rules else ():
        console.print(f"{system}: no earlier good night to compare with", markup=False)
    _warn(verdict, chosen.score.output)
    reason = f": {verdict.accepted}" if verdict.outcome == "accepted" else ""
    console.print(f"{verdict.date}: {verdict.outcome}{reason}", markup=False)
    if LOG.structured:
        LOG.say("info", "judged", date=verdict.date, outcome=verdict.outcome, good=verdict.good)


def print_night_as_data(chosen: NightSettings, ended: "Ended", format_name: str) -> None:
    """Print the verdict and the averages of a night as JSON, or the results of its gate."""
    from segscore.pipeline.nightly.verdict import Check

    verdict, record = ended.verdict, ended.night.record
    log_finished(chosen.score.output, record)
    _warn(verdict, chosen.score.output)
    if format_name == "json":
        night = json.loads(verdict.text())
        summary = ended.night.table("summary").to_pylist()
        contents = {"output": chosen.score.output, **described(record), "night": night}
        print_json("nightly", {**contents, "summary": summary})
    else:
        names = [field.name for field in fields(Check) if field.name != "moved"]
        checks = [asdict(check) for check in verdict.checks]
        if format_name == "markdown":
            checks = [
                row | {"result": check.result_in_words}
                for row, check in zip(checks, verdict.checks, strict=True)
            ]
        print_table(plain_layout(names, checks, record["signature"]), format_name)


def _warn(verdict: "Verdict", run: str) -> None:
    """Log what is unusual about a night, and the problems of one that does not fail."""
    described = problems(verdict, run) if not verdict.exit_code else []
    for warning in (*verdict.warnings, *described):
        LOG.say("warning", warning)


def failure_message(verdict: "Verdict", run: str) -> str:
    """Explain in one line why a night ends with exit code 1.

    Args:
        verdict: the verdict on the night.
        run: folder of the night.
    """
    parts = [*problems(verdict, run), *(f"probable cause: {cause}" for cause in verdict.causes)]
    if verdict.outcome == "failed" and not verdict.causes:
        parts.append("if the change is intended, run the date again with --accept REASON")
    return f"{verdict.date} is published; {verdict.outcome}: {'; '.join(parts)}"


def problems(verdict: "Verdict", run: str) -> list[str]:
    """Describe the problems of a night, whose run is in a folder, worst first."""
    from segscore.pipeline.nightly.verdict import describe_failure

    descriptions = [describe_failure(check) for check in verdict.checks if check.fails]
    descriptions += [
        f"not comparable with {date}: {', '.join(differences)}; run {date} again with these "
        "settings, then this night, or use --not-comparable pass"
        for date, differences in verdict.differences.items()
    ]
    return [*descriptions, *_describe_missing(verdict, run)]


def _describe_missing(verdict: "Verdict", run: str) -> list[str]:
    """Describe the systems that were expected but not scored, and what to do about them."""
    from segscore.pipeline.nightly.verdict import OTHER_NIGHT

    if not verdict.missing:
        return []
    rejected = {system.system for system in verdict.rejected}
    missing = [system for system in verdict.missing if system not in rejected]
    descriptions = [f"missing tonight: {', '.join(missing)}"] if missing else []
    descriptions += [
        f"{system.system} has {counted(system.rows, 'row')}, but of documents without a reference "
        f"tonight, such as {system.document_id} (the references have {system.scored_document_id}); "
        f"it has {OTHER_NIGHT}"
        for system in verdict.unpaired
    ]
    descriptions += [_describe_rejected(system, run) for system in verdict.rejected]
    if verdict.causes:
        return descriptions
    conditions = ["tonight's segmentations have arrived"] if missing else []
    conditions += ["the rejected rows have been corrected"] if rejected else []
    advice = (
        f"run the date again when {' and '.join(conditions)}, or with --accept REASON if later "
        "nights need not have the missing systems"
    )
    return [*descriptions, advice]


def _describe_rejected(system: "RejectedSystem", run: str) -> str:
    """Describe why a system whose rows were rejected has no result."""
    unpaired = system.rows - system.rejected
    return (
        f"none of the {counted(system.rows, 'row')} of {system.system} could be scored: "
        f"{system.rejected} rejected, most by the rule {system.rule} (listed in {run}/rejects)"
        + (f", {unpaired} without a reference" if unpaired else "")
    )
