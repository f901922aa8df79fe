"""Tables of where systems miss boundaries, and of what changed between two of them."""

import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence

from segscore.pipeline.runs.finished import RunRow, grouped
from segscore.pipeline.statistics.formatted_numbers import (
    percent,
    shown_number,
    shown_position,
)
from segscore.pipeline.statistics.result_table import Column, ResultTable

_SYSTEMS = 10
"""Number of systems that have a column."""

_HEADING = 16
"""Number of characters after which a name in a heading continues on the next line."""

_RATES = "miss rate, false alarm rate, by"
_TITLES = {
    "story_length": f"{_RATES} length of the story that the boundary opens",
    "position": f"{_RATES} position in the document",
    "prominence": f"{_RATES} share of the coders who marked the position",
    "kind": "recall, by kind of the reference boundary",
    "distance": "reference boundaries, by distance to the nearest boundary of the system",
}


def where_tables(rows: Sequence[RunRow], unit: str | None = None) -> Iterator[ResultTable]:
    """Show for each analysis how many boundaries of a class each system finds.

    Args:
        rows: rows of the table `where`.
        unit: unit of the run; None if it is not known.
    """
    systems = list(dict.fromkeys(row["system"] for row in rows))[:_SYSTEMS]
    of_analysis = grouped(rows, ("analysis",))
    for analysis, title in _TITLES.items():
        classes = grouped(of_analysis.get((analysis,), ()), ("low", "high", "kind"))
        if not classes:
            continue
        totals = Counter[str]()
        for row in of_analysis[(analysis,)]:
            totals[row["system"]] += row["reference_boundaries"]
        cells = [
            {row["system"]: _cell(row, totals[row["system"]]) for row in found}
            for found in classes.values()
        ]
        names = [_class(analysis, low, high, kind, unit) for low, high, kind in classes]
        most = [max(row["reference_boundaries"] for row in found) for found in classes.values()]
        yield ResultTable(
            [
                Column("", names, is_name=True),
                *([Column("boundaries", most)] if analysis != "distance" else []),
                *(
                    Column(
                        "\n".join(textwrap.wrap(system, _HEADING)),
                        [found.get(system) for found in cells],
                    )
                    for system in systems
                ),
            ],
            title=title,
        )


def _cell(row: RunRow, boundaries: int) -> str:
    """Write what a system does in a class: recall, number and share, or both rates of errors."""
    if row["analysis"] == "kind":
        return shown_number(1 - row["miss_rate"])
    if row["analysis"] == "distance":
        number = row["reference_boundaries"]
        return f"{number:,} ({percent(number / boundaries if boundaries else None)})"
    return f"{shown_number(row['miss_rate'])}, {shown_number(row['false_alarm_rate'])}"


def _class(
    analysis: str, low: float | None, high: float | None, kind: str | None, unit: str | None
) -> str:
    if low is None:
        return str(kind)
    if high is None:
        return "farther"
    if analysis in ("story_length", "distance"):
        start, end = (shown_position(int(each), unit) for each in (low, high))
        between = f"up to {end}" if analysis == "distance" else f"{start} to {end}"
        return end if low == high else between
    if analysis == "prominence" and high == 0:
        return "none"
    return f"{percent(low)} to {percent(high)}"


def changes_table(counts: Sequence[RunRow]) -> ResultTable:
    """Show how often each change occurs; there is one row or more."""
    before, after = counts[0]["system_before"], counts[0]["system_after"]
    return ResultTable(
        [
            Column("", [row["what"] for row in counts], is_name=True),
            Column("", [row["change"] for row in counts], is_name=True),
            Column("number", [row["number"] for row in counts]),
            Column("documents", [row["documents"] for row in counts]),
        ],
        title=f"what changed from {before} to {after}",
    )
