"""Every measure, a file a family: its counts (one compiled pass) and its formulas (a line each)."""

from collections.abc import Mapping
from dataclasses import dataclass

from pipeline.measures import content, edits, panel, windows
from pipeline.measures.measure import Measure


@dataclass(frozen=True)
class Table:
    """The counts and measures of one kind of row.

    Attributes:
        counts: their names, in the order of the passes.
        measures: by name, each after those its formula uses.
    """

    counts: tuple[str, ...]
    measures: Mapping[str, Measure]


FAMILIES = (windows, edits, content)

PAIRS = Table(
    tuple(name for family in FAMILIES for name in family.COUNTS),
    {measure.name: measure for family in FAMILIES for measure in family.MEASURES},
)
"""Of a row of scores: a reference and a hypothesis."""

PANELS = Table(panel.COUNTS, {measure.name: measure for measure in panel.MEASURES})
"""Of a row of panel_scores: all references of a document and a hypothesis."""

COUNTS, MEASURES = PAIRS.counts, PAIRS.measures
