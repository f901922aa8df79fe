"""Show the verdict of the gate."""

import shlex
from collections.abc import Iterable
from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.table import Table

from segscore.jobs.show.printing import shown_number

if TYPE_CHECKING:
    from segscore.pipeline.nightly.verdict import Check


def checks_table(checks: "Iterable[Check]", alpha: float) -> Table:
    """Make a table of the results of every rule for every system."""
    table = Table(title="gate", box=SIMPLE_HEAD, caption=f"alpha {alpha:g}")
    for heading in ("rule", "system"):
        table.add_column(heading, overflow="fold")
    for heading in ("now", "before", "change", "p (Holm)"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("against", overflow="fold", min_width=10)
    table.add_column("result", no_wrap=True)
    for check in checks:
        change = "–" if check.change is None else f"{check.change:+.4f}"
        p = "–" if check.p_adjusted is None else f"{check.p_adjusted:.2g}"
        values = (shown_number(check.value), shown_number(check.before), change, p)
        table.add_row(
            escape(check.rule), escape(check.system), *values, check.compared_with, check.result
        )
    return table


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
        lines.append(f"  {values}: segscore explain {shlex.join([run, *pair])}")
    return lines


def describe_failure(check: "Check") -> str:
    """Explain in one line why a check fails."""
    if check.value is None or check.before is None or check.change is None:
        return (
            f"{check.system}: {check.average} {check.measure} is undefined now; it had a value in "
            f"{check.against}"
        )
    verb = "fell" if check.change < 0 else "rose"
    worst = ", ".join(document.document_id for document in check.moved[:3])
    return (
        f"{check.system}: {check.average} {check.measure} {verb} by {abs(check.change):.4f} to "
        f"{check.value:.4f} since {check.compared_with} ({abs(check.limit):g} allowed, "
        f"p {check.p_adjusted:.2g})" + (f", most in {worst}" if worst else "")
    )
