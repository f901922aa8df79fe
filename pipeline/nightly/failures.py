"""Say in a sentence why a system fails the gate: each fact once, the worst documents last."""

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from segscore.pipeline.nightly.verdict import Check
from segscore.pipeline.nightly.words import short
from segscore.pipeline.statistics.shown_numbers import shown_p

if TYPE_CHECKING:
    from segscore.pipeline.nightly.gate import Lacking

_WORST_NAMED = 3
"""Number of documents that a sentence names."""


def failures_in_words(checks: Iterable[Check], quoted: Callable[[str], str] = str) -> list[str]:
    """Return a sentence without a full stop about each system, or system in a group, that fails."""
    by_system: dict[tuple[str, str | None], list[Check]] = {}
    for check in checks:
        by_system.setdefault((check.system, check.group), []).append(check)
    return [_sentence(of_system, quoted) for of_system in by_system.values()]


def lacking_in_words(lacking: Iterable["Lacking"]) -> str:
    """Say which systems were not scored on documents of another run, and name some of these."""
    return "; ".join(
        f"{each.system} lacks {each.lacking} of {each.documents} ({', '.join(each.examples)}"
        + (f" and {more} more)" if (more := each.lacking - len(each.examples)) else ")")
        for each in lacking
    )


def describe_failure(check: Check, quoted: Callable[[str], str] = str) -> str:
    """Return a sentence about one check that fails, as ``failures_in_words``."""
    return _sentence([check], quoted)


def _sentence(checks: Sequence[Check], quoted: Callable[[str], str]) -> str:
    """Describe the checks of one system that fail."""
    system, group = checks[0].system, checks[0].group
    place = "" if group is None else f" in {quoted(group)}"
    by_rule: dict[str, list[Check]] = {}
    for check in checks:
        by_rule.setdefault(check.rule, []).append(check)
    clauses, said = [], ""
    for of_rule in by_rule.values():
        what = _what(of_rule[0])
        clauses.append(f"{'it' if what == said else what} {_clause(of_rule)}")
        said = what
    moved = dict.fromkeys(document.document_id for check in checks for document in check.moved)
    worst = ", ".join(map(quoted, [*moved][:_WORST_NAMED]))
    return f"{quoted(system)} got worse{place}: {'; '.join(clauses)}" + (
        f"; worst: {worst}" if worst else ""
    )


def _what(check: Check) -> str:
    return check.measure if check.average == "micro" else f"{check.average} {check.measure}"


def _clause(checks: Sequence[Check]) -> str:
    """Describe the checks of one rule: against one night, and against the median of several."""
    first = checks[0]
    if first.value is None or first.before is None or first.change is None:
        before = "defined" if first.before is None else short(first.before)
        return f"is undefined, was {before} {when_before(first)}"
    allowed = f"{abs(first.limit):g} allowed, p {shown_p(first.p_adjusted)}".removeprefix("0")
    if first.is_trend:
        verb, over = "fell" if first.change < 0 else "rose", first.rule.partition(" per ")[2]
        return (
            f"{verb} by {short(abs(first.change))} per {over}, from {short(first.before)} "
            f"on {first.against} to {short(first.value)} ({allowed})"
        )
    digits = 3 if short(first.value) != short(first.before) else 4
    now = short(first.value, digits)
    befores = [
        f"{short(check.before, digits)} {when_before(check)}"
        for check in checks
        if check.before is not None
    ]
    return f"{now}, was {' and '.join(befores)} ({allowed})"


def when_before(check: Check) -> str:
    """Say on which night, or in which nights, the value before was."""
    if check.nights == 1:
        return f"on {check.against}"
    return f"in the {check.nights} nights to {check.against}"
