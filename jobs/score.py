"""`segscore score`: score hypotheses against references."""

from segscore.jobs.cli import startup
from segscore.jobs.cli.options import Cluster, ExplainPlan, Workers
from segscore.jobs.show.printing import Bar, print_finished, print_plan
from segscore.pipeline.errors import Done
from segscore.pipeline.scoring.settings import ScoreSettings


def score(
    chosen: ScoreSettings,
    cluster: Cluster = "local",
    workers: Workers = None,
    explain_plan: ExplainPlan = False,
) -> Done | None:
    """Score hypotheses against references and write scores, averages and intervals."""
    from segscore.pipeline.runs import executors
    from segscore.pipeline.runs.planning import LIMITS
    from segscore.pipeline.scoring import run
    from segscore.pipeline.scoring.inputs import find_inputs

    if explain_plan:
        print_plan(run.scoring_plan(chosen, find_inputs(chosen), LIMITS))
        return None
    startup.work(cluster)
    with executors.connect(cluster, workers, chosen.memory_limit) as executor, Bar() as bar:
        finished = run.run_scoring(chosen, executor, bar.advance)
    if isinstance(finished, Done):
        return finished
    print_finished(chosen.output, finished)
    return None
