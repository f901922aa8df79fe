"""Show the verdict of the gate."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from segscore.jobs.cli.encoding import printable_command
from segscore.jobs.show.fitted import print_fitted, print_lines
from segscore.jobs.show.formats import markdown_cell, print_text
from segscore.jobs.show.sentences import STYLES
from segscore.pipeline.scoring.names import explain_command
from segscore.pipeline.statistics.sentences import Tone
from segscore.pipeline.statistics.shown_numbers import counted, shown_change, shown_number, shown_p
from segscore.pipeline.statistics.shown_tables import Column

if TYPE_CHECKING:
    from segscore.pipeline.nightly.verdict import Check


def print_checks(checks: "Sequence[Check]", alpha: float, reused_ids: int = 0) -> None:
    """Print the results of every rule for every system.

    Levels that cannot be judged yet are said in one line.
    """
    from segscore.pipeline.statistics.night_levels import FEWEST_OF_BASELINE

    early = [check for check in checks if check.is_level and check.change is None]
    if shown := [check for check in checks if check not in early]:
        _print_table(shown, alpha, reused_ids)
    if early:
        nights = min(check.nights for check in early)
        print_lines(
            f"levels: not calibrated yet, with {nights} of {FEWEST_OF_BASELINE} good nights"
        )


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
        print_lines(f"{verdict}.", *(f"  {problem}" for problem in problems), "")


def _print_table(every: "Sequence[Check]", alpha: float, reused_ids: int) -> None:
    """Print a row for each check, those that fail first and in red."""
    checks = sorted(every, key=lambda check: not check.fails)
    styles = [STYLES[Tone.FAILED] if check.fails else "" for check in checks]

    def named(texts: Iterable[str]) -> list[Text]:
        return [Text(text, style) for text, style in zip(texts, styles, strict=True)]

    columns = [
        Column("rule", named(check.rule for check in checks), is_name=True),
        Column("system", named(check.system for check in checks), is_name=True),
        Column("result", named(check.result_in_words for check in checks), is_name=True),
        Column("change", [shown_change(check.change) for check in checks]),
        Column("p (Holm)", [shown_p(check.p_adjusted) for check in checks]),
        Column("now", [shown_number(check.value) for check in checks]),
        Column("before", [shown_number(check.before) for check in checks]),
    ]
    against = {check.compared_with for check in checks if check.before is not None}
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
    print_fitted(columns, title="gate", caption="; ".join(caption))


def _explained(checks: "Sequence[Check]") -> Iterator[str]:
    """Say what the values of each kind of rules are, and what cannot be decided yet."""
    from segscore.pipeline.nightly.verdict import UNDECIDED
    from segscore.pipeline.statistics.jackknife import FEWEST
    from segscore.pipeline.statistics.night_levels import BASELINE_NIGHTS, FEWEST_OF_BASELINE
    from segscore.pipeline.statistics.trends import FEWEST_FOR_TREND

    of_two = [check for check in checks if not check.kind]
    levels = [check for check in checks if check.is_level]
    if any(check.is_trend and check.before is not None for check in checks):
        yield "a trend is that of the line through the last nights"
    if any(check.nights > 1 for check in of_two):
        yield "of several nights, the median is compared with"
    if levels:
        raw = any(check.is_raw for check in levels)
        yield "a level is a moving average" + (
            " of the averages themselves, for want of three systems"
            if raw
            else " of what a system does against the others"
        )
    if lines := {check.nights for check in checks if check.is_trend and check.before is None}:
        there = "is 1" if max(lines) == 1 else f"are {max(lines)}"
        yield f"a trend needs {FEWEST_FOR_TREND} nights, and there {there}"
    if any(check.result == UNDECIDED and check.change is not None for check in of_two):
        yield f"undecided with fewer than {FEWEST} documents"
    tested = (check.calibrated for check in of_two if check.p is not None)
    few = [nights for nights in tested if nights is not None]
    if few and min(few) < FEWEST_OF_BASELINE and max(check.shared for check in of_two) == 0:
        yield f"not calibrated yet, with {min(few)} of {FEWEST_OF_BASELINE} nights"
    if levels and (least := min(check.nights for check in levels)) < BASELINE_NIGHTS:
        yield f"levels are not calibrated yet, with {least} of {BASELINE_NIGHTS} nights"


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
        command = explain_command(run, document.document_id, check.system)
        lines.append(f"  {values}: {printable_command(command)}")
    return lines
