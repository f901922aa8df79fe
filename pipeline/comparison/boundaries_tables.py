"""Tables of where systems miss boundaries, and of what changed between two of them."""

import textwrap
from collections.abc import Iterator, Sequence

from segscore.pipeline.runs.finished import RunRow, grouped
from segscore.pipeline.statistics.formatted_numbers import percent, shown_number
from segscore.pipeline.statistics.result_table import Column, ResultTable

_SYSTEMS = 10
"""Number of systems that have a column."""

_HEADING = 16
"""Number of characters after which a name in a heading continues on the next line."""

_ANALYSES = {
    "story_length": "by length of the story that the boundary opens",
    "position": "by position in the document",
    "prominence": "by share of the coders who marked the position",
}


def where_tables(rows: Sequence[RunRow]) -> Iterator[ResultTable]:
    """Show for each analysis the miss and false alarm rates of systems by class."""
    systems = list(dict.fromkeys(row["system"] for row in rows))[:_SYSTEMS]
    of_analysis = grouped(rows, ("analysis",))
    for analysis, title in _ANALYSES.items():
        classes = grouped(of_analysis.get((analysis,), ()), ("low", "high"))
        if not classes:
            continue
        cells = [{row["system"]: _rates(row) for row in found} for found in classes.values()]
        most = [max(row["reference_boundaries"] for row in found) for found in classes.values()]
        yield ResultTable(
            [
                Column("", [_class(analysis, *ends) for ends in classes], is_name=True),
                Column("boundaries", most),
                *(
                    Column(
                        "\n".join(textwrap.wrap(system, _HEADING)),
                        [found.get(system) for found in cells],
                    )
                    for system in systems
                ),
            ],
            title=f"miss rate, false alarm rate, {title}",
        )


def _rates(row: RunRow) -> str:
    return f"{shown_number(row['miss_rate'])}, {shown_number(row['false_alarm_rate'])}"


def _class(analysis: str, low: float, high: float) -> str:
    if analysis == "story_length":
        return f"{low:.0f} to {high:.0f}" if low < high else f"{low:.0f}"
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
