"""`segscore import`: convert other formats to tables."""

from segscore.jobs.cli.import_options import ImportOptions
from segscore.jobs.cli.log import LOG


def import_(options: ImportOptions) -> None:
    """Import segmentations of many formats as Parquet tables.

    Tables of segments, labels per unit, chapters, subtitles, annotations, speaker turns, text.
    """
    from segscore.jobs.show.printing import counted, out
    from segscore.pipeline.tables.import_files import ImportSettings, import_files

    settings = ImportSettings(
        options.files,
        options.output,
        options.format_name,
        options.documents,
        options.encoding,
        options.unit,
        options.max_rejects,
    )
    imported = import_files(settings, options.asked())
    for line in imported.contradictions:
        LOG.say("warning", line)
    if imported.contradictions:
        LOG.say("warning", "written as they are; a run will reject these rows")
    if imported.rejected:
        rejected = counted(imported.rejected, "row")
        LOG.say("warning", f"{rejected} rejected; see {options.output}/rejects")
    for line in imported.counted:
        out().print(line, markup=False)
    for name, rows in imported.rows.items():
        numbers = [counted(rows, "row")]
        if name in imported.segments:
            numbers.append(counted(imported.segments[name], "segment"))
        out().print(f"{options.output}/{name}: {', '.join(numbers)}", markup=False)
