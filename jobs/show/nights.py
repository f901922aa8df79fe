"""Show nights: their results, the verdict of the gate, and what a failure means."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import date
from typing import TYPE_CHECKING, Any

from segscore.jobs.cli.log import LOG
from segscore.jobs.show.fitted import print_lines
from segscore.jobs.show.formats import described, plain_layout, print_json, print_table
from segscore.jobs.show.gating import moved_lines, print_checks, print_group_checks
from segscore.jobs.show.leaderboard import print_scores
from segscore.jobs.show.printing import log_finished, print_record, print_written
from segscore.jobs.show.sentences import print_sentences
from segscore.pipeline.nightly.settings import NightSettings
from segscore.pipeline.statistics.sentences import Sentence, Tone
from segscore.pipeline.statistics.shown_numbers import counted

if TYPE_CHECKING:
    from segscore.pipeline.nightly.run import Ended
    from segscore.pipeline.nightly.verdict import RejectedSystem, Verdict


_FILES = 3
"""Most files that a message names."""


@dataclass(frozen=True)
class Result:
    """How one of several nights ended; `message` says what is wrong, and is empty if nothing is."""

    night: date
    outcome: str
    message: str


def print_nights(results: Sequence[Result], format_name: str) -> None:
    """Print one line for each of several nights."""
    rows: list[dict[str, Any]] = [
        {"date": str(each.night), "outcome": each.outcome} for each in results
    ]
    for each in results:
        if each.message:
            LOG.say("warning", each.message, date=str(each.night), outcome=each.outcome)
    if format_name == "text":
        for row in rows:
            print_lines(f"{row['date']}: {row['outcome']}")
    elif format_name == "json":
        described_rows = zip(rows, results, strict=True)
        listed = [row | {"message": each.message or None} for row, each in described_rows]
        print_json("nightly", {"nights": listed})
    else:
        print_table(plain_layout(["date", "outcome"], rows, ""), format_name)


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
            if before is not None and settings.rules and settings.compared_date is None:
                lines.append(f"{before} is an earlier good night, if it passes first")
            before = settings.night
        yield settings.night, lines, [] if plan is None else [*plan.explanation]


def say_outcome(ended: "Ended") -> None:
    """Log the outcome of a published night, if log lines are JSON and no error says it."""
    if LOG.structured and not ended.verdict.exit_code:
        LOG.say("info", "judged", **ended.fields, exit_code=ended.verdict.exit_code)


def print_night(chosen: NightSettings, ended: "Ended") -> None:
    """Print the results of a night, and the verdict of the gate."""
    if ended.scored is not None:
        print_scores(ended.scored.table("summary"), named=ended.scored.measures_in_order)
        print_record(chosen.score.output, ended.scored.record)
        print_written(chosen.score.output)
    else:
        place = f"{ended.verdict.date}: already scored, with the same input, in"
        print_lines(f"{place} {chosen.score.output}")
        print_record(chosen.score.output, ended.night.record)
    verdict = ended.verdict
    if verdict.checks:
        print_checks(verdict.checks, verdict.asked["alpha"], verdict.reused_ids)
    if verdict.group_checks:
        print_group_checks(verdict.group_checks)
    for check in verdict.checks:
        print_lines(*moved_lines(chosen.score.output, check))
    for removed in ended.removed:
        days = f"more than {chosen.keep} days older than the newest"
        print_lines(f"removed night {removed}: {days}")
    if verdict.new and chosen.rules:
        new = ", ".join(verdict.new)
        print_lines(f"{new}: no earlier good night to compare with")
    _warn(verdict, chosen.score.output)
    reason = f": {verdict.accepted}" if verdict.outcome == "accepted" else ""
    tone = Tone.FAILED if verdict.exit_code else Tone.SURE
    print_sentences([Sentence(f"{verdict.date}: {verdict.outcome}{reason}", tone)])


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
    LOG.warn((*verdict.warnings, *described))


def failure_message(verdict: "Verdict", run: str) -> str:
    """Explain in one line why a night does not end with exit code 0."""
    from segscore.pipeline.nightly.verdict import EVERY

    parts = [*problems(verdict, run), *(f"Probable cause: {cause}" for cause in verdict.causes)]
    blamed = any(check.fails and check.system != EVERY for check in verdict.checks)
    blamed |= any(check.fails and check.system != EVERY for check in verdict.group_checks)
    if verdict.outcome == "failed" and not blamed:
        parts.append(
            "No system is to blame: look at the references and recordings; if they are right, run "
            "the date again with --accept REASON"
        )
    elif verdict.outcome == "failed" and not verdict.causes:
        parts.append("If the change is intended, run the date again with --accept REASON")
    return f"{verdict.date} is published; {verdict.outcome}: {'. '.join(parts)}"


def problems(verdict: "Verdict", run: str) -> list[str]:
    """Describe the problems of a night, whose run is in a folder, worst first."""
    from segscore.pipeline.nightly.failures import failures_in_words
    from segscore.pipeline.nightly.verdict import EVERY

    descriptions = [*verdict.common]
    failed = [check for check in verdict.checks if check.fails and check.system != EVERY]
    # What all systems share has been said, but for what does not fail unless asked.
    common = [check for check in verdict.checks if check.fails and check.system == EVERY]
    descriptions += failures_in_words(check for check in common if check.is_level)
    descriptions += failures_in_words(
        check
        for check in failed
        if not verdict.exit_code or verdict.accepts(check.system, check.rule) is None
    )
    # A system that got worse in general has been said.
    systems = {(check.rule, check.system) for check in failed}
    descriptions += failures_in_words(
        check
        for check in verdict.group_checks
        if check.fails and check.system != EVERY and (check.rule, check.system) not in systems
    )
    if verdict.missing_groups:
        descriptions.append(f"missing groups: {'; '.join(verdict.missing_groups)}")
    descriptions += [
        f"not comparable with {date}: {', '.join(differences)}. Start a new series: run this night "
        "with --not-comparable pass; to take earlier nights along, first run those whose input "
        "still exists with --from DATE --to DATE --not-comparable pass"
        for date, differences in verdict.differences.items()
    ]
    return [*descriptions, *_describe_unusable(verdict), *_describe_missing(verdict, run)]


def _describe_unusable(verdict: "Verdict") -> list[str]:
    """Describe the files that could not be read and were left out."""
    if not verdict.unusable:
        return []
    named = "; ".join(file.problem for file in verdict.unusable[:_FILES])
    more = len(verdict.unusable) - _FILES
    more_files = f"; and {counted(more, 'more file')}" if more > 0 else ""
    number = counted(len(verdict.unusable), "file")
    mended = "it is mended" if len(verdict.unusable) == 1 else "they are mended"
    return [
        f"the other files are scored, without {number} that cannot be read: {named}{more_files}",
        f"Run the date again when {mended}",
    ]


def _describe_missing(verdict: "Verdict", run: str) -> list[str]:
    """Describe the systems that were expected but not scored, and what to do about them."""
    from segscore.pipeline.nightly.verdict import OTHER_NIGHT

    if not verdict.missing:
        return []
    rejected = {system.system for system in verdict.rejected}
    stale = {system.system for system in verdict.unpaired}
    missing = [system for system in verdict.missing if system not in rejected | stale]
    descriptions = [f"missing tonight: {', '.join(missing)}"] if missing else []
    descriptions += [
        f"stale tonight: {system.system} has {counted(system.rows, 'row')}, but of documents "
        f"without a reference tonight, such as {system.document_id} (the references have "
        f"{system.scored_document_id}); it has {OTHER_NIGHT}"
        for system in verdict.unpaired
    ]
    descriptions += [_describe_rejected(system, run) for system in verdict.rejected]
    if verdict.causes:
        return descriptions
    conditions = ["tonight's segmentations have arrived"] if missing or stale else []
    conditions += ["the rejected rows have been corrected"] if rejected else []
    advice = f"Run the date again when {' and '.join(conditions)}"
    if verdict.outcome != "failed":  # else --accept is said for what failed
        these = "this system" if len(verdict.missing) == 1 else "these systems"
        advice += f", or with --accept REASON if later nights need not have {these}"
    return [*descriptions, advice]


def _describe_rejected(system: "RejectedSystem", run: str) -> str:
    """Describe why a system whose rows were rejected has no result."""
    unpaired = system.rows - system.rejected
    return (
        f"none of the {counted(system.rows, 'row')} of {system.system} could be scored: "
        f"{system.rejected} rejected, most by the rule {system.rule} (listed in {run}/rejects)"
        + (f", {unpaired} without a reference" if unpaired else "")
    )
