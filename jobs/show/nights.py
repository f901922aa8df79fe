"""Show nights: their results, the verdict of the gate, and what a failure means."""

import json
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import date
from typing import TYPE_CHECKING, Any

from segscore.jobs.cli.encoding import printable_command
from segscore.jobs.cli.log import LOG
from segscore.jobs.show.fitted import print_lines
from segscore.jobs.show.formats import described, plain_table, print_json, print_table
from segscore.jobs.show.gating import moved_lines, print_checks, print_group_checks
from segscore.jobs.show.leaderboard import print_scores
from segscore.jobs.show.printing import log_finished, print_record
from segscore.jobs.show.sentences import print_sentences
from segscore.pipeline.nightly.settings import NightSettings
from segscore.pipeline.plain_text import named_list
from segscore.pipeline.statistics.formatted_numbers import counted
from segscore.pipeline.statistics.sentences import Sentence

if TYPE_CHECKING:
    from segscore.pipeline.nightly.run import NightResult
    from segscore.pipeline.nightly.verdict import Verdict


@dataclass(frozen=True)
class Result:
    """How one of several nights ended.

    Attributes:
        night: its date.
        outcome: how it ended.
        message: what is wrong; empty if nothing is.
        change: how it ended before and what changed; empty if nothing did.
    """

    night: date
    outcome: str
    message: str
    change: str = ""


def print_nights(results: Sequence[Result], format_name: str) -> None:
    """Print one line for each of several nights."""
    rows: list[dict[str, Any]] = [
        {"date": str(each.night), "outcome": each.outcome} for each in results
    ]
    for each in results:
        if each.message:
            LOG.say("warning", each.message, date=str(each.night), outcome=each.outcome)
    if format_name == "text":
        for each in results:
            print_sentences([Sentence(f"{each.night}: {each.change or each.outcome}")])
    elif format_name == "json":
        described_rows = zip(rows, results, strict=True)
        listed = [
            row | {"message": each.message or None, "change": each.change or None}
            for row, each in described_rows
        ]
        print_json("nightly", {"nights": listed})
    else:
        print_table(plain_table(["date", "outcome"], rows, ""), format_name)


def print_dry_run(nights: Sequence[NightSettings], format_name: str) -> None:
    """Say what would be done for each night; nothing is written."""
    previews = _previews(nights)
    if format_name == "json":
        listed = [
            {"date": night, "preview": lines, "plan": plan} for night, lines, plan in previews
        ]
        print_json("nightly", {"nights": listed})
        return
    for night, lines, plan in previews:
        print_lines(*(f"{night}: {line}" for line in lines), *plan)


def _previews(nights: Sequence[NightSettings]) -> Iterator[tuple[date, list[str], list[str]]]:
    """Yield each night, what would be done for it, and how its rows would come together."""
    from segscore.pipeline.nightly.preview import preview_night

    before: date | None = None
    for settings in nights:
        preview = preview_night(settings)
        lines, plan = [*preview.lines], preview.plan
        if plan is not None:
            if before is not None and settings.rules:
                lines.append(f"{before} is an earlier good night, if it passes first")
            before = settings.night
        yield settings.night, lines, [] if plan is None else [*plan.explanation]


def say_outcome(ended: "NightResult") -> None:
    """Log the outcome of a published night, if log lines are JSON and no error says it."""
    if LOG.structured and not ended.verdict.exit_code:
        LOG.say("info", "judged", **ended.fields, exit_code=ended.verdict.exit_code)


def print_night(chosen: NightSettings, ended: "NightResult") -> None:
    """Print the verdict of the gate on a night, what it rests on, and the results."""
    from segscore.pipeline.nightly.kept_verdicts import change_in_words

    verdict, run = ended.verdict, chosen.score.output
    change = change_in_words(ended.before, verdict) if chosen.rejudge else ""
    print_sentences([_outcome(verdict, change)])
    _print_gate(verdict, run)
    for removed in ended.removed:
        days = f"more than {chosen.keep} days older than the newest"
        print_lines(f"removed night {removed}: {days}")
    if verdict.new and chosen.rules:
        new = ", ".join(verdict.new)
        print_lines(f"{new}: no earlier good night to compare with")
    if ended.scored is not None:
        if verdict.exit_code:  # a terminal has room for what failed alone
            print_lines(f"averages: {printable_command(f'segscore show {shlex.quote(run)}')}")
        else:
            print_scores(ended.scored.table("summary"), named=ended.scored.measures_in_order)
        print_record(run, ended.scored.record, written=True)
    else:
        print_lines(f"{verdict.date}: already scored, with the same input, in {run}")
        print_record(run, ended.night.record)
    _warn(verdict, run)


def print_judged(verdict: "Verdict", run: str) -> None:
    """Print the verdict of the gate on a published night again, and its problems."""
    from segscore.pipeline.nightly.sentences import failure_message

    print_sentences([_outcome(verdict)])
    if verdict.exit_code:
        print_sentences([Sentence(failure_message(verdict, run))])
    _print_gate(verdict, run)


def _print_gate(verdict: "Verdict", run: str) -> None:
    """Print the checks of a night, and the documents that worsened most."""
    from segscore.pipeline.nightly.gate.families import ALPHA

    if verdict.checks:
        print_checks(verdict.checks, verdict.asked.get("alpha", ALPHA), verdict.reused_ids)
    if verdict.group_checks:
        print_group_checks(verdict.group_checks)
    moved = [lines for check in verdict.checks if (lines := moved_lines(run, check))]
    print_lines(*(line for lines in moved[:1] for line in lines))
    if more := len(moved) - 1 if moved else 0:
        print_lines(f"{counted(more, 'more check')} with such documents: the page has them")


def _outcome(verdict: "Verdict", change: str = "") -> Sentence:
    """Say how a night ended, and what got worse or why it is accepted; or what changed about it."""
    from segscore.pipeline.nightly.finding import night_finding

    found = night_finding(verdict)
    why = " ".join(filter(None, (named_list(found.names), found.rest)))
    said = ": ".join(filter(None, (verdict.outcome, why)))
    if change:
        said = change + f"; the reason: {why}" * (verdict.outcome == "accepted")
    return Sentence(f"{verdict.date}: {said}", found.tone)


def print_night_as_data(chosen: NightSettings, ended: "NightResult", format_name: str) -> None:
    """Print the verdict and the averages of a night as JSON, or the results of its gate."""
    from segscore.pipeline.nightly.gate.rules import result_in_words
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
                row | {"result": result_in_words(check)}
                for row, check in zip(checks, verdict.checks, strict=True)
            ]
        print_table(plain_table(names, checks, record["signature"]), format_name)


def _warn(verdict: "Verdict", run: str) -> None:
    """Log what is unusual about a night, and the problems of one that does not fail."""
    from segscore.pipeline.nightly.sentences import problems

    described = problems(verdict, run) if not verdict.exit_code else []
    LOG.warn((*verdict.warnings, *described))
