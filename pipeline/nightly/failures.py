"""Say in a sentence why a system fails the gate: each fact once, the worst documents last."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from segscore.pipeline.nightly.rules import FLOOR
from segscore.pipeline.nightly.verdict import EVERY, FAILED, WARNED, Check
from segscore.pipeline.nightly.words import nights, short
from segscore.pipeline.statistics.shown_numbers import shown_p

_WORST_NAMED = 3
"""Number of documents that a sentence names."""


def failures_in_words(checks: Iterable[Check], quoted: Callable[[str], str] = str) -> list[str]:
    """Return a sentence without a full stop about each system, or system in a group, that fails."""
    by_system: dict[tuple[str, str | None], list[Check]] = {}
    for check in checks:
        by_system.setdefault((check.system, check.group), []).append(check)
    return [_sentence(of_system, quoted) for of_system in by_system.values()]


def describe_failure(check: Check, quoted: Callable[[str], str] = str) -> str:
    """Return a sentence about one check that fails, as ``failures_in_words``."""
    return _sentence([check], quoted)


def levels_in_words(checks: Iterable[Check]) -> Iterator[str]:
    """Yield a sentence about each check that warns: of what all systems share, or of a floor."""
    for check in checks:
        if check.result != WARNED:
            continue
        if check.kind == FLOOR:
            yield f"{check.system}: {_what(check)} {_floor(check)}"
        else:
            place = "" if check.group is None else f" in {check.group}"
            yield (
                f"all systems{place}: {_what(check)} {_clause([check])}; the nights are harder, or "
                "the references have changed: no system is blamed"
            )


def _floor(check: Check) -> str:
    """Say where an average is, and its interval, against a floor or an upper limit."""
    assert check.value is not None
    low, high = (short(end) for end in check.ends if end is not None)
    side = "below the floor" if is_floor(check) else "above the limit"
    certain = "is" if check.result == FAILED else "may be"
    return f"{short(check.value)} ({low} to {high}) {certain} {side} of {short(check.limit)}"


def is_floor(check: Check) -> bool:
    """Return whether a rule about an average itself says how low it may be."""
    return ">=" in check.rule


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
    # An average can be below a floor since the first night.
    what = (
        ""
        if all(check.kind == FLOOR and check.value is not None for check in checks)
        else " got worse"
    )
    return f"{quoted(system)}{what}{place}: {'; '.join(clauses)}" + (
        f"; worst: {worst}" if worst else ""
    )


def _what(check: Check) -> str:
    return check.measure if check.average == "micro" else f"{check.average} {check.measure}"


def _clause(checks: Sequence[Check]) -> str:
    """Describe the checks of one rule: against one night, and against the median of several."""
    first = checks[0]
    if first.kind == FLOOR and first.value is not None:
        return _floor(first)
    if first.value is None or first.before is None or first.change is None:
        before = "defined" if first.before is None else short(first.before)
        return f"is undefined, was {before} {when_before(first)}"
    allowed = f"{abs(first.limit):g} allowed, p {shown_p(first.p_adjusted)}"
    if first.is_trend:
        verb, over = "fell" if first.change < 0 else "rose", first.rule.partition(" per ")[2]
        return (
            f"{verb} by {short(abs(first.change))} per {over}, from {short(first.before)} "
            f"on {first.against} to {short(first.value)} ({allowed})"
        )
    if first.is_level:
        verb = "below" if first.change < 0 else "above"
        since = "" if first.since is None else f" since {first.since}"
        return (
            f"is {short(abs(first.change))} {verb} its level{since}{_against_others(first)}: "
            f"{short(first.value)}, {short(first.before)} in {nights(first.nights)} from "
            f"{first.against} ({allowed})"
        )
    digits = 3 if short(first.value) != short(first.before) else 4
    now = short(first.value, digits)
    befores = [
        f"{short(check.before, digits)} {when_before(check)}"
        for check in checks
        if check.before is not None
    ]
    return f"{now}, was {' and '.join(befores)} ({allowed})"


def _against_others(check: Check) -> str:
    return "" if check.system == EVERY or check.is_raw else ", against the other systems"


def when_before(check: Check) -> str:
    """Say on which night, or in which nights, the value before was."""
    if check.nights == 1:
        return f"on {check.against}"
    return f"in the {check.nights} nights to {check.against}"
