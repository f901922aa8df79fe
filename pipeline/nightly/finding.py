"""Findings of the gate on a night: the headline of its page and the first lines printed."""

from collections.abc import Callable, Iterator

from segscore.pipeline.nightly.gate.families import ALPHA
from segscore.pipeline.nightly.gate.rules import kind_of_check
from segscore.pipeline.nightly.sentences import failures_in_words
from segscore.pipeline.nightly.verdict import ALL_SYSTEMS, NOT_COMPARABLE, Verdict
from segscore.pipeline.plain_text import first_named
from segscore.pipeline.statistics.finding import Fact, Finding
from segscore.pipeline.statistics.formatted_numbers import counted
from segscore.pipeline.statistics.sentences import Sentence, Tone

_NAMED = 3
"""Most systems that a headline names, and sentences about systems that follow it."""


def night_finding(night: Verdict, shown: Callable[[str], str] = str) -> Finding:
    """Return whether a night passed; if not, what got worse, and the probable cause.

    Args:
        night: the verdict.
        shown: writes a name.
    """
    names, rest = _failing(night, shown)
    outcome = _OUTCOMES.get(night.outcome, night.outcome)
    before = f"{night.date} {outcome}" + ":" * bool(rest)
    tone = Tone.FAILED if night.exit_code else Tone.SURE
    sentences = [Sentence(" ".join(_sentences(night, shown)))]
    return Finding(rest, tone, [each for each in sentences if each.text], names, before,
                   [*_facts(night)])  # fmt: skip


def _failing(night: Verdict, shown: Callable[[str], str]) -> tuple[list[str], str]:
    """Return the systems that fail, and what is said of them; nothing of a night that passes."""
    failed = night.failed
    if not night.exit_code or not failed:
        return [], night.reason if night.outcome == "accepted" else ""
    names = [*dict.fromkeys(check.system for check in failed if check.system != ALL_SYSTEMS)]
    got_worse = any(kind_of_check(check).got_worse(check) for check in failed)
    rest = "got worse" if got_worse else "broke a rule"
    if not names:
        return [], f"all systems {rest} together"
    if len(names) > _NAMED:
        return [], f"{len(names)} systems {rest}"
    return [*map(shown, names)], rest


def _sentences(night: Verdict, shown: Callable[[str], str]) -> Iterator[str]:
    described = [*night.common, *failures_in_words(night.failed, shown)]
    yield from (f"{text}." for text in described[:_NAMED])
    if len(described) > _NAMED:
        yield f"{counted(len(described) - _NAMED, 'more finding')} in the table."
    yield from (f"Probable cause: {cause.rstrip('.')}." for cause in night.causes)
    unusable = [shown(file.url) for file in night.unusable]
    if unusable:
        yield f"Cannot be read and left out: {first_named(unusable, 'files')}."
    for what, names in (("Missing", night.missing), ("New", night.new)):
        if names:
            yield f"{what}: {first_named(names, shown=shown)}."


def _facts(night: Verdict) -> Iterator[Fact]:
    """Yield up to four numbers about what was checked."""
    checks = [*night.checks, *night.group_checks]
    if checks:
        groups = {check.group for check in night.group_checks}
        where = f", also in {counted(len(groups), 'group')}" if groups else ""
        yield Fact(f"{len(night.failed)} of {len(checks):,}", f"checks fail{where}")
    number, noun = counted(len(night.systems), "system").split()
    yield Fact(number, f"{noun} tonight")
    if night.checks:
        against = night.checks[0].against
        yield Fact(against, f"compared with; alpha {night.asked.get('alpha', ALPHA):g}")


_OUTCOMES = {
    "accepted": "was accepted",
    "incomplete": "is incomplete",
    "partial": "is partial",
    NOT_COMPARABLE: "cannot be compared with an earlier night",
}
"""Outcome -> how a headline says it, if not by its own name."""
