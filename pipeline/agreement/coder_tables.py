"""Tables of the page of one coder, in which the others have no names."""

from collections.abc import Mapping, Sequence
from statistics import median
from typing import cast

from segscore.pipeline.agreement.sentences import (
    OTHERS_SHOWN,
    PEER_SHOWN,
    SHOWN,
    a_minute,
    peer_ends,
)
from segscore.pipeline.statistics.formatted_numbers import counted, shown_as, shown_change
from segscore.pipeline.statistics.result_table import Column, ResultTable
from segscore.schemas.rows import CoderRow, DocumentRow

OTHERS = "the others"


def not_named(row: CoderRow) -> str:
    """Say that a coder does not stand out, or is not judged."""
    effect, limit = row.get("agreement_effect"), row.get("agreement_limit")
    if effect is None or limit is None:
        return f"{row['coder']} is not judged: too few documents are shared with others."
    return (
        f"{row['coder']} does not stand out: the effect on agreement is {shown_change(effect)}, "
        f"and coders are named from {limit:.2f} below the median on."
    )


def numbers_table(own: CoderRow, rows: Sequence[CoderRow], unit: str | None) -> ResultTable:
    """Show the numbers of a coder, and the medians of the others."""
    others = [row for row in rows if row is not own]
    minute = a_minute(unit)
    low, high = peer_ends(own)
    lines: list[tuple[str, str, str]] = []
    for name, column, form, scale in (
        ("documents", "documents", ",.0f", 1.0),
        (
            "boundaries a minute" if minute else "boundaries per position",
            "rate",
            ".4f",
            minute or 1,
        ),
        (f"{SHOWN} with the others", PEER_SHOWN, ".4f", 1.0),
        ("that of the others among themselves", OTHERS_SHOWN, ".4f", 1.0),
        ("effect on agreement", "agreement_effect", "+.4f", 1.0),
        ("its standard error", "agreement_error", ".4f", 1.0),
        ("boundaries / those of the others", "rate_ratio", ".2f", 1.0),
    ):
        values = [value for row in others if (value := row_value(row, column)) is not None]
        of_others = median(values) * scale if values else None
        value = row_value(own, column)
        shown = shown_as(None if value is None else value * scale, form)
        if column == PEER_SHOWN and low is not None:
            shown += f" ({low:.4f} to {shown_as(high, '.4f')})"
        lines.append((name, shown, shown_as(of_others, form)))
    return ResultTable(
        [
            Column("", [line[0] for line in lines], is_name=True),
            Column(own["coder"], [line[1] for line in lines], is_name=True),
            Column(f"median of {OTHERS}", [line[2] for line in lines], is_name=True),
        ],
        title="Numbers beside those of the others",
        guide=f"With 95 % intervals, over all documents; {counted(len(others), 'other coder')}.",
    )


def row_value(row: CoderRow, column: str) -> float | None:
    """Return a number of a row; None if it is undefined."""
    value = cast("Mapping[str, object]", row).get(column)
    return float(value) if isinstance(value, int | float) else None


def codings_beside_others(row: DocumentRow, coder: str) -> ResultTable:
    """Show the segments of each coding of a document, that of the coder first."""
    segments = sorted(
        zip(row["coders"], row["segments"], strict=True), key=lambda each: each[0] != coder
    )
    return ResultTable(
        [
            Column("coder", [n if n == coder else OTHERS for n, _ in segments], is_name=True),
            Column("segments", [number for _, number in segments]),
        ],
        title=row["document_id"],
    )
