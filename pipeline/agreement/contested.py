"""The most contested documents, without the coders who stand out: what these did is known."""

from segscore.pipeline.agreement.documents import (
    CONTESTED_COLUMNS,
    PAIR_COLUMNS,
    contested_in,
    contested_without,
)
from segscore.pipeline.agreement.judging.steps import MARKS
from segscore.pipeline.runs.finished import FinishedRun, rows_over_all
from segscore.schemas.rows import CoderRow, DocumentRow

CONTESTED = 10
"""The most documents that an audit lists."""

_FEWEST_OTHERS = 2


def contested_documents(
    run: FinishedRun, number: int = CONTESTED
) -> tuple[list[DocumentRow], list[str]]:
    """Return the most contested documents of an audit, and the names of the coders left out."""
    coders: list[CoderRow] = rows_over_all(run.table("coders"), run.settings["group_by"])
    named = [row["coder"] for row in coders if any(row.get(mark) for mark in MARKS)]
    if named and len(coders) - len(named) >= _FEWEST_OTHERS:
        return contested_without(run.parts("pairs", PAIR_COLUMNS), named, number), named
    return contested_in(run.parts("documents", CONTESTED_COLUMNS), number), []
