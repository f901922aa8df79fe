"""`segscore score`: score hypotheses against references."""

from typing import TYPE_CHECKING, Annotated

import typer

from segscore.jobs.cli import startup
from segscore.jobs.cli.log import LOG
from segscore.jobs.cli.options import Cluster, ExplainPlan, Workers
from segscore.jobs.show.formats import PaperFormat
from segscore.jobs.show.printing import (
    chosen_n_t,
    print_plan,
    say_done,
)
from segscore.jobs.show.progress import Bar
from segscore.pipeline.errors import Done
from segscore.pipeline.scoring.settings import ScoreSettings
from segscore.pipeline.settings.options import Panel

if TYPE_CHECKING:
    from segscore.pipeline.runs.executor import Executor
    from segscore.pipeline.runs.tasks import Progress
    from segscore.pipeline.scoring.finished_scoring import FinishedScoring


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
    from segscore.jobs.show.scored import has_groups, print_scored, require_layout
    from segscore.pipeline.runs import executors
    from segscore.pipeline.runs.planning import LIMITS
    from segscore.pipeline.scoring import run
    from segscore.pipeline.scoring.finished_scoring import FinishedScoring
    from segscore.pipeline.scoring.inputs import find_inputs

    require_layout(layout, format_name, chosen)
    if explain_plan:
        plan = run.scoring_plan(chosen, find_inputs(chosen), LIMITS)
        print_plan(plan, "score", format_name)
        return
    if layout == "groups" and not has_groups(chosen):
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
    order = chosen.measures_in_order
    print_scored(finished, layout, format_name, order, written=finished is outcome)
    if format_name == "text" and chosen.n_t is None and (said := chosen_n_t(finished.record)):
        LOG.say("info", said)


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
