"""The documents of an audit on which coders agree least, drawn with all their codings."""

from collections.abc import Sequence
from heapq import nsmallest
from typing import Any

import pyarrow as pa

from segscore.pipeline.agreement.documents import by_similarity, most_contested
from segscore.pipeline.errors import Failed, Refused
from segscore.pipeline.reports.page import Cell, Figure, PageTable, Section
from segscore.pipeline.reports.strips import Drawing, boundaries, draw_strip
from segscore.pipeline.runs.finished import FinishedRun, RunRow
from segscore.pipeline.scoring.explain import read_document_rows
from segscore.pipeline.scoring.reopen import require_unchanged
from segscore.pipeline.tables.columns import SEGMENTATIONS
from segscore.pipeline.tables.find import find_table
from segscore.pipeline.tables.read import validate_rows

SHOWN = "boundary_similarity"
"""The measure of similarity that is shown, here and for coders."""

_CONTESTED, STRIPS = 5, 40
"""Maximum numbers of documents drawn, and of codings drawn for each."""


def contested(run: FinishedRun) -> Section:
    """Draw the documents with least similarity, with the segmentations of all coders."""
    rows = _least_similar(run)
    title = "Contested documents"
    if not rows:
        return Section("contested", title, "None: all codings of every document are the same.", [])
    try:
        drawn = _codings(run, rows)
    except (Refused, Failed, OSError) as problem:
        drawn, why = {}, f"Not drawn: {problem}."
    else:
        why = ""
    figures = [_one(row, drawn.get(row["document_id"], ())) for row in rows]
    says = f"Those with the least mean {SHOWN} over pairs of coders. {why}"
    return Section("contested", title, says, figures, missing=why)


def _least_similar(run: FinishedRun) -> list[RunRow]:
    wanted = ["document_id", "codings", "coders", "segments", SHOWN, "window_diff_mean"]
    parts = run.parts("documents", wanted)
    found = [row for part in parts for row in most_contested(part, _CONTESTED)]
    return nsmallest(_CONTESTED, found, key=by_similarity)


def _codings(run: FinishedRun, rows: Sequence[RunRow]) -> dict[str, list[Drawing]]:
    """Draw the codings of some documents, read again from the run's input."""
    table = find_table("codings", run.settings["codings"], SEGMENTATIONS)
    require_unchanged([table], run.record["inputs"])
    ids = [row["document_id"] for row in rows]
    # Leave out invalid rows here, and rows rejected together with others in _drawing.
    good = [validate_rows(part, SEGMENTATIONS)[0].table for part in read_document_rows(table, ids)]
    read = pa.concat_tables(good).to_pylist()
    return {row["document_id"]: [_drawing(row, read)] for row in rows}


def _drawing(row: RunRow, read: Sequence[dict[str, Any]]) -> Drawing:
    own = [each for each in read if each["document_id"] == row["document_id"]]
    own = [each for each in own if each["coder"] in set(row["coders"])]
    own.sort(key=lambda each: each["coder"])
    strips = [boundaries(each["coder"], sorted(set(each["boundaries"]))) for each in own[:STRIPS]]
    says = f"{len(strips)} codings, one above the other; the table tells their segments"
    left = len(own) - len(strips)
    title = f"Codings, the first {len(strips)}; {left} more are in the table" if left else "Codings"
    return draw_strip(title, says, own[0]["n_units"], strips)


def _one(row: RunRow, drawings: Sequence[Drawing]) -> Figure:
    listed: list[list[Cell]] = [
        [coder, segments] for coder, segments in zip(row["coders"], row["segments"], strict=True)
    ]
    says = f"{row['codings']} coders; mean {SHOWN} {row[SHOWN]:.4f}, mean WindowDiff " + (
        "undefined." if row["window_diff_mean"] is None else f"{row['window_diff_mean']:.4f}."
    )
    return Figure(
        row["document_id"],
        says,
        PageTable(["coder", "segments"], listed),
        drawings=drawings,
        wide=True,
    )
