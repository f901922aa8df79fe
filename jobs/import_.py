"""`segscore import`: convert other formats to tables."""

from typing import Annotated

from segscore.jobs.cli import startup
from segscore.jobs.cli.log import LOG
from segscore.jobs.cli.options import Cluster, Workers
from segscore.pipeline.importing.settings import ImportSettings
from segscore.pipeline.settings.options import Panel, Shown

_SHOWN = Shown(tuple(panel for panel in Panel if panel != Panel.ANSWERS))


def import_(
    chosen: Annotated[ImportSettings, _SHOWN], cluster: Cluster = "local", workers: Workers = None
) -> None:
    """Import segmentations of many formats as Parquet tables.

    Tables of segments, labels per unit, chapters, subtitles, annotations, speaker turns, text.
    Answers of language models have a command of their own: segscore answers. The options of one
    format: segscore import FORMAT --help.
    """
    from segscore.jobs.show.fitted import print_lines
    from segscore.jobs.show.printing import print_tables, warn_of_imported
    from segscore.jobs.show.progress import Bar
    from segscore.pipeline.importing.recipe import with_recipe
    from segscore.pipeline.importing.run import SMALL, find_imported, run_import
    from segscore.pipeline.runs import executors
    from segscore.pipeline.runs.tasks import ignore_progress
    from segscore.pipeline.statistics.formatted_numbers import counted, shown_position
    from segscore.pipeline.tables.units import MILLISECOND

    chosen = with_recipe(chosen)
    files = find_imported(chosen)
    large = cluster != "local" or sum(file.size for file in files) > SMALL
    startup.work()
    with (
        executors.connect(cluster, workers, chosen.memory_limit) as executor,
        Bar("importing") as bar,
    ):
        progress = bar.advance if large else ignore_progress
        imported = run_import(chosen, files, executor, progress, resumable=large)
    LOG.warn(warn_of_imported(imported))
    if imported.rejected:
        rejected = counted(imported.rejected, "row")
        LOG.say("warning", f"{rejected} rejected; see {chosen.output}/rejects")
    print_lines(*imported.counted)
    print_tables(chosen.output, imported)
    if imported.test_set:
        print_lines(imported.test_set)
    if imported.unit == MILLISECOND:
        print_lines(f"longest document: {shown_position(imported.longest, MILLISECOND)}")
    LOG.warn(imported.doubts)
