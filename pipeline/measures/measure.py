"""The definition of a measure: a formula over additive counts, with its source and its laws."""

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from math import inf, isfinite
from types import CodeType
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

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
        lower: smallest possible value, or None if there is none.
        upper: largest possible value, or None if there is none.
        agreed: value of a single row whose formula is 0/0 because nothing could be confused.
        description: meaning of the column, as printed in docs/tables.md.
    """

    name: str
    formula: str
    source: str
    laws: frozenset[str] = frozenset()
    better: Better = "lower"
    lower: float | None = 0.0
    upper: float | None = 1.0
    agreed: float | None = None
    description: str = ""

    @property
    def arrow(self) -> str:
        """An arrow in the better direction, to append to the name; empty for neither."""
        return {"higher": " ↑", "lower": " ↓", "neither": ""}[self.better]

    @property
    def range(self) -> str:
        """The smallest and the largest possible value, as text."""
        lower = "-∞" if self.lower is None else f"{self.lower:g}"
        return f"{lower} to {'∞' if self.upper is None else f'{self.upper:g}'}"

    @property
    def best(self) -> float | None:
        """The best possible value; None if there is none, or no direction."""
        return {"higher": self.upper, "lower": self.lower, "neither": None}[self.better]

    def has(self, value: float) -> bool:
        """Return whether a number is between the smallest and the largest possible value."""
        lower = -inf if self.lower is None else self.lower
        return lower <= value <= (inf if self.upper is None else self.upper)

    @property
    def code(self) -> CodeType:
        """The compiled formula."""
        return _compiled(self.formula, self.name)

    @property
    def divisors(self) -> tuple[CodeType, ...]:
        """What the formula divides by, each compiled."""
        return _divisors(self.formula, self.name)


@cache
def _compiled(formula: str, name: str) -> CodeType:
    """Compile a formula once; the code is not kept in the measure, which can so be pickled."""
    called = _PowersAsCalls().visit(ast.parse(formula, mode="eval"))
    return compile(ast.fix_missing_locations(called), name, "eval")


@cache
def _divisors(formula: str, name: str) -> tuple[CodeType, ...]:
    divided = [
        node.right
        for node in ast.walk(ast.parse(formula, mode="eval"))
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div)
    ]
    texts = dict.fromkeys(ast.unparse(node) for node in divided)
    return tuple(_compiled(text, name) for text in texts)


class _PowersAsCalls(ast.NodeTransformer):
    """Writes each ``x**y`` as ``power(x, y)``."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        """Replace a power, and those in what is raised."""
        self.generic_visit(node)
        if not isinstance(node.op, ast.Pow):
            return node
        return ast.Call(ast.Name("power", ast.Load()), [node.left, node.right], [])


def _power(value: Any, exponent: float) -> Any:
    """Raise a value so that a number of NumPy gives the same bits as an array.

    NumPy multiplies an array by itself and takes its root, but rounds numbers another way.
    """
    if isinstance(value, np.number) and exponent in (2, 0.5):
        return value * value if exponent == 2 else np.sqrt(value)
    return value**exponent


def _first_defined(value: Floats, other: Floats | float) -> Floats:
    """Return each value that is defined, else the other one at its place."""
    return np.where(np.isfinite(value), value, other)


_FUNCTIONS = {"minimum": np.minimum, "first_defined": _first_defined, "power": _power}
"""What formulas can call: the smaller of two numbers, the first of two values that is defined.

They write a power as ``x**y``.
"""


_NO_BUILTINS: dict[str, object] = {"__builtins__": {}}


def divided_by(
    code: CodeType, counts: Mapping[str, NDArray[Any]], parameters: Mapping[str, Any]
) -> Floats:
    """Compute what a formula divides by (``Measure.divisors``) from counts, shape (n,)."""
    names: dict[str, object] = {**parameters, **counts, **_FUNCTIONS}
    return np.asarray(eval(code, _NO_BUILTINS, names), np.float64)  # noqa: S307


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
    names: dict[str, object] = {**parameters, **counts, **_FUNCTIONS}
    values: dict[str, Floats] = {}
    with np.errstate(divide="ignore", invalid="ignore"):
        for measure in measures:
            # Formulas are literals in this package; `segscore measures` prints them unchanged.
            value = np.asarray(eval(measure.code, _NO_BUILTINS, names), np.float64)  # noqa: S307
            defined = np.isfinite(value)
            if np.count_nonzero(defined) < defined.size:  # faster than all() for a single row
                value = np.where(defined, value, np.nan)
            if rows and measure.agreed is not None:
                value = np.where(np.isnan(value), measure.agreed, value)
            names[measure.name] = values[measure.name] = value
    return values


def evaluate_one(
    measures: Iterable[Measure],
    counts: Mapping[str, np.int64],
    parameters: Mapping[str, float],
    *,
    rows: bool,
) -> dict[str, np.float64]:
    """Compute measures from single counts as ``evaluate`` does from arrays, thrice as fast.

    Args:
        measures: the measures, each after those that its formula uses.
        counts: count name -> count of one row, or its sum over several.
        parameters: as for ``evaluate``.
        rows: whether the counts are those of one (reference, hypothesis) row.

    Returns:
        Measure name -> value, NaN where undefined.
    """
    names: dict[str, Any] = {**parameters, **counts, **_FUNCTIONS}
    values: dict[str, np.float64] = {}
    with np.errstate(divide="ignore", invalid="ignore"):
        for measure in measures:
            value = np.float64(eval(measure.code, _NO_BUILTINS, names))  # noqa: S307
            if not isfinite(value):
                agreed = measure.agreed if rows else None
                value = np.float64(np.nan if agreed is None else agreed)
            names[measure.name] = values[measure.name] = value
    return values
