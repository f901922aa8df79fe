"""The words around the boundaries of a document that systems missed or invented."""

from collections.abc import Sequence

from segscore.pipeline.importing.text_around import text_around
from segscore.pipeline.reports.page import Cell, Figure, PageTable
from segscore.pipeline.scoring.explain import Explained
from segscore.pipeline.statistics.formatted_numbers import shown_position

_KINDS = {"miss": "missed", "false_alarm": "false alarm"}
_SHOWN = 30
"""Most boundaries of a document that are listed."""


def words_around(document: str, pairs: Sequence[Explained], units: Sequence[str]) -> Figure:
    """List the errors of a document with the words around them, those of most systems first.

    Args:
        document: its id.
        pairs: its references with the hypotheses.
        units: the texts of its units.
    """
    made_by: dict[tuple[str, int], list[str]] = {}
    for pair in pairs:
        for edit in pair.edits:
            position = edit.other_position if edit.position is None else edit.position
            if edit.kind in _KINDS and position is not None:
                makers = made_by.setdefault((edit.kind, position), [])
                makers += [pair.hypothesis] * (pair.hypothesis not in makers)
    errors = sorted(made_by, key=lambda error: (-len(made_by[error]), error[1], error[0]))
    rows: list[list[Cell]] = [
        [
            shown_position(position, pairs[0].unit),
            _KINDS[kind],
            text_around(units, position),
            ", ".join(made_by[kind, position]),
        ]
        for kind, position in errors[:_SHOWN]
    ]
    more = f"{len(errors) - _SHOWN} more are not listed." if len(errors) > _SHOWN else ""
    headings = ("boundary", "error", "words around it", "systems")
    return Figure(
        f"{document}: words around the errors",
        table=PageTable(headings, rows, more),
        folded=False,
        wide=True,
    )
