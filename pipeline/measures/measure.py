"""The definition of a measure: a formula over additive counts, with its source and its laws."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import CodeType
from typing import Literal

import numpy as np

from segscore.pipeline.arrays.ragged import Floats, Ints

Better = Literal["lower", "higher", "neither"]

IDENTITY = "best when the hypothesis is the reference"
SYMMETRIC = "the same when reference and hypothesis are exchanged (same window)"
REVERSIBLE = "the same when the text is reversed (n_t 2, one boundary type)"


@dataclass(frozen=True)
class Measure:
    """A value computed from counts.

    Attributes:
        name: the column that it is written to.
        formula: arithmetic over counts, parameters and earlier measures.
        source: the paper, and the equation or section in it.
        laws: the laws above that it obeys, which the tests check.
        better: whether lower or higher values are better, or neither.
        upper: largest possible value, or None if there is none; the smallest is always 0.
        agreed: value of a single row whose formula is 0/0 because nothing could be confused.
        description: meaning of the column, as printed in docs/tables.md.
    """

    name: str
    formula: str
    source: str
    laws: frozenset[str] = frozenset()
    better: Better = "lower"
    upper: float | None = 1.0
    agreed: float | None = None
    description: str = ""

    @property
    def arrow(self) -> str:
        """An arrow in the better direction, to append to the name; empty for neither."""
        return {"higher": " ↑", "lower": " ↓", "neither": ""}[self.better]

    @cached_property
    def code(self) -> CodeType:
        """The compiled formula."""
        return compile(self.formula, self.name, "eval")


def evaluate(
    measures: Iterable[Measure],
    counts: Mapping[str, Ints] | Mapping[str, Floats],
    parameters: Mapping[str, float],
    *,
    rows: bool,
) -> dict[str, Floats]:
    """Compute measures from counts, whatever the counts were summed over.

    Args:
        measures: the measures, each after those that its formula uses.
        counts: count name -> shape (n,): single rows, sums over rows, or bootstrap replicates.
        parameters: p_seg, costs, n_t and others, by their names in formulas; NaN means undefined.
        rows: whether each entry is one (reference, hypothesis) row, so that ``agreed`` applies.

    Returns:
        Measure name -> shape (n,), NaN where undefined (a division by zero, or an undefined term).
    """
    names: dict[str, object] = {**parameters, **counts, "minimum": np.minimum}
    values: dict[str, Floats] = {}
    with np.errstate(divide="ignore", invalid="ignore"):
        for measure in measures:
            # Formulas are literals in this package; `segscore measures` prints them unchanged.
            value = np.asarray(eval(measure.code, {"__builtins__": {}}, names), np.float64)  # noqa: S307
            defined = np.isfinite(value)
            if not defined.all():
                value = np.where(defined, value, np.nan)
            if rows and measure.agreed is not None:
                value = np.where(np.isnan(value), measure.agreed, value)
            names[measure.name] = values[measure.name] = value
    return values
