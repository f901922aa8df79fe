"""Explain why a hypothesis without boundaries can be better than every system."""

from typing import TYPE_CHECKING

from segscore.pipeline.runs.finished import rows_over_all
from segscore.pipeline.scoring.names import POINT, is_point
from segscore.pipeline.statistics.averages import summary_groups

if TYPE_CHECKING:
    import pyarrow as pa

_MEASURES = ("pk", "window_diff")


def explain_better_point(summary: "pa.Table") -> str | None:
    """Return a sentence if `point:none` is better than all systems by a measure over windows.

    Args:
        summary: the table ``summary`` of a run.
    """
    rows = rows_over_all(summary, summary_groups(summary.column_names))
    better = []
    for measure in _MEASURES:
        values = {
            row["hypothesis"]: row["value"]
            for row in rows
            if (row["measure"], row["average"]) == (measure, "micro") and row["value"] is not None
        }
        systems = [value for name, value in values.items() if not is_point(name)]
        if systems and values.get(f"{POINT}none", 1.0) < min(systems):
            better.append(measure)
    if not better:
        return None
    return (
        f"{POINT}none is better than every system by {' and '.join(better)}: it misses all "
        "boundaries, but raises no false alarm; see docs/which-measure.md"
    )
