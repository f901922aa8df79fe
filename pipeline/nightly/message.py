"""Say in one short text how a night ended, for a chat: what, since when, and how sure."""

from collections.abc import Sequence
from dataclasses import replace

from segscore.pipeline.nightly.problems import problems
from segscore.pipeline.nightly.verdict import Verdict
from segscore.pipeline.plain_text import visible
from segscore.pipeline.statistics.shown_numbers import counted

_LONGEST = 300
"""Most characters of a text."""


def night_message(verdict: Verdict, run: str) -> str:
    """Return how a published night ended, whose run is in a folder, in at most 300 characters."""
    without_documents = replace(
        verdict,
        checks=tuple(replace(check, moved=()) for check in verdict.checks),
        group_checks=tuple(replace(check, moved=()) for check in verdict.group_checks),
    )
    outcome = verdict.outcome.replace("_", " ")
    reason = f": {verdict.reason}" if verdict.reason and verdict.outcome == "accepted" else ""
    said = [*problems(without_documents, run), *verdict.causes] if verdict.exit_code else []
    return in_short(
        [f"{verdict.date}: {outcome}{reason}", *said, *([] if said else _unremarkable(verdict))]
    )


def in_short(sentences: Sequence[str]) -> str:
    """Return the first sentences, and how many more there are, in at most 300 characters."""
    texts = [visible(" ".join(sentence.split())).rstrip(".") for sentence in sentences]
    for number in range(len(texts), 1, -1):
        left = len(texts) - number
        more = [f"And {counted(left, 'more remark')}"] if left else []
        text = ". ".join([*texts[:number], *more]) + "."
        if len(text) <= _LONGEST:
            return text
    text = ". ".join(texts[:2]) + "."
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1].rstrip()}…"


def _unremarkable(verdict: Verdict) -> list[str]:
    """Say what a night that does not fail was compared with, and what was warned of."""
    systems = counted(len(verdict.systems), "system")
    nights = sorted({compared["date"] for compared in verdict.against.values()})
    if not verdict.checks:
        return [f"{systems}, no rule was applied", *verdict.warnings]
    fails = bool(verdict.failed)
    result = "what fails was accepted" if fails else "no rule fails"
    compared = f", compared with {nights[-1]}" if nights else ""
    return [f"{systems}, {result}{compared}", *verdict.warnings]
