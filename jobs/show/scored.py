"""Print the results of a scoring run in a layout and a format."""

from collections.abc import Sequence
from dataclasses import replace

from segscore.jobs.show.formats import as_rows, described, plain_table, print_json
from segscore.jobs.show.layouts import print_in_format
from segscore.jobs.show.leaderboard import SCORE_LAYOUTS
from segscore.jobs.show.printing import log_finished, print_finished
from segscore.pipeline.errors import Refused
from segscore.pipeline.results.crossed import parse_crossing, summary_table
from segscore.pipeline.runs.record import describe_losses
from segscore.pipeline.scoring.finished_scoring import FinishedScoring
from segscore.pipeline.scoring.missing import Missing, describe_missing
from segscore.pipeline.scoring.settings import ScoreSettings
from segscore.pipeline.scoring.shared_averages import ranked_summary
from segscore.pipeline.settings.ranges import one_of
from segscore.pipeline.statistics.result_table import ResultTable

_CONFUSIONS = ("confusion", "label_confusion")
"""Tables of errors by type and by label, which JSON has if they were asked for."""


def has_groups(settings: ScoreSettings) -> bool:
    """Return whether a run has averages of groups, consensus references or levels."""
    ways = settings.group_by, settings.consensus is not None, settings.by_level is not None
    return any(ways)


def require_layout(layout: str, format_name: str, settings: ScoreSettings) -> None:
    """Refuse a layout that a run with these settings or a format does not have."""
    if parse_crossing(layout, grouped=has_groups(settings)) is None:
        one_of("--layout", layout, SCORE_LAYOUTS)
    if layout in ("measures", "documents") and format_name == "latex":
        raise Refused(f"--layout {layout}: has no form in LaTeX; name systems or groups")
    if layout == "confusion" and not settings.confusion:
        raise Refused(
            "--layout confusion: nothing was counted; add --confusion to `segscore score`"
        )


def print_scored(
    finished: FinishedScoring,
    layout: str,
    format_name: str,
    order: Sequence[str],
    *,
    written: bool,
) -> None:
    """Print a scoring run.

    Args:
        finished: the run.
        layout: the arrangement of its results, which ``require_layout`` accepts.
        format_name: how to print it.
        order: measures in the order to print them.
        written: whether the command wrote the run, and says where.
    """
    output = finished.url
    if format_name == "text":
        print_finished(output, finished, layout, order, written=written)
        if layout in ("documents", "confusion") or parse_crossing(layout, grouped=True):
            print_in_format(_table(finished, layout, order), format_name)
        return
    log_finished(output, finished.record)
    if format_name == "json":
        _print_json(finished)
    else:
        print_in_format(_table(finished, layout, order), format_name)


def _print_json(finished: FinishedScoring) -> None:
    """Print the averages and, if they were counted, errors by type and by label."""
    tables = as_rows({"summary": ranked_summary(finished)})
    for name in _CONFUSIONS if finished.score_settings().confusion else ():
        tables |= {name: rows} if (rows := finished.rows(name)) else {}
    print_json("score", {"output": finished.url, **described(finished.record), **tables})


def _table(finished: FinishedScoring, layout: str, order: Sequence[str]) -> ResultTable:
    """Arrange the averages of a run."""
    if layout == "confusion":
        from segscore.pipeline.scoring.confusion_table import confusion_table

        return confusion_table(finished)
    if layout == "documents":
        scores = finished.table("scores")
        return plain_table(scores.column_names, scores.to_pylist(), finished.signature)
    summary, record = ranked_summary(finished), finished.record
    signature = record["signature"]
    if layout == "measures":
        return plain_table(summary.column_names, summary.to_pylist(), signature)
    missing = describe_missing(
        Missing.of_record(record.get("missing")), finished.score_settings().missing
    )
    table = summary_table(summary, layout, order)
    said = [*filter(None, [table.notes.get(())]), *describe_losses(record["rows"]), *missing]
    notes = {**table.notes, (): "; ".join(said)} if said else table.notes
    return replace(table, signature=signature, notes=notes)
