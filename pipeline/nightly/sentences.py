"""Say what a night found: why systems fail, what is wrong with it, and all of it for a chat."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from segscore.pipeline.nightly.formatting import short, when_before
from segscore.pipeline.nightly.gate.kind import average_of
from segscore.pipeline.nightly.gate.rules import kind_of_check
from segscore.pipeline.nightly.verdict import (
    ALL_SYSTEMS,
    OTHER_NIGHT,
    UNDECIDED,
    WARNED,
    Check,
    RejectedSystem,
    Verdict,
)
from segscore.pipeline.plain_text import first_named, named_list, visible
from segscore.pipeline.statistics.formatted_numbers import counted
from segscore.pipeline.statistics.night_levels import FEWEST_OF_BASELINE

_WORST_NAMED = 3
"""Number of documents that a sentence names."""


def failures_in_words(checks: Iterable[Check], quoted: Callable[[str], str] = str) -> list[str]:
    """Return a sentence without a full stop about each system, or system in a group, that fails."""
    by_system: dict[tuple[str, str | None], list[Check]] = {}
    for check in checks:
        by_system.setdefault((check.system, check.group), []).append(check)
    return [_sentence(of_system, quoted) for of_system in by_system.values()]


def warnings_in_words(checks: Iterable[Check]) -> Iterator[str]:
    """Yield a sentence about each check that warns: of what all systems share, or of a floor."""
    for check in checks:
        if check.result == WARNED:
            yield kind_of_check(check).warning(check, average_of(check))


def not_judged_in_words(checks: Iterable[Check]) -> Iterator[str]:
    """Yield a sentence for each rule by which systems would fail if enough nights were there.

    Systems that fail by another rule are left out.
    """
    checks = [*checks]
    said = {check.system for check in checks if check.fails} | {ALL_SYSTEMS}
    by_rule: dict[str, list[Check]] = {}
    for check in checks:
        if check.result == UNDECIDED and check.p is not None and check.system not in said:
            by_rule.setdefault(check.rule, []).append(check)
    for early in by_rule.values():
        nights = min(check.calibrated or 0 for check in early)
        yield (
            f"{average_of(early[0])} got worse, but is not judged yet, with {nights} of "
            f"{FEWEST_OF_BASELINE} nights: {first_named([*map(_change, early)])}"
        )


def _change(check: Check) -> str:
    place = "" if check.group is None else f" in {check.group}"
    assert check.value is not None
    assert check.before is not None
    was = f"was {short(check.before)} {when_before(check)}"
    return f"{check.system}{place} {short(check.value)}, {was}"


def _sentence(checks: Sequence[Check], quoted: Callable[[str], str]) -> str:
    """Describe the checks of one system that fail."""
    system, group = checks[0].system, checks[0].group
    place = "" if group is None else f" in {quoted(group)}"
    by_rule: dict[str, list[Check]] = {}
    for check in checks:
        by_rule.setdefault(check.rule, []).append(check)
    clauses, said = [], ""
    for of_rule in by_rule.values():
        what = average_of(of_rule[0])
        clause = kind_of_check(of_rule[0]).clause(of_rule)
        clauses.append(f"{'it' if what == said else what} {clause}")
        said = what
    moved = dict.fromkeys(document.document_id for check in checks for document in check.moved)
    worst = ", ".join(map(quoted, [*moved][:_WORST_NAMED]))
    what = " got worse" if any(kind_of_check(check).got_worse(check) for check in checks) else ""
    return f"{quoted(system)}{what}{place}: {'; '.join(clauses)}" + (
        f"; worst: {worst}" if worst else ""
    )


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


_FACTS = 3
"""Most facts that follow the outcome; each is complete."""


def night_message(verdict: Verdict, run: str) -> str:
    """Return how a published night ended, whose run is in a folder, and its most important facts.

    Problems come first, then their probable causes, then warnings. If more systems fail than there
    is room for, they are named beside the outcome.
    """
    without_documents = replace(
        verdict,
        checks=tuple(replace(check, moved=()) for check in verdict.checks),
        group_checks=tuple(replace(check, moved=()) for check in verdict.group_checks),
    )
    outcome = verdict.outcome.replace("_", " ")
    reason = f": {verdict.reason}" if verdict.reason and verdict.outcome == "accepted" else ""
    if not verdict.exit_code:
        summary = f"{verdict.date}: {outcome}{reason}. {_unremarkable(verdict)}"
        return in_short([summary, *verdict.warnings])
    said = dict.fromkeys([*problems(without_documents, run), *verdict.causes, *verdict.warnings])
    failing = sorted({check.system for check in verdict.failed} - {ALL_SYSTEMS})
    who = f" ({named_list(failing)})" if len(failing) > _FACTS else ""
    return in_short([f"{verdict.date}: {outcome}{who}", *said])


def in_short(sentences: Sequence[str]) -> str:
    """Return the first sentence, and the facts that follow it, on one line."""
    texts = [visible(" ".join(sentence.split())).rstrip(".") for sentence in sentences]
    return ". ".join(texts[: 1 + _FACTS]) + "."


def _unremarkable(verdict: Verdict) -> str:
    """Say what a night that does not fail was compared with."""
    systems = counted(len(verdict.systems), "system")
    nights = sorted({compared["date"] for compared in verdict.against.values()})
    if not verdict.checks:
        return f"{systems}, no rule was applied"
    result = "what fails was accepted" if verdict.failed else "no rule fails"
    compared = f", compared with {nights[-1]}" if nights else ""
    return f"{systems}, {result}{compared}"
