"""Print where in documents systems miss boundaries, and where they place too many."""

import textwrap
from typing import Any

from segscore.jobs.show.fitted import print_fitted
from segscore.pipeline.statistics.shown_numbers import shown_number
from segscore.pipeline.statistics.shown_tables import Column

SYSTEMS_SHOWN = 10

_HEADING = 16
"""Number of characters after which a name in a heading continues on the next line."""

ANALYSES = {
    "story_length": "by length of the story that the boundary opens",
    "position": "by position in the document",
    "prominence": "by share of the coders who marked the position",
}


def print_where(rows: list[dict[str, Any]]) -> None:
    """Print one table per analysis, with the miss and false alarm rates of systems by class."""
    systems = list(dict.fromkeys(row["system"] for row in rows))[:SYSTEMS_SHOWN]
    for analysis, title in ANALYSES.items():
        classes: dict[tuple[float, float], dict[str, dict[str, Any]]] = {}
        for row in rows:
            if row["analysis"] == analysis:
                classes.setdefault((row["low"], row["high"]), {})[row["system"]] = row
        if not classes:
            continue
        most = [
            max(row["reference_boundaries"] for row in cells.values()) for cells in classes.values()
        ]
        columns = [
            Column("", [_class(analysis, *ends) for ends in classes], is_name=True),
            Column("boundaries", [str(number) for number in most]),
        ]
        for system in systems:
            cells = [
                _rates(found[system]) if system in found else "–" for found in classes.values()
            ]
            columns.append(Column("\n".join(textwrap.wrap(system, _HEADING)), cells))
        print_fitted(columns, title=f"miss rate, false alarm rate, {title}")


def _rates(row: dict[str, Any]) -> str:
    return f"{shown_number(row['miss_rate'])}, {shown_number(row['false_alarm_rate'])}"


def _class(analysis: str, low: float, high: float) -> str:
    if analysis == "story_length":
        return f"{low:.0f} to {high:.0f}" if low < high else f"{low:.0f}"
    if analysis == "prominence" and high == 0:
        return "none"
    return f"{low:.0%} to {high:.0%}"
