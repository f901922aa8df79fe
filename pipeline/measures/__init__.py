"""All measures, one file per family: counts (one compiled pass) and formulas (one line each).

Tested in `unit/measures/`, `conformance/`.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from segscore.pipeline.arrays.ragged import Floats, Ints
from segscore.pipeline.measures import (
    content,
    dialogue,
    edits,
    overlap,
    panel,
    panel_tolerance,
    selected,
    tolerance,
    windows,
    winpr,
)
from segscore.pipeline.measures.compared import MeasureFamily, PairFamily, PanelFamily
from segscore.pipeline.measures.measure import Measure, divided_by, evaluate


@dataclass(frozen=True)
class Table:
    """The counts and measures of one kind of row.

    Attributes:
        counts: count name -> description, in the order of the passes.
        measures: measure name -> measure, in the order of the columns.
        formulas: the measures and those that only their formulas use, each after those that its
            own formula uses.
    """

    counts: Mapping[str, str]
    measures: Mapping[str, Measure]
    formulas: Mapping[str, Measure]

    @classmethod
    def of(cls, counts: Mapping[str, str], measures: Iterable[Measure]) -> "Table":
        """Return the table of some counts and of measures that use no others."""
        by_name = {measure.name: measure for measure in measures}
        return cls(counts, by_name, by_name)

    @property
    def parameters(self) -> set[str]:
        """The parameters that the formulas use, and the functions that they call."""
        used = {name for measure in self.formulas.values() for name in measure.code.co_names}
        return used - self.counts.keys() - self.formulas.keys()

    def used_by(self, names: Iterable[str]) -> set[str]:
        """Return some measures and the counts, parameters and measures that their formulas use."""
        needed = set(names)
        for measure in reversed(list(self.formulas.values())):
            if measure.name in needed:
                needed.update(measure.code.co_names)
        return needed

    def only(self, names: Collection[str], counts: Collection[str] = ()) -> "Table":
        """Return a table with some measures, the counts that their formulas use, and others."""
        needed = self.used_by(names)
        return Table(
            {count: text for count, text in self.counts.items() if count in {*needed, *counts}},
            {name: measure for name, measure in self.measures.items() if name in names},
            {name: measure for name, measure in self.formulas.items() if name in needed},
        )

    def denominators(
        self, name: str, counts: Mapping[str, NDArray[Any]], parameters: Mapping[str, Any]
    ) -> list[Floats]:
        """Compute what the formula of a measure divides by, where that has counts.

        Args:
            name: the measure; its formula may use other measures, and then what these divide by.
            counts: count name -> shape (n,).
            parameters: as for ``values``.
        """
        measure, found = self.formulas[name], []
        for code in measure.divisors:
            used = self.formulas.keys() & code.co_names
            if not used and counts.keys().isdisjoint(code.co_names):
                continue
            if all(map(self.is_sum, used)):
                needed = self.used_by(used)
                formulas = (each for each in self.formulas.values() if each.name in needed)
                sums = evaluate(formulas, counts, parameters, rows=False) if used else {}
                found.append(divided_by(code, {**counts, **sums}, parameters))
        for used_name in measure.code.co_names:
            if used_name in self.formulas:
                found += self.denominators(used_name, counts, parameters)
        return found

    def is_sum(self, name: str) -> bool:
        """Return whether the formula of a measure divides by no count, as that of b_tp."""
        measure = self.formulas[name]
        return all(self.counts.keys().isdisjoint(code.co_names) for code in measure.divisors) and (
            all(self.is_sum(used) for used in measure.code.co_names if used in self.formulas)
        )

    def values(
        self,
        counts: Mapping[str, Ints] | Mapping[str, Floats],
        parameters: Mapping[str, float],
        *,
        rows: bool,
    ) -> dict[str, Floats]:
        """Compute the measures of the table from its counts; see ``evaluate``."""
        computed = evaluate(self.formulas.values(), counts, parameters, rows=rows)
        return {name: computed[name] for name in self.measures}


PAIR_FAMILIES: Mapping[str, PairFamily] = {
    "window": windows,
    "edit": edits,
    "content": content,
    "tolerance": tolerance,
    "winpr": winpr,
    "overlap": overlap,
    "selected": selected,
}
"""Name of a family of `scores` -> its counts and measures, in the order of the columns."""

PANEL_FAMILIES: Mapping[str, PanelFamily] = {
    "panel": panel,
    "panel_tolerance": panel_tolerance,
}
"""Name of a family of `panel_scores` -> its counts and measures, in the order of the columns."""

FAMILIES: Mapping[str, MeasureFamily] = {**PAIR_FAMILIES, **PANEL_FAMILIES}
"""Name of any family -> its counts and measures."""


def _table(modules: Collection[MeasureFamily]) -> Table:
    return Table.of(
        {name: meaning for module in modules for name, meaning in module.COUNTS.items()},
        [measure for module in modules for measure in module.MEASURES],
    )


PAIRS = _table([*PAIR_FAMILIES.values(), dialogue])
"""The counts and measures of a row of ``scores``: one reference and one hypothesis."""

PANELS = _table(PANEL_FAMILIES.values())
"""Those of a row of ``panel_scores``: all references of a document and one hypothesis."""

ALL: Mapping[str, Measure] = {**PAIRS.measures, **PANELS.measures}
"""Every measure by name, for both kinds of row."""

HEADLINES = (
    "boundary_similarity",
    "pk",
    "window_diff",
    "b_precision",
    "b_recall",
    "b_f1",
    "segmentation_similarity",
    "pr_error",
    "r_miss",
    "r_false_alarm",
    "mult_window_diff",
)
"""The measures to show first where there is no room for all of them."""

_SHOWN = 10
"""Number of measures to show if a run lacks some of the headlines."""


def shown_measures(available: Collection[str]) -> list[str]:
    """Return the measures to show of those that a run has.

    All of them if there are few, as in a run for which they were chosen; otherwise the headlines
    and, where a run lacks some of these, others in their place.
    """
    if len(available) <= len(HEADLINES):
        return list(available)
    headlines = [name for name in HEADLINES if name in available]
    others = [name for name in available if name not in HEADLINES]
    return [*headlines, *others[: max(0, _SHOWN - len(headlines))]]
