"""Sections about the documents that all systems of a scoring run share."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from segscore.pipeline.arrays.ragged import Floats
from segscore.pipeline.comparison.samples import Sample
from segscore.pipeline.comparison.shared_documents import SharedDocuments
from segscore.pipeline.reports import charts
from segscore.pipeline.reports.chart_parts import MarkValues
from segscore.pipeline.reports.differences import difference_figure
from segscore.pipeline.reports.page import Cell, Figure, PageTable, Section
from segscore.pipeline.reports.ranking import Ranking
from segscore.pipeline.reports.worst import worst_sections
from segscore.pipeline.scoring.finished_scoring import FinishedScoring
from segscore.pipeline.statistics.formatted_numbers import short_number


def document_sections(
    run: FinishedScoring,
    documents: SharedDocuments,
    ranking: Ranking,
    units: str | None = None,
    failed: Sequence[str] = (),
    *,
    hidden: bool = False,
) -> Iterator[Section]:
    """Yield the sections about the documents that all systems share.

    Args:
        run: the scoring run.
        documents: those that all systems share, with what was compared on them.
        ranking: of the systems.
        units: file with the texts of the units, to show the words around errors; None for none.
        failed: systems that failed on a night, whose worst documents are drawn.
        hidden: whether the page must show no place of a reference.
    """
    sample = documents.sample
    if sample is None:
        why = f"Not shown{documents.untested}."
        yield Section("documents", "Documents", why, [], missing=why)
        return
    shared = len(sample.documents)
    text = f"{shared:,} of {documents.documents:,} documents: those that all systems share."
    if documents.pairs:
        figure = difference_figure(documents.pairs, sample, ranking)
        yield Section("differences", "Which differences are significant", text, [figure])
    yield Section("documents", "Documents", text, [spread_section(sample, ranking)])
    if not hidden:
        yield from worst_sections(run, sample, ranking, units, failed)


OUTLIERS = 15
"""Maximum number of outliers that are drawn and named for a system, the furthest ones."""

WHISKER = 1.5
"""Maximum length of a whisker in box lengths (Tukey 1977)."""


@dataclass(frozen=True)
class Box:
    """The distribution of one system's values.

    Attributes:
        name: name of the system.
        low: smallest value that is not an outlier.
        q1, median, q3: quartiles.
        high: largest value that is not an outlier.
        documents: number of documents on which the measure is defined.
        outliers: number of documents beyond the whiskers.
        furthest: index and value of outliers, the furthest from the median first.
    """

    name: str
    low: float
    q1: float
    median: float
    q3: float
    high: float
    documents: int
    outliers: int
    furthest: Sequence[tuple[int, float]]

    @property
    def five(self) -> dict[str, float]:
        """The five numbers of the box plot."""
        return {name: getattr(self, name) for name in ("low", "q1", "median", "q3", "high")}


def box(name: str, values: Floats) -> Box:
    """Compute quartiles, whiskers and outliers.

    Args:
        name: name of the system.
        values: one value per document, NaN where undefined, at least one defined.
    """
    known = np.flatnonzero(~np.isnan(values))
    q1, median, q3 = np.quantile(values[known], [0.25, 0.5, 0.75]).tolist()
    reach = WHISKER * (q3 - q1)
    inside = (values[known] >= q1 - reach) & (values[known] <= q3 + reach)
    beyond = known[~inside]
    order = np.argsort(-np.abs(values[beyond] - median), kind="stable")[:OUTLIERS]
    furthest = [(int(i), float(values[i])) for i in beyond[order]]
    ends = float(values[known][inside].min()), float(values[known][inside].max())
    return Box(name, ends[0], q1, median, q3, ends[1], len(known), len(beyond), furthest)


def spread_section(sample: Sample, ranking: Ranking) -> Figure:
    """Draw quartiles and outliers of each system."""
    values = sample.values[ranking.measure.name]
    boxes = [
        box(sample.systems[i].label, values[i])
        for i in ranking.order(sample)
        if sample.systems[i].hypothesis in ranking.place and not np.isnan(values[i]).all()
    ]
    outliers: list[MarkValues] = []
    cells: list[list[Cell]] = []
    for b in boxes:
        furthest = [(sample.documents[i].as_py(), value) for i, value in b.furthest]
        outliers += [{"name": b.name, "document": name, "value": value} for name, value in furthest]
        listed = ", ".join(f"{name} ({short_number(value)})" for name, value in furthest)
        cells.append([b.name, *b.five.values(), b.documents, b.outliers, listed])
    heads = ["system", "low whisker", "q1", "median", "q3", "high whisker", "documents"]
    return Figure(
        f"{ranking.measure.name}{ranking.measure.arrow} of each document",
        "The box spans the middle half of the documents, and the line is the median; whiskers "
        f"reach the last document within {WHISKER} box lengths. Documents beyond are outliers: the "
        f"{OUTLIERS} furthest of each system are drawn, and named in the table.",
        PageTable([*heads, "outliers", "furthest outliers"], cells),
        charts.boxes([{"name": b.name, **b.five} for b in boxes], outliers, ranking.measure.name),
        wide=True,
    )
