"""What a measure is: a formula over additive counts, with its source and the laws it obeys."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import CodeType
from typing import Literal

import numpy as np

from segscore.pipeline.arrays.ragged import Floats, Ints

Better = Literal["lower", "higher", "neither"]

IDENTITY = "best when the hypothesis is the reference"
SYMMETRIC = "the same when reference and hypothesis change places (same window)"
REVERSIBLE = "the same when the text is read backwards (n_t 2, one boundary type)"


@dataclass(frozen=True)
class Measure:
    """A value computed from counts.

    Attributes:
        name: the column it is written to.
        formula: arithmetic over counts, parameters and measures named before it.
        source: paper and place.
        laws: which of the laws above it obeys; the tests hold it to them.
        better: whether a lower or a higher value is the better one, or neither.
        upper: largest possible value, None where there is none; the smallest is always 0.
        agreed: value of a single row whose formula is 0/0 because nothing could be confused.
        description: what the column means, as docs/tables.md prints it.
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
        """Which way is better, as it stands behind the name; empty for neither."""
        return {"higher": " ↑", "lower": " ↓", "neither": ""}[self.better]

    @cached_property
    def code(self) -> CodeType:
        """The formula, compiled."""
        return compile(self.formula, self.name, "eval")


def evaluate(
    measures: Iterable[Measure],
    counts: Mapping[str, Ints] | Mapping[str, Floats],
    parameters: Mapping[str, float],
    *,
    rows: bool,
) -> dict[str, Floats]:
    """Take the values of measures from counts, whatever the counts were summed over.

    Args:
        measures: in an order in which each formula's parts come first.
        counts: count name -> shape (n,): single rows, sums over rows, or bootstrap replicates.
        parameters: p_seg, costs, n_t and the like, by the names the formulas use; NaN = undefined.
        rows: whether each entry is one (reference, hypothesis) row, so that ``agreed`` applies.

    Returns:
        Measure name -> shape (n,), NaN where undefined (a division by zero, or an undefined part).
    """
    names: dict[str, object] = {**parameters, **counts, "minimum": np.minimum}
    values: dict[str, Floats] = {}
    with np.errstate(divide="ignore", invalid="ignore"):
        for measure in measures:
            # Only literals of this package, which `segscore measures` shows as they stand.
            value = np.asarray(eval(measure.code, {"__builtins__": {}}, names), np.float64)  # noqa: S307
            defined = np.isfinite(value)
            if not defined.all():
                value = np.where(defined, value, np.nan)
            if rows and measure.agreed is not None:
                value = np.where(np.isnan(value), measure.agreed, value)
            names[measure.name] = values[measure.name] = value
    return values
