"""Score files that are not tables, after the conversion of `segscore import`."""

import os
import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import pyarrow as pa

from segscore.pipeline import storage
from segscore.pipeline.errors import Done, Refused
from segscore.pipeline.importing.check_text import options_of_import
from segscore.pipeline.importing.conversion.names import without_endings
from segscore.pipeline.importing.run import find_imported, run_import
from segscore.pipeline.importing.settings import ImportSettings
from segscore.pipeline.runs.executor import Executor
from segscore.pipeline.runs.tasks import ignore_progress
from segscore.pipeline.scoring.finished_scoring import FinishedScoring
from segscore.pipeline.scoring.settings import ScoreSettings
from segscore.pipeline.scoring.stored_inputs import score_and_store_inputs
from segscore.pipeline.statistics.formatted_numbers import counted
from segscore.pipeline.tables.in_memory import source_in_memory
from segscore.pipeline.tables.sources import TableSource, find_source

_ROLES = {"references": "reference", "hypotheses": "hypothesis"}


def score_texts(
    settings: ScoreSettings, executor: Executor, say: Callable[[str, str], None]
) -> FinishedScoring | Done:
    """Score inputs of which some are files of other formats than tables.

    A file that names no document is about the document that the references are named after; one
    that names no coder is by the coder that it is named after.

    Args:
        settings: the settings; the run keeps what was read of each file as a table.
        executor: executes the tasks.
        say: told the level of a message, such as warning, and what was read of each file.

    Returns:
        The run, or ``Done`` if the same run had already been published.

    Raises:
        Refused: a file is of no known format, or is malformed; or as ``run_scoring``.
        Failed: as ``run_scoring``.
    """
    texts: dict[str, pa.Table] = {}
    sources: dict[str, TableSource] = {}
    with tempfile.TemporaryDirectory(prefix="segscore-") as folder:
        for name in _ROLES:
            if not (files := storage.other_files(getattr(settings, name))):
                sources[name] = find_source(name, getattr(settings, name))
                continue
            if len(files) > 1 and settings.trials:
                raise Refused(
                    "--trials: reads tables; convert each file with `segscore import` first"
                )
            _require_own_names(files)
            tables = []
            for number, file in enumerate(files):
                read = _as_imported(settings, name, file, folder, number)
                with _named(folder, settings.references):
                    table, said, doubts = _read_text(name, read, executor)
                tables.append(table)
                say("info", said)
                for doubt in doubts:
                    say("warning", doubt)
            if name != "references" and "references" in texts:
                _require_as_many(settings.references, texts["references"], files, tables)
            texts[name] = _joined(files, tables)
            sources[name] = source_in_memory(name, texts[name])
    if settings.documents is not None:
        sources["documents"] = find_source("documents", settings.documents)
    return score_and_store_inputs(settings, executor, sources, texts)


@contextmanager
def _named(folder: str, references: str) -> Iterator[None]:
    """Name the file of the references in a refusal, in place of the tables imported from it."""
    try:
        yield
    except Refused as problem:
        named = re.sub(rf"{re.escape(folder)}/[^ :;]+(:\d+)?", references, str(problem))
        raise Refused(named) from problem


def _as_imported(
    settings: ScoreSettings, name: str, file: str, folder: str, number: int
) -> ImportSettings:
    """Return the settings that import a file, whose times end where those of the references do."""
    lengths = settings.references
    if storage.other_files(lengths):
        lengths = storage.join(folder, "references-0", "references")
    return ImportSettings(
        (file,),
        os.path.join(folder, f"{name}-{number}"),
        role=_ROLES[name],
        coder=_stem(file),
        document_id=_stem(settings.references),
        documents=None if name == "references" else lengths,
        unit=settings.unit,
    )


def _require_own_names(files: Sequence[str]) -> None:
    """Refuse files of one name, which would be one system twice."""
    named: dict[str, str] = {}
    for file in files:
        if (other := named.setdefault(_stem(file), file)) != file:
            raise Refused(
                f"{other} and {file}: systems are named after their files, and both would be "
                f"{_stem(file)}; rename one, or import them with `segscore import --coder`"
            )


def _require_as_many(
    references: str, table: pa.Table, files: Sequence[str], tables: Sequence[pa.Table]
) -> None:
    """Refuse files whose lines do not name documents, and are not as many as the references'.

    Such lines are matched by place, so that one that is missing would shift all behind it.
    """
    last = _last_line(references, table)
    for file, read in zip(files, tables, strict=True):
        own = _last_line(references, read)
        if last and own and own != last:
            raise Refused(
                f"{file}: its last document is that of line {own}, and that of {references} is of "
                f"line {last}; lines are matched by place: leave a line empty for a document that "
                "is missing, or name documents, for example document<TAB>coder<TAB>mask"
            )


def _last_line(references: str, table: pa.Table) -> int | None:
    """Return the largest number of documents that are named by their line; None if others are."""
    begin = f"{_stem(references)}/"
    numbers = [
        name.removeprefix(begin) if name.startswith(begin) else ""
        for name in table["document_id"].to_pylist()
    ]
    return max(map(int, numbers)) if numbers and all(map(str.isdecimal, numbers)) else None


def _joined(files: Sequence[str], tables: Sequence[pa.Table]) -> pa.Table:
    """Return the tables of several files as one; they must count the same unit."""
    for file, table in zip(files, tables, strict=True):
        if table.schema.metadata != tables[0].schema.metadata:
            raise Refused(
                f"{files[0]} and {file}: they do not count the same unit; import each with "
                "`segscore import --unit`"
            )
    return pa.concat_tables(tables, promote_options="default")


def _read_text(
    name: str, settings: ImportSettings, executor: Executor
) -> tuple[pa.Table, str, Sequence[str]]:
    """Return the segmentations in a file as a table, what they are in words, and warnings."""
    (url,) = settings.files
    files = find_imported(settings)
    with options_of_import():
        imported = run_import(settings, files, executor, ignore_progress, resumable=False)
    if name not in imported.rows:
        raise Refused(f"{url}: contains no {name}; import it with `segscore import`")
    table = storage.read_table(storage.find(storage.join(settings.output, name))[0].url)
    rows = counted(imported.rows[name], "segmentation")
    said = f"{url}: {rows}, {counted(imported.segments[name], 'segment')}"
    return table, said, imported.doubts


def _stem(url: str) -> str:
    return without_endings(os.path.basename(url), ())
