"""Print the systems of a scoring run, best first, with the main measures as columns."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from segscore.jobs.show.fitted import print_lines
from segscore.jobs.show.shown import print_result
from segscore.pipeline.statistics.formatted_numbers import shown_group
from segscore.schemas.rows import AverageRow

if TYPE_CHECKING:
    import pyarrow as pa

SCORE_LAYOUTS = ("systems", "groups", "crossed", "measures", "documents", "confusion")
GROUPS_SHOWN = 10
ALL_DOCUMENTS = "all documents"
"""Title of what is over all documents, which goes without saying where there is nothing else."""

_OVER_WINDOWS = ("pk", "window_diff")
"""Measures by which a hypothesis without boundaries can be better than every system."""


def print_scores(
    summary: "pa.Table",
    layout: str | None = None,
    whole: str = ALL_DOCUMENTS,
    named: Sequence[str] = (),
) -> None:
    """Print the averages of a run.

    Args:
        summary: the table ``summary`` of the run.
        layout: ``systems``: the leaderboard over all documents; ``groups``: also that of each
            group; ``measures``: a table for each measure, for each of these groups; None: the
            leaderboard, of a command that has no other layout.
        whole: title of the leaderboard over all documents.
        named: measures and families in the order in which the user named them.
    """
    from segscore.pipeline.results.leaderboard import rank
    from segscore.pipeline.results.leaderboard_table import measure_tables, printed_leaderboard
    from segscore.pipeline.statistics.averages import summary_groups

    if not summary.num_rows:
        need = "no document has several references, which all the chosen measures need"
        print_lines(f"no averages: {need}")
        return
    by = summary_groups(summary.column_names)
    rows: list[AverageRow] = summary.to_pylist()
    boards, macro = (
        rank([row for row in rows if row["average"] == average], by, named=named)
        for average in ("micro", "macro")
    )
    shown = len(boards) if layout in ("groups", "measures") else 1
    for board, means in zip(boards[: min(shown, 1 + GROUPS_SHOWN)], macro, strict=False):
        if layout == "measures":
            for table in measure_tables(shown_group(by, board.group) or whole, board, means):
                print_result(table)
        else:
            hint = [] if layout is None else ["more: --layout measures"]
            if layout == "systems" and len(boards) > 1:
                hint = ["more: --layout measures, --layout groups"]
            title = shown_group(by, board.group) or whole * (whole != ALL_DOCUMENTS or shown > 1)
            print_result(printed_leaderboard(title, board, hint), last=shown == 1)
    if shown > 1 + GROUPS_SHOWN:
        print_lines(f"{shown - 1 - GROUPS_SHOWN} more groups are in the table summary")


def explain_better_point(summary: "pa.Table") -> str | None:
    """Return a sentence if `point:none` is better than all systems by a measure over windows."""
    from segscore.pipeline.results.leaderboard import rank
    from segscore.pipeline.results.names import POINT
    from segscore.pipeline.runs.finished import rows_over_all
    from segscore.pipeline.statistics.averages import summary_groups

    rows: list[AverageRow] = rows_over_all(summary, summary_groups(summary.column_names))
    better = []
    for measure in _OVER_WINDOWS:
        of_measure = (r for r in rows if (r["measure"], r["average"]) == (measure, "micro"))
        for board in rank(of_measure, measure=measure):
            values = {name: board.average(measure, name)["value"] for name in board.names}
            systems = [v for name in board.contenders if (v := values[name]) is not None]
            none = f"{POINT}none"
            point = values.get(none)
            if not all(board.have_same_documents(none, name) for name in board.contenders):
                continue
            if systems and point is not None and point < min(systems):
                better.append(measure)
    if not better:
        return None
    return (
        f"{POINT}none is better than every system by {' and '.join(better)}: it misses all "
        "boundaries, but raises no false alarm; see docs/which-measure.md"
    )
