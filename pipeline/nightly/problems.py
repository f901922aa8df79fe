"""Say what is wrong with a published night, and what to do about it."""

from segscore.pipeline.nightly.failures import failures_in_words
from segscore.pipeline.nightly.rules import kind_of_check
from segscore.pipeline.nightly.verdict import (
    ALL_SYSTEMS,
    OTHER_NIGHT,
    Check,
    RejectedSystem,
    Verdict,
)
from segscore.pipeline.statistics.formatted_numbers import counted

_FILES = 3
"""Most files that a message names."""


def failure_message(verdict: Verdict, run: str) -> str:
    """Explain in one line why a night does not end with exit code 0."""
    parts = [*problems(verdict, run), *(f"Probable cause: {cause}" for cause in verdict.causes)]
    blamed = any(check.system != ALL_SYSTEMS for check in verdict.failed)
    if verdict.outcome == "failed" and not blamed:
        parts.append(
            "No system is to blame: look at the references and recordings; if they are right, run "
            "the date again with --accept REASON"
        )
    elif verdict.outcome == "failed" and not verdict.causes:
        parts.append("If the change is intended, run the date again with --accept REASON")
    return f"{verdict.date} is published; {verdict.outcome}: {'. '.join(parts)}"


def problems(verdict: Verdict, run: str) -> list[str]:
    """Describe the problems of a night, whose run is in a folder, worst first."""
    descriptions = [*verdict.common]
    failed = [check for check in verdict.checks if check.fails and check.system != ALL_SYSTEMS]
    # What all systems share has been said, but for what does not fail unless asked.
    common = (check for check in verdict.checks if check.fails and check.system == ALL_SYSTEMS)
    descriptions += failures_in_words(
        check for check in common if kind_of_check(check).needs_history
    )
    descriptions += failures_in_words(check for check in failed if _is_open(check, verdict))
    # A system that got worse in general has been said.
    systems = {(check.rule, check.system) for check in failed}
    descriptions += failures_in_words(
        check
        for check in verdict.group_checks
        if check.fails
        and check.system != ALL_SYSTEMS
        and (check.rule, check.system) not in systems
        and _is_open(check, verdict)
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


def _is_open(check: Check, verdict: Verdict) -> bool:
    """Return whether what failed is to be said: not what was accepted, if the night still fails."""
    return not verdict.exit_code or verdict.accepts(check.system, check.rule) is None


def _describe_unusable(verdict: Verdict) -> list[str]:
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


def _describe_missing(verdict: Verdict, run: str) -> list[str]:
    """Describe the systems that were expected but not scored, and what to do about them."""
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
    twice = {system.system for system in verdict.rejected if system.is_twice}
    conditions += ["the rejected rows have been corrected"] if rejected - twice else []
    conditions += ["one of the two versions has been removed"] if twice else []
    advice = f"Run the date again when {' and '.join(conditions)}"
    if verdict.outcome != "failed":  # else --accept is said for what failed
        these = "this system" if len(verdict.missing) == 1 else "these systems"
        advice += f", or with --accept REASON if later nights need not have {these}"
    return [*descriptions, advice]


def _describe_rejected(system: RejectedSystem, run: str) -> str:
    """Describe why a system whose rows were rejected has no result."""
    unpaired = system.rows - system.rejected
    none = f"none of the {counted(system.rows, 'row')} of {system.system} could be scored: "
    if system.is_twice:
        return (
            f"{system.system} delivered two versions: {counted(system.rejected, 'row')} are about "
            f"documents that it has twice, and neither version is used (listed in {run}/rejects)"
        )
    if not system.rejected:
        return (
            f"{none}the references of their documents were rejected, most by the rule "
            f"{system.rule} (listed in {run}/rejects)"
        )
    return (
        f"{none}{system.rejected:,} rejected, most by the rule {system.rule} (listed in "
        f"{run}/rejects)" + (f", {unpaired:,} without a reference" if unpaired else "")
    )
