"""Show which boundary type, or label of a segment, systems took for which."""

from collections.abc import Mapping, Sequence
from typing import Any

from segscore.pipeline.scoring.finished_scoring import FinishedScoring
from segscore.pipeline.settings.measuring import LEVEL
from segscore.pipeline.statistics.formatted_numbers import shown_number
from segscore.pipeline.statistics.result_table import Column, ResultTable

_NONE = "none"
_OF_TYPES = (
    "boundaries by type in the reference (rows) and in the hypothesis (columns); none: missed "
    "(column) or false alarms (row); near misses and substitutions count 1 minus their weight"
)
_OF_LABELS = (
    "units of text by label in the reference (rows) and in the hypothesis (columns); none: without "
    "a label"
)


def confusion_table(finished: FinishedScoring) -> ResultTable:
    """Arrange the table `confusion` of a run, or `label_confusion` if boundaries have no types.

    There is a row for each system and type in the reference, and a column for each type in the
    hypothesis.
    """
    labels = [] if finished.record["boundary_types"] else finished.rows("label_confusion")
    kind, amount, note = ("label", "units", _OF_LABELS) if labels else ("type", "amount", _OF_TYPES)
    rows: list[dict[str, Any]] = labels or finished.rows("confusion")
    apart = [each for each in (LEVEL, "hypothesis") if rows and each in rows[0]]
    sides = [f"{side}_{kind}" for side in ("reference", "hypothesis")]
    tables: dict[tuple[Any, ...], dict[tuple[Any, Any], Any]] = {}
    for row in rows:
        cells = tables.setdefault(tuple(row[each] for each in apart), {})
        cells[row[sides[0]], row[sides[1]]] = row[amount]
    kinds = _kinds(rows, sides)
    numbers = [
        [*key, _named(of_ref), *(_amount(cells, (of_ref, each)) for each in kinds)]
        for key, cells in tables.items()
        for of_ref in kinds
    ]
    columns = [
        Column(
            "system" if name == "hypothesis" else name, values, is_name=True, write=str, key=name
        )
        for name, values in zip(
            apart, zip(*(row[: len(apart)] for row in numbers), strict=True), strict=False
        )
    ]
    named = [*map(_named, kinds)]
    first = len(apart)
    return ResultTable(
        [
            *columns,
            Column(kind, [row[first] for row in numbers], is_name=True, key=sides[0]),
            *(
                Column(
                    name,
                    [row[first + 1 + place] for row in numbers],
                    write=_cell,
                    key=f"{sides[1]}_{name}",
                )
                for place, name in enumerate(named)
            ),
        ],
        signature=finished.record["signature"],
        groups=first,
        notes={(): note},
    )


def _kinds(rows: Sequence[Mapping[str, Any]], sides: Sequence[str]) -> list[Any]:
    """Return the types or labels of both sides, in order; None, for none, is the last."""
    found = {row[side] for row in rows for side in sides}
    return [*sorted(found - {None}), *([None] if None in found else [])]


def _named(kind: Any) -> str:
    return _NONE if kind is None else str(kind)


def _amount(cells: Mapping[tuple[Any, Any], float], pair: tuple[Any, Any]) -> float | None:
    """Return an amount; None of what neither side has, which is not counted."""
    return None if pair == (None, None) else cells.get(pair, 0)


def _cell(amount: float | None) -> str:
    return shown_number(None) if amount is None else f"{amount:.2f}".removesuffix(".00")
