"""Slow and obvious: which length every segmentation has, and what it loses at its end.

Written from the rule for time: one length per document, adopted within a tolerance.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

Row = Mapping[str, Any]


@dataclass
class Adopted:
    """What a run makes of its rows.

    Attributes:
        rows: (table, document, coder) -> length, boundaries inside, boundaries dropped.
        rejects: (table, document, coder) -> the rule that the row breaks.
    """

    rows: dict[tuple[str, str, str], tuple[int, list[int], int]] = field(default_factory=dict)
    rejects: dict[tuple[str, str, str], str] = field(default_factory=dict)


def adopt_lengths(
    references: Iterable[Row], hypotheses: Iterable[Row], documents: Iterable[Row], tolerance: int
) -> Adopted:
    """Give all rows the length of their document (every coder has one row for a document)."""
    adopted = Adopted()
    lengths = {row["document_id"]: row["n_units"] for row in documents}
    by_document: dict[str, list[Row]] = {}
    for row in references:
        if rule := own_rule(row, tolerance):
            adopted.rejects[key("references", row)] = rule
        else:
            by_document.setdefault(row["document_id"], []).append(row)
    for document, rows in by_document.items():
        stated = [row["n_units"] for row in rows if row["n_units"] is not None]
        if document not in lengths and stated and max(stated) - min(stated) > tolerance:
            adopted.rejects |= {key("references", row): "n_units_agree" for row in rows}
            continue
        length = lengths.get(document, max(stated, default=None))
        for row in rows:
            _adopt(adopted, "references", row, length, tolerance)
    known = {document: kept[0] for (_, document, _), kept in adopted.rows.items()}
    for row in hypotheses:
        if rule := own_rule(row, tolerance):
            adopted.rejects[key("hypotheses", row)] = rule
        elif row["document_id"] in known:
            _adopt(adopted, "hypotheses", row, known[row["document_id"]], tolerance)
    return adopted


def key(table: str, row: Row) -> tuple[str, str, str]:
    """Table, document and coder of a row."""
    return table, row["document_id"], row["coder"]


def own_rule(row: Row, tolerance: int) -> str | None:
    """The first rule that a row breaks by itself; the last boundary waits where lengths may differ.

    Only the rules about lengths: coders have names, and boundaries ascend.
    """
    n_units, boundaries = row["n_units"], row["boundaries"]
    if n_units is None and tolerance == 0:
        return "n_units_given"
    if n_units is not None and n_units < 1:
        return "n_units_positive"
    if any(position < 1 for position in boundaries):
        return "boundaries_in_range"
    if tolerance == 0 and any(position >= n_units for position in boundaries):
        return "boundaries_in_range"
    return None


def _adopt(adopted: Adopted, table: str, row: Row, length: int | None, tolerance: int) -> None:
    n_units, boundaries = row["n_units"], row["boundaries"]
    states_it = n_units == length
    if length is None:
        adopted.rejects[key(table, row)] = "n_units_given"
    elif n_units is not None and abs(n_units - length) > tolerance:
        adopted.rejects[key(table, row)] = "n_units_agree"
    elif any(position >= length if states_it else position > length + tolerance
             for position in boundaries):  # fmt: skip
        adopted.rejects[key(table, row)] = "boundaries_in_range"
    else:
        inside = [position for position in boundaries if position < length]
        lost = len(boundaries) - len(inside) + (row.get("collapsed_boundaries") or 0)
        adopted.rows[key(table, row)] = length, inside, lost
