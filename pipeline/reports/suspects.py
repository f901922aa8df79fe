"""The page of `segscore suspects`: boundaries of references that may be wrong, drawn."""

from collections.abc import Mapping, Sequence
from typing import Any

from segscore.pipeline.comparison.suspects import Suspects, suspects_finding
from segscore.pipeline.comparison.suspects_table import suspects_table
from segscore.pipeline.errors import Failed, Refused
from segscore.pipeline.reports.page import Figure, Page, Section, shown_figure
from segscore.pipeline.reports.page_file import require_free, write_page
from segscore.pipeline.reports.worst import draw_reference
from segscore.pipeline.scoring.explain import Explained, explain_pairs
from segscore.pipeline.scoring.finished_scoring import FinishedScoring
from segscore.pipeline.statistics.formatted_numbers import shown_position

_DRAWN = 3
"""Most documents that are drawn."""

_Suspect = Mapping[str, Any]


def write_suspects(suspects: Suspects, run: FinishedScoring, output: str) -> int:
    """Write the page of the suspects of a run, atomically; return its size in bytes.

    Raises:
        Refused: the output must not be overwritten, or altair is not installed.
        Failed: the page cannot be written.
    """
    require_free("--report", output, {"RUN": run.url})
    drawn, listed = _figures(run, suspects.rows) if suspects.rows else ([], None)
    picture, others = (drawn[0], drawn[1:]) if drawn else (None, [])
    sections = []
    if listed is not None:
        sections.append(Section("suspects", "All suspected boundaries", "", [listed], open=True))
    if others:
        sections.append(Section("drawn", "Other documents", "", others, open=True))
    name = run.url.rstrip("/").rpartition("/")[2]
    page = Page(name, suspects_finding(suspects), picture, run.signature, "", sections)
    return write_page("--report", output, page)


def _figures(run: FinishedScoring, rows: Sequence[_Suspect]) -> tuple[list[Figure], Figure]:
    """Return drawings of the first documents, and the table of all suspected boundaries."""
    table = suspects_table(rows, run.unit)
    listed = shown_figure(table, title="Suspected boundaries", folded=False, wide=True)
    documents = [*dict.fromkeys(row["document_id"] for row in rows)][:_DRAWN]
    try:
        explained = explain_pairs(run, documents).pairs
    except (Refused, Failed, OSError):  # an input changed meanwhile; the table has it all
        explained = []
    of = {name: [pair for pair in explained if pair.document == name] for name in documents}
    return [_drawn(name, pairs, rows) for name, pairs in of.items() if pairs], listed


def _drawn(document: str, pairs: Sequence[Explained], rows: Sequence[_Suspect]) -> Figure:
    """Draw a document whose reference is suspected; the caption says where."""
    own = [row for row in rows if row["document_id"] == document]
    references = [*dict.fromkeys(row["reference"] for row in own)]
    places = ", ".join(
        f"{row['kind']} at {shown_position(row['position'], pairs[0].unit)}" for row in own
    )
    drawings = [
        draw_reference([pair for pair in pairs if pair.reference == reference])
        for reference in references
    ]
    return Figure(f"{document}: suspected", f"{places}.", drawings=drawings, wide=True)
