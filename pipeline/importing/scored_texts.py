"""Score files that are not tables, after the conversion of `segscore import`."""

import os
import tempfile
from collections.abc import Callable

import pyarrow as pa

from segscore.pipeline import storage
from segscore.pipeline.errors import Done, Refused
from segscore.pipeline.importing.conversion.names import without_endings
from segscore.pipeline.importing.run import find_imported, run_import
from segscore.pipeline.importing.settings import ImportSettings
from segscore.pipeline.runs.executor import Executor
from segscore.pipeline.runs.tasks import ignore_progress
from segscore.pipeline.scoring.finished_scoring import FinishedScoring
from segscore.pipeline.scoring.kept_inputs import score_keeping
from segscore.pipeline.scoring.settings import ScoreSettings
from segscore.pipeline.statistics.shown_numbers import counted
from segscore.pipeline.tables.in_memory import source_in_memory
from segscore.pipeline.tables.read import TableSource, find_source

_ROLES = {"references": "reference", "hypotheses": "hypothesis"}


def score_texts(
    settings: ScoreSettings, executor: Executor, say: Callable[[str], None]
) -> FinishedScoring | Done:
    """Score inputs of which some are single files of other formats than tables.

    A file that names no document is about the document that the references are named after; one
    that names no coder is by the coder that it is named after.

    Args:
        settings: the settings; the run keeps what was read of each file as a table.
        executor: executes the tasks.
        say: told what was read of each file, in words.

    Returns:
        The run, or ``Done`` if the same run had already been published.

    Raises:
        Refused: a file is of no known format, or is malformed; or as ``run_scoring``.
        Failed: as ``run_scoring``.
    """
    texts: dict[str, pa.Table] = {}
    sources: dict[str, TableSource] = {}
    lengths = settings.references
    with tempfile.TemporaryDirectory(prefix="segscore-") as folder:
        for name in _ROLES:
            url = getattr(settings, name)
            if not storage.is_other_file(url):
                sources[name] = find_source(name, url)
                continue
            read = ImportSettings(
                (url,),
                os.path.join(folder, name),
                role=_ROLES[name],
                coder=_stem(url),
                document_id=_stem(settings.references),
                documents=None if url == lengths else lengths,
            )
            texts[name], said = _read_text(name, read, executor)
            lengths = storage.join(read.output, name) if name == "references" else lengths
            sources[name] = source_in_memory(name, texts[name])
            say(said)
    if settings.documents is not None:
        sources["documents"] = find_source("documents", settings.documents)
    return score_keeping(settings, executor, sources, texts)


def _read_text(name: str, settings: ImportSettings, executor: Executor) -> tuple[pa.Table, str]:
    """Return the segmentations in a file as a table, and what they are in words."""
    (url,) = settings.files
    files = find_imported(settings)
    try:
        imported = run_import(settings, files, executor, ignore_progress, resumable=False)
    except Refused as problem:
        raise Refused(f"{problem} (the options are those of `segscore import`)") from problem
    if name not in imported.rows:
        raise Refused(f"{url}: contains no {name}; import it with `segscore import`")
    table = storage.read_table(storage.find(storage.join(settings.output, name))[0].url)
    rows = counted(imported.rows[name], "segmentation")
    return table, f"{url}: {rows}, {counted(imported.segments[name], 'segment')}"


def _stem(url: str) -> str:
    return without_endings(os.path.basename(url), ())
