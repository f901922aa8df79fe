"""`segscore export`: write the segmentations and edits of a document for annotation programs."""

import sys

from segscore.jobs.cli.log import LOG
from segscore.pipeline.errors import Refused
from segscore.pipeline.plain_text import visible
from segscore.pipeline.reports.export.settings import ExportSettings
from segscore.pipeline.statistics.formatted_numbers import counted


def export(chosen: ExportSettings) -> None:
    """Write segmentations as WebVTT, TextGrid, Audacity labels, for Label Studio or ELAN.

    Those of a table, or the references and hypotheses of a run with the edits between them.
    """
    from segscore.jobs.show.fitted import print_lines
    from segscore.pipeline.reports.export.write_export import export_tracks, write_export

    exported = export_tracks(chosen)
    files = exported.files
    if exported.left_out:
        number = counted(exported.left_out, "document")
        LOG.say(
            "warning", f"{number} left out, without a segmentation by {', '.join(chosen.coder)}"
        )
    if chosen.output is not None:
        urls = write_export(chosen.output, files)
        if exported.documents > 1:
            number = counted(len(urls), "file")
            urls = [f"{chosen.output}: {number} of {exported.documents:,} documents"]
        print_lines(*urls)
    elif len(files) == 1:
        text = "".join(files.values())
        # A program that reads the file needs every character; a terminal would obey some.
        sys.stdout.write(visible(text, lines=True) if sys.stdout.isatty() else text)
    else:
        raise Refused(
            f"--format {chosen.format_name}: has a file for each track, and there are "
            f"{len(files)}; name a folder with --output, or one coder with --coder"
        )
