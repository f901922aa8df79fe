"""Say in one short text how a night ended, for a chat: what, since when, and how sure."""

from collections.abc import Sequence
from dataclasses import replace

from segscore.pipeline.nightly.problems import problems
from segscore.pipeline.nightly.verdict import ALL_SYSTEMS, Verdict
from segscore.pipeline.plain_text import named_list, visible
from segscore.pipeline.statistics.formatted_numbers import counted

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
