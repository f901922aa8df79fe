"""Tables of the gate of a night: its rules, levels, groups, boundaries, and restated nights."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from segscore.pipeline.nightly.gate.kind import WITHIN_NOISE
from segscore.pipeline.nightly.gate.rules import KINDS, kind_of_check, result_in_words
from segscore.pipeline.nightly.restatements import Restatement
from segscore.pipeline.nightly.verdict import COMMON_CAUSE, PASSED, WARNED, Check, Density
from segscore.pipeline.plain_text import first_named, named_list
from segscore.pipeline.statistics.formatted_numbers import (
    counted,
    format_p,
    or_none,
    short_change,
    short_number,
    shown_change,
)
from segscore.pipeline.statistics.night_levels import FEWEST_OF_BASELINE
from segscore.pipeline.statistics.result_table import Column, ResultTable

_EVERYWHERE = "all documents"
_SYSTEMS = 20
"""Most systems on the first screen of a night."""

_PER = 100
"""Units of text for which a number of boundaries is said."""


def _early(checks: Iterable[Check]) -> list[Check]:
    """Return the checks of levels that cannot be judged yet."""
    return [check for check in checks if kind_of_check(check).is_early(check)]


def early_levels(checks: Iterable[Check]) -> str | None:
    """Say how many nights there are for levels that cannot be judged yet; None without any."""
    checks = [*checks]
    if not (early := _early(checks)):
        return None
    nights = min(check.nights for check in early)
    start = f"level rules start after {FEWEST_OF_BASELINE} good nights ({nights} so far)"
    systems = {check.system for check in early}
    if {check.system for check in checks if kind_of_check(check).has_level} > systems:
        return f"{named_list(sorted(systems))}: {start}"
    return start


def _failing_first(checks: Iterable[Check]) -> list[Check]:
    return sorted(checks, key=lambda check: (not check.fails, check.result == PASSED))


def _failed(checks: Sequence[Check]) -> list[int]:
    return [place for place, check in enumerate(checks) if check.fails]


def _result(checks: Sequence[Check]) -> Column:
    return Column("result", [*map(result_in_words, checks)], is_name=True)


def night_table(checks: Sequence[Check]) -> ResultTable:
    """Make one row per check, each of another system: its average tonight, and before."""
    before = kind_of_check(checks[0]).compared_with(checks[0])
    return ResultTable(
        [
            Column("system", [check.system for check in checks], is_name=True),
            Column("now", [check.value for check in checks], write=short_number),
            Column(
                "before", [check.before for check in checks], write=short_number, is_detail=True
            ),
            Column(
                "change", [check.change for check in checks], write=short_change, is_detail=True
            ),
            _result(checks),
        ],
        title="Systems of the night",
        caption=f"{checks[0].measure}, {checks[0].average} average; before: {before}",
        failed=_failed(checks),
        most=_SYSTEMS,
    )


def _one_measure(checks: Sequence[Check]) -> str:
    """Return the measure that all checks are about, which a title names; empty for several."""
    measures = {check.measure for check in checks}
    return measures.pop() if len(measures) == 1 else ""


def _of_measure(title: str, checks: Sequence[Check]) -> str:
    return ": ".join(filter(None, (title, _one_measure(checks))))


def _rule(check: Check, measure: str) -> str:
    """Write a rule without the measure that a title names."""
    return check.rule.replace(measure, "", 1).replace(":>", " >").replace(":<", " <")


def _named(checks: Sequence[Check]) -> list[Column]:
    measure = _one_measure(checks)
    return [
        Column("rule", [_rule(check, measure) for check in checks], is_name=True),
        Column("system", [check.system for check in checks], is_name=True),
    ]


def _change(checks: Sequence[Check]) -> list[Column]:
    return [
        Column("change", [check.change for check in checks], write=shown_change),
        Column("p (Holm)", [*map(_deciding_p, checks)], write=format_p),
    ]


def _deciding_p(check: Check) -> float | None:
    """Return the p that a check was decided by; None for a level within noise, which p does not."""
    kind = kind_of_check(check)
    is_noise = kind.has_level and result_in_words(check) == WITHIN_NOISE
    return None if is_noise else check.p_adjusted


def _values(checks: Sequence[Check], now: str = "now", before: str = "before") -> list[Column]:
    return [
        Column(now, [check.value for check in checks]),
        Column(before, [check.before for check in checks]),
    ]


def gate_table(checks: Sequence[Check], alpha: float, reused_ids: int = 0) -> ResultTable | None:
    """Show the result of every rule for every system, those that fail first.

    Args:
        checks: the results; levels that cannot be judged yet are left out (``early_levels``).
        alpha: the level of the tests.
        reused_ids: number of ids that the nights compared with use for other documents.

    Returns:
        The table; None if nothing is left.
    """
    early = _early(checks)
    checks = _failing_first(check for check in checks if check not in early)
    if not checks:
        return None
    columns = [*_named(checks), _result(checks), *_change(checks), *_values(checks)]
    against = {
        kind_of_check(check).compared_with(check) for check in checks if check.before is not None
    }
    caption = [f"alpha {alpha:g}"]
    if len(against) == 1:
        caption.insert(0, f"compared with {against.pop()}")
    elif against:
        # Rows may differ in this alone, so that it comes before the values that may be left out.
        nights = [
            check.against if check.nights <= 1 else f"{check.nights} nights" for check in checks
        ]
        columns.insert(3, Column("against", nights))
    if reused_ids:
        ids = "1 id is" if reused_ids == 1 else f"{reused_ids} ids are"
        caption.append(f"{ids} used again for other documents")
    caption += _explained(checks)
    failed = _failed(checks)
    return ResultTable(
        columns,
        title=_of_measure("gate", checks),
        caption="; ".join(caption),
        failed=failed,
        first=sum(check.result != PASSED for check in checks) if failed else None,
        rest=lambda passed: f"{counted(passed, 'check')} passed",
    )


def _explained(checks: Sequence[Check]) -> Iterator[str]:
    """Say what the values of each kind of rules are, and what cannot be decided yet."""
    for kind in KINDS:
        if of_kind := [check for check in checks if kind_of_check(check) is kind]:
            yield from kind.remarks(of_kind)


def groups_of_gate(checks: Sequence[Check]) -> ResultTable:
    """Show the results of rules in groups, those that fail first; a terminal shows only these."""
    checks = _failing_first(checks)
    failed = _failed(checks)
    groups = counted(len({check.group for check in checks}), "group")
    return ResultTable(
        [
            *_named(checks),
            Column("group", [check.group or "" for check in checks], is_name=True),
            replace(_result(checks), is_detail=True),
            *_change(checks),
            *_values(checks),
        ],
        title=_of_measure("gate by group", checks) if failed else "gate by group",
        caption=(
            f"{len(failed)} of {len(checks)} checks in {groups} fail"
            if failed
            else f"no system fails in any of {groups}"
        )
        + _undistinguished(checks),
        first=len(failed),
        failed=failed,
    )


def _undistinguished(checks: Sequence[Check]) -> str:
    """Name what declined in a group, but not significantly more than other systems did."""
    worse = [check for check in checks if check.result == COMMON_CAUSE]
    if not worse:
        return ""
    named = first_named([*dict.fromkeys(f"{check.system} in {check.group}" for check in worse)])
    return f"; declined, but not significantly more than the other systems: {named}"


def moved_table(checks: Iterable[Check]) -> ResultTable:
    """Show the documents that worsened most, by system and measure."""
    moved = [(check, document) for check in checks for document in check.moved]
    before = [
        document.before if document.shared else f"{document.before:.3f} on average"
        for _, document in moved
    ]
    return ResultTable(
        [
            Column("document", [document.document_id for _, document in moved], is_name=True),
            Column("system", [check.system for check, _ in moved], is_name=True),
            Column("measure", [check.measure for check, _ in moved], is_name=True),
            Column("now", [document.value for _, document in moved]),
            Column("before", before),
        ],
        title="Documents that worsened most",
    )


def levels_of_gate(checks: Iterable[Check]) -> ResultTable:
    """Show the levels of systems that can be judged, over all documents and by group."""
    levels = [
        check
        for check in checks
        if kind_of_check(check).has_level and not kind_of_check(check).is_early(check)
    ]
    since = [check.since if check.fails or check.result == WARNED else None for check in levels]
    return ResultTable(
        [
            Column("system", [check.system for check in levels], is_name=True),
            Column("group", [check.group or _EVERYWHERE for check in levels], is_name=True),
            Column("measure", [check.measure for check in levels], is_name=True),
            *_values(levels, "level", "baseline"),
            *_change(levels),
            Column("nights", [check.nights for check in levels]),
            Column("since", since),
            _result(levels),
        ],
        title="Levels",
        guide="The moving average of what a system does against the other systems, and the mean of "
        "the baseline nights, which does not move. All systems together blame nobody.",
        failed=_failed(levels),
    )


def boundaries_table(densities: Sequence[Density]) -> ResultTable:
    """Show how many boundaries the references and the systems have."""
    rates = [or_none(_PER * each.per_unit) for each in densities]
    return ResultTable(
        [
            Column("of", [each.system or "(references)" for each in densities], is_name=True),
            Column("group", [each.group or _EVERYWHERE for each in densities], is_name=True),
            Column("boundaries", [each.boundaries for each in densities]),
            Column("units", [each.units for each in densities]),
            Column(f"by {_PER} units", rates),
        ],
        title="Boundaries",
        guide="If the references have more or fewer boundaries than on other nights, all systems "
        "change, and none is to blame.",
    )


def restated_table(restated: Iterable[Restatement]) -> ResultTable:
    """Show how averages changed when nights were scored again."""
    rows = [row for each in restated for row in each.rows]
    averages = [f"{'macro ' * (row['average'] == 'macro')}{row['measure']}" for row in rows]
    return ResultTable(
        [
            Column("night", [str(row["date"]) for row in rows], is_name=True),
            Column("restated on", [f"{row['restated_at']:%Y-%m-%d}" for row in rows], is_name=True),
            Column("system", [row["system"] for row in rows], is_name=True),
            Column("average", averages, is_name=True),
            Column("before", [row["before"] for row in rows]),
            Column("after", [row["after"] for row in rows]),
            Column("why", [row["reason"] for row in rows], is_name=True),
        ],
        title="Restated nights",
        guide="Averages that changed when this night, or one that it rests on, was scored again.",
    )
