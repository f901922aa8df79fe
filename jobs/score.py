"""`segscore score`: score hypotheses against references."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from segscore.jobs.cli import startup
from segscore.jobs.cli.log import LOG
from segscore.jobs.cli.options import Cluster, ExplainPlan, Workers
from segscore.jobs.show.formats import PaperFormat, as_rows, described, plain_table, print_json
from segscore.jobs.show.leaderboard import SCORE_LAYOUTS
from segscore.jobs.show.printing import (
    chosen_n_t,
    log_finished,
    print_finished,
    print_plan,
    say_done,
)
from segscore.jobs.show.progress import Bar
from segscore.pipeline.errors import Done, Refused
from segscore.pipeline.scoring.settings import ScoreSettings
from segscore.pipeline.settings.options import Panel
from segscore.pipeline.settings.ranges import one_of

if TYPE_CHECKING:
    from segscore.pipeline.runs.executor import Executor
    from segscore.pipeline.runs.tasks import Progress
    from segscore.pipeline.scoring.finished_scoring import FinishedScoring
    from segscore.pipeline.statistics.result_table import ResultTable


_CONFUSIONS = ("confusion", "label_confusion")
"""Tables of errors by type and by label, which JSON has if they were asked for."""


def score(
    chosen: ScoreSettings,
    cluster: Cluster = "local",
    workers: Workers = None,
    explain_plan: ExplainPlan = False,
    layout: Annotated[
        str,
        typer.Option(
            help="Table: systems, groups, crossed, measures, documents or confusion. groups has "
            "also the averages of each group, crossed systems by groups, measures a table for each "
            "measure, documents the scores of each, confusion errors by boundary type. "
            "ROWS,COLUMNS,CELLS crosses two of systems, groups and measures, with cells of "
            "interval, value, sd or rank.",
            rich_help_panel=Panel.OUTPUT,
        ),
    ] = "systems",
    format_name: PaperFormat = "text",
) -> None:
    """Score hypotheses against references and write scores, averages and intervals."""
    from segscore.pipeline.results.crossed import parse_crossing
    from segscore.pipeline.runs import executors
    from segscore.pipeline.runs.planning import LIMITS
    from segscore.pipeline.scoring import run
    from segscore.pipeline.scoring.finished_scoring import FinishedScoring
    from segscore.pipeline.scoring.inputs import find_inputs

    grouped = chosen.group_by or chosen.consensus is not None or chosen.by_level is not None
    _require_layout(layout, format_name, grouped=bool(grouped), confusion=chosen.confusion)
    if explain_plan:
        plan = run.scoring_plan(chosen, find_inputs(chosen), LIMITS)
        print_plan(plan, "score", format_name)
        return
    if layout == "groups" and not grouped:
        LOG.say(
            "warning",
            "--layout groups: there are no groups; repeat the command with --group-by and the "
            "attributes to group by",
        )
    startup.work()
    with (
        executors.connect(cluster, workers, chosen.memory_limit) as executor,
        Bar("scoring") as bar,
    ):
        outcome = _run(chosen, executor, bar.advance)
    if isinstance(outcome, Done):
        say_done(outcome, format_name)
    finished = FinishedScoring.open(chosen.output) if isinstance(outcome, Done) else outcome
    if format_name == "text":
        print_finished(
            chosen.output,
            finished,
            layout,
            chosen.measures_in_order,
            written=finished is outcome,
        )
        if layout in ("documents", "confusion") or parse_crossing(layout, grouped=True):
            _print_table(finished, layout, chosen, format_name)
        if chosen.n_t is None and (said := chosen_n_t(finished.record)):
            LOG.say("info", said)
        return
    log_finished(chosen.output, finished.record)
    if format_name == "json":
        _print_json(finished, chosen)
    else:
        _print_table(finished, layout, chosen, format_name)


def _require_layout(layout: str, format_name: str, *, grouped: bool, confusion: bool) -> None:
    """Refuse a layout that a run or a format does not have."""
    from segscore.pipeline.results.crossed import parse_crossing

    if parse_crossing(layout, grouped=grouped) is None:
        one_of("--layout", layout, SCORE_LAYOUTS)
    if layout in ("measures", "documents") and format_name == "latex":
        raise Refused(f"--layout {layout}: has no form in LaTeX; name systems or groups")
    if layout == "confusion" and not confusion:
        raise Refused("--layout confusion: nothing was counted; add --confusion")


def _print_json(finished: "FinishedScoring", chosen: ScoreSettings) -> None:
    """Print the averages and, if they were counted, errors by type and by label."""
    from segscore.pipeline.scoring.shared_averages import ranked_summary

    tables = as_rows({"summary": ranked_summary(finished)})
    for name in _CONFUSIONS if chosen.confusion else ():
        tables |= {name: rows} if (rows := finished.rows(name)) else {}
    print_json("score", {"output": chosen.output, **described(finished.record), **tables})


def _print_table(
    finished: "FinishedScoring", layout: str, chosen: ScoreSettings, format_name: str
) -> None:
    """Print the averages of a run as one table."""
    from segscore.jobs.show.layouts import print_in_format

    print_in_format(_table(finished, layout, chosen), format_name)


def _table(finished: "FinishedScoring", layout: str, chosen: ScoreSettings) -> "ResultTable":
    """Arrange the averages of a run."""
    from segscore.pipeline.results.crossed import summary_table
    from segscore.pipeline.runs.record import describe_losses
    from segscore.pipeline.scoring.missing import Missing, describe_missing
    from segscore.pipeline.scoring.shared_averages import ranked_summary

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
    missing = describe_missing(Missing.of_record(record.get("missing")), chosen.missing)
    table = summary_table(summary, layout, chosen.measures_in_order)
    said = [*filter(None, [table.notes.get(())]), *describe_losses(record["rows"]), *missing]
    notes = {**table.notes, (): "; ".join(said)} if said else table.notes
    return replace(table, signature=signature, notes=notes)


def _run(
    chosen: ScoreSettings, executor: "Executor", progress: "Progress"
) -> "FinishedScoring | Done":
    """Score tables, or files of other formats after their conversion."""
    from segscore.pipeline import storage
    from segscore.pipeline.scoring.run import run_scoring

    if not any(map(storage.other_files, (chosen.references, chosen.hypotheses))):
        return run_scoring(chosen, executor, progress)
    from segscore.pipeline.importing.scored_texts import score_texts

    return score_texts(chosen, executor, LOG.say)
