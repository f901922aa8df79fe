"""All measures, one file per family: counts (one compiled pass) and formulas (one line each)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import ModuleType

from segscore.pipeline.measures import (
    content,
    dialogue,
    edits,
    overlap,
    panel,
    tolerance,
    windows,
    winpr,
)
from segscore.pipeline.measures.measure import Measure


@dataclass(frozen=True)
class Table:
    """The counts and measures of one kind of row.

    Attributes:
        counts: count name -> description, in the order of the passes.
        measures: measure name -> measure, each after those that its formula uses.
    """

    counts: Mapping[str, str]
    measures: Mapping[str, Measure]

    def used_by(self, names: Iterable[str]) -> set[str]:
        """Return some measures and the counts, parameters and measures that their formulas use."""
        needed = set(names)
        for measure in reversed(list(self.measures.values())):
            if measure.name in needed:
                needed.update(measure.code.co_names)
        return needed

    def only(self, names: Iterable[str]) -> "Table":
        """Return a table with only some measures, and what their formulas use."""
        needed = self.used_by(names)
        return Table(
            {name: meaning for name, meaning in self.counts.items() if name in needed},
            {name: measure for name, measure in self.measures.items() if name in needed},
        )


FAMILIES = (windows, edits, content, tolerance)
"""The families of a row of ``scores`` that every run counts."""

ON_REQUEST = (winpr, overlap, dialogue)
"""Further families of such a row, which a run counts only where they are asked for."""


def _table(families: Iterable[ModuleType]) -> Table:
    counts: dict[str, str] = {}
    measures: dict[str, Measure] = {}
    for family in families:
        counts |= family.COUNTS
        measures |= {measure.name: measure for measure in family.MEASURES}
    return Table(counts, measures)


PAIRS = _table(FAMILIES)
"""The counts and measures of a row of ``scores``: one reference and one hypothesis."""

ALL_PAIRS = _table((*FAMILIES, *ON_REQUEST))
"""Those of such a row where all families are asked for."""

PANELS = Table(panel.COUNTS, {measure.name: measure for measure in panel.MEASURES})
"""Those of a row of ``panel_scores``: all references of a document and one hypothesis."""

ALL: Mapping[str, Measure] = {**ALL_PAIRS.measures, **PANELS.measures}
"""Every measure by name, for both kinds of row."""

HEADLINES = (
    "boundary_similarity",
    "segmentation_similarity",
    "b_precision",
    "b_recall",
    "b_f1",
    "pk",
    "window_diff",
    "pr_error",
    "r_miss",
    "r_false_alarm",
    "mult_window_diff",
)
"""The measures to show where there is no room for all of them."""

COUNTS, MEASURES = PAIRS.counts, PAIRS.measures
