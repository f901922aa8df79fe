"""Find the conventions that give the numbers of a paper."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from segscore.pipeline import storage
from segscore.pipeline.conventions.apply import Applied, apply_convention, find_convention
from segscore.pipeline.conventions.corpus import Corpus, corpus_of
from segscore.pipeline.conventions.pair_search import reconcile_pairs
from segscore.pipeline.conventions.published import (
    Published,
    read_published,
    read_published_table,
)
from segscore.pipeline.conventions.results import Reconciliation
from segscore.pipeline.conventions.settings import ReconcileSettings
from segscore.pipeline.runs.record import warn_of_rejects, warn_of_similar_names
from segscore.pipeline.scoring.accounting import (
    count_rows,
    list_unpaired_inputs,
    nothing_scored,
)
from segscore.pipeline.scoring.documents import separate_rows
from segscore.pipeline.scoring.inputs import inputs_of, require_references
from segscore.pipeline.scoring.settings import ScoreSettings
from segscore.pipeline.storage.placement import require_apart, require_free
from segscore.pipeline.tables.sources import TableSource, find_source, read_sources

_CONVENTIONS, _APPLIED = "conventions.parquet", "applied.parquet"
_NOWHERE = "<memory>"
_LISTED_IN = "the table rejects of `segscore score` with the same tables"


def run_reconciliation(settings: ReconcileSettings) -> Reconciliation:
    """Read the tables of the settings, find the conventions, and write them if asked.

    Raises:
        Refused: the input or the settings are wrong.
        Failed: no row could be scored.
    """
    sources = _find_sources(settings, _CONVENTIONS)
    found = reconcile_tables(settings, sources, _read_numbers(settings))
    _write(settings, _CONVENTIONS, found)
    return found


def run_application(settings: ReconcileSettings) -> Applied:
    """Read the tables of the settings, and compute by the convention that they name.

    Raises:
        Refused: the input or the settings are wrong, or there is no such convention.
        Failed: no row could be scored.
    """
    applied = apply_to_tables(settings, _find_sources(settings, _APPLIED))
    _write(settings, _APPLIED, applied)
    return applied


def _find_sources(settings: ReconcileSettings, written: str) -> dict[str, TableSource]:
    """Find the tables of the settings.

    Args:
        settings: where they are, and the folder to write to.
        written: name of the file that will be written there.

    Raises:
        Refused: there is no such table, or the file cannot be written.
    """
    if settings.output is not None:
        require_apart(settings.output, settings.inputs)
        require_free(settings.output, (written,))
    locations = {
        "references": settings.references,
        "hypotheses": settings.hypotheses,
        "documents": settings.documents,
    }
    return {
        name: find_source(name, location)
        for name, location in locations.items()
        if location is not None
    }


def _write(settings: ReconcileSettings, name: str, result: Reconciliation | Applied) -> None:
    """Write the table of a result, if the settings name a folder."""
    if settings.output is not None:
        storage.make_folder(settings.output)
        storage.write_table(storage.join(settings.output, name), result.table)


def apply_to_tables(settings: ReconcileSettings, sources: Mapping[str, TableSource]) -> Applied:
    """Compute by the convention that the settings name.

    Args:
        settings: how the tables are read, and the convention; the locations are not read.
        sources: references and hypotheses, and perhaps documents.

    Raises:
        Refused: the input or the settings are wrong, or there is no such convention.
        Failed: no row could be scored.
    """
    assert settings.apply is not None
    measures = [] if settings.measure is None else settings.measure.split(",")
    systems = [] if settings.system is None else [settings.system]
    [*find_convention(settings.apply, measures)]  # refuses before anything is read
    corpus, warnings = _read_corpus(settings, sources)
    applied = apply_convention(corpus, settings.apply, measures, systems)
    return replace(applied, warnings=warnings)


def _read_corpus(
    settings: ReconcileSettings, sources: Mapping[str, TableSource]
) -> tuple[Corpus, tuple[str, ...]]:
    """Read references and hypotheses; return their pairs, and warnings.

    Raises:
        Refused: the input is wrong, or a table has no rows.
        Failed: no accepted hypothesis has an accepted reference.
    """
    score = ScoreSettings(
        references=_NOWHERE,
        hypotheses=_NOWHERE,
        output=_NOWHERE,
        units=settings.units,
        unit=settings.unit,
        length_tolerance=settings.length_tolerance,
        documents=settings.documents,
    )
    inputs = inputs_of(score, sources)
    rows = separate_rows(
        score.in_unit(inputs.unit),
        read_sources(sources),
        typed=inputs.typed,
        attributes=inputs.attributes,
    )
    require_references(rows.collected, inputs)
    corpus = corpus_of(
        rows, typed=inputs.typed, unit=inputs.unit if settings.units == "units" else None
    )
    if not len(corpus.hyp_row):
        paired = np.zeros(len(rows.references), bool)
        account = {**count_rows(rows.collected, paired), **rows.accepted.account.rows}
        unpaired = [list_unpaired_inputs(rows.collected, paired)]
        unpaired.append(rows.accepted.account.unpaired)
        listed_in = f"all are listed in {_LISTED_IN}"
        raise nothing_scored(inputs, account, [rows.rejects], unpaired, listed_in)
    rejects = rows.rejects
    warnings = warn_of_rejects([rejects], corpus.systems, _LISTED_IN) if rejects.num_rows else []
    warnings += (warning for table in inputs.tables for warning in table.warnings)
    return corpus, (*warnings, *warn_of_similar_names(corpus.systems))


def _read_numbers(settings: ReconcileSettings) -> list[Published]:
    """Return the published numbers."""
    width = settings.tolerance_of_print
    if settings.published_table is not None:
        return read_published_table(settings.published_table, width)
    row = {
        "measure": settings.measure,
        "value": settings.published,
        "system": settings.system,
    }
    return [read_published(row, width)]


def reconcile_tables(
    settings: ReconcileSettings,
    sources: Mapping[str, TableSource],
    numbers: Sequence[Published],
) -> Reconciliation:
    """Find the conventions that give published numbers.

    Args:
        settings: how the tables are read; the locations in it are only printed.
        sources: references and hypotheses, and perhaps documents.
        numbers: the published numbers.

    Raises:
        Refused: the input or the settings are wrong.
        Failed: no row could be scored.
    """
    corpus, warnings = _read_corpus(settings, sources)
    searches = reconcile_pairs(corpus, numbers, settings.tolerance)
    return Reconciliation(tuple(searches), settings.command, warnings)
