"""Compare audits on the terminal, and check their gate."""

from collections.abc import Sequence

from segscore.jobs.show.fitted import print_lines
from segscore.jobs.show.shown import print_result
from segscore.pipeline.errors import Failed, Refused


def are_audits(runs: Sequence[str]) -> bool:
    """Return whether all runs are audits.

    Raises:
        Refused: some are, and others are not.
    """
    from segscore.pipeline.runs.finished import FinishedRun

    found = []
    for url in runs:
        try:
            found.append(FinishedRun.open(url).command == "agree")
        except Refused:
            found.append(False)
    if any(found) and not all(found):
        audit, other = (runs[found.index(is_audit)] for is_audit in (True, False))
        raise Refused(
            f"{audit}: is a run of `segscore agree`, and {other} is not; compare audits with audits"
        )
    return bool(found) and all(found)


def compare_audits(runs: Sequence[str], gate: str | None, format_name: str) -> None:
    """Print audits, the newest first, and check rules about it.

    Raises:
        Refused: there are options that audits do not have.
        Failed: a rule is broken.
    """
    from segscore.pipeline.agreement.compared_audits import ComparedAudits, audit_rules
    from segscore.pipeline.runs.finished import FinishedRun

    if format_name != "text":
        raise Refused(f"--format {format_name}: audits are compared as text")
    rules = [] if gate is None else audit_rules(gate, len(runs))
    audits = ComparedAudits([FinishedRun.open(url) for url in runs])
    for table in audits.tables():
        print_result(table)
    broken = [said for rule in rules if (said := rule.breaks(audits))]
    if broken:
        raise Failed(f"{runs[0]}: {'; '.join(broken)}")
    if rules:
        print_lines(f"{runs[0]}: no rule is broken")
