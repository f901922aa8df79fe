"""The tables of a comparison: the same columns on a terminal, on a page and in a paper."""

from typing import Any

import pytest

from segscore.jobs.show.formats import markdown_text
from segscore.jobs.show.shown import print_result
from segscore.pipeline.comparison.boundaries_tables import where_tables
from segscore.pipeline.comparison.comparison_in_papers import pairs_for_papers, ranks_for_papers
from segscore.pipeline.comparison.listed_documents import changes_in_words
from segscore.pipeline.comparison.references_tables import published_values_table, ratings_table
from segscore.pipeline.comparison.sentences import against_chance
from segscore.pipeline.comparison.system_pairs_tables import differences_table
from segscore.pipeline.comparison.systems_table import (
    best_first,
    groups_table,
    standings_table,
    systems_table,
)
from segscore.pipeline.statistics.result_table import ResultTable
from segscore.schemas.rows import PairRow, SystemRow


def pair(system: str, other: str, p: float | None, average: str = "micro") -> PairRow:
    """A pair by pk, whose other system is better by 0.25."""
    return {
        "measure": "pk",
        "average": average,
        "system": system,
        "other": other,
        "difference": 0.25,
        "ci_low": 0.125,
        "ci_high": 0.375,
        "better": other,
        "equal": None,
        "p": p,
        "p_holm": p,
        "smallest_difference_low": 0.0625,
        "smallest_difference_high": 0.125,
        "documents": 50,
        "units": 50,
    }


def names_of(table: ResultTable) -> list[str]:
    return [column.name for column in table.columns]


def printed(table: ResultTable, capsys: pytest.CaptureFixture[str]) -> list[str]:
    print_result(table)
    return capsys.readouterr().out.splitlines()


@pytest.mark.parametrize("margin", [None, 0.5])
def test_a_page_has_the_interval_of_each_pair(margin: float | None) -> None:
    page = differences_table([pair("a", "b", 0.01)], ["all"], "pk", margin)
    assert next(c for c in page.columns if c.name == "difference").ends == [(0.125, 0.375)]
    assert ("within 0.5" in names_of(page)) == (margin is not None)


def test_pairs_with_chance_are_said_in_a_sentence() -> None:
    every = [pair("point:none", "a", 0.2)]
    assert against_chance(every) == (
        "of 1 pair of a system and a reference point, not significant: a and point:none"
    )
    assert against_chance([pair("a", "b", 0.2)]) is None


def system(name: str, rank: float | None, average: str = "micro") -> SystemRow:
    return {
        "hypothesis": name,
        "system": name,
        "measure": "pk",
        "average": average,
        "value": 0.25 if average == "micro" else None,
        "ci_low": 0.125,
        "ci_high": 0.375,
        "rank": rank,
        "defined": 1234,
        "documents": 1234,
        "document_set": "x",
        "shared_documents": None,
    }


