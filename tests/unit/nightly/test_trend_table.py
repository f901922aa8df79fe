"""The table of a trend: which rows and columns a terminal and a page have, and what is marked."""

from dataclasses import replace
from datetime import date

from segscore.pipeline.nightly.trend.levels import FELL, ROSE, STEADY, Level
from segscore.pipeline.nightly.trend.trend_tables import levels_table
from segscore.pipeline.reports.page import shown_figure
from segscore.pipeline.statistics.result_table import ResultTable

WHOLE = Level("beta", (None,), date(2026, 10, 1), date(2026, 10, 20), 20, 0.7, verdict=STEADY)
GROUP = replace(WHOLE, group=("regio",))


def headings(table: ResultTable) -> list[str]:
    """Return the headings on a terminal."""
    return [part.heading for column in table.columns for part in column.for_terminal()]


def test_a_page_names_the_groups_that_a_terminal_leaves_out() -> None:
    table = levels_table([GROUP, WHOLE], "pk", "a title")
    assert "group" not in headings(table) and "step on" not in headings(table)
    assert table.first == 1
    assert table.shortened().caption == "1 row of groups without a change is not shown"
    page = shown_figure(table).table
    assert page is not None and {"group", "step on"} <= {*page.headings}
    assert [row[1] for row in page.rows] == ["all documents", "regio"]


def test_a_group_that_changed_is_shown_and_named() -> None:
    table = levels_table([WHOLE, replace(GROUP, verdict=FELL)], "pk", "a title")
    assert table.first == 2 and "group" in headings(table)


def test_what_got_worse_is_marked() -> None:
    levels = [replace(WHOLE, verdict=verdict) for verdict in (STEADY, FELL, ROSE)]
    assert levels_table(levels, "pk", "").failed == [2]
    assert levels_table(levels, "boundary_similarity", "").failed == [1]
