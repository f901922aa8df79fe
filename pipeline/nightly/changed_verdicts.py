"""Say how the verdict on a night differs from the one before."""

from collections.abc import Iterator, Sequence

from segscore.pipeline.nightly.verdict import EVERY, Check, Verdict
from segscore.pipeline.plain_text import first_named


def change_in_words(before: Verdict | None, now: Verdict) -> str:
    """Return what changed since a night was judged before; empty if nothing did.

    That is its outcome, and what was found: which systems got worse, in which group and by which
    rule, what is missing, and which nights are not comparable.

    Args:
        before: the verdict before; None if there was none.
        now: the verdict now.
    """
    if before is None:
        return ""
    found_before, found = [*_findings(before)], [*_findings(now)]
    parts = [
        *_named("no longer", [finding for finding in found_before if finding not in found]),
        *_named("new", [finding for finding in found if finding not in found_before]),
    ]
    if before.outcome != now.outcome:
        return "; ".join([f"{before.outcome} before, {now.outcome} now", *parts])
    return "; ".join([f"{now.outcome}, as before", *parts]) if parts else ""


def _named(label: str, findings: Sequence[str]) -> list[str]:
    distinct = [*dict.fromkeys(findings)]
    return [f"{label}: {first_named(distinct)}"] if distinct else []


def _findings(verdict: Verdict) -> Iterator[str]:
    """Yield everything for which a night may not pass."""
    yield from map(_worse, verdict.failed)
    for name in (*verdict.missing, *verdict.missing_groups):
        yield f"{name} is missing"
    for date in verdict.differences:
        yield f"not comparable with {date}"


def _worse(check: Check) -> str:
    who = "all systems" if check.system == EVERY else check.system
    place = "" if check.group is None else f" in {check.group}"
    return f"{who} got worse{place} ({check.rule})"
