"""Show the verdict of the gate."""

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

from segscore.jobs.cli.encoding import printable_command
from segscore.jobs.show.fitted import Column, print_fitted, print_lines
from segscore.pipeline.statistics.shown_numbers import shown_change, shown_number, shown_p

if TYPE_CHECKING:
    from segscore.pipeline.nightly.verdict import Check


def print_checks(checks: "Sequence[Check]", alpha: float, reused_ids: int = 0) -> None:
    """Print the results of every rule for every system."""
    from segscore.pipeline.nightly.verdict import UNDECIDED
    from segscore.pipeline.statistics.jackknife import FEWEST
    from segscore.pipeline.statistics.trends import FEWEST_FOR_TREND

    lines = {check.nights for check in checks if check.is_trend and check.before is None}
    against = {
        check.compared_with for check in checks if not check.is_trend or check.before is not None
    }
    columns = [
        Column("rule", [check.rule for check in checks], is_name=True),
        Column("system", [check.system for check in checks], is_name=True),
        Column("result", [check.result_in_words for check in checks], is_name=True),
        Column("change", [shown_change(check.change) for check in checks]),
        Column("p (Holm)", [shown_p(check.p_adjusted) for check in checks]),
        Column("now", [shown_number(check.value) for check in checks]),
        Column("before", [shown_number(check.before) for check in checks]),
    ]
    caption = f"alpha {alpha:g}"
    if len(against) == 1:
        caption = f"compared with {against.pop()}; {caption}"
    elif against:
        # Rows may differ in this alone, so that it comes before the values that may be left out.
        nights = [
            check.against if check.nights <= 1 else f"{check.nights} nights" for check in checks
        ]
        columns.insert(3, Column("against", nights))
        if any(check.is_trend for check in checks):
            caption += "; a trend is that of the line through the last nights"
        if any(check.nights > 1 and not check.is_trend for check in checks):
            caption += "; of several nights, the median is compared with"
    if lines:
        there = "is 1" if max(lines) == 1 else f"are {max(lines)}"
        caption += f"; a trend needs {FEWEST_FOR_TREND} nights, and there {there}"
    few = (check for check in checks if check.result == UNDECIDED and check.change is not None)
    if any(not check.is_trend for check in few):
        caption += f"; undecided with fewer than {FEWEST} documents"
    if reused_ids:
        ids = "1 id is" if reused_ids == 1 else f"{reused_ids} ids are"
        caption += f"; {ids} used again for other documents"
    print_fitted(columns, title="gate", caption=caption)


def print_group_checks(checks: "Sequence[Check]") -> None:
    """Print the results of the rules in groups that fail, or say that none does."""
    failed = [check for check in checks if check.fails]
    groups = len({check.group for check in checks})
    if not failed:
        print_lines(f"gate by group: no system fails in any of {groups} groups")
        return
    columns = [
        Column("rule", [check.rule for check in failed], is_name=True),
        Column("system", [check.system for check in failed], is_name=True),
        Column("group", [check.group or "" for check in failed], is_name=True),
        Column("change", [shown_change(check.change) for check in failed]),
        Column("p (Holm)", [shown_p(check.p_adjusted) for check in failed]),
        Column("now", [shown_number(check.value) for check in failed]),
        Column("before", [shown_number(check.before) for check in failed]),
    ]
    caption = f"{len(failed)} of {len(checks)} checks in {groups} groups fail"
    print_fitted(columns, title="gate by group", caption=caption)


def moved_lines(run: str, check: "Check") -> list[str]:
    """List the documents that worsened most, each with the command that shows its edits."""
    if not check.moved:
        return []
    lines = [f"{check.system}, {check.measure}: documents that worsened most"]
    for document in check.moved:
        other = f"on {check.against}"
        if not document.shared:
            other = f"on average on {check.against}" if check.nights == 1 else check.compared_with
        values = f"{document.value:.4f}, {document.before:.4f} {other}"
        pair = ["--document", document.document_id, "--hypothesis", check.system]
        command = shlex.join(["segscore", "explain", run, *pair])
        lines.append(f"  {values}: {printable_command(command)}")
    return lines