def test_systems_come_before_reference_points(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [system("point:human", 1), system("b", 3), system("a", 2), system("point:none", 4)]
    both = [*rows, system("a", 1, "macro")]
    table = systems_table(best_first(both, "micro"), both, "all documents", folds=True)
    title, heading, _, first, second, empty, point, caption, _ = printed(table, capsys)
    assert title == "pk ↓, micro, all documents"
    assert heading.split() == [
        *("system,", "best", "first", "micro", "95", "%", "interval", "macro"),
        *("rank", "documents"),
    ]
    assert first.split() == ["a", "0.2500", "0.1250", "to", "0.3750", "–", "2", "1,234"]
    assert (second.split()[0], empty.strip(), point.split()[0]) == ("b", "", "point:human")
    assert caption == "point:none 0.2500"


def test_systems_have_their_difference_from_the_first_one(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Its sign is that of the first minus the other, whichever of the two a row names first."""
    both = [system("a", 1), system("b", 2), system("c", 3), system("point:human", None)]
    pairs = [pair("a", "b", 0.01), pair("c", "a", 0.5), pair("b", "c", 0.5)]
    table = standings_table(best_first(both, "micro"), both, pairs, "all documents", 0.5)
    by_name = {column.name: column.cells for column in table.columns}
    assert by_name["a minus it"] == ["", "+0.2500", "-0.2500", ""]
    assert by_name["p (Holm)"] == ["", "0.010 *", "0.50  ", ""]
    assert by_name["within 0.5"] == ["", "differ", "undecided", ""]
    assert table.caption == "* p < 0.05; --layout pairs has 1 more pair"
    assert len(printed(table, capsys)) == 4 + 3 + 2 + 2  # with a line above the point


def test_a_group_has_a_row_with_its_first_two_systems() -> None:
    boards = {"g1": [system("a", 1), system("b", 2)], "g2": [system("b", 1)]}
    table = groups_table(boards, {"g1": [pair("b", "a", 0.01)]})
    assert [list(row) for row in zip(*(c.cells for c in table.columns), strict=True)] == [
        ["g1", "a", "0.2500", "b", "-0.2500", "0.010 *", "1,234"],
        ["g2", "b", "0.2500", "", "", "", "1,234"],
    ]


def rows_of(table: ResultTable) -> list[list[str]]:
    """Return the cells of each row as a paper has them."""
    return [list(row) for row in zip(*(each.bracketed for each in table.for_people), strict=True)]


def test_papers_have_ranks_and_mean_ranks() -> None:
    rows = [system("a", 1), system("b", 2)]
    table = ranks_for_papers(rows, [], [1.25, None], {"p against a": [None, 0.00001]})
    headings = [column.name for column in table.for_people]
    assert headings[2:4] == ["rank", "mean rank of documents"]
    assert rows_of(table) == [
        ["pk", "a", "1", "1.25", "–"],
        ["pk", "b", "2", "–", "< 0.0001"],
    ]
    assert len(table.names) == 2  # ranks are numbers, on the right


def test_papers_have_differences_without_a_sign_and_their_groups() -> None:
    row = pair("a", "b", None, "macro")
    grouped = {**row, "genre": True}, {**row, "genre": None}
    table = pairs_for_papers(grouped, ["genre"])  # type: ignore[arg-type]
    assert rows_of(table)[0] == [*("true", "pk", "b", "a", "-0.2500 [-0.3750, -0.1250]", "–")]
    assert rows_of(table)[1][0] == "all" and len(table.names) == 4
    empty = pairs_for_papers([], ["genre"])
    assert (empty.rows, len(empty.names), len(empty.columns)) == (0, 4, 6)


def test_classes_of_boundaries_have_a_column_for_each_system() -> None:
    def row(system: str, low: float, boundaries: int) -> dict[str, object]:
        rates = {"miss_rate": 0.5, "false_alarm_rate": None, "reference_boundaries": boundaries}
        return {"analysis": "prominence", "low": low, "high": 2 * low, "system": system} | rates

    (table,) = where_tables([row("a", 0, 1200), row("a", 0.25, 3), row("b", 0.25, 4)])
    assert [column.cells for column in table.columns] == [
        ["none", "25 % to 50 %"],
        ["1,200", "4"],
        ["0.5000, –", "0.5000, –"],
        ["–", "0.5000, –"],
    ]


def test_changes_are_listed_by_document() -> None:
    counts = [
        {"what": what, "change": change, "number": number, "p": p}
        for what, change, number, p in (
            ("reference boundaries", "fixed", 2, None),
            ("reference boundaries", "broken", 3, None),
            ("false alarms", "gone", 1, 0.5),
            ("false alarms", "new", 7, 0.5),
        )
    ]
    new = [
        {"change": "new", "document_id": "d", "position": 9 - n, "command": "c"}
        for n in (*range(6), 0)
    ]
    other = {"change": "new", "document_id": "a", "position": 3, "command": "other"}
    assert [*changes_in_words(counts, [other, *new], str.upper)] == [
        "false alarms: 1 gone, 7 new: p 0.50 (McNemar, by documents)",
        "new: 8 positions, in 2 documents:",
        "  4, 5, 6, 7, 8, …  C",
        "  3  OTHER",
    ]


def published(document: str | None) -> dict[str, object]:
    return {
        "set": "Set",
        "split": "all",
        "published_system": "top",
        "document_id": document,
        "measure": "pk",
        "printed": "0.25",
        "evidence": "paper",
        "convention": None,
        "system": None,
        "value": None,
    }


def test_published_scores_name_documents_only_where_they_have_one() -> None:
    assert "document" not in names_of(published_values_table([published(None)]))
    table = published_values_table([published("d"), published(None)])
    assert names_of(table)[:2] == ["system", "document"]


def test_ratings_have_their_remark_in_markdown() -> None:
    row: dict[str, Any] = {
        "measure": "pk",
        "correlation": 0.5,
        "ci_low": 0.25,
        "ci_high": None,
        "pairs": 1200,
    }
    others = {"measure": "window_diff", "correlation": None, "ci_low": None, "ci_high": None}
    rows = [others | {"pairs": 7, "documents": 1}, row | {"documents": 30}]
    lines = markdown_text(ratings_table(rows)).splitlines()
    assert [line.split(" | ")[0].strip("| ") for line in lines[2:4]] == ["pk ↓", "window_diff ↓"]
    assert lines[2].replace(" ", "").split("|")[2:5] == ["0.5000", "–", "1,200"]
    assert lines[-1].startswith("over 1,200 pairs of a document and a system, 30 documents; 1: ")


def test_documents_that_are_not_all_are_not_said_to_have_most_changes() -> None:
    counts = [
        {"what": "", "change": change, "number": 7, "p": None}
        for change in ("fixed", "broken", "gone", "new")
    ]
    fixed = [
        {"change": "fixed", "document_id": f"d{n}", "position": 1, "command": ""} for n in range(7)
    ]
    (heading, *listed) = changes_in_words(counts, fixed)
    assert heading == f"fixed: 7 positions; {len(listed)} of 7 documents, those with the most:"
    assert len(listed) < 7
