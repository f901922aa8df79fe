"""The documents' shares of a difference of two systems: their spread decides what a test finds.

The share of a document in a macro average is its value.  Its share in a micro average, a ratio
V = sum(a) / sum(b) of sums over documents, is (a - V b) / mean(b), the linear part of what the
document contributes (Woodruff 1971).  If a measure is not a ratio of sums, it is the document's
jackknife pseudo-value.
"""

import ast
from collections.abc import Mapping

import numpy as np

from segscore.pipeline.arrays.ragged import Floats
from segscore.pipeline.comparison.averages import formula, total
from segscore.pipeline.comparison.samples import Sample
from segscore.pipeline.measures import Table
from segscore.pipeline.measures.measure import Measure, evaluate


def shares(sample: Sample, measure: Measure, average: str) -> Floats:
    """Return each document's share of each system's average, up to a constant.

    Returns:
        Shares, NaN where undefined, shape (systems, documents).
    """
    if average == "macro":
        return sample.values[measure.name]
    parts = ratio_of_sums(sample.table, measure)
    systems = range(len(sample.systems))
    if parts is None:
        return np.stack([_pseudo_values(sample, measure, s) for s in systems])
    return np.stack([_linear(sample, measure, parts, s) for s in systems])


def ratio_of_sums(table: Table, measure: Measure) -> tuple[str, str] | None:
    """Return the numerator and the denominator of a formula that is a ratio of sums of counts.

    A constant before the ratio is left out: ``1 - a / b`` has the parts ``-(a)`` and ``b``.
    """
    formulas = table.only([measure.name]).formulas
    expression = ast.parse(measure.formula, mode="eval").body
    sign = ""
    if isinstance(expression, ast.BinOp) and isinstance(expression.op, ast.Sub):
        if _kind(expression.left, table, formulas) != _CONSTANT:
            return None
        expression, sign = expression.right, "-"
    if not isinstance(expression, ast.BinOp) or not isinstance(expression.op, ast.Div):
        return None
    parts = expression.left, expression.right
    if any(_kind(part, table, formulas) != _SUM for part in parts):
        return None
    return f"{sign}({ast.unparse(parts[0])})", ast.unparse(parts[1])


_CONSTANT, _SUM, _OTHER = "constant", "sum", "other"
"""Kinds of expression: without counts; a sum of counts, each times a constant; any other."""

_SUMS: dict[type[ast.operator], tuple[tuple[str, str], ...]] = {
    ast.Add: ((_SUM, _SUM),),
    ast.Sub: ((_SUM, _SUM),),
    ast.Mult: ((_SUM, _CONSTANT), (_CONSTANT, _SUM)),
    ast.Div: ((_SUM, _CONSTANT),),
}
"""The kinds of both sides of an operation that gives a sum."""


def _kind(node: ast.expr, table: Table, formulas: Mapping[str, Measure]) -> str:
    """Classify an expression of a formula."""
    if isinstance(node, ast.Constant):
        return _CONSTANT
    if isinstance(node, ast.UnaryOp):
        return _kind(node.operand, table, formulas)
    if isinstance(node, ast.Name):
        if node.id in table.counts:
            return _SUM
        if node.id in formulas:
            return _kind(ast.parse(formulas[node.id].formula, mode="eval").body, table, formulas)
        return _CONSTANT  # a parameter
    if not isinstance(node, ast.BinOp):
        return _OTHER
    left, right = (_kind(side, table, formulas) for side in (node.left, node.right))
    if left == right == _CONSTANT:
        return _CONSTANT
    return _SUM if (left, right) in _SUMS.get(type(node.op), ()) else _OTHER


def _linear(sample: Sample, measure: Measure, parts: tuple[str, str], system: int) -> Floats:
    counts = {name: rows[system] for name, rows in sample.counts.items()}
    names = ("numerator", "denominator")
    formulas = sample.table.only([measure.name]).formulas.values()
    ratio = [Measure(name, part, "") for name, part in zip(names, parts, strict=True)]
    values = evaluate([*formulas, *ratio], counts, sample.parameters[system], rows=False)
    above, below = (np.broadcast_to(values[name], len(sample.documents)) for name in names)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((above - above.sum() / below.sum() * below) / below.mean())


def _pseudo_values(sample: Sample, measure: Measure, system: int) -> Floats:
    counts = np.stack([rows[system] for rows in sample.counts.values()], axis=1).astype(np.float64)
    totals = total(counts)
    number = len(counts)
    whole = formula(sample, system, totals[None])[measure.name][0]
    without = formula(sample, system, totals - counts)[measure.name]
    return np.asarray(number * whole - (number - 1) * without)
