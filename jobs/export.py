"""`segscore export`: write the segmentations and edits of a document for annotation programs."""

import sys

from segscore.pipeline.errors import Refused
from segscore.pipeline.plain_text import visible
from segscore.pipeline.reports.export.settings import ExportSettings


def export(chosen: ExportSettings) -> None:
    """Write the segmentations of a document as WebVTT, TextGrid, Audacity labels or Label Studio.

    Those of a table, or the references and hypotheses of a run with the edits between them.
    """
    from segscore.jobs.show.fitted import out
    from segscore.pipeline.reports.export.write_export import export_tracks, write_export

    files = export_tracks(chosen)
    if chosen.output is not None:
        for url in write_export(chosen.output, files):
            out().print(url, markup=False)
    elif len(files) == 1:
        text = "".join(files.values())
        # A program that reads the file needs every character; a terminal would obey some.
        sys.stdout.write(visible(text, lines=True) if sys.stdout.isatty() else text)
    else:
        raise Refused(
            f"--format {chosen.format_name}: has a file for each track, and there are "
            f"{len(files)}; name a folder with --output, or one coder with --coder"
        )
