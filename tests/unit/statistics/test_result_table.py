"""A table of results has the same numbers on a terminal, on a page and in a paper."""

import pytest

from segscore.jobs.show.shown import print_result
from segscore.pipeline.reports.chart_parts import interval_marks
from segscore.pipeline.reports.page import NumberCell, shown_figure
from segscore.pipeline.statistics.formatted_numbers import shown_change
from segscore.pipeline.statistics.result_table import Column, ResultTable, WrittenNumber, more_in

TABLE = ResultTable(
    [
        Column("similarity", ["b", "b", "s"], is_name=True, once=True),
        Column("coefficient", ["pi", "alpha", "pi"], is_name=True),
        Column(
            "change per\n30 nights",
            [0.5, -0.25, None],
            write=shown_change,
            ends=[(0.25, 0.75), (-0.5, None), (None, None)],
        ),
        Column("documents", [1234, 2, 3]),
        Column("extra", [1.0, 2.0, 3.0], is_detail=True),
    ],
    title="agreement",
    caption="two coders",
    guide="How to read it.",
)


def printed(table: ResultTable, capsys: pytest.CaptureFixture[str]) -> list[str]:
    print_result(table)
    return capsys.readouterr().out.splitlines()


def test_a_terminal_has_a_column_of_intervals_and_no_details(
    capsys: pytest.CaptureFixture[str],
) -> None:
    title, _, heading, _, *rows, caption, last = printed(TABLE, capsys)
    assert (title, caption, last) == ("agreement", "two coders", "")
    assert heading.split("  ")[-1].strip() == "documents" and "95 % interval" in heading
    assert [row.split() for row in rows] == [
        ["b", "pi", "+0.5000", "+0.2500", "to", "+0.7500", "1,234"],
        ["alpha", "-0.2500", "–", "2"],
        ["s", "pi", "–", "–", "3"],
    ]


def test_a_page_has_both_ends_and_all_columns() -> None:
    figure = shown_figure(TABLE)
    table = figure.table
    assert table is not None
    assert (figure.title, figure.caption) == ("agreement", "Two coders. How to read it.")
    assert list(table.headings) == [
        *("similarity", "coefficient", "change per 30 nights", "95 % from", "to"),
        *("documents", "extra"),
    ]
    assert table.named_by == 1
    assert list(table.rows[0]) == [
        *("b", "pi", NumberCell("+0.5000", 0.5), NumberCell("+0.2500", 0.25)),
        *(NumberCell("+0.7500", 0.75), 1234, 1.0),
    ]
    assert table.rows[2][2:5] == (None, None, None)


def test_a_paper_has_intervals_in_brackets() -> None:
    assert len(TABLE.names) == 2
    assert TABLE.in_lines().columns[2].cells == ["+0.5000 [+0.2500, +0.7500]", "-0.2500", "–"]


def test_a_chart_draws_the_first_numbers() -> None:
    first, second, _ = interval_marks(TABLE)
    assert first == {"name": "pi, b", "value": 0.5, "low": 0.25, "high": 0.75, "kind": "pi"}
    assert second["kind"] == "alpha"


@pytest.mark.parametrize(("first", "words"), [(1, "2 more are"), (2, "1 more is")])
def test_a_terminal_says_how_many_rows_it_leaves_out(
    first: int, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    table = ResultTable(
        TABLE.columns, first=first, rest=lambda number: more_in("agreement", number), failed=[2]
    )
    assert table.shortened().rows == first and not table.shortened().failed
    assert printed(table, capsys)[-2] == f"{words} in the table agreement"
    figure = shown_figure(table)
    assert figure.table is not None and len(figure.table.rows) == 3
    assert figure.table.failed == [2]


def test_a_page_says_how_many_rows_it_leaves_out() -> None:
    table = ResultTable(TABLE.columns, most=2, rest=lambda number: more_in("agreement", number))
    shown = shown_figure(table).table
    assert shown is not None
    assert (len(shown.rows), shown.more) == (2, "1 more is in the table agreement.")
    whole = shown_figure(ResultTable(TABLE.columns, most=3, rest=table.rest)).table
    assert whole is not None
    assert (len(whole.rows), whole.more) == (3, "")


RANKED = ResultTable(
    [
        Column("system", ["a", "b", "c", "tau"], is_name=True),
        Column(
            "pk",
            [
                *(WrittenNumber(f"{value:.2f}", value, f"{n}") for n, value in enumerate((0.5, 1))),
                WrittenNumber("–", None),
                WrittenNumber("0.3", 1 / 3),
            ],
        ),
    ],
    sections=[0],
    apart=1,
    apart_heading="Statistics",
)


def test_a_terminal_has_empty_lines_below_sections_and_above_rows_that_are_apart(
    capsys: pytest.CaptureFixture[str],
) -> None:
    rows = printed(RANKED, capsys)[2:-1]
    assert [row.split() for row in rows] == [
        ["a", "0.50", "(0)"],
        [],
        ["b", "1.00", "(1)"],
        ["c", "–"],
        [],
        ["tau", "0.3"],
    ]


def test_a_page_sorts_rows_that_are_apart_among_themselves() -> None:
    table = shown_figure(RANKED).table
    assert table is not None
    assert [row[0] for row in table.rows] == ["a", "b", "c"]
    assert table.rows[1][1] == NumberCell("1.00", 1, "1")
    assert [*table.apart] == [("tau", NumberCell("0.3", 1 / 3))]
    assert table.apart_heading == "Statistics"
    assert table.numeric == {1}


def test_the_first_rows_have_no_lines_of_others(capsys: pytest.CaptureFixture[str]) -> None:
    table = ResultTable(RANKED.columns, first=2, sections=[0, 2], apart=1)
    assert [row.split() for row in printed(table, capsys)[2:-1]] == [
        ["a", "0.50", "(0)"],
        [],
        ["b", "1.00", "(1)"],
    ]


def test_rows_that_fail_have_names_in_the_color_of_failures(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.delenv("NO_COLOR", raising=False)
    lines = printed(ResultTable(TABLE.columns, failed=[1]), capsys)
    assert ["\x1b[1;31malpha" in line for line in lines].count(True) == 1
    assert not any("\x1b[1;31mpi" in line for line in lines)
