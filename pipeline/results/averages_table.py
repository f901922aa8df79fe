"""Tables of averages of systems: by every measure, by two measures, and in groups of documents."""

from collections.abc import Sequence
from functools import partial

from segscore.pipeline.measures.several_references import COMPARED
from segscore.pipeline.statistics.result_table import Column, ResultTable, more_in
from segscore.schemas.rows import AverageRow

_GROUP_ROWS = 1000
"""Maximum number of rows of groups that a page lists."""


def _systems(rows: Sequence[AverageRow]) -> Column:
    return Column("system", [row["hypothesis"] for row in rows], is_name=True)


def _average(heading: str, rows: Sequence[AverageRow]) -> Column:
    ends = [(row["ci_low"], row["ci_high"]) for row in rows]
    return Column(heading, [row["value"] for row in rows], ends=ends)


def _documents(rows: Sequence[AverageRow]) -> Column:
    return Column("documents", [row["defined"] for row in rows])


def every_measure_table(micro: Sequence[AverageRow], macro: Sequence[AverageRow]) -> ResultTable:
    """Show the micro and the macro average of each system by each measure."""
    measures = [row["measure"] + COMPARED[row["measure"]].arrow for row in micro]
    return ResultTable(
        [
            Column("measure", measures, is_name=True),
            _systems(micro),
            _average("micro", micro),
            _average("macro", macro),
            Column("SD", [row["sd"] for row in macro]),
            _documents(macro),
        ],
        title="Every measure",
        guide="The command segscore measures lists formulas, ranges and sources.",
    )


def averages_against(
    across: Sequence[AverageRow], up: Sequence[AverageRow], place: str, guide: str
) -> ResultTable:
    """Show the averages of the same systems by two measures, for a chart.

    Args:
        across: their averages by the measure of the x axis, in the order of the systems.
        up: those by the measure of the y axis.
        place: what the place of a system in this order is.
        guide: how to read the chart.
    """
    x, y = across[0]["measure"], up[0]["measure"]
    return ResultTable(
        [
            _systems(across),
            Column(place, range(1, len(across) + 1)),
            _average(x, across),
            _average(y, up),
        ],
        title=f"{y} against {x}",
        guide=guide,
    )


def averages_by_group(rows: Sequence[AverageRow], title: str, guide: str) -> ResultTable:
    """Show averages of systems in groups of documents.

    Args:
        rows: averages of one kind by one measure, at least one.
        title: what the table shows.
        guide: how to read its chart.
    """
    return ResultTable(
        [
            Column("group", [row["group"] for row in rows], is_name=True),
            _systems(rows),
            _average(rows[0]["average"], rows),
            _documents(rows),
        ],
        title=title,
        guide=guide,
        most=_GROUP_ROWS,
        rest=partial(more_in, "summary"),
    )
