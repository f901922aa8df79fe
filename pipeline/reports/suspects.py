"""The section on boundaries of references that may be wrong, as `segscore suspects` found them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from segscore.pipeline import storage
from segscore.pipeline.comparison.shown_suspects import suspects_shown
from segscore.pipeline.errors import Failed, Refused
from segscore.pipeline.reports.page import Figure, Section, shown_figure
from segscore.pipeline.reports.worst import draw_reference
from segscore.pipeline.scoring.explain import Explained, explain_pairs
from segscore.pipeline.scoring.finished_scoring import FinishedScoring
from segscore.pipeline.statistics.shown_numbers import shown_position
from segscore.schemas.comparisons import SUSPECTS

_DRAWN = 3
"""Most documents that are drawn."""

_Suspect = Mapping[str, Any]


def suspects_section(run: FinishedScoring) -> Iterator[Section]:
    """Yield the section, if `segscore suspects` has written its table into the run's folder."""
    place = storage.join(run.url, SUSPECTS.name)
    names = [name for name in storage.names(place) if name.endswith(".parquet")]
    if not names:
        return
    rows = storage.read_table(storage.join(place, names[0])).to_pylist()
    if not rows:
        return
    text = (
        f"{_boundaries(len(rows))}, those that matter most first: more systems contradict the "
        "reference there than their errors explain. Look at the document before you change it."
    )
    yield Section("suspects", "References that may be wrong", text, [*_figures(run, rows)])


def _boundaries(number: int) -> str:
    return "1 boundary" if number == 1 else f"{number} boundaries"


def _figures(run: FinishedScoring, rows: Sequence[_Suspect]) -> Iterator[Figure]:
    table = suspects_shown(rows, run.unit)
    yield shown_figure(table, title="Suspected boundaries", folded=False, wide=True)
    documents = [*dict.fromkeys(row["document_id"] for row in rows)][:_DRAWN]
    try:
        explained = explain_pairs(run, documents).pairs
    except (Refused, Failed, OSError):  # the section on the worst documents says why
        explained = []
    for document in documents:
        pairs = [pair for pair in explained if pair.document == document]
        if pairs:
            yield _drawn(document, pairs, rows)


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
