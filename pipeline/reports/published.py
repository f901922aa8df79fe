"""The section on scores that were published on the references of a run."""

from collections.abc import Iterator

from segscore.pipeline.comparison.published import published_beside
from segscore.pipeline.comparison.runs import find_systems
from segscore.pipeline.errors import Failed, Refused
from segscore.pipeline.reports.page import Cell, Figure, PageTable, Section
from segscore.pipeline.scoring.finished_scoring import FinishedScoring
from segscore.pipeline.testsets.beside import group_published, heading_of

_SHOWN = 100


def published_sections(run: FinishedScoring) -> Iterator[Section]:
    """Make the section, if the references are a test set with published scores."""
    try:
        rows = published_beside([run], [])
    except Refused:
        return
    if not rows:
        return
    text = ""
    try:
        rows = published_beside([run], find_systems([run], ()))
    except (Refused, Failed) as problem:
        text = f" The systems of the run could not be scored by these conventions: {problem}."
    groups = group_published(rows)
    names = ("system", "document", "measure", "printed", "evidence", "convention", "yours")
    cells: list[list[Cell]] = [[row[name] for name in names] for row in groups[:_SHOWN]]
    headings = [*names[:-1], "yours by the same convention"]
    more = f"{len(groups) - _SHOWN} more scores are left out." if len(groups) > _SHOWN else ""
    table = PageTable(headings, cells, more)
    yield Section(
        "published",
        "Published on the same references",
        "As printed: without their documents, no test is possible, and they have no rank. The last "
        f"column is computed by the convention of the published score.{text}",
        [Figure(heading_of(rows), table=table, folded=False, wide=True)],
    )
