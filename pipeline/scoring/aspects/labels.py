"""Tabulate confused boundary types and labels, and warn of labels that no segment has."""

from collections.abc import Iterable, Iterator

import pyarrow as pa

from segscore.pipeline.measures import Table
from segscore.pipeline.scoring.aspects.aspect import NOTHING, Aspect, Outcome
from segscore.pipeline.scoring.label_confusion import count_labels, tabulate_labels
from segscore.pipeline.scoring.records import PartSums
from segscore.pipeline.scoring.type_confusion import add_cells, count_classes, tabulate_confusion
from segscore.pipeline.scoring.view import Block
from segscore.pipeline.settings.measuring import MeasuringSettings
from segscore.pipeline.statistics.sums import Sums
from segscore.pipeline.tables.find import InputTable
from segscore.pipeline.tables.segment_labels import have_labels, warn_of_labels_on_one_side


class SelectedLabels(Aspect):
    """The labels of segments that ``--select`` names."""

    def warnings(self, outcome: Outcome) -> Iterable[str]:
        """Warn of selected labels that no segment of a side has, which may be misspelled."""
        kind = outcome.scoring.selection.pairs
        return _warn_of_absent_labels(outcome.settings, kind, outcome.sums.pairs)


class Confusion(Aspect):
    """Which boundary types, and labels if there are any, were mistaken for which."""

    def observe(self, block: Block) -> PartSums:
        """Count mistaken types on each level, and labels in a run without levels."""
        rule = block.whole.rule
        if not rule.settings.confusion:
            return NOTHING
        types = add_cells(count_classes(view) for view in block.levels)
        return PartSums(confusion=types, labels={} if rule.by_level else count_labels(block.whole))

    def tables(self, outcome: Outcome) -> Iterator[tuple[str, pa.Table]]:
        """Yield the tables of confused types and labels."""
        if not outcome.settings.confusion:
            return
        yield "confusion", tabulate_confusion(outcome.sums.confusion, outcome.results.rule)
        if have_labels(_both_sides(outcome)):
            yield "label_confusion", tabulate_labels(outcome.sums.labels)

    def warnings(self, outcome: Outcome) -> Iterable[str]:
        """Warn of labels that only the references or the hypotheses have."""
        return warn_of_labels_on_one_side(_both_sides(outcome)) * outcome.settings.confusion


def _both_sides(outcome: Outcome) -> list[InputTable]:
    return [outcome.inputs.references, outcome.inputs.hypotheses]


def _warn_of_absent_labels(
    settings: MeasuringSettings, kind: Table, sums: Sums | None
) -> list[str]:
    """Return a warning if no segment of the references, or of the hypotheses, is selected.

    Args:
        settings: how the pairs were measured.
        kind: the measures of pairs, and their counts.
        sums: the sums of the run by group and resampling unit.
    """
    sides = {"selected_references": "references", "selected_hypotheses": "hypotheses"}
    if sums is None or not settings.select or not sides.keys() <= {*kind.counts}:
        return []
    found = dict(zip(kind.counts, sums.counts, strict=True))
    without = [side for count, side in sides.items() if not found[count].any()]
    return [
        f"--select {','.join(settings.select)}: no segment of the {' or '.join(without)} has such "
        "a label; write labels as they are in segment_labels"
    ] * bool(without)
