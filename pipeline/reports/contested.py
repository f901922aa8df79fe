"""The documents of an audit on which coders agree least, drawn with all their codings."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, cast

import pyarrow as pa

from segscore.pipeline.agreement.audit_tables import CONTESTED_SHOWN, codings_table, contested_table
from segscore.pipeline.agreement.contested import contested_documents
from segscore.pipeline.agreement.documents import CONTESTED_COLUMNS
from segscore.pipeline.errors import Failed, Refused, place_and_reason
from segscore.pipeline.reports.page import Section, shown_figure
from segscore.pipeline.reports.strips import Drawing, boundary_strip, draw_strip
from segscore.pipeline.runs.finished import FinishedRun
from segscore.pipeline.runs.recorded_inputs import find_recorded, require_unchanged
from segscore.pipeline.scoring.explain import read_document_rows
from segscore.pipeline.tables.columns import SEGMENTATIONS, segmentations_contract
from segscore.pipeline.tables.find import find_table
from segscore.pipeline.tables.read import validate_rows
from segscore.schemas.rows import DocumentRow

_COLUMNS = [*CONTESTED_COLUMNS[1:], "n_units", "segments"]

STRIPS = 40
"""Maximum number of codings drawn of a document."""


def contested(run: FinishedRun) -> Section:
    """Draw the most contested documents, with the segmentations of all coders."""
    chosen, left_out = contested_documents(run, CONTESTED_SHOWN)
    rows = rows_of_documents(run, chosen)
    title = "Contested documents"
    if not rows:
        text = "There are none: all codings of every document are the same."
        return Section("contested", title, text, [])
    drawings, why = draw_codings(run, rows)
    table = contested_table(rows, left_out)
    figures = [
        replace(
            shown_figure(codings_table(row), wide=True),
            caption=f"{table.in_words(place)}.",
            drawings=drawings.get(row["document_id"], ()),
        )
        for place, row in enumerate(rows)
    ]
    return Section("contested", title, f"{table.guide} {why}", figures, missing=why)


def rows_of_documents(run: FinishedRun, chosen: Sequence[DocumentRow]) -> list[DocumentRow]:
    """Return the rows of chosen documents with all that is drawn, in their order."""
    ids = [row["document_id"] for row in chosen]
    found: dict[str, DocumentRow] = {
        row["document_id"]: cast("DocumentRow", row)
        for row in run.rows_of("documents", _COLUMNS, ids)
    }
    return [
        found[row["document_id"]] | {**row, "codings": len(found[row["document_id"]]["coders"])}
        for row in chosen
    ]


def draw_codings(
    run: FinishedRun,
    rows: Sequence[DocumentRow],
    shown: Callable[[str], str] = str,
    first: str = "",
) -> tuple[dict[str, list[Drawing]], str]:
    """Draw the codings of some documents; return also why they cannot be drawn.

    Args:
        run: a finished audit.
        rows: rows of the documents.
        shown: returns the name that each coder gets.
        first: whose coding is drawn first.
    """
    try:
        return _codings(run, rows, shown, first), ""
    except (Refused, Failed, OSError) as problem:
        return {}, f"Not drawn: {place_and_reason(problem)}."


def _codings(
    run: FinishedRun, rows: Sequence[DocumentRow], shown: Callable[[str], str], first: str
) -> dict[str, list[Drawing]]:
    """Draw the codings of some documents, read again from the run's input."""
    location = find_recorded(run, "codings", run.settings["codings"])
    table = find_table("codings", location, SEGMENTATIONS)
    require_unchanged([table], run.recorded_inputs)
    ids = [row["document_id"] for row in rows]
    # Leave out invalid rows here, and rows rejected together with others in _drawing.
    contract = segmentations_contract(run.settings.get("length_tolerance", 0))
    valid = [validate_rows(part, contract)[0].table for part in read_document_rows(table, ids)]
    codings = pa.concat_tables(valid).to_pylist()
    if run.settings["units"] == "words":  # but codings are drawn in units
        rows = [{**row, "n_units": _largest_length(row, codings)} for row in rows]
    unit = run.record.get("unit")
    codings.sort(key=lambda coding: (coding["coder"] != first, coding["coder"]))
    named = [coding | {"shown": shown(coding["coder"])} for coding in codings]
    return {row["document_id"]: [_drawing(row, named, unit)] for row in rows}


def _largest_length(row: DocumentRow, codings: Sequence[dict[str, Any]]) -> int:
    same = [coding for coding in codings if coding["document_id"] == row["document_id"]]
    return max(coding["n_units"] or 1 for coding in same)


def _drawing(row: DocumentRow, codings: Sequence[dict[str, Any]], unit: str | None) -> Drawing:
    drawn = [
        coding
        for coding in codings
        if coding["document_id"] == row["document_id"] and coding["coder"] in set(row["coders"])
    ]
    strips = [
        boundary_strip(coding["shown"], sorted(set(coding["boundaries"])))
        for coding in drawn[:STRIPS]
    ]
    description = f"{len(strips)} codings, one above the other; the table lists their segments"
    left = len(drawn) - len(strips)
    title = f"The first {len(strips)} codings; the table lists {left} more" if left else "Codings"
    return draw_strip(title, description, row["n_units"], strips, unit)
