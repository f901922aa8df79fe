"""`segscore import`: convert other formats to tables."""

from segscore.jobs.cli import startup
from segscore.jobs.cli.log import LOG
from segscore.jobs.cli.options import Cluster, Workers
from segscore.pipeline.runs.importing.settings import ImportSettings


def import_(
    chosen: ImportSettings,
    cluster: Cluster = "local",
    workers: Workers = None,
) -> None:
    """Import segmentations of many formats as Parquet tables.

    Tables of segments, labels per unit, chapters, subtitles, annotations, speaker turns, text.
    """
    from segscore.jobs.show.printing import Bar, counted, out
    from segscore.pipeline.runs.importing.run import SMALL, find_imported, run_import

    files = find_imported(chosen)
    startup.work(cluster)
    if cluster == "local" and sum(file.size for file in files) <= SMALL:
        imported = run_import(chosen, files, None, lambda _done, _parts: None)
    else:
        from segscore.pipeline.runs import executors

        with (
            executors.connect(cluster, workers, chosen.memory_limit) as executor,
            Bar("importing") as bar,
        ):
            imported = run_import(chosen, files, executor, bar.advance)
    for line in imported.contradictions:
        LOG.say("warning", line)
    if imported.contradictions:
        LOG.say("warning", "written as they are; a run will reject these rows")
    if imported.rejected:
        rejected = counted(imported.rejected, "row")
        LOG.say("warning", f"{rejected} rejected; see {chosen.output}/rejects")
    for line in imported.counted:
        out().print(line, markup=False)
    for name, rows in imported.rows.items():
        numbers = [counted(rows, "row")]
        if name in imported.segments:
            numbers.append(counted(imported.segments[name], "segment"))
        out().print(f"{chosen.output}/{name}: {', '.join(numbers)}", markup=False)
