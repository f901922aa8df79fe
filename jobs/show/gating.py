"""Show the verdict of the gate."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from segscore.jobs.cli.encoding import printable_command
from segscore.jobs.show.fitted import print_lines
from segscore.jobs.show.formats import markdown_cell, print_text
from segscore.jobs.show.sentences import print_sentences
from segscore.jobs.show.shown import print_result
from segscore.pipeline.results.names import explain_command
from segscore.pipeline.statistics.formatted_numbers import counted
from segscore.pipeline.statistics.sentences import Sentence, Tone

if TYPE_CHECKING:
    from segscore.pipeline.nightly.verdict import Check


def print_checks(checks: "Sequence[Check]", alpha: float, reused_ids: int = 0) -> None:
    """Print the results of every rule for every system.

    Levels that cannot be judged yet are said in one line.
    """
    from segscore.pipeline.nightly.gate_tables import early_levels, gate_table

    if (table := gate_table(checks, alpha, reused_ids)) is not None:
        print_result(table)
    if early := early_levels(checks):
        print_lines(early)


def print_verdict(problems: Sequence[str], checks: "Sequence[Check]", format_name: str) -> None:
    """Print whether the gate passed and, if not, why, as the first lines of a result.

    Nothing is printed if there was nothing to check.
    """
    if not checks and not problems:
        return
    checked, failed = counted(len(checks), "check"), sum(check.fails for check in checks)
    verdict = f"Gate failed: {failed} of {checked}" if problems else f"Gate passed: {checked}"
    if format_name == "markdown":
        lines = [f"- {markdown_cell(problem)}" for problem in problems]
        print_text("\n".join([f"**{verdict}**", "", *lines, *[""] * bool(lines)]))
    elif format_name == "text":
        tone = Tone.FAILED if problems else Tone.SURE
        print_sentences([Sentence(f"{verdict}.", tone)])
        print_sentences(Sentence(f"  {problem}", Tone.NOTE) for problem in problems)
        print_lines("")


def print_group_checks(checks: "Sequence[Check]") -> None:
    """Print the results of the rules in groups that fail, or say that none does."""
    from segscore.pipeline.nightly.gate_tables import groups_of_gate

    table = groups_of_gate(checks)
    if table.failed:
        print_result(table)
    else:
        print_lines(f"{table.title}: {table.caption}")


def moved_lines(run: str, check: "Check") -> list[str]:
    """List the documents that worsened most, each with the command that shows its edits."""
    from segscore.pipeline.nightly.gate.rules import kind_of_check

    if not check.moved:
        return []
    lines = [f"{check.system}, {check.measure}: documents that worsened most"]
    for document in check.moved:
        other = f"on {check.against}"
        if not document.shared and check.nights == 1:
            other = f"on average on {check.against}"
        elif not document.shared:
            other = kind_of_check(check).compared_with(check)
        values = f"{document.value:.4f}, {document.before:.4f} {other}"
        command = explain_command(run, document.document_id, check.system)
        lines.append(f"  {values}: {printable_command(command)}")
    return lines
