"""Say in a sentence why a system fails the gate: each fact once, the worst documents last."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from segscore.pipeline.nightly.formatting import short, when_before
from segscore.pipeline.nightly.kinds.kind import average_of
from segscore.pipeline.nightly.rules import kind_of_check
from segscore.pipeline.nightly.verdict import ALL_SYSTEMS, UNDECIDED, WARNED, Check
from segscore.pipeline.plain_text import first_named
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
