"""The most contested documents, without the coders who stand out: what these did is known."""

from collections.abc import Sequence

from segscore.pipeline.agreement.documents import PAIR_COLUMNS, contested_without
from segscore.pipeline.agreement.judging.steps import MARKS
from segscore.pipeline.runs.finished import FinishedRun, rows_over_all
from segscore.schemas.rows import CoderRow, DocumentRow


def left_out_of_contested(run: FinishedRun) -> list[str]:
    """Return the names of the coders who stand out, unless fewer than two others remain."""
    coders: list[CoderRow] = rows_over_all(run.table("coders"), run.settings["group_by"])
    named = [row["coder"] for row in coders if any(row.get(mark) for mark in MARKS)]
    return named if len(coders) - len(named) >= 2 else []


def contested_among_others(
    run: FinishedRun, contested: Sequence[DocumentRow]
) -> tuple[list[DocumentRow], list[str]]:
    """Return the most contested documents without coders who stand out, and their names.

    Args:
        run: a finished audit.
        contested: its most contested documents.
    """
    named = left_out_of_contested(run)
    if not named or not contested:
        return [*contested], []
    return contested_without(run.parts("pairs", PAIR_COLUMNS), named, len(contested)), named
