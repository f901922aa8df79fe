"""`segscore project`: carry segmentations from one transcript to another of the same recording."""

from segscore.jobs.cli import startup
from segscore.jobs.cli.log import LOG
from segscore.jobs.cli.options import Cluster, Workers
from segscore.pipeline.importing.projection.settings import ProjectSettings


def project(chosen: ProjectSettings, cluster: Cluster = "local", workers: Workers = None) -> None:
    """Carry segmentations from one transcript to another of the same recording.

    The words of each segment are found in the other transcript by the fewest edits.
    """
    from segscore.jobs.show.fitted import print_lines
    from segscore.jobs.show.printing import print_tables, warn_of_imported
    from segscore.jobs.show.progress import Bar
    from segscore.pipeline.importing.projection.run import find_projected, run_projection
    from segscore.pipeline.importing.run import SMALL
    from segscore.pipeline.runs import executors
    from segscore.pipeline.runs.tasks import ignore_progress

    files = find_projected(chosen)
    large = cluster != "local" or files.size > SMALL
    startup.work()
    with (
        executors.connect(cluster, workers, chosen.memory_limit) as executor,
        Bar("projecting") as bar,
    ):
        progress = bar.advance if large else ignore_progress
        projected = run_projection(chosen, files, executor, progress, resumable=large)
    LOG.warn(warn_of_imported(projected.imported))
    print_lines(*projected.tally.describe(chosen.tokens))
    print_tables(chosen.output, projected.imported)
