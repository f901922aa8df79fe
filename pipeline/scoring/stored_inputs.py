"""Publish a run of tables in memory, which the run keeps in its folder to be read again."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pyarrow as pa

from segscore.pipeline import storage
from segscore.pipeline.errors import Done
from segscore.pipeline.runs.executor import Executor
from segscore.pipeline.runs.sink import FolderSink
from segscore.pipeline.scoring.finished_scoring import FinishedScoring
from segscore.pipeline.scoring.inputs import inputs_of, rule_of
from segscore.pipeline.scoring.run import run_scoring
from segscore.pipeline.scoring.settings import ScoreSettings
from segscore.pipeline.storage.input_files import InputFile
from segscore.pipeline.storage.listed_files import INPUTS, digest_in, kept_name
from segscore.pipeline.storage.placement import require_apart
from segscore.pipeline.tables.find import InputTable
from segscore.pipeline.tables.sources import Sources


def score_and_store_inputs(
    settings: ScoreSettings, executor: Executor, sources: Sources, tables: Mapping[str, pa.Table]
) -> FinishedScoring | Done:
    """Score tables of which some are in memory, and publish a run that keeps these.

    Args:
        settings: the settings, which name the place of each other table.
        executor: executes the tasks, which read the tables where the run keeps them.
        sources: all input tables.
        tables: those in memory.

    Returns:
        The run, or ``Done`` if the same run had already been published.

    Raises:
        Refused: as ``run_scoring``; nothing was written.
        Failed: as ``run_scoring``.
    """
    contents = {name: storage.table_bytes(table) for name, table in tables.items()}
    names = {name: kept_name(name, [content]) for name, content in contents.items()}
    places: dict[str, Any] = {
        name: storage.join(settings.output, INPUTS, kept) for name, kept in names.items()
    }
    chosen = replace(settings, **places)
    require_apart(
        settings.output,
        {name: source.table.location for name, source in sources.items() if name not in tables},
    )
    inputs = inputs_of(chosen, sources)
    in_unit = chosen.in_unit(inputs.unit)
    rule_of(in_unit, inputs)
    sink = FolderSink(settings.output, {names[name]: contents[name] for name in tables})
    kept = [
        _as_kept(table, places[table.name], contents[table.name]) if table.name in tables else table
        for table in inputs.tables
    ]
    if not sink.prepare("score", in_unit, kept):
        return run_scoring(chosen, executor, sink=sink)
    with sink.keeping():
        return run_scoring(chosen, executor, sink=sink)


def _as_kept(table: InputTable, place: str, content: bytes) -> InputTable:
    """Return a table in memory as it is found where the run keeps it."""
    file = InputFile(storage.listed_as(place), len(content), digest_in(place) or "")
    return replace(table, files=(file,))
